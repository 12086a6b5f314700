//! Reserved addresses: ports of the server's range, chosen by the caller or by the server.

use super::{
    Attachment, Call, Claim, Draft, Kept, Link, Making, Modules, Resources, Role, Rules, plan::Plan, reserved, tcp_edge,
};
use crate::{LiveAddress, Wanted, store::Range};
use postern_api::{
    Code, Error, Id, Result,
    resource::{Nothing, Region, ReservedAddress, ReservedAddressCreate, ReservedAddressUpdate},
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Claims read at once.
const STEP: usize = 1000;

/// How the address came about.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Choice {
    /// Chosen by the server in this very call: nobody may have it.
    #[serde(skip)]
    ours: bool,
}

impl Rules for ReservedAddress {
    type Hidden = Choice;
    const LASTING: bool = true;
    const PICKS: bool = true;

    async fn create(body: ReservedAddressCreate, making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let here = making.call.here;
        let owner_id = making.call.owner_for(body.owner_id.as_deref()).await?;
        let wanted = body.addr.filter(|addr| !addr.trim().is_empty());
        let ours = wanted.is_none();
        let port = match wanted {
            Some(addr) => {
                let addr = addr.trim().to_ascii_lowercase();
                let port = tcp_edge::judge(&addr, &here.settings).map_err(|error| error.with("field", "addr"))?;
                if let Some(holder) = here.holder(&reserved::address_claim(port)).await? {
                    return Err(already(here, port, holder.as_str(), &owner_id).await?);
                }
                port
            }
            None => free_port(here).await?,
        };
        let region = body.region.filter(|region| *region != Region::Unsaid).unwrap_or(Region::Us);
        let addr = format!("{}:{port}", here.settings.domain);
        Ok(Draft::new(ReservedAddress { addr, region, owner_id }, Choice { ours }))
    }

    async fn change(_kept: &mut Kept<Self>, _body: ReservedAddressUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        Ok(Vec::new())
    }

    fn claims(kept: &Kept<Self>) -> Vec<Claim> {
        port_of(&kept.spec).map(reserved::address_claim).into_iter().collect()
    }

    fn taken(claim: &Claim, holder: &str) -> Error {
        let sentence = format!("Port {} is reserved by `{holder}` already. Take another one.", claim.value);
        Error::new(Code::ReservedElsewhere, sentence).with("id", holder).with("field", "addr")
    }

    fn links(kept: &Kept<Self>) -> Vec<Link> {
        vec![Link::to_owner(&kept.spec.owner_id, Role::Belongs)]
    }

    fn wanted(kept: &Kept<Self>, former: Option<&Kept<Self>>) -> Wanted {
        let ports = port_of(&kept.spec).into_iter().filter(|_| former.is_none()).collect();
        // An address that the server chose is free for everybody until then.
        let owner = (former.is_none() && !kept.hidden.ours).then(|| kept.spec.owner_id.clone());
        Wanted { ports, owner, ..Wanted::default() }
    }

    async fn secure(plan: &mut Plan, kept: &Kept<Self>, former: Option<&Kept<Self>>, call: &Call<'_>) -> Result<()> {
        let (None, Some(port), here) = (former, port_of(&kept.spec), call.here) else { return Ok(()) };
        if kept.hidden.ours {
            let taken = here.edge_on(plan, port).await?.is_some() || here.live.port_in_use(port);
            return if taken { Err(Code::StorageConflict.into()) } else { Ok(()) };
        }
        let owner = &kept.spec.owner_id;
        let there = |address: &LiveAddress| address.scheme == "tcp" && address.port == port;
        if let Some(tunnel) = here.tunnel_of_another(owner, there).await? {
            let sentence = format!(
                "A tunnel of another owner, `{tunnel}`, is up on port {port}. Take another one, or have that tunnel \
                 stopped first."
            );
            return Err(Error::new(Code::ReservedLive, sentence).with("id", tunnel).with("field", "addr"));
        }
        Ok(())
    }

    async fn release(plan: &mut Plan, kept: &Kept<Self>, here: &Resources) -> Result<()> {
        let Some(port) = port_of(&kept.spec) else { return Ok(()) };
        match here.edge_on(plan, port).await? {
            Some(edge) => Err(reserved::in_use(&kept.id, &edge)),
            None => Ok(()),
        }
    }

    async fn status(_kept: &Kept<Self>, _modules: &Modules, _here: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

/// The port of an address.
pub(crate) fn port_of(address: &ReservedAddress) -> Option<u16> {
    tcp_edge::split(&address.addr).map(|(_, port)| port)
}

async fn already(here: &Resources, port: u16, holder: &str, owner: &postern_api::OwnerId) -> Result<Error> {
    let holding = match Id::<ReservedAddress>::parse(holder) {
        Ok(id) => here.stored(&id).await?,
        Err(_) => None,
    };
    let own = holding.is_some_and(|(kept, _)| kept.spec.owner_id == *owner);
    let (code, whose) =
        if own { (Code::ReservedAlready, "already") } else { (Code::ReservedElsewhere, "for another owner") };
    let sentence = format!("Port {port} is reserved {whose}, by `{holder}`. Take another one, or leave `addr` out.");
    Ok(Error::new(code, sentence).with("id", holder).with("field", "addr"))
}

/// A port of the range that no edge has, no owner, and no tunnel.
async fn free_port(here: &Resources) -> Result<u16> {
    let mut taken = HashSet::new();
    for scope in [reserved::address_claim(0), tcp_edge::claim(0)] {
        let key = scope.key();
        let prefix = key.strip_suffix('0').unwrap_or(&key);
        let mut range = Range::of(prefix, STEP);
        loop {
            let page = here.store.range(range.clone()).await?;
            taken.extend(page.entries.iter().filter_map(|entry| entry.key.strip_prefix(prefix)?.parse::<u16>().ok()));
            match page.entries.last() {
                Some(last) if page.entries.len() == STEP => range.before = Some(last.key.clone()),
                _ => break,
            }
        }
    }
    let (first, last) = (*here.settings.tcp_ports.start(), *here.settings.tcp_ports.end());
    let size = usize::from(last.saturating_sub(first)) + 1;
    let begin = rand::random_range(0..size);
    let ports = (0..size).filter_map(|step| u16::try_from(usize::from(first) + (begin + step) % size).ok());
    let mut free = ports.filter(|port| *port != 0 && !taken.contains(port) && !here.live.port_in_use(*port));
    free.next().ok_or_else(|| {
        let sentence = format!("All ports from {first} to {last} are taken. Give one back, or widen --tcp-ports.");
        Error::new(Code::NoPortFree, sentence)
    })
}
