//! The stages of a route, each with real traffic.

mod answers;
mod circuit_breaker;
mod compression;
mod headers;
mod rate_limit;
mod websocket;
