//! End-to-end tests of the edge: a real one, over loopback.
#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

mod draining;
mod edges;
mod h2c;
mod http;
mod http2_conformance;
mod kit;
mod limits;
mod links;
mod loops;
mod messages;
mod mutual_tls;
mod proxies;
mod restrictions;
mod sessions;
mod smuggling;
mod stages;
mod tcp;
mod upstream_connections;
mod watch;
mod webhooks;
