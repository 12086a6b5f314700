//! Binding a tunnel: grants the address an agent asks for, or refuses it.

mod ports;

use crate::{
    tunnels::{
        ClaimedAddress, Session, Stages, Tunnel, TunnelKind, TunnelRegistry, claims, directory::PublicAddress,
        names::NameHolder, registry::RegistryState,
    },
    upstream::{TunnelOptions, TunnelUpstream},
};
use postern_api::{Code, Error, Timestamp, acl::Acl, host::HostName, id::next_ksuid, traffic::TrafficKind, words};
use postern_tunnel::message::{Bind, BindKind, Bound, Scheme};
use std::{collections::BTreeMap, sync::Arc};

/// Tunnels one session may have.
const MAX_TUNNELS: usize = 4096;
/// Labels of one tunnel, and the bytes of a key and a value.
const MAX_LABELS: usize = 16;
const MAX_LABEL_BYTES: usize = 255;
/// Names or ports tried before giving up on finding a free one.
const MAX_ATTEMPTS: usize = 200;

/// A bind that is granted but not registered yet.
struct BindGrant {
    kind: TunnelKind,
    host: Option<HostName>,
    port: Option<u16>,
    url: Option<String>,
    labels: BTreeMap<String, String>,
    stages: Option<Box<Stages>>,
}

impl BindGrant {
    fn address(&self) -> Option<PublicAddress> {
        let scheme = if self.kind == TunnelKind::Http { Scheme::Http } else { Scheme::Https };
        let host = self.host.as_ref().map(|host| PublicAddress::Host(host.clone(), scheme));
        host.or_else(|| self.port.map(PublicAddress::Port))
    }
}

impl TunnelRegistry {
    /// Binds a tunnel and returns the response for the agent, once linked nodes serve it too.
    pub(crate) async fn bind(&self, session: &Arc<Session>, bind: Bind) -> Result<Bound, Error> {
        let request = bind.request;
        let acl = self.acl_of(session)?;
        let stages = Stages::of(session, &bind, &self.routing)?;
        let tunnel = match bind.what.clone() {
            BindKind::Http { host, scheme, previous } => {
                let kind = if scheme == Scheme::Http { TunnelKind::Http } else { TunnelKind::Https };
                self.bind_name(session, (bind, stages), (&acl, kind), host.as_deref(), previous.as_deref()).await?
            }
            BindKind::Tls { host, previous, .. } => {
                let to = (&acl, TunnelKind::Tls);
                self.bind_name(session, (bind, stages), to, host.as_deref(), previous.as_deref()).await?
            }
            BindKind::Labels { labels } => {
                check_labels(&acl, &labels)?;
                let grant = BindGrant { kind: TunnelKind::Labels, host: None, port: None, url: None, labels, stages };
                let mut state = self.lock_state();
                let tunnel = self.register(&mut state, session, bind, grant)?;
                let labels = tunnel.upstream.labels();
                self.take_over(&mut state, session, |old| {
                    old.kind == TunnelKind::Labels && old.upstream.labels() == labels
                });
                self.update_groups(&state);
                tunnel
            }
            BindKind::Tcp { port, previous } => self.bind_tcp(session, (bind, stages), &acl, port, previous).await?,
        };
        self.announced_everywhere().await;
        tracing::info!(
            tunnel = tunnel.id,
            name = tunnel.name,
            session = session.id,
            url = tunnel.url,
            "tunnel started"
        );
        Ok(Bound {
            request,
            tunnel: tunnel.id.clone(),
            number: tunnel.number,
            url: tunnel.url.clone(),
            host: tunnel.host.as_ref().map(ToString::to_string),
            port: tunnel.port,
        })
    }

    async fn bind_name(
        &self,
        session: &Arc<Session>,
        (bind, stages): (Bind, Option<Box<Stages>>),
        (acl, kind): (&Acl, TunnelKind),
        requested: Option<&str>,
        mut previous: Option<&str>,
    ) -> Result<Arc<Tunnel>, Error> {
        let scheme = if kind == TunnelKind::Http { Scheme::Http } else { Scheme::Https };
        if self.settings.claims.is_none() {
            let mut state = self.lock_state();
            let host = self.choose_host(session, acl, requested, previous, scheme)?;
            return self.register_name(&mut state, session, bind, (host, kind, stages));
        }
        let mut last_error = Error::from(Code::NameTaken);
        for _ in 0..MAX_ATTEMPTS {
            let host = {
                let _state = self.lock_state();
                self.choose_host(session, acl, requested, previous, scheme)?
            };
            let address = ClaimedAddress::Host(host.clone());
            match self.claim(session, address.clone(), kind).await {
                Err(error) if requested.is_none() && claims::is_taken(&error) => {
                    (last_error, previous) = (error, None);
                    continue;
                }
                claimed => claimed?,
            }
            let mut state = self.lock_state();
            // It may have been given away here while it was being claimed.
            let registered = match self.check_free(session, &host, scheme) {
                Ok(()) => self.register_name(&mut state, session, bind, (host, kind, stages)),
                Err(error) => Err(error),
            };
            drop(state);
            return registered.inspect_err(|_| self.give_up(session, address, kind));
        }
        Err(last_error)
    }

    fn register_name(
        &self,
        state: &mut RegistryState,
        session: &Arc<Session>,
        bind: Bind,
        (host, kind, stages): (HostName, TunnelKind, Option<Box<Stages>>),
    ) -> Result<Arc<Tunnel>, Error> {
        let scheme = if kind == TunnelKind::Http { Scheme::Http } else { Scheme::Https };
        let grant = match kind {
            TunnelKind::Tls => self.tls_grant(host.clone(), stages),
            _ => self.http_grant(host.clone(), scheme, stages),
        };
        let tunnel = self.register(state, session, bind, grant)?;
        self.hold_name(state, session, &host, scheme, &tunnel);
        Ok(tunnel)
    }

    fn hold_name(
        &self,
        state: &mut RegistryState,
        session: &Session,
        host: &HostName,
        scheme: Scheme,
        tunnel: &Arc<Tunnel>,
    ) {
        self.names.set(host, scheme, NameHolder::Live(tunnel.clone()));
        self.take_over(state, session, |old| old.host.as_ref() == Some(host) && old.scheme() == scheme);
        self.settle(state, tunnel);
    }

    fn register(
        &self,
        state: &mut RegistryState,
        session: &Arc<Session>,
        bind: Bind,
        grant: BindGrant,
    ) -> Result<Arc<Tunnel>, Error> {
        let RegistryState { sessions, directory, .. } = state;
        let entry = sessions.get_mut(&session.id).filter(|entry| !entry.is_withdrawn).ok_or(Code::SessionReplaced)?;
        if entry.tunnels.len() >= MAX_TUNNELS {
            return Err(Error::new(
                Code::Unavailable,
                format!("One agent can have {MAX_TUNNELS} tunnels; stop one first."),
            ));
        }
        let number = entry.next_number;
        entry.next_number += 1;
        let elsewhere = directory.as_ref().and_then(|directory| match grant.address() {
            Some(address) => directory.same_tunnel(session, &bind.name, &address),
            None => directory.same_labels(session, &bind.name, &grant.labels),
        });
        let now = postern_api::clock::now();
        // The same tunnel in another session of its agent has one id.
        let (id, started_at) = match elsewhere {
            Some(tunnel) => (tunnel.id.clone(), tunnel.started_at),
            None => (format!("tn_{}", next_ksuid(now)), Timestamp::new(now)),
        };
        let counter = self.access.telemetry.traffic.of(TrafficKind::Tunnel, &id);
        let options = TunnelOptions {
            app_protocol: bind.app_protocol,
            per_visitor: bind.per_visitor,
            notes: bind.inspect && session.link.supports_metadata(),
            request_notes: bind.inspect && session.link.supports_request_notes(),
            is_hop: false,
            labels: grant.labels,
            agent: session.serving_agent(),
        };
        let max_idle = self.settings.limits.get().idle_upstreams;
        let upstream = Arc::new(TunnelUpstream::new(counter, session.link.clone(), number, options, max_idle));
        let announced = self.settings.is_linked().then(|| Box::new(granted(&bind, grant.host.as_ref(), grant.port)));
        let tunnel = Arc::new(Tunnel {
            id,
            number,
            name: bind.name,
            kind: grant.kind,
            url: grant.url,
            host: grant.host,
            port: grant.port,
            forwards_to: bind.forwards_to,
            metadata: bind.metadata,
            started_at,
            session: session.clone(),
            stages: grant.stages,
            upstream,
            announced,
        });
        entry.tunnels.insert(number, tunnel.clone());
        if let Some(directory) = directory {
            directory.add(&tunnel);
        }
        Ok(tunnel)
    }

    fn http_grant(&self, host: HostName, scheme: Scheme, stages: Option<Box<Stages>>) -> BindGrant {
        match scheme {
            Scheme::Https => named(TunnelKind::Https, ("https", self.settings.https_port, 443), host, stages),
            Scheme::Http => named(TunnelKind::Http, ("http", self.settings.http_port, 80), host, stages),
        }
    }

    fn tls_grant(&self, host: HostName, stages: Option<Box<Stages>>) -> BindGrant {
        named(TunnelKind::Tls, ("tls", self.settings.https_port, 443), host, stages)
    }

    /// Chooses the name to bind. Must be called under the registry's lock, so that a free name stays free.
    fn choose_host(
        &self,
        session: &Session,
        acl: &Acl,
        requested: Option<&str>,
        previous: Option<&str>,
        scheme: Scheme,
    ) -> Result<HostName, Error> {
        if let Some(requested) = requested {
            let name = self.full_name(requested)?;
            if !acl.permits_host(&name) {
                let message = format!(
                    "The credential's ACL does not permit the name `{name}`. Ask for a name it permits, or have \
                     `bind:{name}` added to it."
                );
                return Err(Error::new(Code::NameNotPermitted, message));
            }
            self.check_free(session, &name, scheme)?;
            return Ok(name);
        }
        let previous_name = previous.and_then(|previous| HostName::parse(previous).ok());
        if let Some(previous_name) =
            previous_name.filter(|name| acl.permits_host(name) && self.check_free(session, name, scheme).is_ok())
        {
            return Ok(previous_name);
        }
        for _ in 0..MAX_ATTEMPTS {
            let label = words::label();
            let below = |parent: &str| HostName::parse(&format!("{label}.{parent}")).ok();
            let name = below(self.settings.domain.as_str()).filter(|name| acl.permits_host(name));
            let name = name.or_else(|| acl.wildcards().filter_map(HostName::wildcard_parent).find_map(below));
            let Some(name) = name else {
                let message = "The credential's ACL permits certain names only. Ask for one of them by name.";
                return Err(Error::new(Code::NameNotPermitted, message));
            };
            if self.check_free(session, &name, scheme).is_ok() {
                return Ok(name);
            }
        }
        Err(Error::new(Code::Unavailable, "No free name was found. Ask for a name of your own."))
    }

    /// The full name: a bare label is a name below the server's domain.
    fn full_name(&self, requested: &str) -> Result<HostName, Error> {
        let requested = requested.trim();
        let bare = requested.strip_suffix('.').unwrap_or(requested);
        if bare.contains('.') || bare.is_empty() {
            HostName::parse(requested)
        } else {
            HostName::parse(&format!("{bare}.{}", self.settings.domain))
        }
    }

    fn check_free(&self, session: &Session, name: &HostName, scheme: Scheme) -> Result<(), Error> {
        if self.settings.own_names.contains(name) {
            let message = format!("The name `{name}` belongs to the server itself. Choose another one.");
            return Err(Error::new(Code::NameOfEdge, message));
        }
        let names = self.published.borrow().names.clone();
        if let Some(edge) = names.edges.get(name) {
            let message = format!("The name `{name}` belongs to the edge `{edge}`. Choose another one.");
            return Err(Error::new(Code::NameOfEdge, message));
        }
        if names.owner_of(name).is_some_and(|owner| owner != session.owner) {
            let message = format!(
                "The name `{name}` is reserved for another owner. Choose another one, or use a credential of that owner."
            );
            return Err(Error::new(Code::NameReserved, message));
        }
        self.reservations.check_name(session, name)?;
        for listener in [Scheme::Https, Scheme::Http] {
            let holder = self.names.holder(name, listener);
            let Some(holder) = holder.live() else { continue };
            if listener != scheme && holder.session.same_agent(session) {
                continue; // one agent may serve a name on both listeners
            }
            if holder.session.yields_to(session) {
                continue;
            }
            if holder.session.is_remote() && holder.session.same_agent(session) {
                continue; // an agent may serve a name at several nodes
            }
            let message = if holder.session.id == session.id {
                format!(
                    "The name `{name}` is in use by your own tunnel `{}`. Stop it first, or choose another name.",
                    holder.name
                )
            } else {
                format!("The name `{name}` is in use by another agent. Choose another name, or stop the tunnel there.")
            };
            return Err(Error::new(Code::NameTaken, message));
        }
        Ok(())
    }
}

/// The request with the address that was granted, as other nodes are told of it.
fn granted(bind: &Bind, host: Option<&HostName>, port: Option<u16>) -> Bind {
    let host = host.map(ToString::to_string);
    let what = match &bind.what {
        BindKind::Http { scheme, .. } => BindKind::Http { host, scheme: *scheme, previous: None },
        BindKind::Tls { terminate, .. } => BindKind::Tls { host, previous: None, terminate: *terminate },
        BindKind::Tcp { .. } => BindKind::Tcp { port, previous: None },
        BindKind::Labels { labels } => BindKind::Labels { labels: labels.clone() },
    };
    Bind { what, ..bind.clone() }
}

/// The grant of a name; its URL omits the default port of the scheme.
fn named(
    kind: TunnelKind,
    (scheme, port, standard): (&str, u16, u16),
    host: HostName,
    stages: Option<Box<Stages>>,
) -> BindGrant {
    let url = if port == standard { format!("{scheme}://{host}") } else { format!("{scheme}://{host}:{port}") };
    BindGrant { kind, host: Some(host), port: None, url: Some(url), labels: BTreeMap::new(), stages }
}

fn check_labels(acl: &Acl, labels: &BTreeMap<String, String>) -> Result<(), Error> {
    if labels.is_empty() {
        return Err(Error::new(Code::LabelMissing, "A labelled tunnel needs at least one label, such as `app=shop`."));
    }
    if labels.len() > MAX_LABELS {
        return Err(Error::new(
            Code::LabelCount,
            format!("A tunnel can have {MAX_LABELS} labels; this one has {}.", labels.len()),
        ));
    }
    for (key, value) in labels {
        if key.is_empty() || key.len() > MAX_LABEL_BYTES || key.contains('=') {
            let message = format!("A label's key has 1 to {MAX_LABEL_BYTES} bytes and no `=`.");
            return Err(Error::new(Code::LabelKey, message));
        }
        if value.len() > MAX_LABEL_BYTES || value.contains('=') {
            let message = format!("The value of label `{key}` has at most {MAX_LABEL_BYTES} bytes and no `=`.");
            return Err(Error::new(Code::LabelValue, message));
        }
        if !acl.permits_label(key, value) {
            let message = format!("The credential's ACL does not permit the label `{key}={value}`.");
            return Err(Error::new(Code::LabelNotPermitted, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::acl::AclRule;

    #[test]
    fn every_label_must_be_permitted() {
        let acl = Acl::new(vec![AclRule::parse("bind:app=*").expect("a rule")]);
        let labels = |list: &[(&str, &str)]| list.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let code = |list: &[(&str, &str)]| check_labels(&acl, &labels(list)).map_err(|error| error.code);
        assert_eq!(code(&[("app", "shop")]), Ok(()));
        assert_eq!(code(&[("app", "shop"), ("zone", "a")]), Err(Code::LabelNotPermitted));
        assert_eq!(code(&[]), Err(Code::LabelMissing));
        assert_eq!(code(&[("", "x")]), Err(Code::LabelKey));
        assert_eq!(code(&[("app", "a=b")]), Err(Code::LabelValue));
    }
}
