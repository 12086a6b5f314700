//! Noticing that the machine's network has changed: links, addresses, routes.

use std::{
    io,
    net::{IpAddr, SocketAddr, UdpSocket},
    time::Duration,
};

/// Changes come in bursts: an address, its route, the other family. They are told as one.
const BURST: Duration = Duration::from_millis(100);

/// Whether an address belongs to this machine: nothing can be bound to one that does not.
pub(super) fn is_ours(address: IpAddr) -> bool {
    match UdpSocket::bind(SocketAddr::new(address, 0)) {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::AddrNotAvailable,
    }
}

/// Says when the network has changed.
pub(super) struct NetworkWatch(system::Changes);

impl NetworkWatch {
    /// Begins to watch.
    ///
    /// # Errors
    /// Where the system does not say such things to this program, as in some sandboxes.
    pub(super) fn start() -> io::Result<Self> {
        system::Changes::watch().map(NetworkWatch)
    }

    /// Waits for the next change, and until it has calmed down.
    ///
    /// # Errors
    /// The system says nothing any more.
    pub(super) async fn changed(&mut self) -> io::Result<()> {
        self.0.next().await?;
        tokio::time::sleep(BURST).await;
        self.0.forget();
        Ok(())
    }
}

/// The kernel tells every process that asks about links, addresses and routes.
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

    /// A netlink socket in the clothes of another datagram socket: tokio waits for any of them in the same way.
    pub(super) struct Changes(UnixDatagram);

    impl Changes {
        pub(super) fn watch() -> io::Result<Self> {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
            bind(&socket, &SocketAddrNetlink::new(0, LINKS | ADDRESSES | ROUTES))?;
            Ok(Changes(UnixDatagram::from_std(Plain::from(socket))?))
        }

        pub(super) async fn next(&mut self) -> io::Result<()> {
            loop {
                self.0.readable().await?;
                match self.0.try_io(Interest::READABLE, || take(&self.0)) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    taken => return taken,
                }
            }
        }

        /// Takes what has come meanwhile.
        pub(super) fn forget(&mut self) {
            let mut left = 4096;
            while left > 0 && self.0.try_io(Interest::READABLE, || take(&self.0)).is_ok() {
                left -= 1;
            }
        }
    }

    /// One message, which is not looked at: that there is one is all there is to know.
    fn take(socket: &UnixDatagram) -> io::Result<()> {
        match recv(socket, &mut [0_u8; 16 * 1024], RecvFlags::empty()) {
            // More has happened than the kernel could keep.
            Ok(_) | Err(rustix::io::Errno::NOBUFS) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Elsewhere the address this machine would use towards the outside is looked at now and then.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::{
        io,
        net::{IpAddr, UdpSocket},
        time::Duration,
    };

    const LOOK: Duration = Duration::from_secs(2);
    /// Addresses for documentation: no packet is ever sent there.
    const OUTSIDE: [(&str, &str); 2] = [("0.0.0.0:0", "192.0.2.1:9"), ("[::]:0", "[2001:db8::1]:9")];

    pub(super) struct Changes([Option<IpAddr>; 2]);

    impl Changes {
        pub(super) fn watch() -> io::Result<Self> {
            Ok(Changes(sources()))
        }

        pub(super) async fn next(&mut self) -> io::Result<()> {
            loop {
                tokio::time::sleep(LOOK).await;
                let now = sources();
                if now != self.0 {
                    self.0 = now;
                    return Ok(());
                }
            }
        }

        pub(super) fn forget(&mut self) {
            self.0 = sources();
        }
    }

    /// The address that would be the sender's, in each family.
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
    fn own_addresses_are_told_from_others() {
        assert!(is_ours("127.0.0.1".parse().expect("an address")));
        assert!(!is_ours("192.0.2.77".parse().expect("an address")), "reserved for documentation");
    }

    #[tokio::test]
    async fn the_network_can_be_watched() {
        let mut watch = NetworkWatch::start().expect("the system lets every program watch");
        // Nothing is expected to change; it may, on a busy machine.
        let quiet = tokio::time::timeout(Duration::from_millis(20), watch.changed()).await;
        assert!(quiet.is_err() || quiet.is_ok_and(|changed| changed.is_ok()));
    }
}
