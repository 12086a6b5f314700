//! Valid headers, invalid headers and random bytes.

use super::*;
use proptest::prelude::*;

fn address(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

fn between(source: &str, destination: &str) -> ProxyHeader {
    ProxyHeader::Visitor { source: address(source), destination: address(destination) }
}

/// A version 2 header: command, family and protocol, rest.
fn binary(command: u8, family: u8, rest: &[u8]) -> Vec<u8> {
    let length = u16::try_from(rest.len()).expect("short");
    [b"\r\n\r\n\0\r\nQUIT\n", &[command, family][..], &length.to_be_bytes(), rest].concat()
}

const IPV4: [u8; 12] = [203, 0, 113, 9, 192, 0, 2, 1, 0x13, 0x88, 0x01, 0xbb];

#[test]
fn headers_of_both_versions_are_read() {
    let ipv6 = [&[0x20, 1, 0xd, 0xb8][..], &[0; 11], &[9], &[0; 15], &[1], &[0x13, 0x88, 0x01, 0xbb]].concat();
    let table: &[(&[u8], ProxyHeader)] = &[
        (b"PROXY TCP4 203.0.113.9 192.0.2.1 5000 443\r\n", between("203.0.113.9:5000", "192.0.2.1:443")),
        (b"PROXY TCP6 2001:db8::9 ::1 5000 443\r\n", between("[2001:db8::9]:5000", "[::1]:443")),
        (b"PROXY UNKNOWN\r\n", ProxyHeader::Proxy),
        (b"PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n", ProxyHeader::Proxy),
        (&binary(0x21, 0x11, &IPV4), between("203.0.113.9:5000", "192.0.2.1:443")),
        (&binary(0x21, 0x21, &ipv6), between("[2001:db8::9]:5000", "[::1]:443")),
        (&binary(0x21, 0x11, &[&IPV4[..], &[4, 0, 2, 9, 9]].concat()), between("203.0.113.9:5000", "192.0.2.1:443")),
        (&binary(0x20, 0x00, &[]), ProxyHeader::Proxy),
        (&binary(0x20, 0x11, &IPV4), ProxyHeader::Proxy),
        (&binary(0x21, 0x00, &[]), ProxyHeader::Proxy),
        (&binary(0x21, 0x31, &[7; 216]), ProxyHeader::Proxy),
    ];
    for (bytes, header) in table {
        let shown = String::from_utf8_lossy(bytes);
        assert_eq!(parse(bytes), Ok(HeaderParse::Complete(*header, bytes.len())), "{shown}");
        let more = [bytes, &b"GET / HTTP/1.1\r\n"[..]].concat();
        assert_eq!(parse(&more), Ok(HeaderParse::Complete(*header, bytes.len())), "{shown} and what follows");
        for cut in 0..bytes.len() {
            let Ok(HeaderParse::Incomplete(more)) = parse(&bytes[..cut]) else { panic!("{shown} cut at {cut}") };
            assert!((1..=bytes.len() - cut).contains(&more), "{shown} cut at {cut}: {more} would be too many");
        }
    }
}

#[test]
fn invalid_headers_are_refused() {
    let long_line = [b"PROXY UNKNOWN ".as_slice(), &[b'x'; 100], b"\r\n"].concat();
    let table: &[&[u8]] = &[
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01",
        b"\r\n\r\n\0\r\nQUIZ",
        b"PROXY\tTCP4",
        b"PROXY TCP4 203.0.113.9 192.0.2.1 5000 443\n",
        b"PROXY TCP4 203.0.113.9 192.0.2.1 5000 443\r\r\n",
        b"PROXY TCP4 203.0.113.9 192.0.2.1 5000 443 \r\n",
        b"PROXY TCP4 203.0.113.9 192.0.2.1 +5000 443\r\n",
        b"PROXY TCP4 203.0.113.9 192.0.2.1 05000 443\r\n",
        b"PROXY TCP4 203.0.113.9 192.0.2.1 65536 443\r\n",
        b"PROXY TCP4 203.0.113.9 192.0.2.1 5000\r\n",
        b"PROXY TCP4 203.0.113.999 192.0.2.1 5000 443\r\n",
        b"PROXY TCP4 203.0.113.09 192.0.2.1 5000 443\r\n",
        b"PROXY TCP4 2001:db8::9 ::1 5000 443\r\n",
        b"PROXY TCP6 203.0.113.9 192.0.2.1 5000 443\r\n",
        b"PROXY TCP4  203.0.113.9 192.0.2.1 5000 443\r\n",
        b"PROXY TCP4\r203.0.113.9 192.0.2.1 5000 443\r\n",
        b"PROXY UDP4 203.0.113.9 192.0.2.1 5000 443\r\n",
        b"PROXY \r\n",
        b"proxy TCP4 203.0.113.9 192.0.2.1 5000 443\r\n",
        &long_line,
        &binary(0x11, 0x11, &IPV4),
        &binary(0x22, 0x11, &IPV4),
        &binary(0x21, 0x12, &IPV4),
        &binary(0x21, 0x41, &IPV4),
        &binary(0x21, 0x13, &IPV4),
        &binary(0x21, 0x11, &IPV4[..11]),
        &binary(0x21, 0x21, &IPV4),
        &binary(0x21, 0x11, &[&IPV4[..], &[4, 0, 9, 1]].concat()),
        &binary(0x21, 0x11, &[&IPV4[..], &[4, 0]].concat()),
        &binary(0x21, 0x11, &[0; 5000]),
    ];
    for bytes in table {
        assert_eq!(parse(bytes), Err(MalformedProxyHeader), "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_header_contains_the_known_addresses() {
    let written = |source, destination: Option<&str>| {
        let header = encode(ProxyVersion::V1, address(source), destination.map(address));
        String::from_utf8(header).expect("text")
    };
    for (source, destination, expected) in [
        ("203.0.113.9:5000", Some("192.0.2.1:443"), "PROXY TCP4 203.0.113.9 192.0.2.1 5000 443\r\n"),
        ("[2001:db8::9]:5000", Some("[::1]:443"), "PROXY TCP6 2001:db8::9 ::1 5000 443\r\n"),
        ("[::ffff:203.0.113.9]:5000", Some("192.0.2.1:443"), "PROXY TCP4 203.0.113.9 192.0.2.1 5000 443\r\n"),
        ("203.0.113.9:5000", None, "PROXY TCP4 203.0.113.9 0.0.0.0 5000 0\r\n"),
        ("[2001:db8::9]:5000", None, "PROXY TCP6 2001:db8::9 :: 5000 0\r\n"),
        ("203.0.113.9:5000", Some("[2001:db8::1]:443"), "PROXY TCP6 ::ffff:203.0.113.9 2001:db8::1 5000 443\r\n"),
    ] {
        assert_eq!(written(source, destination), expected);
    }
}

fn any_address() -> impl Strategy<Value = SocketAddr> {
    (any::<IpAddr>(), any::<u16>()).prop_map(SocketAddr::from)
}

/// Bytes that begin like a header.
fn nearly() -> impl Strategy<Value = Vec<u8>> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..64);
    prop_oneof![
        bytes(),
        bytes().prop_map(|rest| [b"PROXY TCP4 ", &rest[..]].concat()),
        "PROXY (TCP4|TCP6|UNKNOWN) [0-9a-f.: ]{0,60}\r\n".prop_map(String::into_bytes),
        (any::<[u8; 4]>(), bytes()).prop_map(|(fixed, rest)| [v2::PROTOCOL_PREFIX, &fixed, &rest].concat()),
        (any::<u8>(), any::<u8>(), bytes()).prop_map(|(command, family, rest)| binary(command, family, &rest)),
    ]
}

proptest! {
    #[test]
    fn an_encoded_header_parses_to_the_same_addresses(source in any_address(), destination in any_address(), v2 in any::<bool>()) {
        let version = if v2 { ProxyVersion::V2 } else { ProxyVersion::V1 };
        let bytes = encode(version, source, Some(destination));
        let plain = |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        match parse(&bytes) {
            Ok(HeaderParse::Complete(ProxyHeader::Visitor { source: from, destination: to }, length)) => {
                prop_assert_eq!((plain(from), plain(to), length), (plain(source), plain(destination), bytes.len()));
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn the_result_does_not_depend_on_later_bytes(bytes in nearly(), more in prop::collection::vec(any::<u8>(), 0..40)) {
        let longer = [&bytes[..], &more[..]].concat();
        match parse(&bytes) {
            Ok(HeaderParse::Incomplete(missing)) => prop_assert!(missing > 0 && bytes.len() + missing <= MAX_HEADER_BYTES),
            result => prop_assert_eq!(parse(&longer), result),
        }
    }

    #[test]
    fn reading_the_needed_bytes_ends_at_the_end_of_the_header(bytes in nearly()) {
        let mut taken = 0;
        let result = loop {
            match parse(&bytes[..taken]) {
                Ok(HeaderParse::Incomplete(missing)) if taken + missing <= bytes.len() => taken += missing,
                result => break result,
            }
        };
        match (result, parse(&bytes)) {
            (Ok(HeaderParse::Complete(header, length)), whole) => {
                prop_assert_eq!(length, taken, "not a byte too many");
                prop_assert_eq!(whole, Ok(HeaderParse::Complete(header, length)));
            }
            (Err(_), whole) => prop_assert_eq!(whole, Err(MalformedProxyHeader)),
            (Ok(HeaderParse::Incomplete(_)), whole) => prop_assert!(!matches!(whole, Ok(HeaderParse::Complete(..)))),
        }
    }
}
