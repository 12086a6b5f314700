//! The front end: accepts visitors on the HTTP and HTTPS ports, and serves their requests in phases.

mod connection;
mod connection_end;
mod error_pages;
mod http;
mod https;
mod login;
mod service;
mod target;
mod tls_destination;
mod upgrade;
mod visitor_connection;

pub(crate) use connection::{begin_and_serve, serve};
pub(crate) use http::serve_http;
pub(crate) use https::serve_https;
pub(crate) use service::EdgeState;
pub(crate) use tls_destination::TlsDestination;
pub(crate) use visitor_connection::{ConnectionResources, OverLimit, VisitorConnection};
