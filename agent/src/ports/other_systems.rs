//! Listening sockets on systems without `/proc`.

use super::FoundSocket;
use listeners::{Protocol, SocketState};
use std::net::SocketAddr;

/// Unknown: the list would be read with the processes of all sockets, which takes long.
pub(super) fn listening() -> Option<Vec<SocketAddr>> {
    None
}

pub(super) fn all() -> Vec<FoundSocket> {
    let listening = listeners::get_all().unwrap_or_default();
    let of_tcp = listening.into_iter().filter(|one| one.protocol == Protocol::TCP && one.state == SocketState::Listen);
    of_tcp
        .map(|one| FoundSocket {
            address: Some(one.socket),
            // A process has a port only once at a time.
            socket: u64::from(one.process.pid),
            pid: Some(one.process.pid),
            words: vec![one.process.path],
            process: Some(one.process.name),
        })
        .collect()
}
