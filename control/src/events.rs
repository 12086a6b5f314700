//! What the server does with audit events besides storing them: it sends them to their destinations, and records what was
//! observed without a change: certificates that expire, alerts, refused calls, agents that come and go.

mod alerts;
mod backlog;
mod expiry;
mod feed;
mod request;
mod worker;

use crate::{
    agents::AgentRecorder,
    cluster::while_leading,
    resources::{Resources, audit::refusals::write_refusals},
};
use alerts::AlertEvaluator;
use expiry::ExpiryObserver;
use feed::Feed;
use request::Sender;
use std::sync::Arc;
use tokio::{sync::watch, task::JoinHandle};

/// Handle of the tasks that send and observe. Dropping it stops them.
#[must_use]
pub struct EventTasks(Vec<JoinHandle<()>>);

impl EventTasks {
    pub(crate) fn start(resources: &Arc<Resources>, leading: Option<watch::Receiver<bool>>) -> Self {
        let sender = Arc::new(Sender::default());
        let (for_feed, leads) = (resources.clone(), leading.clone());
        let feed = async move {
            let Some(changed) = feed::follow_destinations(&for_feed).await else { return };
            while_leading(leads, || Feed::run(for_feed.clone(), sender.clone(), changed.clone())).await;
        };
        let mut tasks = vec![tokio::spawn(feed)];
        if resources.settings.audited.expiries {
            let observer = ExpiryObserver::new(resources.clone(), Arc::new(postern_api::clock::now));
            let leads = leading.clone();
            tasks.push(tokio::spawn(async move { while_leading(leads, || observer.run()).await }));
        }
        let for_alerts = resources.clone();
        let evaluator = move || AlertEvaluator::new(for_alerts.clone(), Arc::new(postern_api::clock::now)).run();
        let leads = leading.clone();
        tasks.push(tokio::spawn(async move { while_leading(leads, evaluator).await }));
        let for_agents = resources.clone();
        let recorder = move || AgentRecorder::new(for_agents.clone()).run();
        tasks.push(tokio::spawn(async move { while_leading(leading, recorder).await }));
        if resources.settings.audited.refusals {
            tasks.push(tokio::spawn(write_refusals(resources.clone())));
        }
        EventTasks(tasks)
    }
}

impl Drop for EventTasks {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}
