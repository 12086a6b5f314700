//! Settings of the management side.

use crate::store::{SharedLocation, Usage};
use postern_api::{Role, Secret, host::HostName, module::IdentityProvider};
use postern_logins::OpenIdClient;
use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    ops::RangeInclusive,
    path::PathBuf,
    time::Duration,
};

/// An OAuth app registered with an identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthApp {
    /// Client id.
    pub client_id: String,
    /// Client secret.
    pub client_secret: Secret,
}

/// OAuth apps by identity provider.
pub type OAuthApps = BTreeMap<IdentityProvider, OAuthApp>;

/// What is known of the operator's OAuth providers. It can change while the server runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct OAuthFacts {
    /// Providers with an app of the operator.
    pub(crate) apps: BTreeSet<IdentityProvider>,
    pub(crate) has_microsoft_tenants: bool,
}

impl OAuthFacts {
    pub(crate) fn new(apps: &OAuthApps, has_microsoft_tenants: bool) -> Self {
        OAuthFacts { apps: apps.keys().copied().collect(), has_microsoft_tenants }
    }
}

/// What is kept of the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditRetention {
    /// Largest age of an event.
    pub max_age: Duration,
    /// Number of events. Logins of visitors are counted apart, so that they never displace changes.
    pub max_events: usize,
}

impl Default for AuditRetention {
    fn default() -> Self {
        AuditRetention { max_age: Duration::from_secs(365 * 24 * 60 * 60), max_events: 10_000 }
    }
}

/// How long a session of the console lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsoleSessionLimits {
    /// From the sign-in.
    pub lifetime: Duration,
    /// Without a call that its person has caused.
    pub inactivity: Duration,
}

impl Default for ConsoleSessionLimits {
    fn default() -> Self {
        ConsoleSessionLimits { lifetime: Duration::from_secs(12 * 60 * 60), inactivity: Duration::from_secs(60 * 60) }
    }
}

/// Events that are recorded besides changes of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditedEvents {
    /// Logins of visitors, and their ends.
    pub logins: bool,
    /// Refused calls of the API.
    pub refusals: bool,
    /// Certificates that expire soon.
    pub expiries: bool,
    /// Alert rules that come into another state.
    pub alerts: bool,
}

impl Default for AuditedEvents {
    fn default() -> Self {
        AuditedEvents { logins: true, refusals: false, expiries: true, alerts: true }
    }
}

/// An OpenID provider by which people sign in to the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleProviderSettings {
    /// The client at the provider.
    pub client: OpenIdClient,
    /// Name on the button; empty for the issuer's host.
    pub name: String,
    /// Base URL of the console in browsers, without a trailing slash and without `/console`.
    pub address: String,
    /// Roles by group. Without any, users have the role of their record.
    pub roles: Vec<(String, Role)>,
    /// Domains of e-mail addresses whose people become users at their first sign-in, with these roles.
    pub new_users: Vec<(HostName, Role)>,
}

/// Settings of a [`Control`](crate::Control).
#[derive(Clone, Debug)]
pub struct ControlSettings {
    /// Folder with all state. It is created with mode 0700 if it does not exist.
    pub data_dir: PathBuf,
    /// A store that several programs could use, instead of the database in the folder.
    pub store: Option<SharedLocation>,
    /// Whether other servers use that store at the same time.
    pub usage: Usage,
    /// File with the invitation of another node, for a data folder that has no key yet.
    pub join_file: Option<PathBuf>,
    /// Base URL of all resources, without a trailing slash.
    pub base_url: String,
    /// Domain under which endpoints are published.
    pub domain: HostName,
    /// Names of the server itself, such as the login host, that no edge can take.
    pub own_names: Vec<HostName>,
    /// Host of all login pages; also one of `own_names`.
    pub login_host: HostName,
    /// OAuth apps of the operator, for modules without an app of their own.
    pub oauth_apps: OAuthApps,
    /// Whether the operator lists Microsoft tenants, whose e-mail addresses count as verified.
    pub has_microsoft_tenants: bool,
    /// Address that TCP edges listen on.
    pub tcp_addr: IpAddr,
    /// Ports that TCP edges may use.
    pub tcp_ports: RangeInclusive<u16>,
    /// Alternative names of the header `Service-Version`, for existing clients.
    pub version_aliases: Vec<String>,
    /// What is kept of the audit log.
    pub audit_retention: AuditRetention,
    /// How long a session of the console lasts.
    pub console_sessions: ConsoleSessionLimits,
    /// What is recorded besides changes.
    pub audited: AuditedEvents,
    /// Recursive name server for lookups; `None` uses those of the system.
    pub dns_resolver: Option<SocketAddr>,
}

impl ControlSettings {
    /// Default settings, with all state in one folder.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        ControlSettings {
            data_dir: data_dir.into(),
            store: None,
            usage: Usage::Alone,
            join_file: None,
            base_url: "http://127.0.0.1:4041".to_owned(),
            domain: HostName::parse("localhost").expect("`localhost` is a host name"),
            own_names: Vec::new(),
            login_host: HostName::parse("login.localhost").expect("`login.localhost` is a host name"),
            oauth_apps: OAuthApps::new(),
            has_microsoft_tenants: false,
            tcp_addr: IpAddr::V4(Ipv4Addr::LOCALHOST),
            tcp_ports: 24000..=24999,
            version_aliases: vec!["ngrok-version".to_owned()],
            audit_retention: AuditRetention::default(),
            console_sessions: ConsoleSessionLimits::default(),
            audited: AuditedEvents::default(),
            dns_resolver: None,
        }
    }

    /// Base URL of the login pages, without a trailing slash.
    pub(crate) fn login_url(&self, https_port: u16) -> String {
        match https_port {
            443 => format!("https://{}", self.login_host),
            port => format!("https://{}:{port}", self.login_host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_port_is_omitted_in_login_urls() {
        let settings = ControlSettings::new("unused");
        assert_eq!(settings.login_url(443), "https://login.localhost");
        assert_eq!(settings.login_url(4443), "https://login.localhost:4443");
    }
}
