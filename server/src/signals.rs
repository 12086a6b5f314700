//! Signals: the first SIGTERM or SIGINT drains, the second ends the process at once.

use crate::io_error::reason;
use postern_api::{Code, Error};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Receiver of both signals.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Replaces the default action of both signals, which ends the process.
    pub(crate) fn listen() -> Result<Signals, Error> {
        let subscribe = |kind| {
            signal(kind).map_err(|error| {
                Error::new(Code::Internal, format!("Signal handlers cannot be installed: {}.", reason(&error)))
            })
        };
        Ok(Signals { terminate: subscribe(SignalKind::terminate())?, interrupt: subscribe(SignalKind::interrupt())? })
    }

    /// Waits for the next signal and returns its name.
    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }

    /// Ends the process on the next signal.
    pub(crate) fn exit_on_next(mut self) {
        tokio::spawn(async move {
            let name = self.next().await;
            tracing::warn!("{name} again: ending at once, open requests are aborted");
            std::process::exit(1);
        });
    }
}
