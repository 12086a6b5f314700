//! Signals: the first SIGTERM or SIGINT drains, the second ends the program at once.

use crate::configuration::plain;
use postern_api::{Code, Error};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens for the two signals from the moment it is made.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Takes the signals over from the system's default, which would be to end at once.
    pub(crate) fn listen() -> Result<Signals, Error> {
        let take = |kind| {
            signal(kind).map_err(|error| {
                Error::new(Code::Internal, format!("The system lets nobody listen for signals: {}.", plain(&error)))
            })
        };
        Ok(Signals { terminate: take(SignalKind::terminate())?, interrupt: take(SignalKind::interrupt())? })
    }

    /// Waits for the next of them and gives its name.
    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }

    /// Ends the program when one more arrives.
    pub(crate) fn end_at_the_next(mut self) {
        tokio::spawn(async move {
            let name = self.next().await;
            tracing::warn!("{name} again: ending at once, open requests are cut");
            std::process::exit(1);
        });
    }
}
