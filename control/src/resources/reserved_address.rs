//! Reserved addresses: ports of the server's range, chosen by the caller or by the server.

use super::{
    BoundAddress, CallContext, Claim, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources,
    Rules, StoredRecord, commit_plan::CommitPlan, reservations, tcp_edge,
};
use crate::{LiveAddress, NameHold, store::Range};
use postern_api::{
    Code, Error, Id, Result,
    resource::{Nothing, Region, ReservedAddress, ReservedAddressCreate, ReservedAddressUpdate},
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Claims read at once.
const BATCH_SIZE: usize = 1000;

/// Origin of the address.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct AddressOrigin {
    /// Picked by the server during this call.
    #[serde(skip)]
    picked: bool,
}

impl Rules for ReservedAddress {
    type Hidden = AddressOrigin;
    const CACHEABLE: bool = true;
    const PICKS_VALUE: bool = true;

    async fn create(body: ReservedAddressCreate, context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let ctx = context.call.resources;
        let owner_id = context.call.owner_for(body.owner_id.as_deref()).await?;
        let requested = body.addr.filter(|addr| !addr.trim().is_empty());
        let picked = requested.is_none();
        let port = match requested {
            Some(addr) => {
                let addr = addr.trim().to_ascii_lowercase();
                let port =
                    tcp_edge::check_hostport(&addr, &ctx.settings).map_err(|error| error.with("field", "addr"))?;
                if let Some(holder) = ctx.claim_holder(&reservations::address_claim(port)).await? {
                    return Err(already_reserved(ctx, port, holder.as_str(), &owner_id).await?);
                }
                port
            }
            None => free_port(ctx).await?,
        };
        let region = body.region.filter(|region| *region != Region::Unsaid).unwrap_or(Region::Us);
        let addr = format!("{}:{port}", ctx.settings.domain);
        Ok(NewRecord::new(ReservedAddress { addr, region, owner_id }, AddressOrigin { picked }))
    }

    async fn update(
        _stored: &mut StoredRecord<Self>,
        _body: ReservedAddressUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        Ok(Vec::new())
    }

    fn claims(stored: &StoredRecord<Self>) -> Vec<Claim> {
        port_of(&stored.spec).map(reservations::address_claim).into_iter().collect()
    }

    fn claim_taken(claim: &Claim, holder: &str) -> Error {
        let sentence = format!("Port {} is reserved by `{holder}` already. Take another one.", claim.value);
        Error::new(Code::ReservedElsewhere, sentence).with("id", holder).with("field", "addr")
    }

    fn links(stored: &StoredRecord<Self>) -> Vec<NewLink> {
        vec![NewLink::to_owner(&stored.spec.owner_id, LinkRole::Belongs)]
    }

    fn name_hold(stored: &StoredRecord<Self>, former: Option<&StoredRecord<Self>>) -> NameHold {
        let ports = port_of(&stored.spec).into_iter().filter(|_| former.is_none()).collect();
        // A picked address must not be in use by anyone, the owner included.
        let owner = (former.is_none() && !stored.hidden.picked).then(|| stored.spec.owner_id.clone());
        NameHold { ports, owner, ..NameHold::default() }
    }

    async fn before_commit(
        plan: &mut CommitPlan,
        stored: &StoredRecord<Self>,
        former: Option<&StoredRecord<Self>>,
        call: &CallContext<'_>,
    ) -> Result<()> {
        let (None, Some(port), ctx) = (former, port_of(&stored.spec), call.resources) else { return Ok(()) };
        if stored.hidden.picked {
            if ctx.edge_on(plan, port).await?.is_some() || ctx.live.port_in_use(port) {
                return Err(Code::StorageConflict.into());
            }
            return ctx.take_bound(plan, &BoundAddress::Port(port), None, || Code::StorageConflict.into()).await;
        }
        let owner = &stored.spec.owner_id;
        let is_same = |address: &LiveAddress| address.scheme == "tcp" && address.port == port;
        if let Some(tunnel) = ctx.tunnel_of_another(owner, is_same).await? {
            let sentence = format!(
                "A tunnel of another owner, `{tunnel}`, is up on port {port}. Take another one, or have that tunnel \
                 stopped first."
            );
            return Err(Error::new(Code::ReservedLive, sentence).with("id", tunnel).with("field", "addr"));
        }
        let taken = || {
            let sentence = format!(
                "A tunnel of another owner is up on port {port}. Take another one, or have that tunnel stopped first."
            );
            Error::new(Code::ReservedLive, sentence).with("field", "addr")
        };
        ctx.take_bound(plan, &BoundAddress::Port(port), Some(owner.as_str()), taken).await
    }

    async fn before_delete(plan: &mut CommitPlan, stored: &StoredRecord<Self>, ctx: &Resources) -> Result<()> {
        let Some(port) = port_of(&stored.spec) else { return Ok(()) };
        match ctx.edge_on(plan, port).await? {
            Some(edge) => Err(reservations::in_use(&stored.id, &edge)),
            None => Ok(()),
        }
    }

    async fn status(_stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

/// Port of an address.
pub(crate) fn port_of(address: &ReservedAddress) -> Option<u16> {
    tcp_edge::split(&address.addr).map(|(_, port)| port)
}

async fn already_reserved(ctx: &Resources, port: u16, holder: &str, owner: &postern_api::OwnerId) -> Result<Error> {
    let holding = match Id::<ReservedAddress>::parse(holder) {
        Ok(id) => ctx.load(&id).await?,
        Err(_) => None,
    };
    let own = holding.is_some_and(|(stored, _)| stored.spec.owner_id == *owner);
    let (code, whose) =
        if own { (Code::ReservedAlready, "already") } else { (Code::ReservedElsewhere, "for another owner") };
    let sentence = format!("Port {port} is reserved {whose}, by `{holder}`. Take another one, or leave `addr` out.");
    Ok(Error::new(code, sentence).with("id", holder).with("field", "addr"))
}

/// Random port of the range that is not used by an edge, a reservation or a tunnel.
async fn free_port(ctx: &Resources) -> Result<u16> {
    let mut taken = HashSet::new();
    for scope in [reservations::address_claim(0), tcp_edge::claim(0)] {
        let key = scope.key();
        let prefix = key.strip_suffix('0').unwrap_or(&key);
        let mut next = Some(Range::new(prefix, BATCH_SIZE));
        while let Some(range) = next {
            let page = ctx.store.range(range.clone()).await?;
            taken.extend(page.entries.iter().filter_map(|entry| entry.key.strip_prefix(prefix)?.parse::<u16>().ok()));
            next = range.after(&page);
        }
    }
    let (first, last) = (*ctx.settings.tcp_ports.start(), *ctx.settings.tcp_ports.end());
    let size = usize::from(last.saturating_sub(first)) + 1;
    let begin = rand::random_range(0..size);
    let ports = (0..size).filter_map(|step| u16::try_from(usize::from(first) + (begin + step) % size).ok());
    let mut free = ports.filter(|port| *port != 0 && !taken.contains(port) && !ctx.live.port_in_use(*port));
    free.next().ok_or_else(|| {
        let sentence = format!("All ports from {first} to {last} are taken. Give one back, or widen --tcp-ports.");
        Error::new(Code::NoPortFree, sentence)
    })
}
