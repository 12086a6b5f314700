//! The resources: five operations for all kinds, and one file with the rules of each.

mod address_claims;
mod administrators;
pub(crate) mod alert_rule;
mod api_key;
pub(crate) mod audit;
mod authentication;
mod backend_id;
mod bot_user;
mod bound_address;
mod caller;
mod certificate_authority;
mod claim_sweeping;
mod codec;
mod commit_plan;
mod credential;
mod deletion;
pub(crate) mod event_destination;
mod failover_backend;
mod hostports;
mod http_response_backend;
mod https_edge;
mod https_route;
mod indexing;
mod ip_policy;
mod ip_policy_rule;
mod ip_restriction;
pub(crate) mod keys;
mod list;
mod list_search;
mod module_operations;
mod module_owner;
mod module_rules;
mod operations;
mod owned_modules;
mod policy_ids;
mod record_path;
pub(crate) mod relations;
mod reservations;
pub(crate) mod reserved_address;
pub(crate) mod reserved_domain;
mod response_cache;
mod retry;
mod rights;
mod rules;
mod search_index;
mod ssh_certificate_authority;
mod ssh_certificates;
mod ssh_host_certificate;
mod ssh_user_certificate;
mod static_backend;
mod tcp_edge;
mod tls_certificate;
mod tls_edge;
mod tunnel_group_backend;
pub(crate) mod user;
mod weighted_backend;

pub use address_claims::{AddressClaims, TunnelClaim};
pub(crate) use backend_id::BackendId;
pub use bound_address::{AgentIdentity, BoundAddress};
pub(crate) use caller::{Caller, admin_needed};
pub(crate) use claim_sweeping::sweep_regularly;
pub(crate) use codec::{Codec, unopened_texts};
pub(crate) use commit_plan::{CommitPlan, to_json};
pub(crate) use deletion::{TRASH, complete_regularly, trashed};
pub(crate) use hostports::names as hosts;
pub(crate) use indexing::{IndexKind, index_kind, keep_index};
pub(crate) use module_operations::HostRules;
pub(crate) use module_owner::{ModuleOwner, ModuleVisitor, owner};
pub(crate) use module_rules::{ModuleReferences, ModuleRules, StoredModule};
pub(crate) use owned_modules::{Modules, NewModule};
pub(crate) use policy_ids::parse_policy_ids;
pub(crate) use record_path::{RecordPath, parse_parent};
pub(crate) use relations::{Claim, LinkRole, NewLink};
pub(crate) use retry::commit_with_retry;
pub(crate) use rights::{Access, Rights, Scope};
pub(crate) use rules::{CallContext, CreateContext, NewRecord, RemovablePart, Rules, StoredRecord};
pub(crate) use tcp_edge::ports;

use crate::{
    ControlSettings, LiveState,
    certificates::ProvisioningTable,
    console_provider::ConsoleProvider,
    settings::OAuthFacts,
    store::{Presence, Revision, Store},
};
use postern_api::{Code, Error, Id, Result, Timestamp, published::Published, resource::View};
use response_cache::ResponseCache;
use search_index::SearchIndex;
use std::{
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
    time::Duration,
};
use tokio::sync::watch;

/// Longest wait of a caller until its change is published.
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(10);

/// All resources of a server.
pub(crate) struct Resources {
    pub(crate) store: Arc<dyn Store>,
    /// Encodes and decodes the store's values.
    pub(crate) codec: Codec,
    pub(crate) settings: ControlSettings,
    oauth_facts: RwLock<OAuthFacts>,
    console_provider: RwLock<Option<Arc<ConsoleProvider>>>,
    pub(crate) live: Arc<dyn LiveState>,
    /// Newest configuration of the edge.
    pub(crate) published: watch::Receiver<Arc<Published>>,
    /// Revision up to which changes are published.
    pub(crate) published_revision: watch::Receiver<Revision>,
    /// Progress of the certificates that the server gets by itself.
    pub(crate) provisioning: ProvisioningTable,
    pub(crate) started_at: Timestamp,
    /// That this server uses a store that several programs could use.
    pub(crate) presence: Option<Arc<Presence>>,
    /// Refused calls that are not yet events.
    pub(crate) refusals: audit::refusals::Refusals,
    response_cache: ResponseCache,
    search_index: SearchIndex,
}

impl Resources {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        codec: Codec,
        settings: ControlSettings,
        live: Arc<dyn LiveState>,
        published: watch::Receiver<Arc<Published>>,
        published_revision: watch::Receiver<Revision>,
    ) -> Self {
        let oauth_facts = RwLock::new(OAuthFacts::new(&settings.oauth_apps, settings.has_microsoft_tenants));
        Resources {
            store,
            codec,
            settings,
            oauth_facts,
            console_provider: RwLock::default(),
            live,
            published,
            published_revision,
            provisioning: ProvisioningTable::default(),
            started_at: Timestamp::now(),
            presence: None,
            refusals: audit::refusals::Refusals::default(),
            response_cache: ResponseCache::default(),
            search_index: SearchIndex::default(),
        }
    }

    /// What is known of the operator's OAuth providers.
    pub(crate) fn oauth_facts(&self) -> RwLockReadGuard<'_, OAuthFacts> {
        self.oauth_facts.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces what is known of the operator's OAuth providers.
    pub(crate) fn set_oauth_facts(&self, facts: OAuthFacts) {
        *self.oauth_facts.write().unwrap_or_else(PoisonError::into_inner) = facts;
    }

    /// Provider of sign-ins to the console, if there is one.
    pub(crate) fn console_provider(&self) -> Option<Arc<ConsoleProvider>> {
        self.console_provider.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the provider of sign-ins to the console.
    pub(crate) fn set_console_provider(&self, provider: Option<Arc<ConsoleProvider>>) {
        *self.console_provider.write().unwrap_or_else(PoisonError::into_inner) = provider;
    }

    /// Base of the URIs of all resources.
    pub(crate) fn base_url(&self) -> &str {
        &self.settings.base_url
    }

    /// Waits until a committed change is published.
    ///
    /// # Errors
    /// `Unavailable`, if that takes longer than [`PUBLISH_TIMEOUT`]; the change stays committed.
    pub(crate) async fn wait_until_published(&self, revision: Revision) -> Result<()> {
        audit::retention::after_commit(&self.store, self.settings.audit_retention, revision);
        let mut published = self.published_revision.clone();
        let reached = published.wait_for(|reached| *reached >= revision);
        match tokio::time::timeout(PUBLISH_TIMEOUT, reached).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(Error::new(
                Code::Unavailable,
                "The change is stored, but could not be put into effect yet. It will be as soon as the server can.",
            )),
        }
    }
}

/// Error for a record of a view that does not exist.
pub(crate) fn view_not_found<V: View>(id: &Id<V>) -> Error {
    let kind = V::KIND.replace('_', " ");
    Error::new(Code::NotFound, format!("There is no {kind} with the id `{id}`. It may have ended meanwhile."))
}
