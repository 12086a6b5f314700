//! Signals: the first SIGTERM or SIGINT drains, the second ends the process at once; SIGHUP has the settings read again.

use crate::io_error::reason;
use postern_api::{Code, Error};
use std::io::IsTerminal;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Receiver of all three signals.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    /// Whether the process was started in a terminal.
    has_terminal: bool,
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// To end; the name of the signal.
    End(&'static str),
    Reload,
}

impl Signals {
    /// Replaces the default action of these signals, which ends the process.
    pub(crate) fn listen() -> Result<Signals, Error> {
        let subscribe = |kind| {
            signal(kind).map_err(|error| {
                Error::new(Code::Internal, format!("Signal handlers cannot be installed: {}.", reason(&error)))
            })
        };
        Ok(Signals {
            terminate: subscribe(SignalKind::terminate())?,
            interrupt: subscribe(SignalKind::interrupt())?,
            hangup: subscribe(SignalKind::hangup())?,
            has_terminal: std::io::stdin().is_terminal(),
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) -> Request {
        tokio::select! {
            _ = self.terminate.recv() => Request::End("SIGTERM"),
            _ = self.interrupt.recv() => Request::End("SIGINT"),
            _ = self.hangup.recv() => {
                // The window of the terminal was closed: what was started in it ends, as it always did.
                let hung_up = self.has_terminal && !std::io::stdin().is_terminal();
                if hung_up { Request::End("SIGHUP") } else { Request::Reload }
            }
        }
    }

    /// Ends the process on the next signal that asks for it.
    pub(crate) fn exit_on_next(mut self) {
        tokio::spawn(async move {
            loop {
                match self.next().await {
                    Request::End(name) => {
                        tracing::warn!("{name} again: ending at once, open requests are aborted");
                        std::process::exit(1);
                    }
                    Request::Reload => tracing::warn!("SIGHUP: the server is about to end, no settings are read again"),
                }
            }
        });
    }
}
