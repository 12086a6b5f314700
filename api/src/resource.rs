//! What every resource has in common: its kind, its addresses, its bodies, its record.

use crate::{AnyId, Id, Timestamp, id::Kind};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub use crate::resources::*;

/// The longest description, in bytes.
pub const DESCRIPTION_LIMIT: usize = 255;
/// The longest metadata, in bytes.
pub const METADATA_LIMIT: usize = 4096;

/// One kind of resource. The type itself holds the fields a caller may say about it;
/// [`Resource::Status`] holds those that only the server adds.
///
/// The five operations on `PATH` exist once, for any `R: Resource`.
pub trait Resource: Kind + Clone + std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The kind in the singular, `ip_policy` for example: used in the store, in events and in sentences.
    const KIND: &'static str;
    /// The path of the collection, beginning with a slash.
    const PATH: &'static str;
    /// The member of a list's body that holds the records.
    const LIST: &'static str;
    /// What the server adds to every answer.
    type Status: Clone + std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// The body of a POST.
    type Create: Body;
    /// The body of a PATCH. A field that is absent or null stays as it is.
    type Update: Body;
}

/// A body that creates or changes a resource.
pub trait Body: Clone + std::fmt::Debug + Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The two texts that every resource has.
    fn texts(&mut self) -> Texts<'_>;
}

/// The description and metadata of a body; `None` means unchanged, or empty when creating.
#[derive(Debug)]
pub struct Texts<'a> {
    /// For people; at most [`DESCRIPTION_LIMIT`] bytes.
    pub description: &'a mut Option<String>,
    /// For programs; at most [`METADATA_LIMIT`] bytes.
    pub metadata: &'a mut Option<String>,
}

/// A resource as the API answers it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Record<R: Resource> {
    /// Its id.
    pub id: Id<R>,
    /// Its absolute address.
    pub uri: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// For people; empty if never set.
    #[serde(default)]
    pub description: String,
    /// For programs; empty if never set.
    #[serde(default)]
    pub metadata: String,
    /// What its owner said about it.
    #[serde(flatten)]
    pub spec: R,
    /// What the server adds.
    #[serde(flatten)]
    pub status: R::Status,
}

/// Nothing beyond the fields every resource has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nothing {}

/// A reference to another resource. What it names may have been deleted meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ref {
    /// The id of what is named.
    pub id: AnyId,
    /// Its absolute address.
    pub uri: String,
}

impl Ref {
    /// A reference to a resource on the server that is reached at `base_url`.
    pub fn to<R: Resource>(base_url: &str, id: &Id<R>) -> Self {
        Ref { id: id.any(), uri: item_uri::<R>(base_url, id.as_str()) }
    }
}

/// The absolute address of a collection.
pub fn list_uri<R: Resource>(base_url: &str) -> String {
    format!("{}{}", base_url.trim_end_matches('/'), R::PATH)
}

/// The absolute address of one resource.
pub fn item_uri<R: Resource>(base_url: &str, id: &str) -> String {
    format!("{}{}/{id}", base_url.trim_end_matches('/'), R::PATH)
}

/// Gives body types their two texts.
macro_rules! bodies {
    ($($body:ty),+ $(,)?) => {
        $(impl $crate::resource::Body for $body {
            fn texts(&mut self) -> $crate::resource::Texts<'_> {
                $crate::resource::Texts { description: &mut self.description, metadata: &mut self.metadata }
            }
        })+
    };
}
pub(crate) use bodies;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ip_rules::{Action, parse_cidr};

    #[test]
    fn a_record_is_one_flat_object_and_reads_back() {
        let policy = Id::<IpPolicy>::new(jiff::Timestamp::UNIX_EPOCH);
        let record = Record::<IpPolicyRule> {
            id: Id::new(jiff::Timestamp::UNIX_EPOCH),
            uri: "http://localhost:4041/ip_policy_rules/x".into(),
            created_at: Timestamp::new(jiff::Timestamp::UNIX_EPOCH),
            description: String::new(),
            metadata: String::new(),
            spec: IpPolicyRule { cidr: parse_cidr("10.0.0.0/8").expect("a CIDR"), action: Action::Deny },
            status: IpPolicyRuleStatus { ip_policy: Ref::to("http://localhost:4041/", &policy) },
        };
        let json = serde_json::to_value(&record).expect("a record is JSON");
        assert_eq!(json["cidr"], "10.0.0.0/8");
        assert_eq!(json["action"], "deny");
        assert_eq!(json["ip_policy"]["uri"], format!("http://localhost:4041/ip_policies/{policy}"));
        let read: Record<IpPolicyRule> = serde_json::from_value(json).expect("it reads back");
        assert_eq!((read.id, read.spec), (record.id, record.spec));
    }

    #[test]
    fn kinds_without_own_fields_read_back_too() {
        let json = serde_json::json!({
            "id": Id::<IpPolicy>::new(jiff::Timestamp::UNIX_EPOCH), "uri": "", "created_at": "2024-05-23T20:36:22Z",
            "description": "", "metadata": "", "a_member_of_a_newer_server": [1],
        });
        assert!(serde_json::from_value::<Record<IpPolicy>>(json).is_ok(), "unknown members are no error");
    }
}
