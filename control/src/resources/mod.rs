//! The resources: five operations once for all kinds, and beside them only what is special about each.

mod address;
mod answers;
mod api_key;
mod bot_user;
pub(crate) mod caller;
mod certificate_authority;
mod codec;
mod credential;
mod events;
mod failover_backend;
mod guard;
mod hostports;
mod http_response_backend;
mod https_edge;
mod https_route;
mod ip_policy;
mod ip_policy_rule;
mod ip_restriction;
pub(crate) mod kept;
mod module_operations;
mod operations;
mod owner;
mod plan;
mod policies;
mod reserved;
pub(crate) mod reserved_address;
pub(crate) mod reserved_domain;
mod rules;
mod ssh_certificate_authority;
mod ssh_certificates;
mod ssh_host_certificate;
mod ssh_user_certificate;
mod static_backend;
mod targets;
mod tcp_edge;
mod tls_certificate;
mod tls_edge;
mod tunnel_group_backend;
mod user;
mod wanting;
mod weighted_backend;

pub(crate) use address::{Address, parent_of};
use answers::Answers;
pub(crate) use caller::{Caller, admin_needed};
pub(crate) use codec::Codec;
pub(crate) use hostports::names as hosts;
pub(crate) use kept::{Claim, Kept, KeptModule, Link, Linked, Role, decode, links_to};
pub(crate) use module_operations::HostRules;
pub(crate) use operations::{ATTEMPTS, pause};
pub(crate) use owner::{Owner, owner};
pub(crate) use plan::Plan;
pub(crate) use policies::policies;
pub(crate) use rules::{Attachment, Call, Draft, Making, ModuleRules, Modules, Part, Rules};
pub(crate) use targets::Target;
pub(crate) use tcp_edge::ports;

use crate::{
    Live, Settings,
    acme::Progress,
    store::{Revision, Store},
};
use postern_api::{Code, Error, Result, Timestamp, published::Published};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// How long a caller waits for its change to be published.
const PUBLISH_DEADLINE: Duration = Duration::from_secs(10);

/// All resources of a server.
pub(crate) struct Resources {
    pub(crate) store: Arc<dyn Store>,
    /// Reads and writes what is in it.
    pub(crate) codec: Codec,
    pub(crate) settings: Settings,
    pub(crate) live: Arc<dyn Live>,
    /// What the edge is told, always the newest.
    pub(crate) published: watch::Receiver<Arc<Published>>,
    /// The revision up to which changes are published.
    pub(crate) reached: watch::Receiver<Revision>,
    /// How far the server is with certificates that it gets by itself.
    pub(crate) progress: Progress,
    /// Since when this has been open.
    pub(crate) started_at: Timestamp,
    answers: Answers,
}

impl Resources {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        codec: Codec,
        settings: Settings,
        live: Arc<dyn Live>,
        published: watch::Receiver<Arc<Published>>,
        reached: watch::Receiver<Revision>,
    ) -> Self {
        let (progress, answers, started_at) = (Progress::default(), Answers::default(), Timestamp::now());
        Resources { store, codec, settings, live, published, reached, progress, started_at, answers }
    }

    /// How addresses of resources begin.
    pub(crate) fn base_url(&self) -> &str {
        &self.settings.base_url
    }

    /// Waits until a change can be seen in what is published. The change itself is done.
    pub(crate) async fn seen(&self, revision: Revision) -> Result<()> {
        events::after_commit(&self.store, revision);
        let mut published = self.reached.clone();
        let reached = published.wait_for(|reached| *reached >= revision);
        match tokio::time::timeout(PUBLISH_DEADLINE, reached).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(Error::new(
                Code::Unavailable,
                "The change is stored, but could not be put into effect yet. It will be as soon as the server can.",
            )),
        }
    }
}
