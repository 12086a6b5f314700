//! A reserved domain: a host name, or all names below one, kept for an owner.

use super::Region;
use crate::{
    Timestamp,
    id::Kind,
    owner::OwnerId,
    resource::{Ref, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest domain, in bytes.
pub const DOMAIN_LIMIT: usize = 253;
/// The most places a domain may be resolved to.
pub const RESOLVES_TO_LIMIT: usize = 16;

/// What a domain looks like. Names that are encoded (`xn--…`) are accepted too, if they are encoded rightly.
const DOMAIN: &str = concat!(
    r"^$|^(?!..--)[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?$",
    r"|^(\*\.)?((?!..--)[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?\.)+",
    r"(?!..--)[A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?$",
);

/// A name that only its owner's agents, and edges, can have; so are the names below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReservedDomain {
    /// The name; the first part may be `*`.
    pub domain: String,
    /// Always empty: there is one place only.
    pub region: Region,
    /// How to get a certificate for it; null unless the server shall.
    pub certificate_management_policy: Option<CertificateManagementPolicy>,
    /// Where it shall be resolved to.
    pub resolves_to: Vec<ResolvesTo>,
    /// The user or bot user whose agents may bind it.
    pub owner_id: OwnerId,
}

/// A certificate that the server gets by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CertificateManagementPolicy {
    /// Who issues it.
    #[serde(default)]
    pub authority: ManagingAuthority,
    /// The kind of its key.
    #[serde(default)]
    pub private_key_type: ManagedKeyType,
}

/// Who issues certificates by request of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ManagingAuthority {
    /// Let's Encrypt, or the authority that the server is set up to use in its place.
    #[default]
    LetsEncrypt,
}

/// The kinds of keys that such certificates have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ManagedKeyType {
    /// ECDSA on the curve P-256.
    #[default]
    Ecdsa,
    /// RSA.
    Rsa,
}

/// One place a domain is resolved to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolvesTo {
    /// The name of the place, 1 to 64 bytes.
    #[schemars(length(min = 1, max = 64), regex(pattern = r"^[!-~]+$"))]
    pub value: String,
}

/// What the server adds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReservedDomainStatus {
    /// The name that the domain's CNAME record must lead to; null below the server's own domain, which needs none.
    pub cname_target: Option<String>,
    /// The certificate that is served for it, if a certain one is.
    pub certificate: Option<Ref>,
    /// How far the server is with getting a certificate; null without a policy.
    pub certificate_management_status: Option<CertificateManagementStatus>,
    /// The name below the server's domain where the authority finds its proof if the domain's `_acme-challenge` record
    /// leads there: wildcards that are not below the server's own domain have one.
    pub acme_challenge_cname_target: Option<String>,
}

/// How far the server is with a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CertificateManagementStatus {
    /// When the next one is asked for; null while there is none.
    pub renews_at: Option<Timestamp>,
    /// What is going on at the moment, if anything is.
    pub provisioning_job: Option<ProvisioningJob>,
}

/// The server asks for a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProvisioningJob {
    /// Why the last attempt failed; null if it did not.
    pub error_code: Option<String>,
    /// The same in words.
    pub msg: String,
    /// Since when.
    pub started_at: Timestamp,
    /// When the next attempt is made; null if none is needed.
    pub retries_at: Option<Timestamp>,
}

body! {
    /// What is said when a domain is reserved.
    ReservedDomainCreate {
        needs {}
        may {
            /// A host name, in full or as one part below the server's domain; the first part may be `*`. Without it a
            /// free name below the server's domain is chosen.
            #[schemars(length(max = DOMAIN_LIMIT), regex(pattern = DOMAIN))]
            domain: String,
            /// What older clients call the domain.
            #[schemars(length(max = DOMAIN_LIMIT), regex(pattern = DOMAIN))]
            name: String,
            /// Says nothing here: there is one place only.
            region: Region,
            /// The TLS certificate to serve for it; not together with a policy.
            #[schemars(regex(pattern = r"^$|^cert_[0-9A-Za-z]{27}$"))]
            certificate_id: String,
            /// How the server shall get a certificate for it; not together with a certificate.
            certificate_management_policy: CertificateManagementPolicy,
            /// Where it shall be resolved to.
            #[schemars(length(max = RESOLVES_TO_LIMIT))]
            resolves_to: Vec<ResolvesTo>,
            /// The owner, if not the caller; only administrators may name somebody else.
            owner_id: String,
        }
    }
}

body! {
    /// What may be changed. A certificate takes the place of a policy, and a policy that of a certificate.
    ReservedDomainUpdate {
        needs {}
        may {
            /// The TLS certificate to serve for it; empty for none.
            #[schemars(regex(pattern = r"^$|^cert_[0-9A-Za-z]{27}$"))]
            certificate_id: String,
            /// How the server shall get a certificate for it.
            certificate_management_policy: CertificateManagementPolicy,
            /// Where it shall be resolved to.
            #[schemars(length(max = RESOLVES_TO_LIMIT))]
            resolves_to: Vec<ResolvesTo>,
        }
    }
}

impl Kind for ReservedDomain {
    const PREFIX: &'static str = "rd";
}
impl Resource for ReservedDomain {
    const KIND: &'static str = "reserved_domain";
    const PATH: &'static str = "/reserved_domains";
    const LIST: &'static str = "reserved_domains";
    type Status = ReservedDomainStatus;
    type Create = ReservedDomainCreate;
    type Update = ReservedDomainUpdate;
}
