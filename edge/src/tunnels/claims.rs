//! Claims of names and ports in the whole cluster. A bind is confirmed once its address is claimed, so that two nodes never
//! give one address away. Without other nodes there are no claims.

use super::{Session, Tunnel, TunnelKind, TunnelRegistry, registry::EndKind};
use futures::future::BoxFuture;
use postern_api::{Code, Error, host::HostName};

/// What a tunnel claims, and for which agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressClaim {
    /// The address.
    pub address: ClaimedAddress,
    /// The user or bot user of the agent's credential.
    pub owner: String,
    /// The agent's credential.
    pub credential: String,
    /// The agent's instance.
    pub instance: String,
    /// Identifies the tunnel among those of the agent at the address: its session and its listener.
    pub tunnel: String,
}

/// An address that one agent holds in the whole cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ClaimedAddress {
    /// A host name, on all listeners.
    Host(HostName),
    /// A TCP port.
    Port(u16),
}

/// Gives addresses away, once in the whole cluster.
pub trait AddressClaims: Send + Sync {
    /// Claims an address for a tunnel. An agent may claim it for several tunnels, at several nodes.
    ///
    /// # Errors
    /// `NameTaken`, `NameOfEdge`, `NameReserved` or `AddressReserved` if others have it, or those of the store.
    fn claim(&self, claim: AddressClaim) -> BoxFuture<'_, Result<(), Error>>;
    /// Gives up what a tunnel has claimed. With `away`, the agent is expected to come back and has the address for a while.
    fn release(&self, claim: AddressClaim, away: bool);
}

impl TunnelRegistry {
    /// Claims an address for a session, if there are other nodes.
    pub(super) async fn claim(
        &self,
        session: &Session,
        address: ClaimedAddress,
        kind: TunnelKind,
    ) -> Result<(), Error> {
        match &self.settings.claims {
            Some(claims) => claims.claim(claim_of(session, address, kind)).await,
            None => Ok(()),
        }
    }

    /// Gives up a claim that no tunnel was registered for.
    pub(super) fn give_up(&self, session: &Session, address: ClaimedAddress, kind: TunnelKind) {
        if let Some(claims) = &self.settings.claims {
            claims.release(claim_of(session, address, kind), false);
        }
    }

    /// Gives up the claim of a tunnel of this node.
    pub(super) fn release_claim(&self, tunnel: &Tunnel, end_kind: EndKind) {
        let Some(claims) = self.settings.claims.as_ref().filter(|_| !tunnel.session.is_remote()) else { return };
        let host = tunnel.host.clone().map(ClaimedAddress::Host);
        if let Some(address) = host.or_else(|| tunnel.port.map(ClaimedAddress::Port)) {
            claims.release(claim_of(&tunnel.session, address, tunnel.kind), end_kind == EndKind::Unclean);
        }
    }
}

/// Whether another name or port may be free where this one is not.
pub(super) fn is_taken(error: &Error) -> bool {
    matches!(error.code, Code::NameTaken | Code::NameOfEdge | Code::NameReserved | Code::AddressReserved)
}

fn claim_of(session: &Session, address: ClaimedAddress, kind: TunnelKind) -> AddressClaim {
    let listener = match kind {
        TunnelKind::Http => "http",
        TunnelKind::Https | TunnelKind::Tls => "https",
        TunnelKind::Tcp | TunnelKind::Labels => "tcp",
    };
    // An agent without an instance is the same agent within its session only.
    let instance = if session.instance.is_empty() { &session.id } else { &session.instance };
    AddressClaim {
        address,
        owner: session.owner.clone(),
        credential: session.credential_key.clone(),
        instance: instance.clone(),
        tunnel: format!("{}/{listener}", session.id),
    }
}
