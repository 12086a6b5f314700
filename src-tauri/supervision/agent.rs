//! The supervised agent: it is configured once the server runs, and is ready when its local API responds.

use super::{
    context::SupervisionContext,
    launch::Launch,
    ports::PortAllocator,
    supervise::{ProgramStatus, SupervisedProgram},
};
use crate::{
    agent_configuration, agent_setup,
    desktop_state::{RunState, ServerMode},
    error::Result,
    log_file::LogFile,
};
use postern_api::local::AgentStatus;
use serde::Deserialize;
use std::{
    net::SocketAddr,
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// The agent's state file, reduced to the members used here.
#[derive(Deserialize)]
struct AgentStateFile {
    web_addr: Option<String>,
    pid: Option<u32>,
}

impl AgentStateFile {
    fn read(path: &Path) -> Option<AgentStateFile> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

/// This computer's agent.
pub(crate) struct LocalAgent {
    context: SupervisionContext,
    /// The last address of the local API, kept across restarts.
    last_address: Mutex<Option<SocketAddr>>,
    notice: Mutex<Option<String>>,
}

impl LocalAgent {
    pub(crate) fn new(context: SupervisionContext) -> LocalAgent {
        LocalAgent { context, last_address: Mutex::new(None), notice: Mutex::new(None) }
    }

    fn last_address(&self) -> Option<SocketAddr> {
        *self.last_address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The address of the process according to its state file, else the one that it was started with.
    fn address(&self, pid: u32) -> Option<SocketAddr> {
        let file = AgentStateFile::read(&self.context.config.paths.agent_state());
        let reported = file.filter(|file| file.pid == Some(pid)).and_then(|file| file.web_addr?.parse().ok());
        let requested = || {
            let process = self.context.started.get(Self::PROGRAM)?;
            process.address.filter(|address| process.pid == pid && address.port() != 0)
        };
        reported.or_else(requested)
    }

    async fn is_agent(&self, address: SocketAddr, pid: u32) -> bool {
        let status = self.context.http.get(format!("http://{address}/api/status")).timeout(Duration::from_secs(2));
        let Ok(response) = status.send().await else { return false };
        response.json::<AgentStatus>().await.is_ok_and(|status| status.pid == pid)
    }

    fn preferred_address(&self) -> SocketAddr {
        let configured = || {
            let text = std::fs::read_to_string(&self.context.config.paths.agent_configuration).ok()?;
            agent_configuration::top_level_value(&text, "web_addr")?.parse().ok()
        };
        let set_by_environment = std::env::var_os("POSTERN_WEB_ADDR").is_some();
        self.last_address()
            .or_else(|| if set_by_environment { None } else { configured() })
            .unwrap_or(self.context.config.listen.web)
    }
}

impl SupervisedProgram for LocalAgent {
    const PROGRAM: &'static str = "postern";
    const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(6);

    fn candidates(&self) -> Vec<u32> {
        let recorded = self.context.started.get(Self::PROGRAM).map(|process| process.pid);
        let written = AgentStateFile::read(&self.context.config.paths.agent_state()).and_then(|file| file.pid);
        recorded.into_iter().chain(written).collect()
    }

    async fn launch(&self) -> Result<(Launch, Option<SocketAddr>)> {
        if self.context.state.desktop().server.mode == ServerMode::Local {
            let mut changes = self.context.state.subscribe_desktop();
            // The sender lives as long as the app, so this ends only when the server runs.
            let _ = changes.wait_for(|state| state.server.state == RunState::Running).await;
            agent_setup::configure_agent(&self.context.config, &self.context.keys, &self.context.http).await?;
        }
        let mut ports = PortAllocator::default();
        let address = ports.allocate("the inspector", self.preferred_address())?;
        *self.notice.lock().unwrap_or_else(PoisonError::into_inner) = ports.notice();
        let arguments = vec![
            "start".into(),
            "--none".into(),
            "--config".into(),
            self.context.config.paths.agent_configuration.clone().into_os_string(),
            "--web-addr".into(),
            address.to_string().into(),
        ];
        let log = LogFile::new(&self.context.config.paths.logs(), Self::PROGRAM);
        Ok((Launch { program: Self::PROGRAM, arguments, log }, Some(address)))
    }

    async fn wait_until_ready(&self, pid: u32) {
        loop {
            if let Some(address) = self.address(pid)
                && self.is_agent(address, pid).await
            {
                *self.last_address.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn set_status(&self, status: ProgramStatus) {
        let last_address = self.last_address();
        let notice = self.notice.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.context.state.update_desktop(|state| {
            let agent = &mut state.agent;
            (agent.state, agent.pid, agent.error, agent.next_try) = status.state_fields();
            agent.notice = notice;
            agent.web_addr = last_address.filter(|_| agent.state == RunState::Running);
            agent.adopted = matches!(status, ProgramStatus::Running { adopted: true, .. });
        });
    }
}
