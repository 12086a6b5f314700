//! Free TCP ports of this machine.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use tokio::net::TcpSocket;

/// A loopback port for a program that is restarted. A socket that never listens stays bound to it, so that between two
/// starts the kernel chooses it neither for a connection nor for a listener on any free port. A program that sets
/// `SO_REUSEADDR` can listen there.
#[derive(Debug)]
pub struct HeldPort(TcpSocket);

impl HeldPort {
    /// Holds a free port.
    pub fn free() -> HeldPort {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("an option of every socket");
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a free port");
        HeldPort(socket)
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.0.local_addr().expect("a bound socket")
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    #[test]
    fn a_held_port_is_for_listeners_that_reuse_addresses_alone() {
        let held = HeldPort::free();
        for _ in 0..2 {
            // The standard library sets `SO_REUSEADDR` for listeners.
            let listener = TcpListener::bind(held.address()).unwrap();
            let client = std::net::TcpStream::connect(held.address()).unwrap();
            assert_eq!(listener.accept().unwrap().1, client.local_addr().unwrap());
        }
        assert!(std::net::TcpStream::connect(held.address()).is_err(), "nothing listens between two starts");
        let connecting = TcpSocket::new_v4().unwrap();
        assert_eq!(connecting.bind(held.address()).unwrap_err().kind(), ErrorKind::AddrInUse);
    }
}
