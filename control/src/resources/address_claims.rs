//! Gives names and ports to tunnels, once in the whole cluster. What waits at the same time is committed together, under the
//! condition that the claims of other tunnels, of edges and of reservations are as they were read.

use super::{
    Resources,
    bound_address::{AgentIdentity, BoundAddress, StoredClaim},
    commit_plan::{CommitPlan, to_json},
    relations::decode,
};
use crate::store::{CommitOutcome, Health, Revision, StoreError};
use postern_api::{Code, Error, Result};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::{mpsc, oneshot};

/// Requests that wait. A release that finds no place is left to the sweeps.
const MAX_WAITING: usize = 4096;
/// Requests of one commit.
const MAX_BATCH: usize = 32;
/// Attempts of one commit; of several that collide, one succeeds each time.
const COMMIT_ATTEMPTS: u32 = 200;
/// Milliseconds of the longest pause between two of them.
const MAX_PAUSE: u64 = 10;

/// Where names and ports are claimed.
pub struct AddressClaims {
    requests: mpsc::Sender<Request>,
    resources: Weak<Resources>,
}

/// A tunnel and the address it claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TunnelClaim {
    /// The address.
    pub address: BoundAddress,
    /// The user or bot user of the agent's credential.
    pub owner: String,
    /// The agent.
    pub agent: AgentIdentity,
    /// Identifies the tunnel among those of this node.
    pub tunnel: String,
}

enum Request {
    Claim(TunnelClaim, oneshot::Sender<Result<()>>),
    Release { claim: TunnelClaim, is_away: bool },
}

/// Commits what is claimed and released, one batch after the other.
struct Claiming {
    resources: Weak<Resources>,
    /// Id of this node.
    node: String,
    requests: mpsc::Receiver<Request>,
    /// Claims that were granted while the store was away, because they are the agent's own, and what was released.
    deferred: VecDeque<Request>,
}

/// What a batch has found and will write.
#[derive(Default)]
struct ClaimPlan {
    plan: CommitPlan,
    /// By key: what was read, and what it will be.
    claims: BTreeMap<String, (Option<StoredClaim>, Option<StoredClaim>)>,
}

impl AddressClaims {
    /// Starts a task that ends when this value is dropped.
    pub(crate) fn start(resources: &Arc<Resources>, node: String) -> Self {
        let (sender, requests) = mpsc::channel(MAX_WAITING);
        let resources = Arc::downgrade(resources);
        let claiming = Claiming { resources: resources.clone(), node, requests, deferred: VecDeque::new() };
        tokio::spawn(claiming.run());
        AddressClaims { requests: sender, resources }
    }

    /// Claims an address. An agent may claim it for several tunnels, at several nodes.
    ///
    /// # Errors
    /// `NameTaken`, `NameOfEdge`, `NameReserved` or `AddressReserved` if others have it, or those of the store. While that is
    /// away, an agent gets what it had claimed before.
    pub async fn claim(&self, claim: TunnelClaim) -> Result<()> {
        let (respond, response) = oneshot::channel();
        let sent = self.requests.send(Request::Claim(claim, respond)).await;
        match (sent, response.await) {
            (Ok(()), Ok(response)) => response,
            _ => Err(Code::ServerDraining.into()),
        }
    }

    /// Gives up what a tunnel has claimed. The agent has the address for a while if it `is_away` and expected back.
    pub fn release(&self, claim: TunnelClaim, is_away: bool) {
        if self.resources.strong_count() > 0 && self.requests.try_send(Request::Release { claim, is_away }).is_err() {
            tracing::debug!("a claim is left to the sweeps");
        }
    }
}

impl Claiming {
    async fn run(mut self) {
        let mut health = match self.resources.upgrade() {
            Some(resources) => resources.store.health(),
            None => return,
        };
        loop {
            let mut batch = Vec::with_capacity(MAX_BATCH);
            tokio::select! {
                received = self.requests.recv_many(&mut batch, MAX_BATCH) => if received == 0 { return },
                Ok(_) = health.wait_for(|health| *health == Health::Reachable), if !self.deferred.is_empty() => {
                    batch.extend((0..MAX_BATCH).map_while(|_| self.deferred.pop_front()));
                }
            }
            let Some(resources) = self.resources.upgrade() else { return };
            let result = if *health.borrow() == Health::Away {
                Err(away(&resources))
            } else {
                self.commit(&resources, &mut batch).await
            };
            if let Err(error) = result {
                self.defer(&resources, batch, &error).await;
            }
        }
    }

    /// Commits a batch and responds to what it was asked for. Upon an error, the rest of the batch is without a response.
    async fn commit(&self, resources: &Resources, batch: &mut Vec<Request>) -> Result<()> {
        let most = resources.store.limits().conditions;
        let mut attempt = 0;
        while !batch.is_empty() {
            let mut plan = ClaimPlan::default();
            let mut outcomes = Vec::new();
            for request in &*batch {
                let granted = self.apply(resources, &mut plan, request).await?;
                outcomes.push(granted);
                if plan.plan.conditions() + MAX_BATCH > most {
                    break; // the next request may need as many
                }
            }
            plan.finish()?;
            let committed = resources.store.commit(plan.plan.into_commit()).await?;
            if let CommitOutcome::Conflict(_) = committed {
                attempt += 1;
                if attempt == COMMIT_ATTEMPTS {
                    return Err(Code::StorageConflict.into());
                }
                tokio::time::sleep(Duration::from_millis(rand::random_range(0..=MAX_PAUSE))).await;
                continue;
            }
            for (request, outcome) in batch.drain(..outcomes.len()).zip(outcomes) {
                if let Request::Claim(_, respond) = request {
                    // An agent that has left meanwhile releases what it was granted, or the sweeps do.
                    let _ = respond.send(outcome);
                }
            }
        }
        Ok(())
    }

    /// Applies a request to a plan. The inner result is that of the request.
    async fn apply(&self, resources: &Resources, plan: &mut ClaimPlan, request: &Request) -> Result<Result<()>> {
        let claim = match request {
            Request::Claim(claim, _) | Request::Release { claim, .. } => claim,
        };
        let (key, nodes) = (claim.address.key(), resources.presence.as_ref().and_then(|presence| presence.nodes()));
        let is_node = |node: &str| nodes.as_ref().is_none_or(|nodes| nodes.borrow().records.contains_key(node));
        let tunnel = format!("{}/{}", self.node, claim.tunnel);
        plan.read(resources, &key).await?;
        let held = plan.held(&key).filter(|held| held.agent == claim.agent).cloned();
        match request {
            Request::Release { is_away, .. } => {
                if let Some(mut held) = held {
                    held.remove(&tunnel, is_node);
                    plan.hold(&key, Some(held).filter(|held| *is_away || !held.tunnels.is_empty()));
                }
            }
            Request::Claim(..) => {
                if plan.held(&key).is_some() && held.is_none() {
                    return Ok(Err(taken(&claim.address)));
                }
                if let Some(error) = excluded(resources, &mut plan.plan, claim).await? {
                    return Ok(Err(error));
                }
                let new =
                    || StoredClaim { owner: claim.owner.clone(), agent: claim.agent.clone(), tunnels: Vec::new() };
                let mut held = held.unwrap_or_else(new);
                held.add(&tunnel, is_node);
                plan.hold(&key, Some(held));
            }
        }
        Ok(Ok(()))
    }

    /// Responds by what is known here: an agent gets its own.
    async fn defer(&mut self, resources: &Resources, batch: Vec<Request>, error: &Error) {
        for request in batch {
            let claim = match request {
                Request::Claim(claim, respond) => {
                    let entry = resources.store.get(&claim.address.key()).await.ok().flatten();
                    let held = entry.and_then(|entry| decode::<StoredClaim>(&entry).ok());
                    if held.is_none_or(|held| held.agent != claim.agent) {
                        let _ = respond.send(Err(error.clone()));
                        continue;
                    }
                    let _ = respond.send(Ok(()));
                    Request::Claim(claim, oneshot::channel().0)
                }
                release => release,
            };
            if self.deferred.len() < MAX_WAITING {
                self.deferred.push_back(claim);
            }
        }
    }
}

impl ClaimPlan {
    async fn read(&mut self, resources: &Resources, key: &str) -> Result<()> {
        if self.claims.contains_key(key) {
            return Ok(());
        }
        let entry = resources.store.get(key).await?;
        let revision: Option<Revision> = entry.as_ref().map(|entry| entry.revision);
        let held: Option<StoredClaim> = entry.as_ref().map(decode).transpose()?;
        self.plan.expect_revision(key, revision);
        self.claims.insert(key.to_owned(), (held.clone(), held));
        Ok(())
    }

    fn held(&self, key: &str) -> Option<&StoredClaim> {
        self.claims.get(key)?.1.as_ref()
    }

    fn hold(&mut self, key: &str, claim: Option<StoredClaim>) {
        if let Some(held) = self.claims.get_mut(key) {
            held.1 = claim;
        }
    }

    fn finish(&mut self) -> Result<()> {
        for (key, (former, now)) in &self.claims {
            match now {
                Some(now) if former.as_ref() != Some(now) => self.plan.put(key, to_json(now)?),
                None if former.is_some() => self.plan.delete(key),
                _ => {}
            }
        }
        self.plan.merge_conditions();
        Ok(())
    }
}

/// Why an edge or a reservation excludes a tunnel from an address, if it does.
async fn excluded(resources: &Resources, plan: &mut CommitPlan, claim: &TunnelClaim) -> Result<Option<Error>> {
    match &claim.address {
        BoundAddress::Host(name) => {
            if let Some(edge) = resources.edge_named(plan, name).await? {
                let message = format!("The name `{name}` belongs to the edge `{edge}`. Choose another one.");
                return Ok(Some(Error::new(Code::NameOfEdge, message)));
            }
            let reserved = resources.reserved_domain(plan, name).await?;
            Ok(reserved.filter(|reserved| reserved.owner.as_str() != claim.owner).map(|_| {
                let message = format!(
                    "The name `{name}` is reserved for another owner. Choose another one, or use a credential of that owner."
                );
                Error::new(Code::NameReserved, message)
            }))
        }
        BoundAddress::Port(port) => {
            if resources.edge_on(plan, *port).await?.is_some() {
                let message = format!("Port {port} belongs to a TCP edge. Ask for another one.");
                return Ok(Some(Error::new(Code::NameOfEdge, message)));
            }
            let reserved = resources.reserved_address(plan, *port).await?;
            Ok(reserved.filter(|reserved| reserved.owner.as_str() != claim.owner).map(|_| {
                let message = format!(
                    "Port {port} is reserved for another owner. Ask for another one, or use a credential of that owner."
                );
                Error::new(Code::AddressReserved, message)
            }))
        }
    }
}

fn taken(address: &BoundAddress) -> Error {
    let message = match address {
        BoundAddress::Host(name) => {
            format!("The name `{name}` is in use by another agent. Choose another name, or stop the tunnel there.")
        }
        BoundAddress::Port(port) => {
            format!("Port {port} is in use by another tunnel. Ask for another one, or for none.")
        }
    };
    Error::new(Code::NameTaken, message)
}

fn away(resources: &Resources) -> Error {
    let address = resources.store.shared().unwrap_or_default().to_owned();
    StoreError::Unreachable { address, reason: "most of its members are away".to_owned() }.into()
}
