//! Rules of each module.

mod backend;
mod basic_auth;
mod circuit_breaker;
mod compression;
mod error_pages;
mod headers;
mod ip_restriction;
mod maintenance;
mod mutual_tls;
mod oauth;
mod oidc;
mod rate_limit;
mod redirect;
mod rewrite;
mod saml;
mod tls_termination;
mod user_agent_filter;
mod webhook_verification;
mod websocket_tcp_converter;
