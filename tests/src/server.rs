//! The program `postern-server` with a data folder.

use crate::{
    process::{Process, ProcessOutput},
    programs,
};
use postern_test_kit::{
    eventually,
    ports::{HeldPort, free_tcp_ports},
};
use serde::Deserialize;
use std::{
    ffi::OsString,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
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
    held: Arc<[HeldPort]>,
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
            held: Arc::default(),
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

    /// Listens at this address of the machine, on the first of these ports, unless flags say other ones.
    #[must_use]
    pub fn at(mut self, address: Ipv4Addr, first: u16) -> ServerSetup {
        let mut own_port = |flag| {
            self.take_flag(flag)
                .and_then(|value| Some(value.parse::<SocketAddr>().ok()?.port()).filter(|port| *port > 0))
        };
        let (https, http) = (own_port("--https-addr"), own_port("--http-addr"));
        let at = |port| SocketAddr::from((address, port));
        let (https, http) = (at(https.unwrap_or(first)), at(http.unwrap_or(first + 1)));
        self.fixed = Some(Addresses { https, http, api: at(first + 2), pid: 0 });
        self.flags(&["--tcp-addr", &address.to_string()])
    }

    /// Writes the logs for machines to files of their own, beside those that the flags name.
    #[must_use]
    pub fn with_own_logs(mut self, suffix: &str) -> ServerSetup {
        for flag in ["--access-log", "--audit-log"] {
            let file = self.take_flag(flag);
            if let Some(file) = file {
                let own = if file.starts_with("/dev/") || !file.starts_with('/') { file } else { file + suffix };
                self = self.flags(&[flag, &own]);
            }
        }
        self
    }

    /// Removes a flag and returns its value.
    fn take_flag(&mut self, flag: &str) -> Option<String> {
        let place = self.flags.iter().position(|given| given == flag)?;
        self.flags.drain(place..=place + 1).next_back()
    }

    /// The same command line with another data folder.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> ServerSetup {
        self.folder = folder.into();
        self
    }

    /// Whether a flag is given.
    pub fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given == flag)
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
            // Nothing is looked up outside this machine.
            ("--dns-resolver", "127.0.0.1:1".to_owned()),
        ];
        for (flag, value) in own {
            if !self.has_flag(flag) {
                arguments.extend([OsString::from(flag), value.into()]);
            }
        }
        arguments.extend(self.flags.iter().map(OsString::from));
        let environment: Vec<_> =
            self.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        Process::start(&programs::server(), &arguments, &environment)
    }

    /// Chooses ports that are free for the server again when it is restarted.
    fn hold_ports(&mut self) {
        let [https, http, api] = [HeldPort::free(), HeldPort::free(), HeldPort::free()];
        self.fixed = Some(Addresses { https: https.address(), http: http.address(), api: api.address(), pid: 0 });
        self.held = Arc::new([https, http, api]);
    }

    /// Starts the server and waits until it is ready.
    pub async fn start(mut self) -> Server {
        if self.fixed.is_none() {
            self.hold_ports();
        }
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

    /// The address for agents, by the name in the server's certificate if it leads there.
    pub fn agent_address(&self) -> String {
        let https = self.addresses.https;
        match https.ip() {
            IpAddr::V4(Ipv4Addr::LOCALHOST | Ipv4Addr::UNSPECIFIED) => format!("localhost:{}", https.port()),
            _ => https.to_string(),
        }
    }

    /// The setup of another server with the same folder, on other ports.
    pub fn setup_beside(&self) -> ServerSetup {
        let fixed = self.setup.fixed.clone().map(|addresses| {
            let other = |address: SocketAddr| SocketAddr::new(address.ip(), 0);
            let (https, http, api) = (other(addresses.https), other(addresses.http), other(addresses.api));
            Addresses { https, http, api, pid: 0 }
        });
        ServerSetup { fixed, ..self.setup.clone() }
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
