//! Client of etcd, version 3.4 and later, over gRPC. A call goes to one member that the caller chooses; what it may mean that
//! it failed says [`Failure`]. Messages are written by hand, so that no protocol compiler is needed.

pub(super) mod address;
mod connector;
pub(super) mod failure;
mod member;
pub(super) mod messages;
mod token;
mod watch_stream;

pub(super) use failure::Failure;
pub(super) use watch_stream::WatchStream;

use super::Result;
use address::SharedLocation;
use connector::Connector;
use member::{Call, Member};
use messages::{
    AuthenticateRequest, AuthenticateResponse, LeaseGrantRequest, LeaseGrantResponse, LeaseKeepAliveRequest,
    LeaseKeepAliveResponse, LeaseRevokeRequest, LeaseRevokeResponse, RangeRequest, RangeResponse, StatusRequest,
    StatusResponse, TxnRequest, TxnResponse, WatchCreateRequest, WatchOperation, WatchRequest, WatchResponse,
};
use prost::Message;
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use token::Tokens;
use tokio::time::Instant;
use tonic::metadata::{Ascii, MetadataValue};

/// A member that does not answer for so long is given up for a call.
pub(super) const TRY_TIMEOUT: Duration = Duration::from_secs(1);
/// A call fails when no member has answered for so long.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Time between two tries when no member can be reached.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

const RANGE: Call<RangeRequest, RangeResponse> = Call::new("/etcdserverpb.KV/Range");
const TRANSACTION: Call<TxnRequest, TxnResponse> = Call::new("/etcdserverpb.KV/Txn");
const WATCH: Call<WatchRequest, WatchResponse> = Call::new("/etcdserverpb.Watch/Watch");
const LEASE_GRANT: Call<LeaseGrantRequest, LeaseGrantResponse> = Call::new("/etcdserverpb.Lease/LeaseGrant");
const LEASE_REVOKE: Call<LeaseRevokeRequest, LeaseRevokeResponse> = Call::new("/etcdserverpb.Lease/LeaseRevoke");
const LEASE_KEEP: Call<LeaseKeepAliveRequest, LeaseKeepAliveResponse> = Call::new("/etcdserverpb.Lease/LeaseKeepAlive");
const AUTHENTICATE: Call<AuthenticateRequest, AuthenticateResponse> = Call::new("/etcdserverpb.Auth/Authenticate");
const STATUS: Call<StatusRequest, StatusResponse> = Call::new("/etcdserverpb.Maintenance/Status");

/// A client of all members.
pub(super) struct Client {
    members: Vec<Member>,
    /// The member that answered last.
    preferred: AtomicUsize,
    tokens: Option<Tokens>,
    address: String,
}

impl Client {
    /// A client that has not connected yet.
    ///
    /// # Errors
    /// If the certificates cannot be read.
    pub(super) fn new(location: &SharedLocation) -> Result<Self> {
        let connector = Connector::new(location)?;
        let members = location.address.members().iter().map(|name| Member::new(name, connector.clone()));
        Ok(Client {
            members: members.collect(),
            preferred: AtomicUsize::new(0),
            tokens: location.user.clone().map(|(name, password)| Tokens::new(name, password)),
            address: location.address.to_string(),
        })
    }

    /// Number of members.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Address of the store, for errors.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Name of a member.
    pub(super) fn member_name(&self, member: usize) -> &str {
        &self.members[member].name
    }

    /// The member that answered last.
    pub(super) fn preferred(&self) -> usize {
        self.preferred.load(Ordering::Relaxed)
    }

    /// Another member takes the place of one that failed.
    pub(super) fn avoid(&self, member: usize) {
        let next = (member + 1) % self.members.len();
        let _ = self.preferred.compare_exchange(member, next, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Performs a transaction at a member.
    pub(super) async fn transact(
        &self,
        member: usize,
        request: TxnRequest,
        timeout: Duration,
    ) -> Result<TxnResponse, Failure> {
        self.call(member, &TRANSACTION, request, timeout).await
    }

    /// Reads a range.
    pub(super) async fn range(&self, request: RangeRequest, timeout: Duration) -> Result<RangeResponse, Failure> {
        self.anywhere(&RANGE, request, timeout).await
    }

    /// Begins a lease with an id that was chosen at random.
    pub(super) async fn grant(&self, id: i64, ttl: i64) -> Result<(), Failure> {
        match self.anywhere(&LEASE_GRANT, LeaseGrantRequest { ttl, id }, TRY_TIMEOUT).await {
            // A try before this one was not answered.
            Ok(LeaseGrantResponse {}) | Err(Failure::LeaseExists) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Extends a lease; false if it has ended.
    pub(super) async fn keep(&self, id: i64) -> Result<bool, Failure> {
        let answer = self.anywhere(&LEASE_KEEP, LeaseKeepAliveRequest { id }, TRY_TIMEOUT).await?;
        Ok(answer.ttl > 0)
    }

    /// Ends a lease, if it has not ended.
    pub(super) async fn revoke(&self, id: i64) -> Result<(), Failure> {
        match self.anywhere(&LEASE_REVOKE, LeaseRevokeRequest { id }, TRY_TIMEOUT).await {
            Ok(LeaseRevokeResponse {}) | Err(Failure::LeaseEnded) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Version of the program of a member that answers.
    pub(super) async fn version(&self) -> Result<String, Failure> {
        Ok(self.anywhere(&STATUS, StatusRequest {}, TRY_TIMEOUT).await?.version)
    }

    /// Begins a watch at a member.
    pub(super) async fn watch(&self, member: usize, create: WatchCreateRequest) -> Result<WatchStream, Failure> {
        let token = self.token(member, TRY_TIMEOUT).await?;
        let request = WatchRequest { request: Some(WatchOperation::Create(create)) };
        let opened =
            tokio::time::timeout(TRY_TIMEOUT, WatchStream::open(&self.members[member], &WATCH, token, request));
        opened.await.unwrap_or_else(|_| Err(self.members[member].give_up(TRY_TIMEOUT)))
    }

    /// A watch was refused: the token may have ended, although etcd does not say so.
    pub(super) async fn renew_token(&self) {
        if let Some(tokens) = &self.tokens {
            tokens.forget(None).await;
        }
    }

    /// Makes the current token of the user one that no member knows.
    #[cfg(test)]
    pub(super) async fn spoil_token(&self) {
        if let Some(tokens) = &self.tokens {
            tokens.spoil().await;
        }
    }

    /// Asks members in turn until one answers. Only for calls that may be performed twice.
    async fn anywhere<Q, A>(&self, call: &Call<Q, A>, request: Q, timeout: Duration) -> Result<A, Failure>
    where
        Q: Message + Clone + Default + 'static,
        A: Message + Default + 'static,
    {
        let deadline = Instant::now() + CALL_TIMEOUT.max(timeout);
        let mut tries = 0;
        loop {
            let member = self.preferred();
            let failure = match self.call(member, call, request.clone(), timeout).await {
                Err(failure) if failure.is_of_member() => failure,
                answer => return answer,
            };
            self.avoid(member);
            if Instant::now() + RETRY_INTERVAL >= deadline {
                return Err(failure);
            }
            tries += 1;
            if tries % self.members.len() == 0 {
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
    }

    /// Asks one member, with a new token if it does not take the one there is.
    async fn call<Q, A>(&self, member: usize, call: &Call<Q, A>, request: Q, timeout: Duration) -> Result<A, Failure>
    where
        Q: Message + Clone + Default + 'static,
        A: Message + Default + 'static,
    {
        let token = self.token(member, timeout).await?;
        let answer = self.members[member].call(call, request.clone(), token.clone(), timeout).await;
        let (Err(Failure::TokenEnded), Some(tokens)) = (&answer, &self.tokens) else { return answer };
        tokens.forget(token.as_ref()).await;
        let token = self.token(member, timeout).await?;
        self.members[member].call(call, request, token, timeout).await
    }

    async fn token(&self, member: usize, timeout: Duration) -> Result<Option<MetadataValue<Ascii>>, Failure> {
        match &self.tokens {
            Some(tokens) => tokens.get(&self.members[member], &AUTHENTICATE, timeout).await.map(Some),
            None => Ok(None),
        }
    }
}
