//! Whether this node is the keeper, which does what only one may do. It is not from the moment on at which its lease could
//! have ended, whatever it hears of the store: so two never are.

use super::claim::Claim;
use crate::store::nodes::Nodes;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// Clocks of hosts run at different speeds, and what was begun must end before another begins.
const MARGIN: Duration = Duration::from_secs(2);

/// Announces whether this node is the keeper until the announcement is no longer heard.
pub(super) async fn follow(
    claim: Arc<Claim>,
    mut nodes: watch::Receiver<Arc<Nodes>>,
    mut valid_until: watch::Receiver<Instant>,
    announce: watch::Sender<bool>,
) {
    loop {
        let until = *valid_until.borrow_and_update() - MARGIN;
        let is_chosen = nodes.borrow_and_update().keeper.as_ref().is_some_and(|keeper| claim.is(keeper));
        let leads = is_chosen && Instant::now() < until;
        let changed = announce.send_if_modified(|now| std::mem::replace(now, leads) != leads);
        if changed && leads {
            tracing::info!("this node is the keeper: it orders certificates");
        } else if changed {
            tracing::info!("this node is no longer the keeper");
        }
        let goes_on = tokio::select! {
            changed = nodes.changed() => changed.is_ok(),
            changed = valid_until.changed() => changed.is_ok(),
            () = sleep_until(until), if leads => true,
            () = announce.closed() => false,
        };
        if !goes_on {
            announce.send_replace(false);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{nodes::Keeper, presence::claim::Usage};

    #[tokio::test(start_paused = true)]
    async fn the_keeper_steps_back_before_its_lease_can_have_ended() {
        let usage = Usage::Shared { name: "a".to_owned(), address: "a:1".to_owned(), for_agents: None };
        let claim = Arc::new(Claim::new("/data".as_ref(), format!("{:032x}", 7), usage).expect("a claim"));
        let keeper = |run: &str| Some(Keeper { node: "nd".to_owned(), run: run.to_owned() });
        let chosen = Arc::new(Nodes { keeper: keeper(claim.run()), ..Nodes::default() });
        let (choose, nodes) = watch::channel(chosen.clone());
        let (extend, valid_until) = watch::channel(Instant::now() + Duration::from_secs(15));
        let (announce, mut leading) = watch::channel(false);
        tokio::spawn(follow(claim, nodes, valid_until, announce));
        let began = Instant::now();
        leading.wait_for(|leads| *leads).await.expect("it leads");
        leading.wait_for(|leads| !leads).await.expect("it steps back");
        assert_eq!(began.elapsed().as_secs(), 13);
        extend.send_replace(Instant::now() + Duration::from_secs(15));
        leading.wait_for(|leads| *leads).await.expect("it leads again");
        choose.send_replace(Arc::new(Nodes { keeper: keeper("another"), ..Nodes::default() }));
        leading.wait_for(|leads| !leads).await.expect("another one leads");
        choose.send_replace(chosen);
        leading.wait_for(|leads| *leads).await.expect("it leads again");
        drop(extend);
        leading.wait_for(|leads| !leads).await.expect("it has ended");
    }
}
