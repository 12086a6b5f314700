//! URLs of receivers, and the addresses that the server connects to on their behalf.

use postern_api::{Code, Error, Result, resource::DESTINATION_URL_LIMIT};
use std::net::{IpAddr, Ipv4Addr};
use url::{Host, Url};

/// Reads the URL of a receiver.
///
/// # Errors
/// `DestinationUrlInvalid` for a text that is no such URL, or has an address that the server does not connect to.
pub(crate) fn parse(text: &str) -> Result<Url> {
    let refuse = |reason: &str| {
        let sentence = format!("The URL {reason}.");
        Err(Error::new(Code::DestinationUrlInvalid, sentence).with("field", "url"))
    };
    if text.len() > DESTINATION_URL_LIMIT {
        return refuse(&format!("is longer than {DESTINATION_URL_LIMIT} bytes"));
    }
    let Ok(url) = Url::parse(text) else { return refuse("cannot be read. Write `https://`, a host and a path") };
    if !matches!(url.scheme(), "http" | "https") {
        return refuse("must begin with `https://` or `http://`");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("must not contain a user name or a password. Receivers check the signature instead");
    }
    if url.fragment().is_some() {
        return refuse("must not contain a fragment");
    }
    let address = match url.host() {
        Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
        Some(Host::Domain(_)) => None,
        None => return refuse("has no host"),
    };
    match address.map(|address| check_address(address, is_plain(&url))) {
        Some(Err(reason)) => refuse(&format!("has an address that is not connected to: {reason}")),
        _ => Ok(url),
    }
}

/// Whether requests to a URL are not encrypted.
pub(crate) fn is_plain(url: &Url) -> bool {
    url.scheme() == "http"
}

/// Checks an address that a receiver's name may resolve to.
///
/// # Errors
/// Why the server does not connect to it: link-local addresses have services that trust this machine, such as the metadata
/// of cloud providers, and what is not encrypted stays in private networks.
pub(crate) fn check_address(address: IpAddr, is_plain: bool) -> std::result::Result<(), &'static str> {
    let address = address.to_canonical();
    let (is_link_local, is_private) = match address {
        IpAddr::V4(v4) => (v4.is_link_local(), v4.is_private() || is_shared(v4)),
        IpAddr::V6(v6) => (v6.is_unicast_link_local(), v6.is_unique_local()),
    };
    if is_link_local {
        return Err("it is link-local");
    }
    let is_unspecified = match address {
        IpAddr::V4(v4) => v4.octets()[0] == 0,
        IpAddr::V6(v6) => v6.is_unspecified(),
    };
    if is_unspecified || address.is_multicast() || address == IpAddr::V4(Ipv4Addr::BROADCAST) {
        return Err("it is not the address of one host");
    }
    if is_plain && !address.is_loopback() && !is_private {
        return Err("plain HTTP is for loopback and private addresses, so use `https`");
    }
    Ok(())
}

/// Addresses shared by the customers of a provider (RFC 6598), which overlay networks use.
fn is_shared(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    first == 100 && second & 0b1100_0000 == 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_receivers() {
        for valid in [
            "https://siem.test/in?tenant=1",
            "http://127.0.0.1:8080",
            "http://10.0.0.7/x",
            "http://[fd00::1]/",
            "https://203.0.113.7/",
            "http://receiver.internal/x",
            "http://100.100.1.1/",
        ] {
            assert!(parse(valid).is_ok(), "{valid}");
        }
        for wrong in [
            "",
            "x",
            "ftp://a.test/",
            "https://",
            "https://user@a.test/",
            "https://:pass@a.test/",
            "https://a.test/#x",
            "http://203.0.113.7/",
            "http://[2001:db8::1]/",
            "http://169.254.169.254/latest",
            "https://169.254.169.254/latest",
            "https://[::ffff:169.254.169.254]/",
            "http://2852039166/",
            "https://[fe80::1]/",
            "https://0.0.0.0/",
            "https://[::]/",
            "https://224.0.0.1/",
            "https://255.255.255.255/",
        ] {
            assert_eq!(parse(wrong).expect_err(wrong).code, Code::DestinationUrlInvalid);
        }
        assert!(parse(&format!("https://a.test/{}", "x".repeat(DESTINATION_URL_LIMIT))).is_err());
        let secret = parse("https://user:planted@a.test/").expect_err("a password");
        assert!(!secret.message.contains("planted"), "{}", secret.message);
    }
}
