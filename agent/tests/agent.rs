//! The agent against a server built from the server half of the tunnel crate.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

mod world;

#[path = "agent/capture.rs"]
mod capture;
#[path = "agent/configuration.rs"]
mod configuration;
#[path = "agent/contract.rs"]
mod contract;
#[path = "agent/endpoints.rs"]
mod endpoints;
#[path = "agent/export.rs"]
mod export;
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
