//! What the control side must be told.

use postern_api::{Secret, host::HostName, module::IdentityProvider};
use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
    ops::RangeInclusive,
    path::PathBuf,
};

/// An app that was registered with an identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthApp {
    /// Its id there.
    pub client_id: String,
    /// What it proves itself with.
    pub client_secret: Secret,
}

/// Apps by identity provider.
pub type OAuthApps = BTreeMap<IdentityProvider, OAuthApp>;

/// The settings of a [`Control`](crate::Control).
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder that holds all state. Made with mode 0700 if it does not exist.
    pub data_dir: PathBuf,
    /// How resource addresses begin, without a trailing slash.
    pub base_url: String,
    /// The domain under which endpoints are published.
    pub domain: HostName,
    /// Names that belong to the server itself, such as the login host: no edge can take them.
    pub own_names: Vec<HostName>,
    /// The one host of all login addresses. It is one of `own_names` too.
    pub login_host: HostName,
    /// OAuth apps of the operator, for modules that bring none of their own.
    pub oauth_apps: OAuthApps,
    /// The address TCP edges listen on.
    pub tcp_addr: IpAddr,
    /// The ports TCP edges may have.
    pub tcp_ports: RangeInclusive<u16>,
    /// Further names of the header `Service-Version`, so that existing clients run unchanged.
    pub version_aliases: Vec<String>,
}

impl Settings {
    /// The defaults, with all state below one folder.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Settings {
            data_dir: data_dir.into(),
            base_url: "http://127.0.0.1:4041".to_owned(),
            domain: HostName::parse("localhost").expect("`localhost` is a host name"),
            own_names: Vec::new(),
            login_host: HostName::parse("login.localhost").expect("`login.localhost` is a host name"),
            oauth_apps: OAuthApps::new(),
            tcp_addr: IpAddr::V4(Ipv4Addr::LOCALHOST),
            tcp_ports: 24000..=24999,
            version_aliases: vec!["ngrok-version".to_owned()],
        }
    }

    /// How login addresses begin, without a trailing slash.
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
    fn the_usual_port_is_left_out_of_login_addresses() {
        let settings = Settings::new("unused");
        assert_eq!(settings.login_url(443), "https://login.localhost");
        assert_eq!(settings.login_url(4443), "https://login.localhost:4443");
    }
}
