//! The supervised local server: its ports, its flags and its health check.

use super::{
    context::SupervisionContext,
    launch::Launch,
    ports::PortAllocator,
    supervise::{ProgramStatus, SupervisedProgram},
};
use crate::{desktop_state::RunState, error::Result, log_file::LogFile, server_addresses::ServerAddresses};
use std::{
    net::SocketAddr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// The drain timeout for open requests on Quit.
const DRAIN_TIMEOUT: &str = "4s";

/// The server that is installed with the app.
pub(crate) struct LocalServer {
    context: SupervisionContext,
    /// The last addresses: a restart keeps every public address.
    last_addresses: Mutex<Option<ServerAddresses>>,
    notice: Mutex<Option<String>>,
}

impl LocalServer {
    pub(crate) fn new(context: SupervisionContext) -> LocalServer {
        LocalServer { context, last_addresses: Mutex::new(None), notice: Mutex::new(None) }
    }

    fn allocate_ports(&self) -> Result<[(&'static str, SocketAddr); 3]> {
        let preferred = &self.context.config.listen;
        let last = self.last_addresses.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (https, http, api) = match last {
            Some(last) => (last.https, last.http, last.api),
            None => (preferred.https, preferred.http, preferred.api),
        };
        let mut ports = PortAllocator::default();
        let addresses = [
            ("--https-addr", ports.allocate("HTTPS", https)?),
            ("--http-addr", ports.allocate("HTTP", http)?),
            ("--api-addr", ports.allocate("the management API", api)?),
        ];
        *self.notice.lock().unwrap_or_else(PoisonError::into_inner) = ports.notice();
        Ok(addresses)
    }
}

impl SupervisedProgram for LocalServer {
    const PROGRAM: &'static str = "postern-server";
    const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(8);

    fn candidates(&self) -> Vec<u32> {
        let recorded = self.context.started.get(Self::PROGRAM).map(|process| process.pid);
        let written =
            ServerAddresses::read(&self.context.config.paths.server_addresses()).map(|addresses| addresses.pid);
        recorded.into_iter().chain(written).collect()
    }

    async fn launch(&self) -> Result<(Launch, Option<SocketAddr>)> {
        let mut arguments =
            vec!["run".into(), "--data-dir".into(), self.context.config.paths.server.clone().into_os_string()];
        for (flag, address) in self.allocate_ports()? {
            arguments.extend([flag.into(), address.to_string().into()]);
        }
        if let Some(ports) = &self.context.config.listen.tcp_ports {
            arguments.extend(["--tcp-ports".into(), ports.into()]);
        }
        arguments.extend(["--drain-timeout".into(), DRAIN_TIMEOUT.into()]);
        let log = LogFile::new(&self.context.config.paths.logs(), Self::PROGRAM);
        Ok((Launch { program: Self::PROGRAM, arguments, log }, None))
    }

    async fn wait_until_ready(&self, pid: u32) {
        loop {
            let addresses = ServerAddresses::read(&self.context.config.paths.server_addresses());
            if let Some(addresses) = addresses.filter(|addresses| addresses.pid == pid) {
                let health = format!("http://{}/healthz", addresses.api);
                let response = self.context.http.get(health).timeout(Duration::from_secs(2)).send().await;
                if response.is_ok_and(|response| response.status().is_success()) {
                    *self.last_addresses.lock().unwrap_or_else(PoisonError::into_inner) = Some(addresses);
                    return;
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn set_status(&self, status: ProgramStatus) {
        let last = self.last_addresses.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let notice = self.notice.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.context.state.update_desktop(|state| {
            let server = &mut state.server;
            (server.state, server.pid, server.error, server.next_try) = status.state_fields();
            server.notice = notice;
            if let (RunState::Running, Some(last)) = (server.state, last) {
                server.address = Some(format!("{}:{}", last.domain, last.https.port()));
                server.api_address = Some(format!("http://{}", last.api));
            }
        });
    }
}
