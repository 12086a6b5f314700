//! The kinds of resources, one file each.

mod agent;
mod alert_rule;
mod api_key;
mod app_session;
mod app_user;
mod audit_event;
mod bot_user;
mod certificate_authority;
mod console_session;
mod credential;
mod dependent;
mod domain_record;
mod endpoint;
mod event_destination;
mod failover_backend;
mod http_response_backend;
mod https_edge;
mod https_route;
mod ip_policy;
mod ip_policy_rule;
mod ip_restriction;
mod node;
mod recent_request;
mod refused_visit;
mod reserved_address;
mod reserved_domain;
mod server_facts;
mod server_status;
mod ssh_certificate_authority;
mod ssh_host_certificate;
mod ssh_user_certificate;
mod static_backend;
mod tcp_edge;
mod tls_certificate;
mod tls_edge;
mod tunnel;
mod tunnel_group_backend;
mod tunnel_session;
mod user;
mod weighted_backend;

pub use agent::{Agent, AgentChange, AgentState};
pub use alert_rule::{
    ALERT_FIRING, ALERT_REQUESTS_LIMIT, ALERT_RESOLVED, ALERT_THRESHOLD_LIMIT, ALERT_WARNING, ALERT_WARNING_SHARE,
    ALERT_WINDOW_LIMIT, AlertMeasure, AlertPeriod, AlertRule, AlertRuleCreate, AlertRuleStatus, AlertRuleUpdate,
    AlertState, MAX_AGENT_AWAY_MINUTES, MIN_AGENT_AWAY_MINUTES,
};
pub use api_key::{ApiKey, ApiKeyCreate, ApiKeyUpdate};
pub use app_session::{AppSession, BrowserSession, UserAgent};
pub use app_user::{AppUser, AppUserProvider};
pub use audit_event::{ActorType, AuditEvent, AuditFilter, AuditOperation, MASK, PutBack, PutBackCall};
pub use bot_user::{BotUser, BotUserCreate, BotUserUpdate};
pub use certificate_authority::{
    CertificateAuthority, CertificateAuthorityCreate, CertificateAuthorityStatus, CertificateAuthorityUpdate,
};
pub use console_session::ConsoleSession;
pub use credential::{Credential, CredentialCreate, CredentialUpdate};
pub use dependent::{Dependent, OnDelete};
pub use domain_record::{DomainRecord, DomainRecordPurpose, DomainRecordType};
pub use endpoint::{Endpoint, EndpointType};
pub use event_destination::{
    API_REFUSAL, CERTIFICATE_EXPIRY, DESTINATION_URL_LIMIT, EVENT_KINDS, EVERY_KIND, EventDelivery, EventDestination,
    EventDestinationCreate, EventDestinationStatus, EventDestinationUpdate,
};
pub use failover_backend::{FailoverBackend, FailoverBackendCreate, FailoverBackendUpdate};
pub use http_response_backend::{
    HEADER_NAME_LIMIT, HEADER_VALUE_LIMIT, HttpResponseBackend, HttpResponseBackendCreate, HttpResponseBackendUpdate,
    RESPONSE_BODY_LIMIT, RESPONSE_HEADER_LIMIT,
};
pub use https_edge::{HttpsEdge, HttpsEdgeCreate, HttpsEdgeStatus, HttpsEdgeUpdate};
pub use https_route::{HttpsRoute, HttpsRouteCreate, HttpsRouteStatus, HttpsRouteUpdate, MATCH_LIMIT, MatchType};
pub use ip_policy::{IpPolicy, IpPolicyCreate, IpPolicyUpdate};
pub use ip_policy_rule::{IpPolicyRule, IpPolicyRuleCreate, IpPolicyRuleStatus, IpPolicyRuleUpdate};
pub use ip_restriction::{
    IpRestriction, IpRestrictionCreate, IpRestrictionStatus, IpRestrictionUpdate, RestrictionType,
};
pub use node::{Node, NodeLink, NodeName, NodeState};
pub use recent_request::{RECENT_REQUESTS_LIMIT, RecentRequest, RequestFilter, newest_requests};
pub use refused_visit::RefusedVisit;
pub use reserved_address::{Region, ReservedAddress, ReservedAddressCreate, ReservedAddressUpdate};
pub use reserved_domain::{
    CertificateManagementPolicy, CertificateManagementStatus, DOMAIN_LIMIT, ManagedKeyType, ManagingAuthority,
    ProvisioningJob, RESOLVES_TO_LIMIT, ReservedDomain, ReservedDomainCreate, ReservedDomainStatus,
    ReservedDomainUpdate, ResolvesTo,
};
pub use server_facts::ServerFacts;
pub use server_status::{Configured, ExpiringCertificate, ServerStatus, StoreStatus};
pub use ssh_certificate_authority::{
    SshCertificateAuthority, SshCertificateAuthorityCreate, SshCertificateAuthorityStatus,
    SshCertificateAuthorityUpdate,
};
pub use ssh_host_certificate::{
    SshCertificateStatus, SshHostCertificate, SshHostCertificateCreate, SshHostCertificateUpdate,
};
pub use ssh_user_certificate::{SshUserCertificate, SshUserCertificateCreate, SshUserCertificateUpdate};
pub use static_backend::{ADDRESS_LIMIT, BackendTls, StaticBackend, StaticBackendCreate, StaticBackendUpdate};
pub use tcp_edge::{TcpEdge, TcpEdgeCreate, TcpEdgeStatus, TcpEdgeUpdate};
pub use tls_certificate::{
    SubjectAlternativeNames, TlsCertificate, TlsCertificateCreate, TlsCertificateStatus, TlsCertificateUpdate,
};
pub use tls_edge::{TlsEdge, TlsEdgeCreate, TlsEdgeStatus, TlsEdgeUpdate};
pub use tunnel::Tunnel;
pub use tunnel_group_backend::{
    TunnelGroupBackend, TunnelGroupBackendCreate, TunnelGroupBackendStatus, TunnelGroupBackendUpdate,
};
pub use tunnel_session::{SessionCommand, SessionCommandBody, TunnelSession};
pub use user::{NAME_LIMIT, User, UserCreate, UserUpdate};
pub use weighted_backend::{CHILD_LIMIT, WEIGHT_LIMIT, WeightedBackend, WeightedBackendCreate, WeightedBackendUpdate};

use crate::{
    Secret,
    resource::{Resource, View},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The token of a key or credential: in the response to its creation, and `null` ever after.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenOnce {
    /// Token; shown only once, in this response.
    #[serde(default)]
    pub token: Option<Secret>,
}

/// The collections of the management API, which clients that forward requests may open. Everything of the API is one of
/// them or below one, but for its description and the metrics.
pub const COLLECTIONS: &[&str] = &[
    "/backends",
    "/edges",
    ConsoleSession::PATH,
    "/server",
    "/status",
    "/traffic",
    Agent::PATH,
    AlertRule::PATH,
    ApiKey::PATH,
    AppSession::PATH,
    AppUser::PATH,
    AuditEvent::PATH,
    BotUser::PATH,
    CertificateAuthority::PATH,
    Credential::PATH,
    Endpoint::PATH,
    EventDestination::PATH,
    IpPolicy::PATH,
    IpPolicyRule::PATH,
    IpRestriction::PATH,
    Node::PATH,
    ReservedAddress::PATH,
    ReservedDomain::PATH,
    SshCertificateAuthority::PATH,
    SshHostCertificate::PATH,
    SshUserCertificate::PATH,
    TlsCertificate::PATH,
    Tunnel::PATH,
    TunnelSession::PATH,
    User::PATH,
];
