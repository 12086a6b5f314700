//! DNS lookups of the servers' names; the last addresses are kept for when a lookup fails.

use crate::{config::ServerAddress, net::resolver};
use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::time::timeout;

/// Maximum number of addresses tried for one name.
const MAX_ADDRESSES: usize = 8;

/// Looks names up and keeps the last result of each.
#[derive(Default)]
pub(super) struct AddressCache {
    addresses: Mutex<HashMap<ServerAddress, Vec<SocketAddr>>>,
}

impl AddressCache {
    /// The addresses of a server in the order of connection attempts. If the lookup fails or takes longer than half of
    /// `lookup_timeout`, the addresses of the last successful lookup are used.
    ///
    /// # Errors
    /// The lookup failed, and no earlier one succeeded.
    pub(super) async fn look_up(
        &self,
        server: &ServerAddress,
        resolvers: &[SocketAddr],
        lookup_timeout: Duration,
    ) -> io::Result<Vec<SocketAddr>> {
        let cached = self.addresses().get(server).cloned();
        let lookup_timeout = if cached.is_some() { lookup_timeout / 2 } else { lookup_timeout };
        let lookup = timeout(lookup_timeout, resolver::look_up(&server.host, server.port, resolvers)).await;
        let error = match lookup {
            Ok(Ok(found)) => {
                let addresses = interleave_families(found);
                if !addresses.is_empty() {
                    self.addresses().insert(server.clone(), addresses.clone());
                    return Ok(addresses);
                }
                io::Error::new(io::ErrorKind::NotFound, "it has no address")
            }
            Ok(Err(error)) => error,
            Err(_) => io::Error::new(io::ErrorKind::TimedOut, "the name server does not respond"),
        };
        cached.ok_or(error)
    }

    fn addresses(&self) -> std::sync::MutexGuard<'_, HashMap<ServerAddress, Vec<SocketAddr>>> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Interleaves both address families, beginning with the one the system prefers (RFC 8305, section 4), so that the
/// second attempt uses the other family.
fn interleave_families(found: impl IntoIterator<Item = SocketAddr>) -> Vec<SocketAddr> {
    let mut unique = Vec::new();
    for address in found {
        if !unique.contains(&address) {
            unique.push(address);
        }
    }
    let Some(first) = unique.first().map(SocketAddr::is_ipv6) else { return unique };
    let (preferred, others): (Vec<_>, Vec<_>) = unique.into_iter().partition(|address| address.is_ipv6() == first);
    let mut others = others.into_iter();
    let mut mixed = Vec::new();
    for address in preferred {
        mixed.push(address);
        mixed.extend(others.next());
    }
    mixed.extend(others);
    mixed.truncate(MAX_ADDRESSES);
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_interleaved() {
        let addresses = |texts: &[&str]| texts.iter().map(|text| text.parse().expect("an address")).collect::<Vec<_>>();
        let found = addresses(&["[::1]:1", "[::2]:1", "[::1]:1", "127.0.0.1:1", "127.0.0.2:1", "127.0.0.3:1"]);
        let mixed = addresses(&["[::1]:1", "127.0.0.1:1", "[::2]:1", "127.0.0.2:1", "127.0.0.3:1"]);
        assert_eq!(interleave_families(found), mixed);
        assert_eq!(interleave_families([]), []);
    }

    #[tokio::test]
    async fn the_last_addresses_are_used_if_a_lookup_fails() {
        let cache = AddressCache::default();
        let server = ServerAddress { host: "unknown.invalid".into(), port: 1 };
        let lookup_timeout = Duration::from_secs(10);
        cache.look_up(&server, &[], lookup_timeout).await.expect_err("no such name");
        let cached = vec!["127.0.0.1:1".parse().expect("an address")];
        cache.addresses().insert(server.clone(), cached.clone());
        assert_eq!(cache.look_up(&server, &[], lookup_timeout).await.expect("from the last time"), cached);
    }
}
