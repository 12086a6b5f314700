//! Two watches at two members feed the replica; of each revision the earlier one counts. A member that stops does not hold
//! the replica back, and nothing is missed when a watch moves to another member.

use super::{
    key_space::KeySpace,
    snapshot::Snapshot,
    state::{LeasedChange, State},
};
use crate::store::{
    Change, Health, Revision,
    etcd::{
        Client, Failure, WatchStream,
        messages::{EventType, WatchCreateRequest, WatchResponse},
    },
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout_at};

/// Watches at a time.
const WATCHES: usize = 2;
/// Time between two requests for a sign of life.
const SIGN_INTERVAL: Duration = Duration::from_secs(1);
/// A member that is silent for so long is left.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(3);
/// The store is away when no watch has been answered for so long.
const LOSS_TIMEOUT: Duration = Duration::from_secs(1);
const MIN_RETRY_INTERVAL: Duration = Duration::from_millis(50);
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// What both watches share.
pub(super) struct Following {
    pub(super) client: Arc<Client>,
    pub(super) keys: KeySpace,
    pub(super) state: Arc<State>,
    places: Mutex<Places>,
    /// Held while a snapshot is read, so that one is read.
    reading: tokio::sync::Mutex<()>,
}

/// Where the watches are.
struct Places {
    /// Member of each watch; `None` while it has none.
    members: [Option<usize>; WATCHES],
    /// Whether each of them is answered.
    alive: [bool; WATCHES],
    /// Since when none of them is.
    lost_at: Option<Instant>,
    next: usize,
}

/// Why a watch was left.
enum Left {
    Compacted,
    Failed(String),
}

impl Following {
    /// Begins to follow from the revision that the state has reached. Ends when the state is closed.
    pub(super) fn start(client: Arc<Client>, keys: KeySpace, state: Arc<State>) {
        let places = Mutex::new(Places { members: [None; WATCHES], alive: [false; WATCHES], lost_at: None, next: 0 });
        let watches = WATCHES.min(client.len());
        let following = Arc::new(Following { client, keys, state, places, reading: tokio::sync::Mutex::new(()) });
        for watch in 0..watches {
            let following = following.clone();
            tokio::spawn(async move {
                let closed = following.state.closed.clone();
                tokio::select! {
                    () = following.follow(watch) => {}
                    () = closed.cancelled() => {}
                }
            });
        }
    }

    /// Keeps one watch open, at a member after the other.
    async fn follow(&self, watch: usize) {
        let mut pause = MIN_RETRY_INTERVAL;
        loop {
            let member = self.choose(watch);
            let began = Instant::now();
            let left = self.follow_at(watch, member).await;
            let was_alive = self.set_alive(watch, false);
            let name = self.client.member_name(member);
            match left {
                Left::Compacted => {
                    tracing::info!(
                        member = name,
                        "the changes after the last one seen are gone: everything is read again"
                    );
                    self.read_again().await;
                }
                Left::Failed(reason) if was_alive => {
                    tracing::info!(member = name, reason, "a watch of the store moves to another member");
                }
                Left::Failed(reason) => tracing::debug!(member = name, reason, "a member cannot be followed"),
            }
            if began.elapsed() > MAX_RETRY_INTERVAL {
                pause = MIN_RETRY_INTERVAL;
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_RETRY_INTERVAL);
        }
    }

    /// Follows at one member until it fails.
    async fn follow_at(&self, watch: usize, member: usize) -> Left {
        let (key, range_end) = self.keys.range("");
        let create = WatchCreateRequest { key, range_end, start_revision: self.state.reached() + 1 };
        let mut stream = match self.client.watch(member, create).await {
            Ok(stream) => stream,
            Err(failure) => return Left::Failed(failure.to_string()),
        };
        let mut signs = interval(SIGN_INTERVAL);
        signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut silent_at = Instant::now() + SILENCE_TIMEOUT;
        loop {
            tokio::select! {
                response = timeout_at(silent_at, stream.next()) => match response {
                    Ok(Ok(response)) => match self.take(response).await {
                        Ok(()) => silent_at = Instant::now() + SILENCE_TIMEOUT,
                        Err(left) => return left,
                    },
                    Ok(Err(failure)) => return self.left_by(failure).await,
                    Err(_) => return Left::Failed(format!("it was silent for {} s", SILENCE_TIMEOUT.as_secs())),
                },
                _ = signs.tick() => WatchStream::ask_for_sign_of_life(&stream),
            }
            self.set_alive(watch, true);
        }
    }

    async fn left_by(&self, failure: Failure) -> Left {
        match failure {
            Failure::Compacted => Left::Compacted,
            Failure::TokenEnded | Failure::Denied(_) => {
                self.client.renew_token().await;
                Left::Failed(failure.to_string())
            }
            failure => Left::Failed(failure.to_string()),
        }
    }

    /// Applies a response.
    async fn take(&self, response: WatchResponse) -> Result<(), Left> {
        if response.canceled {
            if response.compact_revision > 0 {
                return Err(Left::Compacted);
            }
            // A token that has ended is told as a missing right.
            self.client.renew_token().await;
            return Err(Left::Failed(response.cancel_reason));
        }
        let (changes, newest) = self.changes(response);
        self.state.apply(changes, newest);
        Ok(())
    }

    /// Changes of a response, and the newest revision in it.
    fn changes(&self, response: WatchResponse) -> (Vec<LeasedChange>, Revision) {
        let mut changes = Vec::with_capacity(response.events.len());
        let mut newest = 0;
        for event in response.events {
            let Some(kv) = event.kv else { continue };
            newest = newest.max(kv.mod_revision);
            let Some(key) = self.keys.own(&kv.key) else { continue };
            let value = (event.kind != EventType::Delete as i32).then_some(kv.value);
            changes.push((Change { revision: kv.mod_revision, key, value }, kv.lease));
        }
        (changes, newest)
    }

    /// Reads everything again, unless the other watch has done so meanwhile.
    async fn read_again(&self) {
        let before = self.state.reached();
        let _reading = self.reading.lock().await;
        if self.state.reached() > before {
            return;
        }
        match Snapshot::read(&self.client, &self.keys).await {
            Ok(snapshot) => snapshot.apply_difference(&self.state),
            Err(failure) => tracing::warn!(%failure, "the store could not be read again"),
        }
    }

    /// Chooses the next member for a watch: not the one of the other watch.
    fn choose(&self, watch: usize) -> usize {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.members[watch] = None;
        let taken = places.members;
        let candidates = (0..self.client.len()).map(|offset| (places.next + offset) % self.client.len());
        let member = candidates.into_iter().find(|member| !taken.contains(&Some(*member))).unwrap_or(places.next);
        places.next = (member + 1) % self.client.len();
        places.members[watch] = Some(member);
        member
    }

    /// Notes whether a watch is answered. When none has been for a while, the store is away.
    /// Gives whether the watch was answered before.
    fn set_alive(&self, watch: usize, alive: bool) -> bool {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let was_alive = std::mem::replace(&mut places.alive[watch], alive);
        let health = if places.alive.contains(&true) {
            places.lost_at = None;
            Health::Reachable
        } else {
            let lost_at = *places.lost_at.get_or_insert_with(Instant::now);
            if lost_at.elapsed() < LOSS_TIMEOUT {
                return was_alive;
            }
            Health::Away
        };
        if self.state.health.send_if_modified(|now| std::mem::replace(now, health) != health) {
            let store = self.client.address();
            match health {
                Health::Away => {
                    tracing::warn!(store, "the store is away: nothing can be changed until it is there again")
                }
                Health::Reachable => tracing::info!(store, "the store is there again"),
            }
        }
        was_alive
    }
}
