//! What a server needs to know before its first start.

use super::{
    Given,
    prompt::{Prompt, Question},
};
use crate::configuration::{mail, plain_name};
use postern_api::{Result, host::HostName};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    path::PathBuf,
};

/// The data folder of a server that runs as a service.
const SERVICE_DATA_DIR: &str = "/var/lib/postern";

/// All answers.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) domain: HostName,
    /// E-mail address for the certificate authority; without it no certificates are ordered.
    pub(super) mail: Option<String>,
    pub(super) https: SocketAddr,
    pub(super) http: SocketAddr,
    /// `None` for the default.
    pub(super) data_dir: Option<PathBuf>,
}

impl Answers {
    /// Asks for everything that was not given. `is_root` chooses the folder of a service.
    pub(super) fn gather(prompt: &Prompt, given: &Given, is_root: bool) -> Result<Self> {
        let domain = Question {
            about: "",
            text: "Domain that names are published under, such as example.com",
            flag: "domain",
            given: given.domain.as_deref(),
            default: None,
        };
        let domain = prompt.ask(&domain, plain_name)?;
        let is_public = domain.as_str() != "localhost";
        let mail = match is_public {
            true => prompt.ask(
                &Question {
                    about: "Let's Encrypt issues the certificates of edges and reserved domains. Giving it an e-mail address accepts its terms of\nservice; without one, the server's own authority issues them.",
                    text: "E-mail address for Let's Encrypt",
                    flag: "mail",
                    given: given.mail.as_deref(),
                    default: Some(""),
                },
                |text| if text.is_empty() { Ok(None) } else { mail(text).map(Some) },
            )?,
            false => None,
        };
        let host = if is_public { any_address() } else { Ipv4Addr::LOCALHOST.into() };
        let port = |text: &str, flag: &str, given: &Option<String>, default: &str| {
            let question = Question { about: "", text, flag, given: given.as_deref(), default: Some(default) };
            prompt.ask(&question, port).map(|port| SocketAddr::new(host, port))
        };
        let (https, http) = if is_public { ("443", "80") } else { ("4443", "4480") };
        Ok(Answers {
            https: port("Port for HTTPS visitors and agents", "https-port", &given.https_port, https)?,
            http: port("Port for plain HTTP visitors", "http-port", &given.http_port, http)?,
            data_dir: given.data_dir.clone().or_else(|| is_root.then(|| PathBuf::from(SERVICE_DATA_DIR))),
            domain,
            mail,
        })
    }

    /// Whether visitors come from other machines.
    pub(super) fn is_public(&self) -> bool {
        self.domain.as_str() != "localhost"
    }
}

fn port(text: &str) -> Result<u16, String> {
    text.parse().ok().filter(|port| *port != 0).ok_or_else(|| "is not a port from 1 to 65535".to_owned())
}

/// All addresses of both families, or of IPv4 where the machine has no IPv6.
fn any_address() -> IpAddr {
    match TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0)) {
        Ok(_) => Ipv6Addr::UNSPECIFIED.into(),
        Err(_) => Ipv4Addr::UNSPECIFIED.into(),
    }
}
