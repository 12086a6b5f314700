//! Announces this node's sessions and tunnels on one link, and finds the tunnel of a stream that arrives there.

use crate::tunnels::{EndKind, OwnChange, OwnTunnels, Session, Tunnel, TunnelRegistry};
use postern_tunnel::{
    AgentSession,
    node_link::{AnnouncedSession, AnnouncedTunnel, Announcement},
};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::broadcast::error::RecvError, time::Instant};

/// Time in which streams of a tunnel that is gone may still arrive: the peer has opened them before it knew.
const GONE_TUNNEL_RETENTION: Duration = Duration::from_secs(5);
/// Tunnels that are gone and still found; beyond that, the oldest are forgotten.
const MAX_GONE_TUNNELS: usize = 1024;

/// What was announced on one link.
#[derive(Default)]
pub(super) struct Announcer(Mutex<Announced>);

#[derive(Default)]
struct Announced {
    last_number: u32,
    tunnels: HashMap<u32, Arc<Tunnel>>,
    /// The numbers of tunnels, by session and number there: two sessions of an agent may have one tunnel.
    numbers: HashMap<(String, u32), u32>,
    sessions: HashSet<String>,
    /// Tunnels that are gone, the oldest first.
    gone: VecDeque<GoneTunnel>,
}

struct GoneTunnel {
    at: Instant,
    number: u32,
    tunnel: Arc<Tunnel>,
}

impl Announcer {
    /// The tunnel with this number on the link.
    pub(super) fn tunnel(&self, number: u32) -> Option<Arc<Tunnel>> {
        self.announced().tunnels.get(&number).cloned()
    }

    /// The tunnel of a stream that arrives on the link. One that is gone is found for a while: if another session has taken
    /// its place, streams on the way go there.
    pub(super) fn tunnel_of_stream(&self, number: u32) -> Option<Arc<Tunnel>> {
        let announced = self.announced();
        let gone = || announced.gone.iter().rev().find(|gone| gone.number == number).map(|gone| &gone.tunnel);
        announced.tunnels.get(&number).or_else(gone).cloned()
    }

    /// Announces everything, and each change from then on.
    pub(super) async fn run(&self, link: &AgentSession, registry: &TunnelRegistry) {
        let mut is_complete = false;
        while let Some(mut own) = registry.own_tunnels() {
            for announcement in self.difference(&own) {
                link.announce(announcement).await;
            }
            if !is_complete {
                link.announce(Announcement::Complete).await;
                is_complete = true;
            }
            link.announce(Announcement::Reached { change: own.last_change }).await;
            loop {
                let change = tokio::select! {
                    change = own.changes.recv() => change,
                    () = self.forget_gone() => continue,
                };
                match change {
                    Ok((number, change)) => {
                        if let Some(announcement) = self.announcement_of(&change) {
                            link.announce(announcement).await;
                        }
                        if own.changes.is_empty() {
                            link.announce(Announcement::Reached { change: number }).await;
                        }
                    }
                    // Everything is compared again.
                    Err(RecvError::Lagged(_)) => break,
                    Err(RecvError::Closed) => return,
                }
            }
        }
    }

    /// What must be announced, so that the other node knows what is there now.
    fn difference(&self, own: &OwnTunnels) -> Vec<Announcement> {
        let tunnels: HashSet<(&str, u32)> = own.tunnels.iter().map(|tunnel| place(tunnel)).collect();
        let sessions: HashSet<&str> = own.sessions.iter().map(|session| session.id.as_str()).collect();
        let mut announced = self.announced();
        let gone: Vec<u32> = announced
            .tunnels
            .iter()
            .filter(|(_, tunnel)| !tunnels.contains(&place(tunnel)))
            .map(|(number, _)| *number)
            .collect();
        let mut difference = Vec::new();
        for number in gone {
            difference.extend(announced.tunnel_gone(number, EndKind::Unclean));
        }
        let ended: Vec<String> =
            announced.sessions.iter().filter(|id| !sessions.contains(id.as_str())).cloned().collect();
        difference.extend(ended.iter().filter_map(|session| announced.session_gone(session)));
        difference.extend(own.sessions.iter().map(|session| announced.session(session)));
        difference.extend(own.tunnels.iter().filter_map(|tunnel| announced.tunnel(tunnel)));
        difference.extend(own.is_draining.then_some(Announcement::Draining));
        difference
    }

    fn announcement_of(&self, change: &OwnChange) -> Option<Announcement> {
        let mut announced = self.announced();
        match change {
            OwnChange::Session(session) => Some(announced.session(session)),
            OwnChange::SessionGone(session) => announced.session_gone(&session.id),
            OwnChange::Tunnel(tunnel) => announced.tunnel(tunnel),
            OwnChange::TunnelGone { tunnel, end_kind } => {
                let number = announced.numbers.get(&key(tunnel)).copied()?;
                announced.tunnel_gone(number, *end_kind)
            }
            OwnChange::Draining => Some(Announcement::Draining),
        }
    }

    /// Forgets the tunnels that have been gone for long enough, as soon as there are some.
    async fn forget_gone(&self) {
        let first = self.announced().gone.front().map(|gone| gone.at);
        let Some(first) = first else { return std::future::pending().await };
        tokio::time::sleep_until(first + GONE_TUNNEL_RETENTION).await;
        self.announced().gone.retain(|gone| gone.at.elapsed() < GONE_TUNNEL_RETENTION);
    }

    fn announced(&self) -> MutexGuard<'_, Announced> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Session of a tunnel, and its number there.
fn place(tunnel: &Tunnel) -> (&str, u32) {
    (&tunnel.session.id, tunnel.number)
}

fn key(tunnel: &Tunnel) -> (String, u32) {
    (tunnel.session.id.clone(), tunnel.number)
}

impl Announced {
    fn session(&mut self, session: &Session) -> Announcement {
        self.sessions.insert(session.id.clone());
        Announcement::Session(Box::new(AnnouncedSession {
            id: session.id.clone(),
            credential: session.credential.clone(),
            credential_key: session.credential_key.clone(),
            owner: session.owner.clone(),
            instance: session.instance.clone(),
            agent_version: session.agent_version.clone(),
            os: session.os.clone(),
            metadata: session.metadata.clone(),
            remote_management: session.remote_management,
            address: session.peer,
            started_at: session.started_at.seconds(),
            draining: session.is_draining(),
            run: session.run.clone(),
            host: session.host.clone(),
        }))
    }

    fn session_gone(&mut self, session: &str) -> Option<Announcement> {
        self.sessions.remove(session).then(|| Announcement::SessionGone { session: session.to_owned() })
    }

    /// `None` if the tunnel is announced already.
    fn tunnel(&mut self, tunnel: &Arc<Tunnel>) -> Option<Announcement> {
        if self.numbers.contains_key(&key(tunnel)) {
            return None;
        }
        let bind = tunnel.announced.as_deref()?.clone();
        self.last_number = self.last_number.wrapping_add(1);
        let number = self.last_number;
        self.tunnels.insert(number, tunnel.clone());
        self.numbers.insert(key(tunnel), number);
        Some(Announcement::Tunnel(Box::new(AnnouncedTunnel {
            number,
            id: tunnel.id.clone(),
            session: tunnel.session.id.clone(),
            url: tunnel.url.clone(),
            started_at: tunnel.started_at.seconds(),
            notes: tunnel.upstream.accepts_notes(),
            request_notes: tunnel.upstream.accepts_request_notes(),
            bind,
        })))
    }

    fn tunnel_gone(&mut self, number: u32, end_kind: EndKind) -> Option<Announcement> {
        let tunnel = self.tunnels.remove(&number)?;
        self.numbers.remove(&key(&tunnel));
        if self.gone.len() >= MAX_GONE_TUNNELS {
            self.gone.pop_front();
        }
        self.gone.push_back(GoneTunnel { at: Instant::now(), number, tunnel });
        Some(Announcement::TunnelGone { number, away: end_kind == EndKind::Unclean })
    }
}
