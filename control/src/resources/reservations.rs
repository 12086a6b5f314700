//! Reservations of names and ports, read so that the result still holds when a change is committed.

use super::{Claim, Resources, Rules, commit_plan::CommitPlan, hostports, tcp_edge};
use crate::LiveAddress;
use postern_api::{
    Code, Error, Id, OwnerId, Result,
    host::HostName,
    resource::{Credential, Ref, ReservedAddress, ReservedDomain, Resource},
};

/// A reservation and its owner.
pub(super) struct Reservation<R> {
    pub(super) id: Id<R>,
    pub(super) owner: OwnerId,
}

/// Claim of a reserved domain, apart from the claims of edges, because an edge may use a reserved name.
pub(super) fn domain_claim(name: &HostName) -> Claim {
    Claim { scope: "reserved_host".to_owned(), value: name.reversed() }
}

/// Claim of a reserved address.
pub(super) fn address_claim(port: u16) -> Claim {
    Claim { scope: "reserved_tcp".to_owned(), value: port.to_string() }
}

impl Resources {
    /// Most specific reservation that covers a name. The plan expects it to be unchanged.
    pub(super) async fn reserved_domain(
        &self,
        plan: &mut CommitPlan,
        name: &HostName,
    ) -> Result<Option<Reservation<ReservedDomain>>> {
        for name in name.owned_with() {
            if let Some(found) =
                self.reservation(plan, &domain_claim(&name), |domain: &ReservedDomain| &domain.owner_id).await?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Reservation of a port.
    pub(super) async fn reserved_address(
        &self,
        plan: &mut CommitPlan,
        port: u16,
    ) -> Result<Option<Reservation<ReservedAddress>>> {
        self.reservation(plan, &address_claim(port), |address: &ReservedAddress| &address.owner_id).await
    }

    /// Reserved domain of a public name: the name itself, or the closest wildcard above it.
    pub(crate) async fn domain_of(&self, name: &HostName) -> Result<Option<Ref>> {
        for reserved in name.owned_with().filter(|reserved| reserved.covers(name)) {
            if let Some(id) = self.claimed_by::<ReservedDomain>(&domain_claim(&reserved)).await? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Reserved address of a port.
    pub(crate) async fn address_of(&self, port: u16) -> Result<Option<Ref>> {
        self.claimed_by::<ReservedAddress>(&address_claim(port)).await
    }

    async fn claimed_by<R: Resource>(&self, claim: &Claim) -> Result<Option<Ref>> {
        let id = self.claim_holder(claim).await?.and_then(|id| Id::<R>::parse(id.as_str()).ok());
        Ok(id.map(|id| Ref::to(self.base_url(), &id)))
    }

    async fn reservation<R: Rules>(
        &self,
        plan: &mut CommitPlan,
        claim: &Claim,
        owner: fn(&R) -> &OwnerId,
    ) -> Result<Option<Reservation<R>>> {
        let key = claim.key();
        let entry = self.store.get(&key).await?;
        plan.expect_revision(&key, entry.as_ref().map(|entry| entry.revision));
        let Some(entry) = entry else { return Ok(None) };
        let id = Id::<R>::parse(&String::from_utf8_lossy(&entry.value))?;
        let found = self.load(&id).await?;
        // A claim without its record is being deleted: then the condition above fails.
        Ok(found.map(|(stored, _)| Reservation { owner: owner(&stored.spec).clone(), id }))
    }

    /// Id of a tunnel of another owner at a matching address.
    pub(super) async fn tunnel_of_another(
        &self,
        owner: &OwnerId,
        matches: impl Fn(&LiveAddress) -> bool + Send,
    ) -> Result<Option<String>> {
        for tunnel in self.live.tunnels() {
            if !tunnel.address.as_ref().is_some_and(&matches) {
                continue;
            }
            let credential = self.load(&Id::<Credential>::parse(&tunnel.credential)?).await?;
            // Tunnels of a deleted credential are about to end.
            if credential.is_some_and(|(credential, _)| credential.spec.owner_id != *owner) {
                return Ok(Some(tunnel.id));
            }
        }
        Ok(None)
    }

    /// Edge with exactly this name, if any. The plan expects it to be unchanged.
    pub(super) async fn edge_named(&self, plan: &mut CommitPlan, name: &HostName) -> Result<Option<String>> {
        self.edge_with(plan, &hostports::claim(name)).await
    }

    /// Edge with this port, if any. The plan expects it to be unchanged.
    pub(super) async fn edge_on(&self, plan: &mut CommitPlan, port: u16) -> Result<Option<String>> {
        self.edge_with(plan, &tcp_edge::claim(port)).await
    }

    async fn edge_with(&self, plan: &mut CommitPlan, claim: &Claim) -> Result<Option<String>> {
        let key = claim.key();
        let entry = self.store.get(&key).await?;
        plan.expect_revision(&key, entry.as_ref().map(|entry| entry.revision));
        Ok(entry.map(|entry| String::from_utf8_lossy(&entry.value).into_owned()))
    }
}

/// Error when a reservation cannot be deleted because an edge uses it.
pub(super) fn in_use<R: Resource>(id: &Id<R>, edge: &str) -> Error {
    Error::new(Code::ReservedInUse, format!("`{id}` is in use by the edge `{edge}`. Remove it from there first."))
        .with("used_by", edge)
}
