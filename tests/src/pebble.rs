//! Pebble, Let's Encrypt's ACME server for tests, and a name server that resolves every name to this machine.

use crate::process::Process;
use postern_test_kit::{certificates::CertificateAuthority, condition::finishes, eventually, ports::free_tcp_ports};
use rcgen::CertificateParams;
use serde_json::json;
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};
use tokio::net::TcpStream;

/// The ports of challenges, the validity of certificates, and how often nonces are rejected.
#[derive(Clone, Copy, Debug)]
pub struct PebbleSetup {
    /// The port of `http-01`.
    pub http: u16,
    /// The port of `tls-alpn-01`.
    pub https: u16,
    /// In seconds.
    pub lasting: u32,
    /// Percentage of requests whose nonce it rejects.
    pub rejected_nonces: u8,
}

impl PebbleSetup {
    /// Certificates for an hour, and a few rejected nonces as usual for Pebble.
    pub fn new(http: u16, https: u16) -> PebbleSetup {
        PebbleSetup { http, https, lasting: 3600, rejected_nonces: 5 }
    }
}

/// A running authority. It ends with its handle.
pub struct Pebble {
    /// The program.
    pub process: Process,
    /// The name server that it asks before it examines a challenge.
    pub names: Process,
    directory: SocketAddr,
    management: SocketAddr,
    root: PathBuf,
}

impl Pebble {
    /// Starts it with its files in a folder.
    pub async fn start(folder: &Path, setup: PebbleSetup) -> Pebble {
        Pebble::with_resolver(folder, setup, None).await
    }

    /// Starts it with another name server to ask than its own, which resolves every name to this machine.
    pub async fn with_resolver(folder: &Path, setup: PebbleSetup, resolver: Option<SocketAddr>) -> Pebble {
        std::fs::create_dir_all(folder).expect("a folder");
        let root = own_certificate(folder);
        let (first, _) = free_tcp_ports(4);
        let at = |offset: u16| SocketAddr::from(([127, 0, 0, 1], first + offset));
        let (directory, management, names_address, orders) = (at(0), at(1), at(2), at(3));
        let configuration = folder.join("pebble.json");
        let own = json!({ "pebble": {
            "listenAddress": directory.to_string(),
            "managementListenAddress": management.to_string(),
            "certificate": folder.join("leaf.pem"),
            "privateKey": folder.join("leaf.key"),
            "httpPort": setup.http,
            "tlsPort": setup.https,
            "ocspResponderURL": "",
            "externalAccountBindingRequired": false,
            "certificateValidityPeriod": setup.lasting,
        }});
        std::fs::write(&configuration, own.to_string()).expect("written");
        let (names_at, orders_at) = (names_address.to_string(), orders.to_string());
        let everything_here = [
            "-defaultIPv4",
            "127.0.0.1",
            "-defaultIPv6",
            "",
            "-dns01",
            &names_at,
            "-management",
            &orders_at,
            "-http01",
            "",
            "-https01",
            "",
            "-tlsalpn01",
            "",
        ];
        let asked = resolver.unwrap_or(names_address).to_string();
        let names = Process::start(Path::new("pebble-challtestsrv"), &everything_here, &[]);
        eventually("the name server listens", async || {
            assert!(names.is_running(), "the name server ended: {}", names.stderr());
            TcpStream::connect(names_address).await.ok()
        })
        .await;
        let configuration = configuration.to_string_lossy().into_owned();
        let arguments = ["-strict", "-config", &configuration, "-dnsserver", &asked];
        let rejected = setup.rejected_nonces.to_string();
        let environment = [("PEBBLE_VA_NOSLEEP", "1"), ("PEBBLE_WFE_NONCEREJECT", rejected.as_str())];
        let process = Process::start(Path::new("pebble"), &arguments, &environment);
        let pebble = Pebble { process, names, directory, management, root };
        let client = pebble.client();
        eventually("pebble responds", async || {
            assert!(pebble.process.is_running(), "pebble ended: {}", pebble.process.stderr());
            client.get(pebble.directory()).send().await.ok().filter(|answer| answer.status().is_success())
        })
        .await;
        pebble
    }

    /// The address of its directory.
    pub fn directory(&self) -> String {
        format!("https://{}/dir", self.directory)
    }

    /// The authority of its directory's own certificate.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The root of the certificates it issues, in PEM.
    pub async fn issuing_root(&self) -> String {
        let response = self.client().get(format!("https://{}/roots/0", self.management)).send();
        finishes("pebble shows its root", response).await.expect("a response").text().await.expect("PEM")
    }

    fn client(&self) -> reqwest::Client {
        let root = std::fs::read(&self.root).expect("a certificate");
        let root = reqwest::Certificate::from_pem(&root).expect("a certificate");
        reqwest::Client::builder().no_proxy().tls_certs_only([root]).build().expect("a client")
    }
}

/// An authority and a certificate for the directory.
fn own_certificate(folder: &Path) -> PathBuf {
    let authority = CertificateAuthority::root("directory's authority");
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let leaf = authority.issue(&CertificateParams::new(names).expect("names"));
    let path = folder.join("root.pem");
    let (certificate, key) = (leaf.certificate.pem(), leaf.key.serialize_pem());
    for (name, text) in [("root.pem", authority.pem()), ("leaf.pem", certificate), ("leaf.key", key)] {
        std::fs::write(folder.join(name), text).expect("written");
    }
    path
}
