//! Ids of backends, which are of several kinds.

use super::{
    Resources,
    relations::{Link, LinkRole, NewLink},
    rules::Rules,
};
use postern_api::{
    AnyId, Code, Error, Id, Result,
    resource::{
        FailoverBackend, HttpResponseBackend, Ref, StaticBackend, TunnelGroupBackend, WeightedBackend, item_uri,
    },
};

/// The id of a backend of any kind.
#[derive(Clone, Debug)]
pub(crate) struct BackendId {
    id: AnyId,
    kind: &'static str,
    unknown: Code,
    uri: fn(&str, &str) -> String,
}

impl BackendId {
    fn of_kind<R: Rules>(text: &str) -> Option<Self> {
        let id = Id::<R>::parse(text).ok()?;
        Some(BackendId { id: id.any(), kind: R::KIND, unknown: R::UNKNOWN, uri: item_uri::<R> })
    }

    /// Parses the id of a backend. `field` is the member of the body that holds it.
    ///
    /// # Errors
    /// If it is empty, or not the id of a backend.
    pub(crate) fn parse(text: &str, field: &str) -> Result<Self> {
        if text.is_empty() {
            let sentence = format!("`{field}` is needed: the id of the backend to use.");
            return Err(Error::new(Code::FieldMissing, sentence).with("field", field));
        }
        let kinds = [
            BackendId::of_kind::<TunnelGroupBackend>,
            BackendId::of_kind::<WeightedBackend>,
            BackendId::of_kind::<HttpResponseBackend>,
            BackendId::of_kind::<FailoverBackend>,
            BackendId::of_kind::<StaticBackend>,
        ];
        kinds.into_iter().find_map(|parse| parse(text)).ok_or_else(|| {
            let shown: String = text.chars().take(64).collect();
            let sentence = format!("`{shown}` is not the id of a backend: those begin with `bkd`.");
            Error::new(Code::IdShape, sentence).with("field", field)
        })
    }

    /// Parses the id of a member of a weighted backend.
    ///
    /// # Errors
    /// If it is not the id of a backend, or of a weighted or failover backend.
    pub(crate) fn parse_weighted_member(text: &str) -> Result<Self> {
        let backend = BackendId::parse(text, "backends")?;
        if backend.is::<WeightedBackend>() || backend.is::<FailoverBackend>() {
            let sentence = format!(
                "`{text}` cannot be part of a weighted backend. Name tunnel groups, HTTP responses and static backends."
            );
            return Err(Error::new(Code::WeightedKind, sentence).with("field", "backends"));
        }
        Ok(backend)
    }

    /// Parses the id of a member of a failover backend.
    ///
    /// # Errors
    /// If it is not the id of a backend, or of a failover backend.
    pub(crate) fn parse_failover_member(text: &str) -> Result<Self> {
        let backend = BackendId::parse(text, "backends")?;
        if backend.is::<FailoverBackend>() {
            let sentence = format!(
                "`{text}` cannot be part of a failover backend. Name tunnel groups, HTTP responses, static and weighted backends."
            );
            return Err(Error::new(Code::FailoverKind, sentence).with("field", "backends"));
        }
        Ok(backend)
    }

    fn is<R: Rules>(&self) -> bool {
        self.kind == R::KIND
    }

    pub(crate) fn link(&self, role: LinkRole) -> NewLink {
        let link = Link { to: self.id.clone(), kind: self.kind.to_owned(), role };
        NewLink { link, unknown: self.unknown, field: None }
    }

    pub(crate) fn to_ref(&self, ctx: &Resources) -> Ref {
        Ref { uri: (self.uri)(ctx.base_url(), self.id.as_str()), id: self.id.clone() }
    }
}
