//! Addresses of the servers' names; the last answer is kept for times without one.

use crate::{config::ServerAddress, net::resolver};
use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::time::timeout;

/// So many addresses of one name are tried.
const MOST: usize = 8;

/// Looks names up, and remembers.
#[derive(Default)]
pub(super) struct Names {
    known: Mutex<HashMap<ServerAddress, Vec<SocketAddr>>>,
}

impl Names {
    /// The addresses of a server in the order in which they are to be tried. If nobody answers within
    /// half of `patience`, or says there is none, the addresses of the last time have to do.
    ///
    /// # Errors
    /// There are none from the last time either.
    pub(super) async fn look_up(
        &self,
        server: &ServerAddress,
        resolvers: &[SocketAddr],
        patience: Duration,
    ) -> io::Result<Vec<SocketAddr>> {
        let known = self.known().get(server).cloned();
        let patience = if known.is_some() { patience / 2 } else { patience };
        let asked = timeout(patience, resolver::look_up(&server.host, server.port, resolvers)).await;
        let error = match asked {
            Ok(Ok(found)) => {
                let addresses = in_turns(found);
                if !addresses.is_empty() {
                    self.known().insert(server.clone(), addresses.clone());
                    return Ok(addresses);
                }
                io::Error::new(io::ErrorKind::NotFound, "it has no address")
            }
            Ok(Err(error)) => error,
            Err(_) => io::Error::new(io::ErrorKind::TimedOut, "the name server does not answer"),
        };
        known.ok_or(error)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<ServerAddress, Vec<SocketAddr>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Both families in turns, beginning with the one the system prefers: if one of them leads nowhere, the second try is
/// of the other.
fn in_turns(found: impl IntoIterator<Item = SocketAddr>) -> Vec<SocketAddr> {
    let mut seen = Vec::new();
    for address in found {
        if !seen.contains(&address) {
            seen.push(address);
        }
    }
    let Some(first) = seen.first().map(SocketAddr::is_ipv6) else { return seen };
    let (preferred, others): (Vec<_>, Vec<_>) = seen.into_iter().partition(|address| address.is_ipv6() == first);
    let mut others = others.into_iter();
    let mut mixed = Vec::new();
    for address in preferred {
        mixed.push(address);
        mixed.extend(others.next());
    }
    mixed.extend(others);
    mixed.truncate(MOST);
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns() {
        let addresses = |texts: &[&str]| texts.iter().map(|text| text.parse().expect("an address")).collect::<Vec<_>>();
        let found = addresses(&["[::1]:1", "[::2]:1", "[::1]:1", "127.0.0.1:1", "127.0.0.2:1", "127.0.0.3:1"]);
        let mixed = addresses(&["[::1]:1", "127.0.0.1:1", "[::2]:1", "127.0.0.2:1", "127.0.0.3:1"]);
        assert_eq!(in_turns(found), mixed);
        assert_eq!(in_turns([]), []);
    }

    #[tokio::test]
    async fn an_answer_is_kept_for_times_without_one() {
        let names = Names::default();
        let server = ServerAddress { host: "nobody.invalid".into(), port: 1 };
        let patience = Duration::from_secs(10);
        names.look_up(&server, &[], patience).await.expect_err("no such name");
        let known = vec!["127.0.0.1:1".parse().expect("an address")];
        names.known().insert(server.clone(), known.clone());
        assert_eq!(names.look_up(&server, &[], patience).await.expect("from the last time"), known);
    }
}
