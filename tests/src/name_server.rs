//! BIND, a name server with a zone that takes dynamic updates signed with a key.

use crate::process::{Process, ProcessOutput};
use postern_test_kit::{eventually, ports::free_tcp_ports};
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

/// Name of the key that may change TXT records of the zone.
pub const KEY_NAME: &str = "postern-key";
/// Its secret.
pub const SECRET: &str = "cGxhbnRlZC1zZWNyZXQtb2YtdGhlLXpvbmUtMDEyMzQ1Njc4OQ==";
/// A secret of another key.
pub const WRONG_SECRET: &str = "cGxhbnRlZC13cm9uZy1zZWNyZXQtMDEyMzQ1Njc4OTAxMjM0NTY=";

/// A running name server. It ends with its handle.
pub struct NameServer {
    /// The program.
    pub process: Process,
    /// Where it listens, with UDP and TCP.
    pub address: SocketAddr,
    folder: PathBuf,
}

impl NameServer {
    /// Starts it with its files in a folder, for a zone whose names all lead to this machine, and further records of it.
    pub async fn start(folder: &Path, zone: &str, records: &str) -> NameServer {
        std::fs::create_dir_all(folder).expect("a folder");
        let (port, _) = free_tcp_ports(1);
        let shown = folder.display();
        let configuration = format!(
            "options {{\n  directory \"{shown}\"; pid-file none; session-keyfile none; lock-file none;\n  \
             listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }};\n  \
             recursion no; dnssec-validation no; allow-query {{ 127.0.0.1; }};\n}};\n\
             controls {{ }};\n\
             key \"{KEY_NAME}\" {{ algorithm hmac-sha256; secret \"{SECRET}\"; }};\n\
             key \"{KEY_NAME}-512\" {{ algorithm hmac-sha512; secret \"{SECRET}\"; }};\n\
             zone \"{zone}\" {{\n  type primary; file \"zone.db\";\n  update-policy {{ grant {KEY_NAME} zonesub TXT; \
             grant {KEY_NAME}-512 zonesub TXT; }};\n}};\n"
        );
        // The address of the zone's name server is one that nothing listens at.
        let zone = format!(
            "$TTL 60\n$ORIGIN {zone}.\n@ SOA ns hostmaster 1 3600 600 86400 60\n@ NS ns\nns A 127.0.0.99\n\
             @ A 127.0.0.1\n{records}\n"
        );
        let path = folder.join("named.conf");
        std::fs::write(&path, configuration).expect("written");
        std::fs::write(folder.join("zone.db"), zone).expect("written");
        let path = path.to_string_lossy().into_owned();
        let process = Process::start(&program("named"), &["-g", "-c", &path, "-n", "1"], &[]);
        let server = NameServer { process, address: ([127, 0, 0, 1], port).into(), folder: folder.to_owned() };
        eventually("the name server responds", async || {
            assert!(server.process.is_running(), "it ended: {}", server.process.stderr());
            server.process.stderr().contains("running").then_some(())
        })
        .await;
        server
    }

    /// A file with a secret as its only line.
    pub fn secret_file(&self, secret: &str) -> String {
        let path = self.folder.join(format!("secret-{}", &secret[secret.len() - 8..secret.len() - 2]));
        std::fs::write(&path, format!("{secret}\n")).expect("written");
        path.to_string_lossy().into_owned()
    }

    /// Flags of a server that updates the zone with this secret.
    pub fn flags(&self, secret: &str) -> Vec<String> {
        let (address, file) = (self.address.to_string(), self.secret_file(secret));
        let flags = ["--acme-dns-server", &address, "--acme-dns-key", KEY_NAME, "--acme-dns-secret-file", &file];
        flags.into_iter().chain(["--dns-resolver", &address]).map(str::to_owned).collect()
    }

    /// The texts of a name's TXT records.
    pub async fn texts(&self, name: &str) -> Vec<String> {
        let port = self.address.port().to_string();
        let arguments = ["@127.0.0.1", "-p", &port, "+short", "+norecurse", name, "TXT"];
        let ProcessOutput { status, stdout, .. } = Process::run(&program("dig"), &arguments, &[]).await;
        assert!(status.success(), "dig fails: {stdout}");
        stdout.lines().map(|line| line.trim_matches('"').to_owned()).collect()
    }

    /// Whether a TXT record of the name was ever added, by the log.
    pub fn was_added(&self, name: &str) -> bool {
        self.process.stderr().contains(&format!("adding an RR at '{name}' TXT"))
    }
}

/// A program of the system, which may be in a folder that only the administrator's search path has.
fn program(name: &str) -> PathBuf {
    let folders = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"].map(Path::new);
    let found = folders.into_iter().map(|folder| folder.join(name)).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("{name} is not installed; run `.ci/install test`"))
}
