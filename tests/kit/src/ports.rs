//! Free TCP ports of this machine.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

/// A loopback address without a listener.
pub fn unused_address() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|free| free.local_addr()).expect("a free port")
}

/// A free port.
pub fn free_tcp_port() -> u16 {
    unused_address().port()
}

/// A range of free ports, below the ephemeral ports so that no connection of a test uses one by chance.
pub fn free_tcp_ports(count: u16) -> (u16, u16) {
    for _ in 0..200 {
        let first = rand::random_range(10_000..32_000 - count);
        let free = (first..first + count).all(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok());
        if free {
            return (first, first + count - 1);
        }
    }
    panic!("no {count} consecutive free ports");
}
