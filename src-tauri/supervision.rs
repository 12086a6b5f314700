//! Supervision of server and agent, which are separate processes: adopted if they run, started if not, ended on Quit.

mod agent;
mod context;
mod display;
mod launch;
mod ports;
mod process;
mod server;
mod started_processes;
mod supervise;

pub(crate) use started_processes::StartedProcesses;

use crate::{
    app_config::AppConfig,
    app_state::AppState,
    desktop_state::{RunState, ServerMode},
    log_file::LogFile,
    management_key::ManagementKeys,
};
use context::SupervisionContext;
use std::{sync::Arc, time::Duration};
use supervise::{SupervisorCommand, supervise};
use tokio::sync::{mpsc, oneshot};

/// The interval at which the size of the logs is checked.
const LOG_CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// A full queue means that a restart is already pending.
const COMMAND_CAPACITY: usize = 8;

/// The handle through which the app controls server and agent.
pub(crate) struct Supervisor {
    server: mpsc::Sender<SupervisorCommand>,
    agent: mpsc::Sender<SupervisorCommand>,
    pub(crate) started: Arc<StartedProcesses>,
}

/// The receiving ends of the commands, for the supervision tasks.
pub(crate) struct CommandReceivers {
    server: mpsc::Receiver<SupervisorCommand>,
    agent: mpsc::Receiver<SupervisorCommand>,
}

impl Supervisor {
    /// A handle, and the receivers to pass to `start`.
    pub(crate) fn new(started: StartedProcesses) -> (Supervisor, CommandReceivers) {
        let (server, server_commands) = mpsc::channel(COMMAND_CAPACITY);
        let (agent, agent_commands) = mpsc::channel(COMMAND_CAPACITY);
        let receivers = CommandReceivers { server: server_commands, agent: agent_commands };
        (Supervisor { server, agent, started: Arc::new(started) }, receivers)
    }

    /// Requests a restart of the server. Returns false if it is not supervised or a restart is pending.
    pub(crate) fn restart_server(&self) -> bool {
        self.server.try_send(SupervisorCommand::Restart).is_ok()
    }

    /// Requests a restart of the agent. Returns false if a restart is pending.
    pub(crate) fn restart_agent(&self) -> bool {
        self.agent.try_send(SupervisorCommand::Restart).is_ok()
    }

    /// Ends the programs that the app started, the agent first so that it closes its session. Bounded by their timeouts.
    pub(crate) async fn stop_all(&self) {
        for program in [&self.agent, &self.server] {
            let (stopped, completion) = oneshot::channel();
            if program.send(SupervisorCommand::Stop(stopped)).await.is_ok() {
                let _ = completion.await;
            }
        }
    }
}

/// Starts supervision: of server and agent in local mode, of the agent alone with a remote server.
///
/// `http` is a client for loopback addresses.
pub(crate) fn start(
    supervisor: &Arc<Supervisor>,
    commands: CommandReceivers,
    config: &Arc<AppConfig>,
    state: &Arc<AppState>,
    http: &reqwest::Client,
) {
    let context = SupervisionContext {
        config: config.clone(),
        state: state.clone(),
        started: supervisor.started.clone(),
        keys: ManagementKeys::new(config.clone(), state.clone()),
        http: http.clone(),
    };
    let started = &supervisor.started;
    if state.desktop().server.mode == ServerMode::Local {
        tokio::spawn(supervise(server::LocalServer::new(context.clone()), started.clone(), commands.server));
        tokio::spawn(restart_agent_when_the_server_moves(supervisor.clone(), state.clone()));
    }
    tokio::spawn(supervise(agent::LocalAgent::new(context), started.clone(), commands.agent));
    tokio::spawn(rotate_logs(config.clone()));
}

/// Restarts the agent when the server listens on another address, because the agent reads the address at its start.
async fn restart_agent_when_the_server_moves(supervisor: Arc<Supervisor>, state: Arc<AppState>) {
    let mut changes = state.subscribe_desktop();
    let mut known_address: Option<String> = None;
    loop {
        let current = changes.borrow_and_update().clone();
        if current.server.state == RunState::Running && known_address != current.server.address {
            let moved = known_address.is_some();
            known_address = current.server.address;
            if moved && current.agent.state == RunState::Running {
                let _ = supervisor.agent.send(SupervisorCommand::Restart).await;
            }
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

async fn rotate_logs(config: Arc<AppConfig>) {
    let logs = ["postern-server", "postern"].map(|program| LogFile::new(&config.paths.logs(), program));
    loop {
        tokio::time::sleep(LOG_CHECK_INTERVAL).await;
        for log in &logs {
            log.rotate();
        }
    }
}
