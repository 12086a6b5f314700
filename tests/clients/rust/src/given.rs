//! The environment of the suite.

use ngrok_api::{Client, ClientBuilder};
use std::{env, fs, path::PathBuf};
use url::Url;

/// The address of the server, the key, and test material.
pub struct Given {
    url: Url,
    key: String,
    material: PathBuf,
    first_port: u16,
}

impl Given {
    /// Reads the variables that the runner set.
    pub fn from_environment() -> Given {
        let variable =
            |name: &str| env::var(name).unwrap_or_else(|_| panic!("{name} is not set; use tests/clients/run"));
        let ports = variable("POSTERN_TCP_PORTS");
        let first = ports.split('-').next().and_then(|port| port.parse().ok());
        Given {
            url: variable("POSTERN_API_URL").parse().expect("POSTERN_API_URL is an address"),
            key: variable("POSTERN_API_KEY"),
            material: variable("POSTERN_MATERIAL").into(),
            first_port: first.expect("POSTERN_TCP_PORTS is a range"),
        }
    }

    /// The SDK's own client, as its documentation starts it.
    pub fn client(&self) -> Client {
        let mut builder = ClientBuilder::new(self.key.clone());
        builder.api_url(self.url.clone());
        builder.build()
    }

    /// A file of the test material.
    pub fn text(&self, name: &str) -> String {
        let path = self.material.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The address of a TCP port that the server may listen on.
    pub fn hostport(&self, number: u16) -> String {
        format!("localhost:{}", self.first_port + number)
    }
}
