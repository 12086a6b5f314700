//! The program `postern-server` with a data folder.

use crate::{
    process::{Process, ProcessOutput},
    programs,
};
use postern_test_kit::{eventually, ports::free_tcp_ports};
use serde::Deserialize;
use std::{
    ffi::OsString,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

/// The listen addresses that the server writes into its data folder.
#[derive(Clone, Debug, Deserialize)]
pub struct Addresses {
    /// HTTPS visitors and agents.
    pub https: SocketAddr,
    /// Plain HTTP visitors.
    pub http: SocketAddr,
    /// The management API.
    pub api: SocketAddr,
    /// The process.
    pub pid: u32,
}

/// The command line of a server: a folder, free ports and further flags.
#[derive(Clone, Debug)]
pub struct ServerSetup {
    folder: PathBuf,
    ports: (u16, u16),
    fixed: Option<Addresses>,
    flags: Vec<String>,
    environment: Vec<(String, String)>,
}

/// A running server.
pub struct Server {
    /// The program.
    pub process: Process,
    /// The listen address.
    pub addresses: Addresses,
    setup: ServerSetup,
}

impl ServerSetup {
    /// A server with this data folder and free ports.
    pub fn new(folder: impl Into<PathBuf>) -> ServerSetup {
        ServerSetup {
            folder: folder.into(),
            ports: free_tcp_ports(16),
            fixed: None,
            flags: Vec::new(),
            environment: Vec::new(),
        }
    }

    /// Adds flags.
    #[must_use]
    pub fn flags(mut self, flags: &[&str]) -> ServerSetup {
        self.flags.extend(flags.iter().map(|&flag| flag.to_owned()));
        self
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn environment(mut self, name: &str, value: &str) -> ServerSetup {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The range of TCP ports.
    pub fn tcp_ports(&self) -> (u16, u16) {
        self.ports
    }

    /// Starts the program without waiting for it to be ready.
    pub fn spawn(&self) -> Process {
        let mut arguments: Vec<OsString> = vec!["run".into(), "--data-dir".into(), self.folder.clone().into()];
        let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let at = |choose: fn(&Addresses) -> SocketAddr| self.fixed.as_ref().map_or(free, choose).to_string();
        let own = [
            ("--https-addr", at(|fixed| fixed.https)),
            ("--http-addr", at(|fixed| fixed.http)),
            ("--api-addr", at(|fixed| fixed.api)),
            ("--tcp-ports", format!("{}-{}", self.ports.0, self.ports.1)),
        ];
        for (flag, value) in own {
            if !self.flags.iter().any(|given| given == flag) {
                arguments.extend([OsString::from(flag), value.into()]);
            }
        }
        arguments.extend(self.flags.iter().map(OsString::from));
        let environment: Vec<_> =
            self.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        Process::start(&programs::server(), &arguments, &environment)
    }

    /// Starts the server and waits until it is ready.
    pub async fn start(self) -> Server {
        let process = self.spawn();
        let file = self.folder.join("addresses.json");
        let addresses = eventually("the server writes its addresses", async || {
            assert!(process.is_running(), "the server ended: {}", process.stderr());
            let text = std::fs::read(&file).ok()?;
            serde_json::from_slice::<Addresses>(&text).ok().filter(|addresses| addresses.pid == process.pid())
        })
        .await;
        Server { process, addresses, setup: self }
    }
}

impl Server {
    /// Its data folder.
    pub fn folder(&self) -> &Path {
        &self.setup.folder
    }

    /// The range of TCP ports.
    pub fn tcp_ports(&self) -> (u16, u16) {
        self.setup.ports
    }

    /// The certificate of its authority.
    pub fn authority(&self) -> PathBuf {
        self.folder().join("ca.pem")
    }

    /// The address for agents, with a name that is in the server's certificate.
    pub fn agent_address(&self) -> String {
        format!("localhost:{}", self.addresses.https.port())
    }

    /// A setup with the same folder and the same ports.
    pub fn restart_setup(&self) -> ServerSetup {
        ServerSetup { fixed: Some(self.addresses.clone()), ..self.setup.clone() }
    }

    /// Kills the server with SIGKILL and restarts it with the same folder and ports.
    pub async fn kill_and_restart(self) -> Server {
        let again = self.restart_setup();
        self.process.kill();
        again.start().await
    }

    /// Runs another command of the program with the same folder.
    pub async fn command(&self, arguments: &[&str]) -> ProcessOutput {
        let folder = self.folder().to_string_lossy().into_owned();
        let mut all: Vec<&str> = arguments.to_vec();
        all.extend(["--data-dir", &folder]);
        Process::run(&programs::server(), &all, &[]).await
    }
}
