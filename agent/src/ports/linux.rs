//! Listening sockets from `/proc`. Those of other users are included, without their processes' names.

use super::FoundSocket;
use procfs::{
    net::{TcpNetEntry, TcpState, tcp, tcp6},
    process::{FDTarget, Process, all_processes},
};
use std::{collections::HashMap, net::SocketAddr};

/// The addresses of listening sockets; `None` if they cannot be read.
pub(super) fn listening() -> Option<Vec<SocketAddr>> {
    let mut entries = tcp().ok()?;
    // A system without IPv6 has no such list.
    entries.extend(tcp6().unwrap_or_default());
    let listening = entries.into_iter().filter(|entry| entry.state == TcpState::Listen);
    Some(listening.map(|entry| entry.local_address).collect())
}

pub(super) fn all() -> Vec<FoundSocket> {
    let entries = [tcp(), tcp6()].into_iter().flat_map(Result::unwrap_or_default);
    let listening: Vec<TcpNetEntry> = entries.filter(|entry| entry.state == TcpState::Listen).collect();
    let mut owners: HashMap<u64, Option<i32>> = listening.iter().map(|entry| (entry.inode, None)).collect();
    for process in all_processes().into_iter().flatten().flatten() {
        // The sockets of other users' processes cannot be read.
        for descriptor in process.fd().into_iter().flatten().flatten() {
            if let FDTarget::Socket(inode) = descriptor.target
                && let Some(owner) = owners.get_mut(&inode)
            {
                // Of several processes that share a socket the first is the parent: process ids grow.
                *owner = Some(owner.map_or(process.pid, |known| known.min(process.pid)));
            }
        }
    }
    listening
        .into_iter()
        .map(|entry| {
            let pid = owners.get(&entry.inode).copied().flatten();
            let process = pid.and_then(|pid| Process::new(pid).ok());
            FoundSocket {
                address: Some(entry.local_address),
                socket: entry.inode,
                pid: pid.and_then(|pid| u32::try_from(pid).ok()),
                process: process.as_ref().and_then(|process| Some(process.stat().ok()?.comm)),
                words: process.and_then(|process| process.cmdline().ok()).unwrap_or_default(),
            }
        })
        .collect()
}
