//! The kinds of records that are published to the edge: one row for each.

use super::{
    mirror::Mirror,
    reading::{readable, record},
};
use crate::{logins::stored_login, resources::StoredRecord, store::Entry};
use postern_api::{
    published::Backend,
    resource::{
        ApiKey, AppSession, BotUser, CertificateAuthority, Credential, FailoverBackend, HttpResponseBackend, HttpsEdge,
        HttpsRoute, IpPolicyRule, IpRestriction, ReservedAddress, ReservedDomain, Resource, StaticBackend, TcpEdge,
        TlsCertificate, TlsEdge, TunnelGroupBackend, View, WeightedBackend,
    },
};

/// How a change of a record of one kind is applied to the mirror.
pub(super) struct PublishedKind {
    /// Name of the kind.
    pub(super) kind: &'static str,
    /// Applies the new state of a record, by id; no entry means that the record was deleted. Returns whether the
    /// edge is affected.
    pub(super) apply: fn(&mut Mirror, &str, Option<&Entry>) -> bool,
}

impl PublishedKind {
    pub(super) fn find(kind: &str) -> Option<&'static PublishedKind> {
        PUBLISHED_KINDS.iter().find(|row| row.kind == kind)
    }
}

/// A row for each kind: `Kind => |mirror, id, record| …`, in the order in which they are loaded.
macro_rules! published_kinds {
    ($($kind:ty => $apply:expr,)+) => {
        &[$(PublishedKind {
            kind: <$kind as Resource>::KIND,
            apply: |mirror, id, entry| {
                let apply: fn(&mut Mirror, &str, Option<StoredRecord<$kind>>) -> bool = $apply;
                // A deleted owner takes its modules with it.
                if entry.is_none() {
                    mirror.remove_modules(id);
                }
                let record = record(&mirror.codec, entry);
                apply(mirror, id, record)
            },
        },)+ LOGIN_SESSIONS]
    };
}

/// Every kind that is published.
pub(super) const PUBLISHED_KINDS: &[PublishedKind] = published_kinds! {
    BotUser => Mirror::set_bot_user,
    Credential => Mirror::set_credential,
    ApiKey => Mirror::set_api_key,
    TunnelGroupBackend => |mirror, id, record| mirror.set_backend(id, record, Backend::TunnelGroup),
    WeightedBackend => |mirror, id, record| mirror.set_backend(id, record, Backend::Weighted),
    FailoverBackend => |mirror, id, record| mirror.set_backend(id, record, Backend::Failover),
    HttpResponseBackend => |mirror, id, record| mirror.set_backend(id, record, Backend::HttpResponse),
    StaticBackend => |mirror, id, record| mirror.set_backend(id, record, Backend::Static),
    TlsCertificate => Mirror::set_certificate,
    ReservedDomain => Mirror::set_reserved_domain,
    CertificateAuthority => Mirror::set_authority,
    IpPolicyRule => Mirror::set_policy_rule,
    IpRestriction => Mirror::set_restriction,
    HttpsEdge => Mirror::set_https_edge,
    HttpsRoute => Mirror::set_https_route,
    TlsEdge => Mirror::set_tls_edge,
    TcpEdge => Mirror::set_tcp_edge,
    ReservedAddress => Mirror::set_reserved_address,
};

/// Login sessions are stored in a form of their own.
const LOGIN_SESSIONS: PublishedKind = PublishedKind {
    kind: AppSession::KIND,
    apply: |mirror, id, entry| {
        let session = entry.and_then(|entry| readable(entry, stored_login::read(&mirror.codec, entry)));
        mirror.set_login_session(id, session)
    },
};
