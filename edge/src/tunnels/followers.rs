//! The nodes that follow what this one announces, and how far each has come. A bind is confirmed when all of them have it in
//! force, so that its visitors are served at whichever node they arrive; the same holds for the end of a session.

use std::{collections::HashMap, time::Duration};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

/// How long nodes that are slow are waited for. They follow as soon as they can.
const FOLLOW_TIMEOUT: Duration = Duration::from_millis(200);

/// The last change that is in force at each node, by node. One that has never told is not waited for: its version may not
/// know how.
#[derive(Default)]
pub(crate) struct Followers(watch::Sender<HashMap<String, u64>>);

impl Followers {
    /// A node has everything up to this change in force.
    pub(crate) fn followed(&self, node: &str, change: u64) {
        self.0.send_modify(|nodes| _ = nodes.insert(node.to_owned(), change));
    }

    /// The link to a node is lost.
    pub(crate) fn lost(&self, node: &str) {
        self.0.send_modify(|nodes| _ = nodes.remove(node));
    }

    /// Waits until all nodes have this change in force, for a limited time.
    pub(super) async fn all_have(&self, change: u64) {
        let mut nodes = self.0.subscribe();
        let all_have = nodes.wait_for(|nodes| nodes.values().all(|reached| *reached >= change));
        let _ = timeout_at(Instant::now() + FOLLOW_TIMEOUT, all_have).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn those_that_follow_are_waited_for_and_not_for_ever() {
        let followers = Followers::default();
        let waited = async |change| {
            let began = Instant::now();
            followers.all_have(change).await;
            began.elapsed()
        };
        assert_eq!(waited(7).await, Duration::ZERO, "there are none");
        followers.followed("one", 7);
        followers.followed("two", 6);
        assert_eq!(waited(6).await, Duration::ZERO);
        assert_eq!(waited(7).await, FOLLOW_TIMEOUT);
        let (waited_for, ()) = tokio::join!(waited(7), async {
            tokio::time::advance(Duration::from_millis(20)).await;
            followers.followed("two", 9);
        });
        assert!(waited_for < FOLLOW_TIMEOUT, "{waited_for:?}");
        followers.lost("one");
        assert_eq!(waited(9).await, Duration::ZERO, "a node without a link is not waited for");
    }
}
