//! The session between agent and edge.
//!
//! [`proto`] is the wire protocol as bytes and values, without sockets or clocks. [`io`] drives it with tokio over any
//! [`Transport`], usually TLS with the ALPN protocol id [`ALPN`].
//!
//! A session consists of one control connection (a handshake, then yamux) and a pool of idle data connections that the
//! agent keeps open. Each visitor's stream leases a data connection; while many are leased, streams of HTTP share some
//! as long as their messages are small; when none is idle, a stream becomes a yamux stream on the control connection, so
//! that no visitor waits for a dial.

/// Checks of the fuzz targets and the replay of their corpora; compiled for tests and fuzzing only.
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod io;
pub mod proto;

pub use io::{
    accept::{AcceptError, Accepted, AgentHandshake, accept},
    agent::{AgentSession, ConnectError, connect, connect_node},
    dial::Dial,
    forward::forward,
    incoming::{Incoming, IncomingEvent, IncomingStream},
    relay::{RelayEnd, RelayPeer, Tap, relay, relay_tapped},
    server::{AdoptError, DataConnection, OpenError, PoolCounts, ServerEvent, ServerEvents, ServerSession},
    session_end::{EndReason, SessionEnd},
    sockets,
    stream::{StreamRefused, TunnelStream},
    stream_metadata::StreamMetadata,
    tls,
    tls::TlsStream,
    transport::{BoxedTransport, Transport},
    visitor_counts::CountedVisitor,
};
pub use postern_api::backoff;
pub use proto::{
    agent_host::AgentHost,
    bind_modules::BindModules,
    message, node_link,
    pool_sizing::PoolLimits,
    proxy, request_note,
    stream_start::{StreamKind, StreamStart},
};

/// ALPN protocol id (RFC 7301) that agents offer in the TLS handshake.
pub const ALPN: &[u8] = b"postern/1";

/// ALPN protocol id of the links between nodes.
pub const NODE_ALPN: &[u8] = b"postern-node/1";
