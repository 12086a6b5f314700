//! Small databases of places of addresses, in the MaxMind DB format, version 2.0.

use std::net::IpAddr;

/// The line between search tree and metadata.
const MARKER: &[u8] = b"\xab\xcd\xefMaxMind.com";
/// The separator between search tree and data.
const SEPARATOR: [u8; 16] = [0; 16];

/// What a database says about a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<'a> {
    country: Option<&'a str>,
    continent: Option<&'a str>,
    city: Option<&'a str>,
    asn: Option<u32>,
}

impl<'a> Place<'a> {
    /// A country and a continent by their codes.
    pub fn of(country: &'a str, continent: &'a str) -> Self {
        Place { country: Some(country), continent: Some(continent), ..Place::default() }
    }

    /// Also the English name of the city.
    pub fn city(self, name: &'a str) -> Self {
        Place { city: Some(name), ..self }
    }

    /// Also the number of the autonomous system.
    pub fn asn(self, number: u32) -> Self {
        Place { asn: Some(number), ..self }
    }

    fn record(&self) -> Vec<u8> {
        let mut members = Vec::new();
        if let Some(city) = self.city {
            members.push(("city", map(&[("names", map(&[("en", text(city))]))])));
        }
        if let Some(continent) = self.continent {
            members.push(("continent", map(&[("code", text(continent))])));
        }
        if let Some(country) = self.country {
            members.push(("country", map(&[("iso_code", text(country))])));
        }
        if let Some(asn) = self.asn {
            members.push(("autonomous_system_number", number(6, asn)));
        }
        map(&members)
    }
}

/// A child of a node of the search tree.
#[derive(Clone, Copy)]
enum Child {
    Nothing,
    Node(usize),
    Record(usize),
}

/// A database of these networks, in CIDR notation. Of networks that overlap, the later ones count.
pub fn database(networks: &[(&str, Place<'_>)]) -> Vec<u8> {
    let (mut nodes, mut data) = (vec![[Child::Nothing; 2]], Vec::new());
    for (cidr, place) in networks {
        let record = data.len();
        data.extend(place.record());
        insert(&mut nodes, cidr, record);
    }
    let count = nodes.len();
    let mut bytes = Vec::new();
    for child in nodes.iter().flatten() {
        let value = match child {
            Child::Nothing => count,
            Child::Node(node) => *node,
            Child::Record(offset) => count + SEPARATOR.len() + offset,
        };
        bytes.extend(&u32::try_from(value).unwrap().to_be_bytes()[1..]);
    }
    bytes.extend(SEPARATOR);
    bytes.extend(data);
    bytes.extend(MARKER);
    bytes.extend(map(&[
        ("binary_format_major_version", number(5, 2)),
        ("binary_format_minor_version", number(5, 0)),
        ("build_epoch", number(9, 1_700_000_000)),
        ("database_type", text("Test")),
        ("description", map(&[("en", text("Test"))])),
        ("ip_version", number(5, 6)),
        // An array without elements: the type of an array is 4 beyond the types of one byte.
        ("languages", vec![0, 4]),
        ("node_count", number(6, u32::try_from(count).unwrap())),
        ("record_size", number(5, 24)),
    ]));
    bytes
}

/// Adds a network. IPv4 is in the first 96 bits of zeros, where readers look for it.
fn insert(nodes: &mut Vec<[Child; 2]>, cidr: &str, record: usize) {
    let (address, length) = cidr.split_once('/').unwrap();
    let length: usize = length.parse().unwrap();
    let (bits, length) = match address.parse().unwrap() {
        IpAddr::V4(address) => (u128::from(u32::from(address)), length + 96),
        IpAddr::V6(address) => (u128::from(address), length),
    };
    let mut node = 0;
    for depth in 0..length {
        let side = usize::from(bits >> (127 - depth) & 1 == 1);
        if depth + 1 == length {
            nodes[node][side] = Child::Record(record);
            return;
        }
        node = match nodes[node][side] {
            Child::Node(next) => next,
            // A network inside another one: both halves belong to the outer one until the inner one is reached.
            inherited => {
                nodes.push([inherited; 2]);
                nodes[node][side] = Child::Node(nodes.len() - 1);
                nodes.len() - 1
            }
        };
    }
}

fn map(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![7 << 5 | u8::try_from(members.len()).unwrap()];
    for (name, value) in members {
        bytes.extend(text(name));
        bytes.extend(value);
    }
    bytes
}

/// A text shorter than 29 bytes.
fn text(text: &str) -> Vec<u8> {
    assert!(text.len() < 29, "{text}");
    let mut bytes = vec![2 << 5 | u8::try_from(text.len()).unwrap()];
    bytes.extend(text.as_bytes());
    bytes
}

/// An unsigned number of a type: 5 has two bytes, 6 four, 9 eight. Leading zeros are left out.
fn number(kind: u8, value: u32) -> Vec<u8> {
    let all = value.to_be_bytes();
    let zeros = all.iter().take_while(|byte| **byte == 0).count();
    let length = u8::try_from(all.len() - zeros).unwrap();
    let mut bytes = if kind < 8 { vec![kind << 5 | length] } else { vec![length, kind - 7] };
    bytes.extend(&all[zeros..]);
    bytes
}
