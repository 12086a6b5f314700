//! Runs tunnels until a signal comes.

use super::{flags::RunFlags, logging, print_error};
use crate::{
    agent::{Agent, AgentOptions, AutoStart},
    config::{
        AgentSettings, Definition,
        settings::{ConsoleUi, LogTarget},
    },
    console::{Console, LogTail},
};
use postern_api::{Code, Error};
use std::io::IsTerminal;

/// Runs one tunnel from the command line. Fails if the server refuses it.
pub(super) fn one(definition: Definition, flags: &RunFlags) -> Result<(), Error> {
    let name = definition.name.clone();
    run(flags, AutoStart::None, vec![definition], Some(name))
}

/// Runs tunnels of the configuration file.
pub(super) fn configured(auto_start: AutoStart, flags: &RunFlags) -> Result<(), Error> {
    run(flags, auto_start, Vec::new(), None)
}

fn run(
    flags: &RunFlags,
    auto_start: AutoStart,
    extra: Vec<Definition>,
    awaited_tunnel: Option<String>,
) -> Result<(), Error> {
    let sources = flags.sources()?;
    // The agent reads the tunnels itself; a copy of thousands would be kept here until the end.
    let settings = sources.load().map_err(|problems| problems.to_error())?.settings;
    let log_tail = shows_console(&settings).then(LogTail::default);
    logging::start(&settings, log_tail.as_ref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(Code::Internal, format!("The program could not start its threads: {error}.")))?;
    runtime.block_on(async {
        let mut signals = ShutdownSignals::listen()?;
        let agent = Agent::start(AgentOptions { sources, auto_start, extra }).await?;
        let mut console = match log_tail {
            None => None,
            Some(log_tail) => match Console::open(settings.console_color, log_tail) {
                Ok(console) => Some(console),
                Err(error) => {
                    print_error(&Error::new(Code::Internal, format!("The terminal cannot show the console: {error}.")));
                    None
                }
            },
        };
        let (signal, refused) = tokio::select! {
            signal = signals.next() => (Some(signal), None),
            () = console_closed(console.as_mut(), &agent) => (None, None),
            error = refusal(&agent, awaited_tunnel) => (None, Some(error)),
        };
        // From here on, log lines are printed again.
        drop(console);
        if refused.is_none() {
            tracing::info!("goodbye");
        }
        let ending = async {
            match signal {
                Some(ShutdownSignal::Terminate) => agent.drain().await,
                _ => agent.shutdown().await,
            }
        };
        // A second signal ends the program at once.
        tokio::select! {
            () = ending => {}
            _ = signals.next() => print_error(&Error::new(Code::Unavailable, "Ended by a second signal.")),
        }
        refused.map_or(Ok(()), Err)
    })
}

/// Whether to show the console: in a foreground terminal, unless log lines go there.
fn shows_console(settings: &AgentSettings) -> bool {
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && is_foreground();
    let lines = matches!(settings.log, LogTarget::Stderr | LogTarget::Stdout);
    terminal
        && match settings.console {
            ConsoleUi::On => true,
            ConsoleUi::IfTerminal => !lines,
            ConsoleUi::Off => false,
        }
}

/// A background job that touches its terminal is stopped by the shell.
fn is_foreground() -> bool {
    #[cfg(unix)]
    let front = rustix::termios::tcgetpgrp(std::io::stdin()).is_ok_and(|front| front == rustix::process::getpgrp());
    #[cfg(not(unix))]
    let front = true;
    front
}

/// Resolves when the user closes the console.
async fn console_closed(console: Option<&mut Console>, agent: &Agent) {
    match console {
        Some(console) => console.show(agent.context()).await,
        None => std::future::pending().await,
    }
}

/// The server's refusal of the tunnel from the command line, if there is one.
async fn refusal(agent: &Agent, awaited_tunnel: Option<String>) -> Error {
    if let Some(name) = awaited_tunnel
        && let Err(error) = agent.first_result(&name).await
    {
        return error;
    }
    std::future::pending().await
}

/// A signal that shuts the program down.
enum ShutdownSignal {
    /// From a supervisor: open connections are finished.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no such signal"))]
    Terminate,
    /// From a person at a terminal: the program ends at once.
    Interrupt,
}

/// The signals that shut the program down.
struct ShutdownSignals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl ShutdownSignals {
    fn listen() -> Result<Self, Error> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let refuse =
                |error: std::io::Error| Error::new(Code::Internal, format!("Signals cannot be received: {error}."));
            let terminate = signal(SignalKind::terminate()).map_err(refuse)?;
            let hangup = signal(SignalKind::hangup()).map_err(refuse)?;
            Ok(ShutdownSignals { terminate, hangup })
        }
        #[cfg(not(unix))]
        Ok(ShutdownSignals {})
    }

    async fn next(&mut self) -> ShutdownSignal {
        #[cfg(unix)]
        tokio::select! {
            _ = self.terminate.recv() => ShutdownSignal::Terminate,
            _ = self.hangup.recv() => ShutdownSignal::Interrupt,
            _ = tokio::signal::ctrl_c() => ShutdownSignal::Interrupt,
        }
        #[cfg(not(unix))]
        {
            let _ = tokio::signal::ctrl_c().await;
            ShutdownSignal::Interrupt
        }
    }
}
