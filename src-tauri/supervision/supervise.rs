//! Supervises one program: adopts it if it runs, starts it if not, and restarts it when it ends.

use super::{
    launch::{Launch, SpawnedProgram},
    process::ProcessHandle,
    started_processes::{StartedProcess, StartedProcesses},
};
use crate::{
    desktop_state::RunState,
    error::{DesktopError, Result},
};
use postern_api::Code;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

/// The time until a started program must be ready.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// The time until an adopted program must be ready.
const ADOPT_TIMEOUT: Duration = Duration::from_secs(8);
/// The delay before the first retry, doubled with each further one.
const MIN_BACKOFF: Duration = Duration::from_millis(250);
const MAX_BACKOFF: Duration = Duration::from_secs(30);
/// The run time after which the backoff is reset.
const BACKOFF_RESET_AFTER: Duration = Duration::from_secs(30);

/// A program under supervision: the server or the agent.
pub(crate) trait SupervisedProgram: Send + Sync + 'static {
    /// The file name of the program.
    const PROGRAM: &'static str;
    /// The time until the program must end after SIGTERM.
    const SHUTDOWN_TIMEOUT: Duration;

    /// The ids of processes that may be this program, already running.
    fn candidates(&self) -> Vec<u32>;
    /// Prepares a start. May wait for other programs.
    fn launch(&self) -> impl Future<Output = Result<(Launch, Option<SocketAddr>)>> + Send;
    /// Waits until the process with this id is ready.
    fn wait_until_ready(&self, pid: u32) -> impl Future<Output = ()> + Send;
    /// Publishes the status of the program in the desktop state.
    fn set_status(&self, status: ProgramStatus);
}

/// The status of a supervised program.
#[derive(Clone, Debug)]
pub(crate) enum ProgramStatus {
    Preparing,
    Starting { pid: u32 },
    Running { pid: u32, adopted: bool },
    Failed { error: DesktopError, retry_after: Duration },
    Stopped,
}

impl ProgramStatus {
    /// The members of the desktop state that follow from the status: run state, process id, error, time of the next try.
    pub(crate) fn state_fields(&self) -> (RunState, Option<u32>, Option<DesktopError>, Option<String>) {
        match self {
            ProgramStatus::Preparing => (RunState::Starting, None, None, None),
            ProgramStatus::Starting { pid } => (RunState::Starting, Some(*pid), None, None),
            ProgramStatus::Running { pid, .. } => (RunState::Running, Some(*pid), None, None),
            ProgramStatus::Failed { error, retry_after } => {
                let next_try = postern_api::clock::now() + *retry_after;
                (RunState::Failed, None, Some(error.clone()), Some(next_try.to_string()))
            }
            ProgramStatus::Stopped => (RunState::Stopped, None, None, None),
        }
    }
}

/// A command of the app to a supervision task.
#[derive(Debug)]
pub(crate) enum SupervisorCommand {
    /// Ends the program and starts it again.
    Restart,
    /// Ends the program if this app started it, now or in an earlier run, and signals completion.
    Stop(oneshot::Sender<()>),
}

/// The end of one run.
enum RunOutcome {
    Stopped(oneshot::Sender<()>),
    Restart,
    Failed(DesktopError),
}

/// Supervises a program until it is stopped.
pub(crate) async fn supervise<P: SupervisedProgram>(
    program: P,
    started: Arc<StartedProcesses>,
    mut commands: mpsc::Receiver<SupervisorCommand>,
) {
    let mut backoff = MIN_BACKOFF;
    loop {
        let run_start = Instant::now();
        let error = match run_once(&program, &started, &mut commands).await {
            RunOutcome::Failed(error) => error,
            RunOutcome::Restart => {
                backoff = MIN_BACKOFF;
                continue;
            }
            RunOutcome::Stopped(completion) => {
                program.set_status(ProgramStatus::Stopped);
                let _ = completion.send(());
                return;
            }
        };
        if run_start.elapsed() > BACKOFF_RESET_AFTER {
            backoff = MIN_BACKOFF;
        }
        tracing::warn!(program = P::PROGRAM, %error, retry_after = ?backoff, "the program is not running");
        program.set_status(ProgramStatus::Failed { error, retry_after: backoff });
        tokio::select! {
            () = tokio::time::sleep(backoff) => backoff = (backoff * 2).min(MAX_BACKOFF),
            command = commands.recv() => match command {
                Some(SupervisorCommand::Restart) => backoff = MIN_BACKOFF,
                Some(SupervisorCommand::Stop(completion)) => {
                    program.set_status(ProgramStatus::Stopped);
                    let _ = completion.send(());
                    return;
                }
                None => return,
            },
        }
    }
}

/// Runs the program once, from its adoption or start to its end.
async fn run_once<P: SupervisedProgram>(
    program: &P,
    started: &StartedProcesses,
    commands: &mut mpsc::Receiver<SupervisorCommand>,
) -> RunOutcome {
    let mut running = match program.candidates().into_iter().find_map(|pid| ProcessHandle::find(pid, P::PROGRAM)) {
        Some(process) => RunningProgram::Adopted(process),
        None => {
            program.set_status(ProgramStatus::Preparing);
            let prepared = tokio::select! {
                prepared = program.launch() => prepared,
                command = commands.recv() => return match command {
                    Some(SupervisorCommand::Stop(completion)) => RunOutcome::Stopped(completion),
                    Some(SupervisorCommand::Restart) | None => RunOutcome::Restart,
                },
            };
            let spawned = prepared.and_then(|(launch, address)| Ok((launch.spawn()?, address)));
            match spawned {
                Ok((spawned, address)) => {
                    started.insert(P::PROGRAM, StartedProcess { pid: spawned.process.pid(), address });
                    RunningProgram::Spawned(Box::new(spawned))
                }
                Err(error) => return RunOutcome::Failed(error),
            }
        }
    };
    let pid = running.process().pid();
    let started_by_app = started.get(P::PROGRAM).is_some_and(|process| process.pid == pid);
    program.set_status(ProgramStatus::Starting { pid });
    let timeout = if running.is_adopted() { ADOPT_TIMEOUT } else { START_TIMEOUT };
    let ready = tokio::select! {
        ready = tokio::time::timeout(timeout, program.wait_until_ready(pid)) => ready.is_ok(),
        () = running.process().wait() => return exit_outcome::<P>(started, running).await,
        command = commands.recv() => return handle_command::<P>(started, &running, started_by_app, command).await,
    };
    if !ready {
        let message =
            format!("{} is running (process {pid}) but was not ready within {} s.", P::PROGRAM, timeout.as_secs());
        if started_by_app {
            terminate::<P>(started, &running).await;
        }
        return RunOutcome::Failed(DesktopError::new(Code::Unavailable, message));
    }
    program.set_status(ProgramStatus::Running { pid, adopted: running.is_adopted() });
    tokio::select! {
        () = running.process().wait() => exit_outcome::<P>(started, running).await,
        command = commands.recv() => {
            let outcome = handle_command::<P>(started, &running, started_by_app, command).await;
            if let RunningProgram::Spawned(spawned) = &mut running {
                let _ = spawned.child.try_wait();
            }
            outcome
        }
    }
}

/// A program that was already running, or one that this app started.
enum RunningProgram {
    Adopted(ProcessHandle),
    Spawned(Box<SpawnedProgram>),
}

impl RunningProgram {
    fn process(&self) -> &ProcessHandle {
        match self {
            RunningProgram::Adopted(process) => process,
            RunningProgram::Spawned(spawned) => &spawned.process,
        }
    }

    fn is_adopted(&self) -> bool {
        matches!(self, RunningProgram::Adopted(_))
    }
}

async fn exit_outcome<P: SupervisedProgram>(started: &StartedProcesses, program: RunningProgram) -> RunOutcome {
    started.remove(P::PROGRAM);
    RunOutcome::Failed(match program {
        RunningProgram::Spawned(mut spawned) => spawned.exit_reason(P::PROGRAM).await,
        RunningProgram::Adopted(process) => {
            DesktopError::new(Code::Unavailable, format!("{} (process {}) has ended.", P::PROGRAM, process.pid()))
        }
    })
}

async fn handle_command<P: SupervisedProgram>(
    started: &StartedProcesses,
    program: &RunningProgram,
    started_by_app: bool,
    command: Option<SupervisorCommand>,
) -> RunOutcome {
    match command {
        Some(SupervisorCommand::Restart) => {
            terminate::<P>(started, program).await;
            RunOutcome::Restart
        }
        Some(SupervisorCommand::Stop(completion)) => {
            if started_by_app {
                terminate::<P>(started, program).await;
            }
            RunOutcome::Stopped(completion)
        }
        // The app has ended. Its next start adopts the program.
        None => RunOutcome::Restart,
    }
}

async fn terminate<P: SupervisedProgram>(started: &StartedProcesses, program: &RunningProgram) {
    program.process().terminate(P::SHUTDOWN_TIMEOUT).await;
    started.remove(P::PROGRAM);
}
