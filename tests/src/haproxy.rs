//! The real HAProxy, in front of the server or of a local service.

use crate::process::Process;
use postern_test_kit::{eventually, ports};
use std::{net::SocketAddr, path::Path};

/// Another program may take a free port before HAProxy does.
const MAX_PORT_ATTEMPTS: usize = 10;

/// A running HAProxy with one listener on loopback. It ends with its handle.
pub struct Haproxy {
    _process: Process,
    address: SocketAddr,
}

impl Haproxy {
    /// Starts HAProxy. `accepts` are the options of `bind`, `section` the other lines of the `listen` section.
    pub async fn start(folder: &Path, accepts: &str, section: &[&str]) -> Haproxy {
        for _ in 0..MAX_PORT_ATTEMPTS {
            let address = ports::unused_address();
            let port = address.port();
            let lines = section.iter().map(|line| format!("    {line}\n")).collect::<String>();
            let text = format!(
                "defaults\n    timeout connect 5s\n    timeout client 30s\n    timeout server 30s\n\
                 listen here\n    bind 127.0.0.1:{port} {accepts}\n{lines}"
            );
            let configuration = folder.join(format!("haproxy.{port}.cfg"));
            std::fs::write(&configuration, text).expect("written");
            let arguments = ["-db", "-f", &configuration.to_string_lossy()];
            let process = Process::start(Path::new("/usr/sbin/haproxy"), &arguments, &[]);
            let listening = eventually("HAProxy listens or ends", async || {
                if !process.is_running() {
                    return Some(false);
                }
                tokio::net::TcpStream::connect(address).await.is_ok().then_some(true)
            })
            .await;
            if listening && process.is_running() {
                return Haproxy { _process: process, address };
            }
            let ended = process.wait_with_output().await;
            assert!(ended.stderr.contains("Address already in use"), "HAProxy does not start: {}", ended.stderr);
        }
        panic!("no port stays free");
    }

    /// The listen address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}
