//! Ports of TCP tunnels: which are tried, and how one is opened and entered.

use super::{BindGrant, MAX_ATTEMPTS};
use crate::{
    tcp::PortTarget,
    tunnels::{ClaimedAddress, Session, Stages, Tunnel, TunnelKind, TunnelRegistry, claims},
};
use postern_api::{Code, Error, acl::Acl};
use postern_tunnel::message::Bind;
use std::{
    collections::{BTreeMap, HashSet},
    net::IpAddr,
    sync::Arc,
};

impl TunnelRegistry {
    pub(super) async fn bind_tcp(
        &self,
        session: &Arc<Session>,
        (bind, stages): (Bind, Option<Box<Stages>>),
        acl: &Acl,
        requested: Option<u16>,
        previous: Option<u16>,
    ) -> Result<Arc<Tunnel>, Error> {
        let mut last_error =
            Error::new(Code::NoPortFree, "No TCP port of the range is free. Stop a tunnel, or widen --tcp-ports.");
        for port in self.port_candidates(session, acl, requested, previous)? {
            self.make_way(session, port).await;
            // Opened first, so that the port is known when the system chooses it; entered second.
            let listener = match self.ports.reserve(port).await {
                Ok(listener) => listener,
                Err(error) if requested.is_some() => {
                    self.settle_port(port).await;
                    return Err(error);
                }
                Err(error) => {
                    last_error = Error { code: Code::NoPortFree, ..error };
                    continue;
                }
            };
            let port = listener.port();
            if let Err(error) = self.claim(session, ClaimedAddress::Port(port), TunnelKind::Tcp).await {
                drop(listener);
                self.settle_port(port).await;
                if requested.is_some() || !claims::is_taken(&error) {
                    return Err(error);
                }
                last_error = error;
                continue;
            }
            let tunnel = {
                let mut state = self.lock_state();
                if state.is_port_taken(session, port) {
                    self.give_up(session, ClaimedAddress::Port(port), TunnelKind::Tcp);
                    continue;
                }
                // The port may have been taken while it was being opened.
                if let Err(error) = self.check_port(session, port) {
                    self.give_up(session, ClaimedAddress::Port(port), TunnelKind::Tcp);
                    last_error = error;
                    continue;
                }
                let url = format!("tcp://{}:{port}", self.settings.domain);
                let labels = BTreeMap::new();
                let (kind, url) = (TunnelKind::Tcp, Some(url));
                let grant = BindGrant { kind, host: None, port: Some(port), url, labels, stages };
                let registered = self.register(&mut state, session, bind, grant);
                let tunnel =
                    registered.inspect_err(|_| self.give_up(session, ClaimedAddress::Port(port), TunnelKind::Tcp))?;
                state.ports.insert(port, tunnel.id.clone());
                self.settle(&mut state, &tunnel);
                tunnel
            };
            let pipeline = tunnel.stages.as_ref().map(|stages| stages.pipeline.clone());
            listener.serve(PortTarget::Tunnel { upstream: tunnel.upstream.clone(), pipeline });
            // The session may have ended while the port was being opened.
            if self.session(&session.id).is_none() {
                self.ports.close_tunnel(port, &tunnel.id).await;
            }
            self.settle_port(port).await;
            return Ok(tunnel);
        }
        Err(last_error)
    }

    /// Closes a port that is open for the same agent at other nodes, so that it can be opened for this session.
    async fn make_way(&self, session: &Session, port: u16) {
        if self.lock_state().is_way_for(session, port) {
            self.ports.settle_tunnel(port, || None).await;
        }
    }

    /// Refuses a port that belongs to an edge or is reserved for another owner.
    fn check_port(&self, session: &Session, port: u16) -> Result<(), Error> {
        let published = self.published.borrow().clone();
        if published.tcp_edges.values().any(|edge| edge.ports.contains(&port)) {
            let message = format!("Port {port} belongs to a TCP edge. Ask for another one.");
            return Err(Error::new(Code::NameOfEdge, message));
        }
        if published.names.addresses.get(&port).is_some_and(|owner| *owner != session.owner) {
            let message = format!(
                "Port {port} is reserved for another owner. Ask for another one, or use a credential of that owner."
            );
            return Err(Error::new(Code::AddressReserved, message));
        }
        self.reservations.check_port(session, port)
    }

    /// The ports to try, in order; 0 lets the system choose.
    fn port_candidates(
        &self,
        session: &Session,
        acl: &Acl,
        requested: Option<u16>,
        previous: Option<u16>,
    ) -> Result<Vec<u16>, Error> {
        let range = &self.settings.tcp_ports;
        let any = *range.end() == 0;
        let address = self.settings.tcp_addr.to_string();
        let hosts = own_hosts(self.settings.domain.as_str(), &address, self.settings.tcp_addr);
        let permitted = |port: &u16| acl.permits_address(hosts.iter().copied(), *port);
        let published = self.published.borrow().clone();
        let edges: HashSet<u16> = published.tcp_edges.values().flat_map(|edge| edge.ports.iter().copied()).collect();
        let in_use = |port: &u16| self.lock_state().is_port_taken(session, *port);
        // Reserved ports are given only to agents that ask for them.
        let taken = |port: &u16| in_use(port) || edges.contains(port) || published.names.addresses.contains_key(port);
        if let Some(port) = requested {
            if port == 0 || !(any || range.contains(&port)) {
                let message = format!(
                    "Port {port} lies outside the range {}-{} of this server. Ask for one inside it, or for none.",
                    range.start(),
                    range.end()
                );
                return Err(Error::new(Code::PortOutOfRange, message));
            }
            if !permitted(&port) {
                let message = format!("The credential's ACL does not permit `{}:{port}`.", self.settings.domain);
                return Err(Error::new(Code::AddressNotPermitted, message));
            }
            self.check_port(session, port)?;
            if in_use(&port) {
                let message = format!("Port {port} is in use by another tunnel. Ask for another one, or for none.");
                return Err(Error::new(Code::NameTaken, message));
            }
            return Ok(vec![port]);
        }
        let free = |port: &u16| !in_use(port) && self.check_port(session, *port).is_ok();
        let previous_name =
            previous.filter(|port| *port != 0 && (any || range.contains(port)) && permitted(port) && free(port));
        let mut candidates: Vec<u16> = previous_name.into_iter().collect();
        if any && acl.is_unrestricted() {
            candidates.push(0);
            return Ok(candidates);
        }
        let (start, end) = (*range.start(), *range.end());
        let size = usize::from(end - start) + 1;
        let first = usize::from(rand::random::<u16>()) % size;
        let all = (0..size).map(|step| start + ((first + step) % size) as u16);
        candidates.extend(all.filter(permitted).filter(|port| *port != 0 && !taken(port)).take(MAX_ATTEMPTS));
        if candidates.is_empty() && !acl.is_unrestricted() {
            let message = "The credential's ACL permits certain TCP addresses only, and none of them is free. Ask for \
                           one of them by its port.";
            return Err(Error::new(Code::RandomAddressNotPermitted, message));
        }
        Ok(candidates)
    }
}

/// All spellings of the address that TCP tunnels listen on.
fn own_hosts<'a>(domain: &'a str, address: &'a str, parsed: IpAddr) -> Vec<&'a str> {
    let mut hosts = vec![domain, address];
    if parsed.is_loopback() || parsed.is_unspecified() {
        hosts.push("localhost");
    }
    hosts
}
