//! Specifications: what Postern promises, shown with the real programs.

#![allow(clippy::unwrap_used, reason = "a specification fails where it must not go on")]

mod acl;
mod acme;
mod api_command;
mod beginning;
mod bulk;
mod certificates;
mod console;
mod crowds;
mod diagnosis;
mod draining;
mod durability;
mod first_start;
mod inspection;
mod keys;
mod local_api_guards;
mod local_service;
mod local_targets;
mod management;
mod protocols;
mod publishing;
mod reasons;
mod reconnect;
mod recovery;
mod refused_sessions;
mod reload;
mod reservations;
mod restrictions;
mod rights;
mod secrets;
mod server_start;
mod service;
mod silence;
mod ssh_certificates;
mod stages;
mod tcp_edges;
mod tcp_tunnels;
mod tls;
mod tls_tunnels;
mod traffic;
mod tunnel_modules;
mod views;
mod visitor_addresses;
mod watching;
mod webhooks;
