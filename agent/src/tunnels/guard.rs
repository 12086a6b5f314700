//! Addresses that no tunnel or replay may lead to: the agent's own listener, and the metadata services of clouds.
//!
//! Resolved addresses are checked, at the start of a tunnel and at every connection, so that no spelling and no DNS
//! change bypasses the check.

use arc_swap::ArcSwap;
use postern_api::{Code, Error};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// Checks the targets of tunnels.
#[derive(Default)]
pub struct Guard {
    own: ArcSwap<Vec<SocketAddr>>,
    metadata_allowed: AtomicBool,
}

impl Guard {
    /// Sets the addresses on which the agent listens.
    pub fn set_own(&self, addresses: Vec<SocketAddr>) {
        self.own.store(Arc::new(addresses));
    }

    /// Allows tunnels to the metadata services of clouds.
    pub fn allow_metadata(&self, allowed: bool) {
        self.metadata_allowed.store(allowed, Relaxed);
    }

    /// Checks one resolved address.
    ///
    /// # Errors
    /// `OwnListener`, or `AddressFormat` for a metadata service.
    pub fn check(&self, target: SocketAddr) -> Result<(), Error> {
        let ip = target.ip().to_canonical();
        if self.own.load().iter().any(|own| own.port() == target.port() && reaches(ip, own.ip().to_canonical())) {
            return Err(Error::new(
                Code::OwnListener,
                format!(
                    "`{target}` is the address where this agent itself listens, so it cannot be published. Give the address of your service."
                ),
            ));
        }
        if is_metadata(ip) && !self.metadata_allowed.load(Relaxed) {
            return Err(Error::new(
                Code::AddressFormat,
                format!(
                    "`{target}` is the metadata service of a cloud, which gives out credentials. To publish it anyway, set `allow_metadata_addresses: true`."
                ),
            ));
        }
        Ok(())
    }
}

/// Whether a connection to `target` reaches a listener on `own`, given equal ports.
fn reaches(target: IpAddr, own: IpAddr) -> bool {
    // The unspecified address means this machine; other loopback addresses are refused too, because the difference is
    // never intended.
    target == own || target.is_unspecified() || target.is_loopback() || (own.is_unspecified() && is_local(target))
}

/// Whether an address belongs to this machine: a socket can be bound only to such an address.
fn is_local(address: IpAddr) -> bool {
    UdpSocket::bind((address, 0)).is_ok()
}

fn is_metadata(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let known =
                [Ipv4Addr::new(169, 254, 169, 254), Ipv4Addr::new(169, 254, 170, 2), Ipv4Addr::new(100, 100, 100, 200)];
            known.contains(&address)
        }
        IpAddr::V6(address) => address == Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(own: &str) -> Guard {
        let guard = Guard::default();
        guard.set_own(vec![own.parse().expect("an address")]);
        guard
    }

    #[test]
    fn the_own_listener_is_refused_in_every_spelling() {
        let guard = guard("127.0.0.1:4040");
        for target in [
            "127.0.0.1:4040",
            "127.0.0.2:4040",
            "127.255.255.254:4040",
            "0.0.0.0:4040",
            "[::1]:4040",
            "[::]:4040",
            "[::ffff:127.0.0.1]:4040",
            "[::ffff:0.0.0.0]:4040",
        ] {
            let error = guard.check(target.parse().expect(target)).expect_err(target);
            assert_eq!(error.code, Code::OwnListener, "{target}");
        }
        for target in ["127.0.0.1:4041", "192.0.2.1:4040", "[2001:db8::1]:4040"] {
            assert!(guard.check(target.parse().expect(target)).is_ok(), "{target}");
        }
    }

    #[test]
    fn a_listener_on_all_addresses_is_refused_over_each_of_them() {
        let guard = guard("0.0.0.0:4040");
        assert!(guard.check("127.0.0.1:4040".parse().expect("valid")).is_err());
        assert!(guard.check("192.0.2.1:4040".parse().expect("valid")).is_ok(), "not an address of this machine");
    }

    #[test]
    fn metadata_services_must_be_allowed_explicitly() {
        let guard = Guard::default();
        for target in ["169.254.169.254:80", "[::ffff:169.254.169.254]:80", "[fd00:ec2::254]:80"] {
            assert!(guard.check(target.parse().expect(target)).is_err(), "{target}");
        }
        guard.allow_metadata(true);
        assert!(guard.check("169.254.169.254:80".parse().expect("valid")).is_ok());
    }
}
