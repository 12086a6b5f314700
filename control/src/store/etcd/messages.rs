//! Messages of etcd's API, version 3.4 and later: what is used of them. Numbers and types are those of its `rpc.proto` and
//! `kv.proto`; fields that are left out are skipped when they are read.

use prost::{Enumeration, Message, Oneof};

/// What every response begins with.
#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct ResponseHeader {
    /// Newest revision of the whole store.
    #[prost(int64, tag = "3")]
    pub revision: i64,
}

/// A key with its value.
#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct KeyValue {
    #[prost(bytes = "vec", tag = "1")]
    pub key: Vec<u8>,
    /// Revision that wrote or, in events, deleted it.
    #[prost(int64, tag = "3")]
    pub mod_revision: i64,
    #[prost(bytes = "vec", tag = "5")]
    pub value: Vec<u8>,
    /// 0 if it has none.
    #[prost(int64, tag = "6")]
    pub lease: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub(in crate::store) enum SortOrder {
    None = 0,
    Ascend = 1,
    Descend = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub(in crate::store) enum SortTarget {
    Key = 0,
    ModRevision = 3,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct RangeRequest {
    #[prost(bytes = "vec", tag = "1")]
    pub key: Vec<u8>,
    /// Empty for the one key.
    #[prost(bytes = "vec", tag = "2")]
    pub range_end: Vec<u8>,
    #[prost(int64, tag = "3")]
    pub limit: i64,
    /// 0 for the newest.
    #[prost(int64, tag = "4")]
    pub revision: i64,
    #[prost(enumeration = "SortOrder", tag = "5")]
    pub sort_order: i32,
    #[prost(enumeration = "SortTarget", tag = "6")]
    pub sort_target: i32,
    #[prost(bool, tag = "8")]
    pub keys_only: bool,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct RangeResponse {
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub kvs: Vec<KeyValue>,
    #[prost(bool, tag = "3")]
    pub more: bool,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct PutRequest {
    #[prost(bytes = "vec", tag = "1")]
    pub key: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
    #[prost(int64, tag = "3")]
    pub lease: i64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct PutResponse {}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct DeleteRangeRequest {
    #[prost(bytes = "vec", tag = "1")]
    pub key: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct DeleteRangeResponse {
    #[prost(int64, tag = "2")]
    pub deleted: i64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct RequestOp {
    #[prost(oneof = "RequestOperation", tags = "1, 2, 3, 4")]
    pub request: Option<RequestOperation>,
}

#[derive(Clone, PartialEq, Eq, Oneof)]
pub(in crate::store) enum RequestOperation {
    #[prost(message, tag = "1")]
    Range(RangeRequest),
    #[prost(message, tag = "2")]
    Put(PutRequest),
    #[prost(message, tag = "3")]
    Delete(DeleteRangeRequest),
    #[prost(message, tag = "4")]
    Transaction(TxnRequest),
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct ResponseOp {
    #[prost(oneof = "ResponseOperation", tags = "1, 2, 3, 4")]
    pub response: Option<ResponseOperation>,
}

#[derive(Clone, PartialEq, Eq, Oneof)]
pub(in crate::store) enum ResponseOperation {
    #[prost(message, tag = "1")]
    Range(RangeResponse),
    #[prost(message, tag = "2")]
    Put(PutResponse),
    #[prost(message, tag = "3")]
    Delete(DeleteRangeResponse),
    #[prost(message, tag = "4")]
    Transaction(TxnResponse),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub(in crate::store) enum CompareResult {
    Equal = 0,
    Greater = 1,
    Less = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub(in crate::store) enum CompareTarget {
    /// The default of the protocol; without it, prost would take the next one for it and not send it.
    Version = 0,
    ModRevision = 2,
}

/// A precondition on the revision that wrote a key or all keys of a range; it is 0 for a key that does not exist.
#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct Compare {
    #[prost(enumeration = "CompareResult", tag = "1")]
    pub result: i32,
    #[prost(enumeration = "CompareTarget", tag = "2")]
    pub target: i32,
    #[prost(bytes = "vec", tag = "3")]
    pub key: Vec<u8>,
    /// A member of a `oneof`, and therefore sent even if it is 0.
    #[prost(int64, optional, tag = "6")]
    pub mod_revision: Option<i64>,
    #[prost(bytes = "vec", tag = "64")]
    pub range_end: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct TxnRequest {
    #[prost(message, repeated, tag = "1")]
    pub compare: Vec<Compare>,
    #[prost(message, repeated, tag = "2")]
    pub success: Vec<RequestOp>,
    #[prost(message, repeated, tag = "3")]
    pub failure: Vec<RequestOp>,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct TxnResponse {
    #[prost(message, optional, tag = "1")]
    pub header: Option<ResponseHeader>,
    #[prost(bool, tag = "2")]
    pub succeeded: bool,
    #[prost(message, repeated, tag = "3")]
    pub responses: Vec<ResponseOp>,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct WatchRequest {
    #[prost(oneof = "WatchOperation", tags = "1, 3")]
    pub request: Option<WatchOperation>,
}

#[derive(Clone, PartialEq, Eq, Oneof)]
pub(in crate::store) enum WatchOperation {
    #[prost(message, tag = "1")]
    Create(WatchCreateRequest),
    #[prost(message, tag = "3")]
    Progress(WatchProgressRequest),
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct WatchCreateRequest {
    #[prost(bytes = "vec", tag = "1")]
    pub key: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub range_end: Vec<u8>,
    #[prost(int64, tag = "3")]
    pub start_revision: i64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct WatchProgressRequest {}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct WatchResponse {
    #[prost(bool, tag = "4")]
    pub canceled: bool,
    /// Oldest revision that is still there, if the watch began before it.
    #[prost(int64, tag = "5")]
    pub compact_revision: i64,
    #[prost(string, tag = "6")]
    pub cancel_reason: String,
    /// Whole revisions, in order.
    #[prost(message, repeated, tag = "11")]
    pub events: Vec<Event>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub(in crate::store) enum EventType {
    Put = 0,
    Delete = 1,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct Event {
    #[prost(enumeration = "EventType", tag = "1")]
    pub kind: i32,
    #[prost(message, optional, tag = "2")]
    pub kv: Option<KeyValue>,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct LeaseGrantRequest {
    /// In seconds.
    #[prost(int64, tag = "1")]
    pub ttl: i64,
    #[prost(int64, tag = "2")]
    pub id: i64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct LeaseGrantResponse {}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct LeaseRevokeRequest {
    #[prost(int64, tag = "1")]
    pub id: i64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct LeaseRevokeResponse {}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct LeaseKeepAliveRequest {
    #[prost(int64, tag = "1")]
    pub id: i64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct LeaseKeepAliveResponse {
    /// In seconds; 0 if the lease has ended.
    #[prost(int64, tag = "3")]
    pub ttl: i64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct AuthenticateRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub password: String,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct AuthenticateResponse {
    #[prost(string, tag = "2")]
    pub token: String,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct StatusRequest {}

#[derive(Clone, PartialEq, Eq, Message)]
pub(in crate::store) struct StatusResponse {
    /// Such as `3.4.23`.
    #[prost(string, tag = "2")]
    pub version: String,
}

/// An operation of a transaction.
pub(in crate::store) fn operation(request: RequestOperation) -> RequestOp {
    RequestOp { request: Some(request) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_not_the_protocols_default_are_sent() {
        let (result, target) = (CompareResult::Equal as i32, CompareTarget::ModRevision as i32);
        let compare = Compare { result, target, key: b"k".to_vec(), mod_revision: Some(0), range_end: Vec::new() };
        assert_eq!(compare.encode_to_vec(), [0x10, 2, 0x1a, 1, b'k', 0x30, 0]);
        let range = RangeRequest {
            key: b"k".to_vec(),
            sort_order: SortOrder::Ascend as i32,
            sort_target: SortTarget::ModRevision as i32,
            ..RangeRequest::default()
        };
        assert_eq!(range.encode_to_vec(), [0x0a, 1, b'k', 0x28, 1, 0x30, 3]);
        assert_eq!(EventType::default() as i32, 0);
    }
}
