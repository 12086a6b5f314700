//! The local server as a part: its ports, its flags, and how one knows that it is ready.

use super::logs::Log;
use super::part::{Part, Report};
use super::ports::Chooser;
use super::program::Launch;
use crate::desk::Desk;
use crate::failure::Result;
use crate::state::Condition;
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long open requests may still run when the person quits.
const DRAIN: &str = "4s";

/// `addresses.json` as the server writes it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ServerAddresses {
    pub(crate) https: SocketAddr,
    pub(crate) http: SocketAddr,
    pub(crate) api: SocketAddr,
    #[serde(default = "localhost")]
    pub(crate) domain: String,
    pub(crate) pid: u32,
}

fn localhost() -> String {
    "localhost".to_owned()
}

impl ServerAddresses {
    /// The addresses of the server that ran last in this data folder.
    pub(crate) fn read(path: &Path) -> Option<ServerAddresses> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

/// The server this app brings along.
pub(crate) struct LocalServer {
    desk: Arc<Desk>,
    /// Where it listened last: a restart keeps every public address as it was.
    last: Mutex<Option<ServerAddresses>>,
    notice: Mutex<Option<String>>,
}

impl LocalServer {
    pub(crate) fn new(desk: Arc<Desk>) -> LocalServer {
        LocalServer { desk, last: Mutex::new(None), notice: Mutex::new(None) }
    }

    fn choose(&self) -> Result<[(&'static str, SocketAddr); 3]> {
        let wanted = &self.desk.wanted;
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (https, http, api) = match last {
            Some(last) => (last.https, last.http, last.api),
            None => (wanted.https, wanted.http, wanted.api),
        };
        let mut chooser = Chooser::default();
        let chosen = [
            ("--https-addr", chooser.choose("HTTPS", https)?),
            ("--http-addr", chooser.choose("HTTP", http)?),
            ("--api-addr", chooser.choose("the management API", api)?),
        ];
        *self.notice.lock().unwrap_or_else(PoisonError::into_inner) = chooser.notice();
        Ok(chosen)
    }
}

impl Part for LocalServer {
    const PROGRAM: &'static str = "postern-server";
    const END_PATIENCE: Duration = Duration::from_secs(8);

    fn candidates(&self) -> Vec<u32> {
        let noted = self.desk.record.started(Self::PROGRAM).map(|started| started.pid);
        let written = ServerAddresses::read(&self.desk.places.server_addresses()).map(|addresses| addresses.pid);
        noted.into_iter().chain(written).collect()
    }

    async fn launch(&self) -> Result<(Launch, Option<SocketAddr>)> {
        let mut arguments = vec!["run".into(), "--data-dir".into(), self.desk.places.server.clone().into_os_string()];
        for (flag, address) in self.choose()? {
            arguments.extend([flag.into(), address.to_string().into()]);
        }
        if let Some(ports) = &self.desk.wanted.tcp_ports {
            arguments.extend(["--tcp-ports".into(), ports.into()]);
        }
        arguments.extend(["--drain-timeout".into(), DRAIN.into()]);
        let log = Log::new(&self.desk.places.logs(), Self::PROGRAM);
        Ok((Launch { program: Self::PROGRAM, arguments, log }, None))
    }

    async fn answers(&self, pid: u32) {
        loop {
            let addresses = ServerAddresses::read(&self.desk.places.server_addresses());
            if let Some(addresses) = addresses.filter(|addresses| addresses.pid == pid) {
                let health = format!("http://{}/healthz", addresses.api);
                let answer = self.desk.http.get(health).timeout(Duration::from_secs(2)).send().await;
                if answer.is_ok_and(|answer| answer.status().is_success()) {
                    *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(addresses);
                    return;
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn report(&self, report: Report) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let notice = self.notice.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.desk.state.change(|state| {
            let server = &mut state.server;
            (server.state, server.pid, server.error, server.next_try) = super::told(&report);
            server.notice = notice;
            if let (Condition::Running, Some(last)) = (server.state, last) {
                server.address = Some(format!("{}:{}", last.domain, last.https.port()));
                server.api_address = Some(format!("http://{}", last.api));
            }
        });
    }
}
