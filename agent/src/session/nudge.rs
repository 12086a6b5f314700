//! Reasons to look at the session at once: the network has changed, or the machine has woken up.

use super::{network::NetworkWatch, wake};
use std::time::Duration;
use tokio::{sync::watch, time::Instant};

/// Nudges come no closer together than this: a machine whose routes change all the time is not to retry all the time.
const APART: Duration = Duration::from_millis(500);

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nudge {
    /// A link, an address or a route.
    Network,
    /// The machine has slept.
    Wake,
}

/// Tells of what has happened since it was last asked. Ends its watching when dropped.
pub(super) struct Nudges {
    last: watch::Receiver<Option<Nudge>>,
    watching: tokio::task::JoinHandle<()>,
}

impl Nudges {
    /// Begins to watch network and clocks.
    pub(super) fn start() -> Self {
        let (tell, last) = watch::channel(None);
        Nudges { last, watching: tokio::spawn(watch_all(tell)) }
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> Nudge {
        loop {
            if self.last.changed().await.is_err() {
                return std::future::pending().await;
            }
            if let Some(nudge) = *self.last.borrow_and_update() {
                return nudge;
            }
        }
    }

    /// What has happened so far is known already.
    pub(super) fn forget(&mut self) {
        self.last.mark_unchanged();
    }
}

impl Drop for Nudges {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

async fn watch_all(tell: watch::Sender<Option<Nudge>>) {
    let mut network = NetworkWatch::start()
        .inspect_err(|error| tracing::debug!(%error, "changes of the network are not noticed"))
        .ok();
    let mut sleep = std::pin::pin!(wake::after_sleep());
    loop {
        let nudge = tokio::select! {
            () = &mut sleep => {
                sleep.set(wake::after_sleep());
                Nudge::Wake
            }
            changed = changed(network.as_mut()) => match changed {
                Ok(()) => Nudge::Network,
                Err(error) => {
                    tracing::debug!(%error, "changes of the network are not noticed any more");
                    network = None;
                    continue;
                }
            },
        };
        tracing::debug!(?nudge, "the session is looked at");
        if tell.send(Some(nudge)).is_err() {
            return;
        }
        tokio::time::sleep_until(Instant::now() + APART).await;
    }
}

async fn changed(network: Option<&mut NetworkWatch>) -> std::io::Result<()> {
    match network {
        Some(network) => network.changed().await,
        None => std::future::pending().await,
    }
}
