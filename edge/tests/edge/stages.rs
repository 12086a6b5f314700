//! The stages of a route, each with real traffic.

mod circuit_breaker;
mod compression;
mod headers;
mod websocket;
