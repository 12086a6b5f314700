//! Claims of the edge's tunnels on names and ports, in the store that several servers share.

use futures::{FutureExt, future::BoxFuture};
use postern_api::Error;
use postern_control::{AddressClaims, AgentIdentity, BoundAddress, TunnelClaim};
use postern_edge::{AddressClaim, ClaimedAddress};

/// Claims of the edge, made by the management side.
pub(crate) struct ControlAddressClaims(pub(crate) AddressClaims);

impl postern_edge::AddressClaims for ControlAddressClaims {
    fn claim(&self, claim: AddressClaim) -> BoxFuture<'_, Result<(), Error>> {
        self.0.claim(stored(claim)).boxed()
    }

    fn release(&self, claim: AddressClaim, away: bool) {
        self.0.release(stored(claim), away);
    }
}

fn stored(claim: AddressClaim) -> TunnelClaim {
    let AddressClaim { address, owner, credential, instance, tunnel } = claim;
    let address = match address {
        ClaimedAddress::Host(name) => BoundAddress::Host(name),
        ClaimedAddress::Port(port) => BoundAddress::Port(port),
    };
    TunnelClaim { address, owner, agent: AgentIdentity { credential, instance }, tunnel }
}
