//! Running tunnels until a signal comes.

use super::{complain, flags::RunFlags, logging};
use crate::{
    agent::{Agent, AgentOptions, AutoStart},
    config::{
        Definition, Settings,
        settings::{ConsoleUi, LogTarget},
    },
    console::{Console, Journal},
};
use postern_api::{Code, Error};
use std::io::IsTerminal;

/// One tunnel from the command line. Ends with an error if the server does not want it.
pub(super) fn one(definition: Definition, flags: &RunFlags) -> Result<(), Error> {
    let name = definition.name.clone();
    run(flags, AutoStart::None, vec![definition], Some(name))
}

/// Tunnels of the configuration file.
pub(super) fn configured(auto_start: AutoStart, flags: &RunFlags) -> Result<(), Error> {
    run(flags, auto_start, Vec::new(), None)
}

fn run(flags: &RunFlags, auto_start: AutoStart, extra: Vec<Definition>, awaited: Option<String>) -> Result<(), Error> {
    let sources = flags.sources()?;
    let config = sources.load().map_err(|problems| problems.to_error())?;
    let settings = config.settings;
    let journal = shows_console(&settings).then(Journal::default);
    logging::start(&settings, journal.as_ref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(Code::Internal, format!("The program could not start its threads: {error}.")))?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let agent = Agent::start(AgentOptions { sources, auto_start, extra }).await?;
        let mut console = match journal {
            None => None,
            Some(journal) => match Console::open(settings.console_color, journal) {
                Ok(console) => Some(console),
                Err(error) => {
                    complain(&Error::new(Code::Internal, format!("The terminal cannot show the console: {error}.")));
                    None
                }
            },
        };
        let refused = tokio::select! {
            () = signals.next() => None,
            () = watched(console.as_mut(), &agent) => None,
            error = refusal(&agent, awaited) => Some(error),
        };
        // From here on lines are printed again.
        drop(console);
        if refused.is_none() {
            tracing::info!("goodbye");
        }
        // A second signal does not wait for anybody.
        tokio::select! {
            () = agent.shutdown() => {}
            () = signals.next() => complain(&Error::new(Code::Unavailable, "Ended at once by a second signal.")),
        }
        refused.map_or(Ok(()), Err)
    })
}

/// Whether there is somebody to look at a screen, who has not asked for lines.
fn shows_console(settings: &Settings) -> bool {
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && is_in_front();
    let lines = matches!(settings.log, LogTarget::Stderr | LogTarget::Stdout);
    terminal
        && match settings.console {
            ConsoleUi::On => true,
            ConsoleUi::IfTerminal => !lines,
            ConsoleUi::Off => false,
        }
}

/// A job in the background that touched its terminal would be stopped by the shell.
fn is_in_front() -> bool {
    #[cfg(unix)]
    let front = rustix::termios::tcgetpgrp(std::io::stdin()).is_ok_and(|front| front == rustix::process::getpgrp());
    #[cfg(not(unix))]
    let front = true;
    front
}

/// Until somebody ends it there.
async fn watched(console: Option<&mut Console>, agent: &Agent) {
    match console {
        Some(console) => console.show(agent.context()).await,
        None => std::future::pending().await,
    }
}

/// What the server said against the tunnel of the command line, if it did.
async fn refusal(agent: &Agent, awaited: Option<String>) -> Error {
    if let Some(name) = awaited
        && let Err(error) = agent.first_result(&name).await
    {
        return error;
    }
    std::future::pending().await
}

/// The signals that end the program in good order.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl Signals {
    fn listen() -> Result<Self, Error> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let refuse =
                |error: std::io::Error| Error::new(Code::Internal, format!("Signals cannot be received: {error}."));
            let terminate = signal(SignalKind::terminate()).map_err(refuse)?;
            let hangup = signal(SignalKind::hangup()).map_err(refuse)?;
            Ok(Signals { terminate, hangup })
        }
        #[cfg(not(unix))]
        Ok(Signals {})
    }

    async fn next(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    }
}
