//! The agent as a part: it waits for the server, gets its configuration, and answers on its local API.

use super::logs::Log;
use super::part::{Part, Report};
use super::ports::Chooser;
use super::program::Launch;
use crate::agent_configuration;
use crate::desk::Desk;
use crate::failure::Result;
use crate::setup;
use crate::state::{Condition, Mode};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What the agent writes about itself beside its configuration; only what is needed here.
#[derive(Deserialize)]
struct AgentFile {
    web_addr: Option<String>,
    pid: Option<u32>,
}

impl AgentFile {
    fn read(path: &Path) -> Option<AgentFile> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

/// The part of `GET /api/status` that says who answers.
#[derive(Deserialize)]
struct Answering {
    pid: u32,
}

/// The agent that runs this person's tunnels.
pub(crate) struct LocalAgent {
    desk: Arc<Desk>,
    /// Where it listened last, kept over a restart.
    last: Mutex<Option<SocketAddr>>,
    notice: Mutex<Option<String>>,
}

impl LocalAgent {
    pub(crate) fn new(desk: Arc<Desk>) -> LocalAgent {
        LocalAgent { desk, last: Mutex::new(None), notice: Mutex::new(None) }
    }

    fn last(&self) -> Option<SocketAddr> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where this process says, or was told, that it listens.
    fn address(&self, pid: u32) -> Option<SocketAddr> {
        let file = AgentFile::read(&self.desk.places.agent_state());
        let said = file.filter(|file| file.pid == Some(pid)).and_then(|file| file.web_addr?.parse().ok());
        let told = || {
            let started = self.desk.record.started(Self::PROGRAM)?;
            started.address.filter(|address| started.pid == pid && address.port() != 0)
        };
        said.or_else(told)
    }

    async fn is_this_one(&self, address: SocketAddr, pid: u32) -> bool {
        let status = self.desk.http.get(format!("http://{address}/api/status")).timeout(Duration::from_secs(2));
        let Ok(answer) = status.send().await else { return false };
        answer.json::<Answering>().await.is_ok_and(|answering| answering.pid == pid)
    }

    fn wanted_address(&self) -> SocketAddr {
        let configured = || {
            let text = std::fs::read_to_string(&self.desk.places.agent_configuration).ok()?;
            agent_configuration::value(&text, "web_addr")?.parse().ok()
        };
        let chosen_by_hand = std::env::var_os("POSTERN_WEB_ADDR").is_some();
        self.last().or_else(|| if chosen_by_hand { None } else { configured() }).unwrap_or(self.desk.wanted.web)
    }
}

impl Part for LocalAgent {
    const PROGRAM: &'static str = "postern";
    const END_PATIENCE: Duration = Duration::from_secs(6);

    fn candidates(&self) -> Vec<u32> {
        let noted = self.desk.record.started(Self::PROGRAM).map(|started| started.pid);
        let written = AgentFile::read(&self.desk.places.agent_state()).and_then(|file| file.pid);
        noted.into_iter().chain(written).collect()
    }

    async fn launch(&self) -> Result<(Launch, Option<SocketAddr>)> {
        if self.desk.state.now().server.mode == Mode::Local {
            let mut state = self.desk.state.watch();
            // The sender lives as long as the desk, so this ends only when the server runs.
            let _ = state.wait_for(|state| state.server.state == Condition::Running).await;
            setup::prepare_agent(&self.desk).await?;
        }
        let mut chooser = Chooser::default();
        let address = chooser.choose("the inspector", self.wanted_address())?;
        *self.notice.lock().unwrap_or_else(PoisonError::into_inner) = chooser.notice();
        let arguments = vec![
            "start".into(),
            "--none".into(),
            "--config".into(),
            self.desk.places.agent_configuration.clone().into_os_string(),
            "--web-addr".into(),
            address.to_string().into(),
        ];
        let log = Log::new(&self.desk.places.logs(), Self::PROGRAM);
        Ok((Launch { program: Self::PROGRAM, arguments, log }, Some(address)))
    }

    async fn answers(&self, pid: u32) {
        loop {
            if let Some(address) = self.address(pid)
                && self.is_this_one(address, pid).await
            {
                *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn report(&self, report: Report) {
        let last = self.last();
        let notice = self.notice.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.desk.state.change(|state| {
            let agent = &mut state.agent;
            (agent.state, agent.pid, agent.error, agent.next_try) = super::told(&report);
            agent.notice = notice;
            agent.web_addr = last.filter(|_| agent.state == Condition::Running);
            agent.adopted = matches!(report, Report::Running { adopted: true, .. });
        });
    }
}
