//! The real OpenSSL as a visitor: what another implementation of TLS sees of the HTTPS port.

use crate::condition::finishes;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

/// What `openssl s_client` said about one connection.
#[derive(Clone, Debug)]
pub struct Seen(String);

impl Seen {
    /// Everything it printed.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether an earlier session went on.
    #[track_caller]
    pub fn resumed(&self) -> bool {
        let (new, reused) = (self.0.contains("\nNew, TLS"), self.0.contains("\nReused, TLS"));
        assert!(new != reused, "neither one nor the other: {}", self.0);
        reused
    }

    /// The body of the answer, if the request was answered with 200.
    pub fn answered(&self) -> Option<&str> {
        let (head, rest) = self.0.split_once("HTTP/1.1 200 OK\r\n")?.1.split_once("\r\n\r\n")?;
        // OpenSSL goes on in the same line.
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse().ok())?;
        rest.get(..length)
    }

    /// Whether the other side ended the handshake with this alert.
    pub fn alerted(&self, words: &str) -> bool {
        self.0.contains(&format!("alert {words}")) && self.answered().is_none()
    }
}

/// Asks `https://name/` with these further arguments.
pub async fn asks(https: SocketAddr, name: &str, arguments: &[&str]) -> Seen {
    let mut command = Command::new("openssl");
    command.args(["s_client", "-connect", &https.to_string(), "-servername", name, "-ign_eof"]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let request = format!("GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n");
    let talk = tokio::task::spawn_blocking(move || {
        let mut child = command.spawn().expect("openssl is installed");
        // Whoever is turned away reads nothing.
        let _ = child.stdin.take().expect("piped").write_all(request.as_bytes());
        let output = child.wait_with_output().expect("it ends");
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        Seen(format!("{stdout}\n{stderr}"))
    });
    finishes("openssl s_client", talk).await.expect("no panic")
}

/// Arguments that trust a file of authorities and refuse everybody else.
pub fn trusting(authority: &Path) -> Vec<String> {
    ["-CAfile", &authority.to_string_lossy(), "-verify_return_error"].map(str::to_owned).into()
}
