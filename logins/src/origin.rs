//! The scheme, host and port of an endpoint as visitors see them.

use serde::{Deserialize, Serialize};

/// An origin such as `https://shop.test:4443`. Logins use HTTPS only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    host: String,
    port: u16,
}

impl Origin {
    /// The origin of a host name and the public HTTPS port.
    pub fn new(host: &str, port: u16) -> Self {
        Origin { host: host.to_ascii_lowercase(), port }
    }

    /// The host name without the port.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The origin of another host of the same server.
    pub(crate) fn sibling(&self, host: &str) -> Self {
        Origin::new(host, self.port)
    }

    /// The URL of a path of this origin.
    pub fn with(&self, path: &str) -> String {
        format!("{self}{path}")
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.port {
            443 => write!(f, "https://{}", self.host),
            port => write!(f, "https://{}:{port}", self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_port_is_left_out() {
        assert_eq!(Origin::new("Shop.test", 443).with("/a"), "https://shop.test/a");
        assert_eq!(Origin::new("shop.test", 4443).to_string(), "https://shop.test:4443");
    }
}
