//! The agent against a server built from the server half of the tunnel crate.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

mod world;

#[path = "agent/capture.rs"]
mod capture;
#[cfg(target_os = "linux")]
#[path = "agent/capture_memory.rs"]
mod capture_memory;
#[path = "agent/configuration.rs"]
mod configuration;
#[path = "agent/contract.rs"]
mod contract;
#[path = "agent/endpoints.rs"]
mod endpoints;
#[path = "agent/export.rs"]
mod export;
#[path = "agent/http2.rs"]
mod http2;
#[path = "agent/local_api.rs"]
mod local_api;
#[path = "agent/openapi.rs"]
mod openapi;
#[path = "agent/server_path.rs"]
mod server_path;
#[path = "agent/session.rs"]
mod session;
#[path = "agent/tunnels.rs"]
mod tunnels;
#[path = "agent/visitors.rs"]
mod visitors;
