//! Outgoing connections to the server: name resolution, proxies and TLS settings.

pub mod proxy;
pub mod resolver;
pub mod server_tls;
pub(crate) mod staggered_race;
