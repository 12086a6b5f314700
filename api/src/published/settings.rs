//! Modules of one edge or route.

use super::Login;
use crate::{
    module::{self, Module, TerminateAt, TlsVersion},
    route_modules,
};
use std::sync::Arc;

macro_rules! settings {
    (modules { $($(#[$doc:meta])* $member:ident: $module:ident,)+ }) => {
        /// Modules of an edge, route or tunnel. Unset and disabled modules are absent.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Settings {
            /// A module is set and cannot be read. It may restrict access, so all visitors are refused.
            pub unreadable: bool,
            /// Certificate authorities of visitors' certificates, in PEM.
            pub mutual_tls: Option<Vec<Arc<str>>>,
            /// TLS termination point and minimum version.
            pub tls_termination: Option<Termination>,
            /// Host header sent to the backend; redirects to it are rewritten. Only tunnels have it.
            pub host_header: Option<String>,
            $($(#[$doc])* pub $member: Option<<module::$module as Module>::Published>,)+
        }

        impl Settings {
            /// The number of modules that make visitors log in. At most one can be applied: of two, neither can be
            /// assumed to be the stricter one.
            pub fn logins(&self) -> usize {
                [$(<module::$module as Module>::IS_LOGIN && self.$member.is_some(),)+].into_iter().filter(|set| *set).count()
            }
        }
    };
}
route_modules! { settings }

impl Settings {
    /// The login at an identity provider.
    pub fn login(&self) -> Option<&Arc<Login>> {
        self.oauth.as_ref().or(self.oidc.as_ref()).or(self.saml.as_ref())
    }
}

/// TLS termination of an HTTPS or TLS edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Termination {
    /// TLS termination point.
    pub at: TerminateAt,
    /// Minimum version of TLS; `None` if TLS is not terminated at the edge.
    pub oldest: Option<TlsVersion>,
}
