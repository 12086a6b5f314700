//! Detects changes of the machine's network: links, addresses, routes.

use std::{
    io,
    net::{IpAddr, SocketAddr, UdpSocket},
    time::Duration,
};

/// Changes come in bursts (an address, its route, the other family); a burst within this time is reported once.
const BURST_SETTLE_TIME: Duration = Duration::from_millis(100);

/// Whether an address belongs to this machine: no socket can be bound to any other.
pub(super) fn is_local_address(address: IpAddr) -> bool {
    match UdpSocket::bind(SocketAddr::new(address, 0)) {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::AddrNotAvailable,
    }
}

/// Reports changes of the network.
pub(super) struct NetworkWatch(system::NetworkChanges);

impl NetworkWatch {
    /// Starts to watch.
    ///
    /// # Errors
    /// The system does not report network changes to this program, as in some sandboxes.
    pub(super) fn start() -> io::Result<Self> {
        system::NetworkChanges::watch().map(NetworkWatch)
    }

    /// Waits for the next change and for the end of its burst.
    ///
    /// # Errors
    /// The system no longer reports changes.
    pub(super) async fn changed(&mut self) -> io::Result<()> {
        self.0.next().await?;
        tokio::time::sleep(BURST_SETTLE_TIME).await;
        self.0.discard_pending();
        Ok(())
    }
}

/// The kernel notifies netlink subscribers of links, addresses and routes (rtnetlink(7)).
#[cfg(target_os = "linux")]
mod system {
    use rustix::net::{
        AddressFamily, RecvFlags, SocketFlags, SocketType, bind, netlink::SocketAddrNetlink, recv, socket_with,
    };
    use std::{io, os::unix::net::UnixDatagram as Plain};
    use tokio::{io::Interest, net::UnixDatagram};

    /// Protocol 0 of netlink is routing. Groups of `linux/rtnetlink.h`: links, addresses and routes of both families.
    const LINKS: u32 = 0x1;
    const ADDRESSES: u32 = 0x10 | 0x100;
    const ROUTES: u32 = 0x40 | 0x400;

    /// A netlink socket wrapped as a Unix datagram socket: tokio polls both in the same way.
    pub(super) struct NetworkChanges(UnixDatagram);

    impl NetworkChanges {
        pub(super) fn watch() -> io::Result<Self> {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
            bind(&socket, &SocketAddrNetlink::new(0, LINKS | ADDRESSES | ROUTES))?;
            Ok(NetworkChanges(UnixDatagram::from_std(Plain::from(socket))?))
        }

        pub(super) async fn next(&mut self) -> io::Result<()> {
            loop {
                self.0.readable().await?;
                match self.0.try_io(Interest::READABLE, || receive_one(&self.0)) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    received => return received,
                }
            }
        }

        /// Discards pending messages.
        pub(super) fn discard_pending(&mut self) {
            let mut left = 4096;
            while left > 0 && self.0.try_io(Interest::READABLE, || receive_one(&self.0)).is_ok() {
                left -= 1;
            }
        }
    }

    /// Receives one message; its content does not matter.
    fn receive_one(socket: &UnixDatagram) -> io::Result<()> {
        match recv(socket, &mut [0_u8; 16 * 1024], RecvFlags::empty()) {
            // The kernel dropped messages: there were changes.
            Ok(_) | Err(rustix::io::Errno::NOBUFS) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Other systems: the source addresses towards the internet are polled.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::{
        io,
        net::{IpAddr, UdpSocket},
        time::Duration,
    };

    const POLL_INTERVAL: Duration = Duration::from_secs(2);
    /// Addresses reserved for documentation: no packet is ever sent there.
    const OUTSIDE: [(&str, &str); 2] = [("0.0.0.0:0", "192.0.2.1:9"), ("[::]:0", "[2001:db8::1]:9")];

    pub(super) struct NetworkChanges([Option<IpAddr>; 2]);

    impl NetworkChanges {
        pub(super) fn watch() -> io::Result<Self> {
            Ok(NetworkChanges(sources()))
        }

        pub(super) async fn next(&mut self) -> io::Result<()> {
            loop {
                tokio::time::sleep(POLL_INTERVAL).await;
                let now = sources();
                if now != self.0 {
                    self.0 = now;
                    return Ok(());
                }
            }
        }

        pub(super) fn discard_pending(&mut self) {
            self.0 = sources();
        }
    }

    /// The source address towards the internet, in each family.
    fn sources() -> [Option<IpAddr>; 2] {
        OUTSIDE.map(|(any, outside)| {
            let socket = UdpSocket::bind(any).ok()?;
            socket.connect(outside).ok()?;
            socket.local_addr().ok().map(|address| address.ip())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_addresses_are_recognized() {
        assert!(is_local_address("127.0.0.1".parse().expect("an address")));
        assert!(!is_local_address("192.0.2.77".parse().expect("an address")), "reserved for documentation");
    }

    #[tokio::test]
    async fn network_changes_can_be_watched() {
        let mut watch = NetworkWatch::start().expect("the system lets every program watch");
        // A change is not expected, but a busy machine may have one.
        let quiet = tokio::time::timeout(Duration::from_millis(20), watch.changed()).await;
        assert!(quiet.is_err() || quiet.is_ok_and(|changed| changed.is_ok()));
    }
}
