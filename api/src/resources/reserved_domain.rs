//! A reserved domain: a host name, or all names below one, reserved for an owner.

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

/// Pattern of a domain. Encoded names (`xn--…`) are accepted if they are valid.
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
    /// Always empty: there is a single region.
    pub region: Region,
    /// Policy for obtaining a certificate; null if the server does not obtain one.
    pub certificate_management_policy: Option<CertificateManagementPolicy>,
    /// Target of its DNS record.
    pub resolves_to: Vec<ResolvesTo>,
    /// The user or bot user whose agents may bind it.
    pub owner_id: OwnerId,
}

/// A certificate that the server gets by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CertificateManagementPolicy {
    /// Issuer.
    #[serde(default)]
    pub authority: ManagingAuthority,
    /// The kind of its key.
    #[serde(default)]
    pub private_key_type: ManagedKeyType,
}

/// ACME certificate authorities.
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

/// Fields that the server adds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReservedDomainStatus {
    /// The name that the domain's CNAME record must lead to; null below the server's own domain, which needs none.
    pub cname_target: Option<String>,
    /// The certificate that is served for it, if a certain one is.
    pub certificate: Option<Ref>,
    /// Status of obtaining a certificate; null without a policy.
    pub certificate_management_status: Option<CertificateManagementStatus>,
    /// Name below the server's domain that serves the ACME DNS challenge, if the domain's `_acme-challenge` record
    /// points to it. Set for wildcards that are not below the server's own domain.
    pub acme_challenge_cname_target: Option<String>,
}

/// Status of obtaining a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CertificateManagementStatus {
    /// Time of the next renewal; null while there is no certificate.
    pub renews_at: Option<Timestamp>,
    /// Order in progress, if any.
    pub provisioning_job: Option<ProvisioningJob>,
}

/// The server asks for a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProvisioningJob {
    /// Error code of the last attempt; null if it did not fail.
    pub error_code: Option<String>,
    /// Description of the status.
    pub msg: String,
    /// Start time.
    pub started_at: Timestamp,
    /// Time of the next attempt; null if none is needed.
    pub retries_at: Option<Timestamp>,
}

body! {
    /// Body of a create.
    ReservedDomainCreate {
        needs {}
        may {
            /// A host name, in full or as one part below the server's domain; the first part may be `*`. Without it a
            /// free name below the server's domain is chosen.
            #[schemars(length(max = DOMAIN_LIMIT), regex(pattern = DOMAIN))]
            domain: String,
            /// Domain, as named by older clients.
            #[schemars(length(max = DOMAIN_LIMIT), regex(pattern = DOMAIN))]
            name: String,
            /// Ignored: there is a single region.
            region: Region,
            /// The TLS certificate to serve for it; not together with a policy.
            #[schemars(regex(pattern = r"^$|^cert_[0-9A-Za-z]{27}$"))]
            certificate_id: String,
            /// Policy for obtaining a certificate; not together with a certificate.
            certificate_management_policy: CertificateManagementPolicy,
            /// Target of its DNS record.
            #[schemars(length(max = RESOLVES_TO_LIMIT))]
            resolves_to: Vec<ResolvesTo>,
            /// Owner; default: the caller. Only administrators may set another owner.
            owner_id: String,
        }
    }
}

body! {
    /// Body of a change. A certificate replaces a policy, and a policy replaces a certificate.
    ReservedDomainUpdate {
        needs {}
        may {
            /// The TLS certificate to serve for it; empty for none.
            #[schemars(regex(pattern = r"^$|^cert_[0-9A-Za-z]{27}$"))]
            certificate_id: String,
            /// Policy for obtaining a certificate.
            certificate_management_policy: CertificateManagementPolicy,
            /// Target of its DNS record.
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
