//! The scheme, host and port that visitors know an endpoint by.

/// Such as `https://shop.test:4443`. Logins happen over HTTPS only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    host: String,
    port: u16,
}

impl Origin {
    /// The origin of a host name, as the edge found it, and the port that HTTPS is served at.
    pub fn new(host: &str, port: u16) -> Self {
        Origin { host: host.to_ascii_lowercase(), port }
    }

    /// The host name alone.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Another host of the same server.
    pub(crate) fn sibling(&self, host: &str) -> Self {
        Origin::new(host, self.port)
    }

    /// The address of a path below it.
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
    fn the_usual_port_is_left_out() {
        assert_eq!(Origin::new("Shop.test", 443).with("/a"), "https://shop.test/a");
        assert_eq!(Origin::new("shop.test", 4443).to_string(), "https://shop.test:4443");
    }
}
