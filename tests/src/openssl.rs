//! OpenSSL as a visitor: the HTTPS port as seen by another TLS implementation.

use postern_test_kit::condition::finishes;
use std::{
    io::Write,
    net::SocketAddr,
    path::Path,
    process::{Command, Stdio},
};

/// The output of `openssl s_client` for one connection.
#[derive(Clone, Debug)]
pub struct OpensslOutput(String);

impl OpensslOutput {
    /// Everything it printed.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether the TLS session was resumed.
    #[track_caller]
    pub fn is_resumed(&self) -> bool {
        let (new, reused) = (self.0.contains("\nNew, TLS"), self.0.contains("\nReused, TLS"));
        assert!(new != reused, "neither one nor the other: {}", self.0);
        reused
    }

    /// The body of the response, if its status is 200.
    pub fn response_body(&self) -> Option<&str> {
        let (head, rest) = self.0.split_once("HTTP/1.1 200 OK\r\n")?.1.split_once("\r\n\r\n")?;
        // OpenSSL continues in the same line.
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse().ok())?;
        rest.get(..length)
    }

    /// Whether the server ended the handshake with this alert.
    pub fn has_alert(&self, words: &str) -> bool {
        self.0.contains(&format!("alert {words}")) && self.response_body().is_none()
    }
}

/// Requests `https://name/` with these further arguments.
pub async fn connect(https: SocketAddr, name: &str, arguments: &[&str]) -> OpensslOutput {
    let mut command = Command::new("openssl");
    command.args(["s_client", "-connect", &https.to_string(), "-servername", name, "-ign_eof"]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let request = format!("GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n");
    let talk = tokio::task::spawn_blocking(move || {
        let mut child = command.spawn().expect("openssl is installed");
        // A refused client may be closed before it has written.
        let _ = child.stdin.take().expect("piped").write_all(request.as_bytes());
        let output = child.wait_with_output().expect("it ends");
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        OpensslOutput(format!("{stdout}\n{stderr}"))
    });
    finishes("openssl s_client", talk).await.expect("no panic")
}

/// Arguments to trust only the authorities in a file.
pub fn trusting(authority: &Path) -> Vec<String> {
    ["-CAfile", &authority.to_string_lossy(), "-verify_return_error"].map(str::to_owned).into()
}
