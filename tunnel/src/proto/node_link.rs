//! Messages on the link between two nodes of a cluster, beside those of every session.
//!
//! A link is a session in which the node that dialled plays the agent. It announces the sessions of its own agents and
//! their tunnels; the other node opens streams to these tunnels. Unknown kinds are ignored, as unknown messages are.

use super::{agent_host::AgentHost, message::Bind};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// From the node that dialled the link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Announcement {
    /// An agent has connected, or its session has changed.
    Session(Box<AnnouncedSession>),
    /// The session of an agent has ended, after its tunnels.
    SessionGone {
        /// Session id.
        session: String,
    },
    /// An agent has bound a tunnel.
    Tunnel(Box<AnnouncedTunnel>),
    /// A tunnel is gone.
    TunnelGone {
        /// Tunnel number on this link.
        number: u32,
        /// Whether its agent is expected to come back.
        #[serde(default)]
        away: bool,
    },
    /// Everything that was there when the link began has been announced.
    Complete,
    /// All changes of its agents up to this one have been announced. The other node sends [`LinkCommand::Followed`].
    Reached {
        /// Number of the change; numbers only grow while the link is up.
        change: u64,
    },
    /// The node is about to stop: its tunnels are still served, and others are preferred.
    Draining,
    /// The node has applied the configuration of this revision.
    Applied {
        /// Revision.
        revision: u64,
    },
    /// Part of the answer to a [`LinkCommand::Question`]; the parts of one answer come in order.
    Answer {
        /// Number of the question.
        number: u64,
        /// Text of the part. An answer without any text says that the question was not understood.
        part: String,
        /// Whether another part follows.
        #[serde(default)]
        more: bool,
    },
    /// A kind that this build does not know; it is ignored.
    #[serde(other)]
    Unknown,
}

/// The session of an agent at the announcing node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnouncedSession {
    /// Session id, `ts_…`.
    pub id: String,
    /// Id of the agent's credential.
    pub credential: String,
    /// The part of its authtoken that names the credential.
    pub credential_key: String,
    /// Owner of the credential.
    pub owner: String,
    /// Id of the agent instance.
    #[serde(default)]
    pub instance: String,
    /// Version of the agent's software.
    #[serde(default)]
    pub agent_version: String,
    /// Operating system and architecture of the agent.
    #[serde(default)]
    pub os: String,
    /// Free text of the agent's user.
    #[serde(default)]
    pub metadata: String,
    /// Whether the agent may be stopped and restarted through the management API.
    #[serde(default)]
    pub remote_management: bool,
    /// Address of the agent.
    pub address: SocketAddr,
    /// When the session began, in seconds since 1970.
    pub started_at: i64,
    /// Whether its agent lets it go in peace.
    #[serde(default)]
    pub draining: bool,
    /// Random for each start of the agent.
    #[serde(default)]
    pub run: String,
    /// The machine that the agent runs on, if it has told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<AgentHost>,
}

/// A tunnel of an agent at the announcing node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnnouncedTunnel {
    /// Tunnel number on this link, in [`StreamStart`](super::stream_start::StreamStart).
    pub number: u32,
    /// Tunnel id, `tn_…`.
    pub id: String,
    /// Id of the session that carries it, announced before.
    pub session: String,
    /// Public URL; `None` for a tunnel with labels.
    #[serde(default)]
    pub url: Option<String>,
    /// When it was bound, in seconds since 1970.
    pub started_at: i64,
    /// Whether the agent takes notes about the requests on a stream.
    #[serde(default)]
    pub notes: bool,
    /// Whether the agent takes notes about single requests on streams of HTTP/2.
    #[serde(default)]
    pub request_notes: bool,
    /// The agent's request, with the address that was granted.
    pub bind: Bind,
}

/// To the node that dialled the link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LinkCommand {
    /// The node has applied the configuration of this revision.
    Applied {
        /// Revision.
        revision: u64,
    },
    /// What was announced up to this change is in force at the node.
    Followed {
        /// Number of the change, from [`Announcement::Reached`].
        change: u64,
    },
    /// Asks the node something; it sends an [`Announcement::Answer`].
    Question {
        /// Number of the question on this link.
        number: u64,
        /// The question as JSON.
        question: String,
    },
    /// A kind that this build does not know; it is ignored.
    #[serde(other)]
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{
        codec::{Decoder, Message, encode},
        message::{AppProtocol, BindKind, FromAgent, FromServer, Scheme},
    };
    use proptest::prelude::*;
    use std::net::IpAddr;

    fn read<M: Message>(bytes: &[u8]) -> Option<M> {
        Decoder::default().read(bytes).expect("a message").1
    }

    fn decoded<M: Message>(json: &str) -> Option<M> {
        read(&[&(json.len() as u32).to_be_bytes(), json.as_bytes()].concat())
    }

    fn address() -> impl Strategy<Value = BindKind> {
        prop_oneof![
            (".{1,40}", any::<bool>()).prop_map(|(host, plain)| {
                let scheme = if plain { Scheme::Http } else { Scheme::Https };
                BindKind::Http { host: Some(host), scheme, previous: None }
            }),
            (".{1,40}", any::<bool>())
                .prop_map(|(host, terminate)| { BindKind::Tls { host: Some(host), previous: None, terminate } }),
            any::<u16>().prop_map(|port| BindKind::Tcp { port: Some(port), previous: None }),
            prop::collection::btree_map(".{1,9}", ".{0,9}", 0..4).prop_map(|labels| BindKind::Labels { labels }),
        ]
    }

    fn announcement() -> impl Strategy<Value = Announcement> {
        let session = (".{0,20}", any::<(IpAddr, u16)>(), any::<i64>(), any::<(bool, bool)>());
        let tunnel = (address(), any::<u32>(), any::<i64>(), any::<(bool, bool)>(), prop::option::of(".{0,20}"));
        prop_oneof![
            session.prop_map(|(text, (ip, port), started_at, (remote_management, draining))| {
                Announcement::Session(Box::new(AnnouncedSession {
                    id: text.clone(),
                    credential: text.clone(),
                    credential_key: text.clone(),
                    owner: text.clone(),
                    instance: text.clone(),
                    agent_version: text.clone(),
                    os: text.clone(),
                    metadata: text,
                    remote_management,
                    address: SocketAddr::new(ip, port),
                    started_at,
                    draining,
                    run: String::new(),
                    host: None,
                }))
            }),
            tunnel.prop_map(|(what, number, started_at, (notes, request_notes), url)| {
                let bind = Bind {
                    request: 0,
                    name: "web".into(),
                    what,
                    forwards_to: String::new(),
                    metadata: String::new(),
                    inspect: notes,
                    app_protocol: AppProtocol::Http2,
                    per_visitor: request_notes,
                    modules: None,
                };
                let (id, session) = ("tn_1".into(), "ts_1".into());
                let tunnel = AnnouncedTunnel { number, id, session, url, started_at, notes, request_notes, bind };
                Announcement::Tunnel(Box::new(tunnel))
            }),
            any::<(u32, bool)>().prop_map(|(number, away)| Announcement::TunnelGone { number, away }),
            any::<u64>().prop_map(|revision| Announcement::Applied { revision }),
            (any::<u64>(), ".{0,40}", any::<bool>()).prop_map(|(number, part, more)| Announcement::Answer {
                number,
                part,
                more
            }),
            any::<u64>().prop_map(|change| Announcement::Reached { change }),
            Just(Announcement::Complete),
        ]
    }

    proptest! {
        #[test]
        fn announcements_are_read_as_they_were_written(announcement in announcement()) {
            let message = FromAgent::Announce { announcement };
            prop_assert_eq!(read(&encode(&message).expect("short")), Some(message));
        }

        #[test]
        fn commands_are_read_as_they_were_written(question in ".{0,40}", number: u64) {
            for command in [
                LinkCommand::Applied { revision: number },
                LinkCommand::Followed { change: number },
                LinkCommand::Question { number, question },
            ] {
                let message = FromServer::Command { command };
                prop_assert_eq!(read(&encode(&message).expect("short")), Some(message));
            }
        }
    }

    #[test]
    fn kinds_and_fields_of_tomorrow_are_ignored() {
        let announced = |json| match decoded(json) {
            Some(FromAgent::Announce { announcement }) => announcement,
            other => panic!("{other:?}"),
        };
        let unknown = r#"{"type":"announce","announcement":{"kind":"of_tomorrow","x":[1]}}"#;
        assert_eq!(announced(unknown), Announcement::Unknown);
        let more = r#"{"type":"announce","announcement":{"kind":"tunnel_gone","number":3,"x":1}}"#;
        assert_eq!(announced(more), Announcement::TunnelGone { number: 3, away: false });
        let unknown = r#"{"type":"command","command":{"kind":"of_tomorrow"}}"#;
        assert_eq!(decoded(unknown), Some(FromServer::Command { command: LinkCommand::Unknown }));
    }
}
