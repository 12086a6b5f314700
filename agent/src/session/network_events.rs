//! Events that make a check of the session worthwhile: the network has changed, or the machine has woken up.

use super::{network_watch::NetworkWatch, sleep_detector};
use std::time::Duration;
use tokio::{sync::watch, time::Instant};

/// Minimum time between triggers: a machine whose routes change all the time must not reconnect all the time.
const MIN_TRIGGER_INTERVAL: Duration = Duration::from_millis(500);

/// The event that triggered a check or a reconnect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReconnectTrigger {
    /// A link, an address or a route has changed.
    Network,
    /// The machine has slept.
    Wake,
}

/// Reports triggers since the last call. Stops its watchers when dropped.
pub(super) struct ReconnectTriggers {
    last: watch::Receiver<Option<ReconnectTrigger>>,
    watching: tokio::task::JoinHandle<()>,
}

impl ReconnectTriggers {
    /// Starts to watch the network and the clocks.
    pub(super) fn start() -> Self {
        let (sender, last) = watch::channel(None);
        ReconnectTriggers { last, watching: tokio::spawn(run_watchers(sender)) }
    }

    /// Waits for the next trigger.
    pub(super) async fn next(&mut self) -> ReconnectTrigger {
        loop {
            if self.last.changed().await.is_err() {
                return std::future::pending().await;
            }
            if let Some(trigger) = *self.last.borrow_and_update() {
                return trigger;
            }
        }
    }

    /// Ignores the triggers so far.
    pub(super) fn discard_pending(&mut self) {
        self.last.mark_unchanged();
    }
}

impl Drop for ReconnectTriggers {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

async fn run_watchers(sender: watch::Sender<Option<ReconnectTrigger>>) {
    let mut network =
        NetworkWatch::start().inspect_err(|error| tracing::debug!(%error, "network changes are not detected")).ok();
    let mut sleep = std::pin::pin!(sleep_detector::woken_up());
    loop {
        let trigger = tokio::select! {
            () = &mut sleep => {
                sleep.set(sleep_detector::woken_up());
                ReconnectTrigger::Wake
            }
            changed = changed(network.as_mut()) => match changed {
                Ok(()) => ReconnectTrigger::Network,
                Err(error) => {
                    tracing::debug!(%error, "network changes are no longer detected");
                    network = None;
                    continue;
                }
            },
        };
        tracing::debug!(?trigger, "the session is checked");
        if sender.send(Some(trigger)).is_err() {
            return;
        }
        tokio::time::sleep_until(Instant::now() + MIN_TRIGGER_INTERVAL).await;
    }
}

async fn changed(network: Option<&mut NetworkWatch>) -> std::io::Result<()> {
    match network {
        Some(network) => network.changed().await,
        None => std::future::pending().await,
    }
}
