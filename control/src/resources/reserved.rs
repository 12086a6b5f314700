//! What is kept for owners: who owns a name or a port, asked so that the answer still holds when a change is committed.

use super::{Claim, Resources, Rules, hostports, plan::Plan, tcp_edge};
use crate::LiveAddress;
use postern_api::{
    Code, Error, Id, OwnerId, Result,
    host::HostName,
    resource::{Credential, Ref, ReservedAddress, ReservedDomain, Resource},
};

/// A reservation, and whose it is.
pub(super) struct Reservation<R> {
    pub(super) id: Id<R>,
    pub(super) owner: OwnerId,
}

/// The claim of a reserved domain: beside those of edges, which may have the name that is reserved.
pub(super) fn domain_claim(name: &HostName) -> Claim {
    Claim { scope: "reserved_host".to_owned(), value: name.reversed() }
}

/// The claim of a reserved address.
pub(super) fn address_claim(port: u16) -> Claim {
    Claim { scope: "reserved_tcp".to_owned(), value: port.to_string() }
}

impl Resources {
    /// The most specific reservation among those that a name lies in. What is found out holds at the commit, or there
    /// is none.
    pub(super) async fn reserved_domain(
        &self,
        plan: &mut Plan,
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

    /// The reservation of a port.
    pub(super) async fn reserved_address(
        &self,
        plan: &mut Plan,
        port: u16,
    ) -> Result<Option<Reservation<ReservedAddress>>> {
        self.reservation(plan, &address_claim(port), |address: &ReservedAddress| &address.owner_id).await
    }

    /// The reserved domain that a public name is on: its own one, or the closest wildcard above it.
    pub(crate) async fn domain_of(&self, name: &HostName) -> Result<Option<Ref>> {
        for reserved in name.owned_with().filter(|reserved| reserved.covers(name)) {
            if let Some(id) = self.held::<ReservedDomain>(&domain_claim(&reserved)).await? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// The reserved address that a port is.
    pub(crate) async fn address_of(&self, port: u16) -> Result<Option<Ref>> {
        self.held::<ReservedAddress>(&address_claim(port)).await
    }

    async fn held<R: Resource>(&self, claim: &Claim) -> Result<Option<Ref>> {
        let id = self.holder(claim).await?.and_then(|id| Id::<R>::parse(id.as_str()).ok());
        Ok(id.map(|id| Ref::to(self.base_url(), &id)))
    }

    async fn reservation<R: Rules>(
        &self,
        plan: &mut Plan,
        claim: &Claim,
        owner: fn(&R) -> &OwnerId,
    ) -> Result<Option<Reservation<R>>> {
        let key = claim.key();
        let entry = self.store.get(&key).await?;
        plan.unchanged(&key, entry.as_ref().map(|entry| entry.revision));
        let Some(entry) = entry else { return Ok(None) };
        let id = Id::<R>::parse(&String::from_utf8_lossy(&entry.value))?;
        let found = self.stored(&id).await?;
        // A claim without its record is about to vanish: the condition above sees to that.
        Ok(found.map(|(kept, _)| Reservation { owner: owner(&kept.spec).clone(), id }))
    }

    /// A tunnel that is up at such an address and belongs to somebody else.
    pub(super) async fn tunnel_of_another(
        &self,
        owner: &OwnerId,
        fits: impl Fn(&LiveAddress) -> bool + Send,
    ) -> Result<Option<String>> {
        for tunnel in self.live.tunnels() {
            if !tunnel.address.as_ref().is_some_and(&fits) {
                continue;
            }
            let credential = self.stored(&Id::<Credential>::parse(&tunnel.credential)?).await?;
            // The tunnels of a credential that was deleted are ending.
            if credential.is_some_and(|(credential, _)| credential.spec.owner_id != *owner) {
                return Ok(Some(tunnel.id));
            }
        }
        Ok(None)
    }

    /// The edge that has exactly this name; it is the same one, or still none, at the commit.
    pub(super) async fn edge_named(&self, plan: &mut Plan, name: &HostName) -> Result<Option<String>> {
        self.edge_with(plan, &hostports::claim(name)).await
    }

    /// The same for a port.
    pub(super) async fn edge_on(&self, plan: &mut Plan, port: u16) -> Result<Option<String>> {
        self.edge_with(plan, &tcp_edge::claim(port)).await
    }

    async fn edge_with(&self, plan: &mut Plan, claim: &Claim) -> Result<Option<String>> {
        let key = claim.key();
        let entry = self.store.get(&key).await?;
        plan.unchanged(&key, entry.as_ref().map(|entry| entry.revision));
        Ok(entry.map(|entry| String::from_utf8_lossy(&entry.value).into_owned()))
    }
}

/// What to say when an edge has what shall no longer be reserved.
pub(super) fn in_use<R: Resource>(id: &Id<R>, edge: &str) -> Error {
    Error::new(Code::ReservedInUse, format!("`{id}` is in use by the edge `{edge}`. Take it out of there first."))
        .with("used_by", edge)
}
