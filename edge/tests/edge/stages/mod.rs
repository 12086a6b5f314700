//! The stages of a route, each through real traffic.

mod circuit_breaker;
mod compression;
mod headers;
mod websocket;
