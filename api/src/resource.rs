//! The resource trait and types common to all kinds: paths, bodies, records.

use crate::{AnyId, Id, Timestamp, id::Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub use crate::resources::*;

/// Longest description in bytes.
pub const DESCRIPTION_LIMIT: usize = 255;
/// Longest metadata in bytes.
pub const METADATA_LIMIT: usize = 4096;

/// One kind of resource. The type itself has the fields that a caller may set;
/// [`Resource::Status`] has those that only the server sets.
///
/// The five operations on `PATH` are implemented once, for any `R: Resource`.
pub trait Resource:
    Kind + Clone + std::fmt::Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// Singular name, `ip_policy` for example: used in the store, in events and in messages.
    const KIND: &'static str;
    /// Path of the collection, beginning with a slash. That of a nested kind contains the parent's parameter,
    /// `{edge_id}` for example.
    const PATH: &'static str;
    /// Member of a list's body that contains the records.
    const LIST: &'static str;
    /// The resource that a nested collection belongs to, if this kind is nested. Such a collection has no list of
    /// its own: it is part of the parent's record.
    const PARENT: Option<Parent> = None;
    /// Fields that the server adds to every response.
    type Status: Clone + std::fmt::Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// Body of a POST.
    type Create: Body;
    /// Body of a PATCH. Absent and null fields are unchanged.
    type Update: Body;
}

/// A kind whose records are nested in a record of another kind.
pub trait Nested: Resource {
    /// Kind of the parent.
    type Parent: Resource;
}

/// Parent of a nested kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Path parameter of the parent's id.
    pub parameter: &'static str,
    /// [`Resource::KIND`] of the parent.
    pub kind: &'static str,
    /// [`Kind::PREFIX`] of the parent.
    pub prefix: &'static str,
}

impl Parent {
    /// A parent kind with its path parameter.
    pub const fn of<P: Resource>(parameter: &'static str) -> Self {
        Parent { parameter, kind: P::KIND, prefix: P::PREFIX }
    }
}

/// A read-only kind: the server builds its records from live state.
pub trait View:
    Kind + Clone + std::fmt::Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// Singular name, `tunnel` for example.
    const KIND: &'static str;
    /// Path of the collection, beginning with a slash.
    const PATH: &'static str;
    /// Member of a list's body that contains the records.
    const LIST: &'static str;
    /// Id of the record.
    fn id(&self) -> &Id<Self>;
}

/// A view whose records can be deleted but not changed.
pub trait Removable: View {}

/// A body that creates or changes a resource.
pub trait Body:
    Clone + std::fmt::Debug + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// Description and metadata.
    fn texts(&mut self) -> Texts<'_>;
}

/// Description and metadata of a body; `None` means unchanged, or empty in a create.
#[derive(Debug)]
pub struct Texts<'a> {
    /// Description shown in lists; at most [`DESCRIPTION_LIMIT`] bytes.
    pub description: &'a mut Option<String>,
    /// Free-form metadata for your own programs; at most [`METADATA_LIMIT`] bytes.
    pub metadata: &'a mut Option<String>,
}

/// A resource as the API returns it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "")]
#[schemars(bound = "R: Resource", rename = "{R}")]
pub struct Record<R: Resource> {
    /// Its id.
    pub id: Id<R>,
    /// Absolute URL.
    pub uri: String,
    /// Creation time.
    pub created_at: Timestamp,
    /// Description shown in lists; empty if never set.
    #[serde(default)]
    pub description: String,
    /// Free-form metadata for your own programs; empty if never set.
    #[serde(default)]
    pub metadata: String,
    /// Fields that the caller sets.
    #[serde(flatten)]
    pub spec: R,
    /// Fields that the server adds.
    #[serde(flatten)]
    pub status: R::Status,
}

/// No fields beyond those of every resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Nothing {}

/// A reference to another resource, which may have been deleted since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ref {
    /// Id of the resource.
    pub id: AnyId,
    /// Absolute URL.
    pub uri: String,
}

impl Ref {
    /// A reference to a resource of the server at `base_url`.
    pub fn to<R: Resource>(base_url: &str, id: &Id<R>) -> Self {
        Ref { id: id.any(), uri: item_uri::<R>(base_url, id.as_str()) }
    }

    /// A reference to a resource of a known kind by its textual id.
    pub fn by_text<R: Resource>(base_url: &str, id: &str) -> Self {
        Ref { id: AnyId::from_text(id), uri: item_uri::<R>(base_url, id) }
    }

    /// A reference to a record of a view.
    pub fn to_view<V: View>(base_url: &str, id: &Id<V>) -> Self {
        Ref { id: id.any(), uri: format!("{}/{id}", list_uri(base_url, V::PATH)) }
    }
}

/// Path of a collection; that of a nested kind is below `parent`.
pub fn collection<R: Resource>(parent: Option<&AnyId>) -> String {
    match (R::PARENT, parent) {
        (Some(Parent { parameter, .. }), Some(parent)) => R::PATH.replace(&format!("{{{parameter}}}"), parent.as_str()),
        _ => R::PATH.to_owned(),
    }
}

/// Absolute URL of a collection.
pub fn list_uri(base_url: &str, path: &str) -> String {
    format!("{}{path}", base_url.trim_end_matches('/'))
}

/// Absolute URL of a top-level resource.
pub fn item_uri<R: Resource>(base_url: &str, id: &str) -> String {
    format!("{}{}/{id}", base_url.trim_end_matches('/'), R::PATH)
}

/// Declares a body: description and metadata, required fields, optional ones (absent or null: unchanged, or the
/// default in a create), and modules.
macro_rules! body {
    ($(#[$meta:meta])* $name:ident {
        needs { $($(#[$need_meta:meta])* $need:ident: $need_type:ty,)* }
        may { $($(#[$may_meta:meta])* $may:ident: $may_type:ty,)* }
    } $(modules { $($(#[$doc:meta])* $member:ident: $module:ident,)* })?) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// Description shown in lists; at most 255 bytes.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(max = 255))]
            pub description: Option<String>,
            /// Free-form metadata for your own programs; at most 4096 bytes.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(max = 4096))]
            pub metadata: Option<String>,
            $($(#[$need_meta])* pub $need: $need_type,)*
            $(
                $(#[$may_meta])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $may: Option<$may_type>,
            )*
            $($(
                $(#[$doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $member: Option<$crate::module::$module>,
            )*)?
        }
        impl $crate::resource::Body for $name {
            fn texts(&mut self) -> $crate::resource::Texts<'_> {
                $crate::resource::Texts { description: &mut self.description, metadata: &mut self.metadata }
            }
        }
    };
}
pub(crate) use body;

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
            spec: IpPolicyRule {
                cidr: Some(parse_cidr("10.0.0.0/8").expect("a CIDR")),
                country: None,
                action: Action::Deny,
            },
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
