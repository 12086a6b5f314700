//! Settings of the server that callers need.

use crate::resources::{Caller, Resources};
use postern_api::resource::ServerFacts;

impl Resources {
    /// Facts for every caller.
    pub(crate) fn facts(&self, caller: &Caller) -> ServerFacts {
        let (settings, https_port) = (&self.settings, self.live.https_port());
        let oauth = self.oauth_facts().clone();
        let login_url = settings.login_url(https_port);
        ServerFacts {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            domain: settings.domain.to_string(),
            https_port,
            first_tcp_port: *settings.tcp_ports.start(),
            last_tcp_port: *settings.tcp_ports.end(),
            callback_url: format!("{login_url}/oauth2/callback"),
            login_url,
            oauth_apps: oauth.apps.iter().copied().collect(),
            microsoft_tenants: oauth.has_microsoft_tenants,
            role: Some(caller.rights.role()),
        }
    }
}
