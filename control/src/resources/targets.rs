//! Ids that may be of several kinds: a backend is a tunnel group or something else.

use super::{Link, Resources, Role};
use postern_api::{
    AnyId, Code, Error, Id, Result,
    resource::{
        FailoverBackend, HttpResponseBackend, Ref, Resource, StaticBackend, TunnelGroupBackend, WeightedBackend,
        item_uri,
    },
};

/// A record that is named, of one of several kinds.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    id: AnyId,
    kind: &'static str,
    uri: fn(&str, &str) -> String,
}

impl Target {
    /// Reads an id if it is one of this kind.
    pub(crate) fn of<R: Resource>(text: &str) -> Option<Self> {
        let id = Id::<R>::parse(text).ok()?;
        Some(Target { id: id.any(), kind: R::KIND, uri: item_uri::<R> })
    }

    /// Reads the id of a backend of any kind. `field` is where it was said.
    pub(crate) fn backend(text: &str, field: &str) -> Result<Self> {
        if text.is_empty() {
            let sentence = format!("`{field}` is needed: the id of the backend to use.");
            return Err(Error::new(Code::FieldMissing, sentence).with("field", field));
        }
        let kinds = [
            Target::of::<TunnelGroupBackend>,
            Target::of::<WeightedBackend>,
            Target::of::<HttpResponseBackend>,
            Target::of::<FailoverBackend>,
            Target::of::<StaticBackend>,
        ];
        kinds.into_iter().find_map(|read| read(text)).ok_or_else(|| {
            let shown: String = text.chars().take(64).collect();
            let sentence = format!("`{shown}` is not the id of a backend: those begin with `bkd`.");
            Error::new(Code::IdShape, sentence).with("field", field)
        })
    }

    /// Reads the id of a backend that may stand in a weighted one: any but weighted and failover backends.
    pub(crate) fn in_weighted(text: &str) -> Result<Self> {
        let target = Target::backend(text, "backends")?;
        if target.is::<WeightedBackend>() || target.is::<FailoverBackend>() {
            let sentence = format!(
                "`{text}` cannot stand in a weighted backend. Name tunnel groups, HTTP responses and static backends."
            );
            return Err(Error::new(Code::WeightedKind, sentence).with("field", "backends"));
        }
        Ok(target)
    }

    /// Reads the id of a backend that may stand in a failover one: any but another of them.
    pub(crate) fn in_failover(text: &str) -> Result<Self> {
        let target = Target::backend(text, "backends")?;
        if target.is::<FailoverBackend>() {
            let sentence = format!(
                "`{text}` cannot stand in a failover backend. Name tunnel groups, HTTP responses, static and weighted backends."
            );
            return Err(Error::new(Code::FailoverKind, sentence).with("field", "backends"));
        }
        Ok(target)
    }

    fn is<R: Resource>(&self) -> bool {
        self.kind == R::KIND
    }

    /// A link to it.
    pub(crate) fn link(&self, role: Role) -> Link {
        Link { to: self.id.clone(), kind: self.kind.to_owned(), role }
    }

    /// How it is shown.
    pub(crate) fn refer(&self, here: &Resources) -> Ref {
        Ref { uri: (self.uri)(here.base_url(), self.id.as_str()), id: self.id.clone() }
    }
}
