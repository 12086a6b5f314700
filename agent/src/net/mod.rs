//! Outgoing connections to the server: name resolution, proxies and TLS settings.

pub mod proxy;
pub(crate) mod race;
pub mod resolver;
pub mod server_tls;
