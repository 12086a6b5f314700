//! Countries and other facts about addresses, from a database in the MaxMind DB format that is read once.

use maxminddb::{PathElement, Reader};
use postern_api::{
    Country,
    ip_rules::{Locate, Location},
};
use serde::Deserialize;
use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, Once},
};

/// Networks that are searched for a country when a database is opened.
const MAX_SEARCHED_NETWORKS: usize = 10_000;

const COUNTRY: &[PathElement<'_>] = &[PathElement::Key("country"), PathElement::Key("iso_code")];
const CONTINENT: &[PathElement<'_>] = &[PathElement::Key("continent"), PathElement::Key("code")];
const CITY: &[PathElement<'_>] = &[PathElement::Key("city"), PathElement::Key("names"), PathElement::Key("en")];
/// Where databases have the number: some beside the country, others among its traits.
const ASN: [&[PathElement<'_>]; 2] = [
    &[PathElement::Key("autonomous_system_number")],
    &[PathElement::Key("traits"), PathElement::Key("autonomous_system_number")],
];

/// Whether the missing database was reported.
static WARNED: Once = Once::new();

/// The database, if there is one. Without it nothing is known about any address.
#[derive(Clone, Default)]
pub struct Geo(Option<Arc<Reader<Vec<u8>>>>);

impl Geo {
    /// A database from the bytes of its file.
    ///
    /// # Errors
    ///
    /// What is wrong with the file and what to do, to follow the name of the file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, String> {
        let reader = Reader::from_source(bytes).map_err(|error| {
            format!(
                "is not a database in the MaxMind DB format ({error}): name a whole, unpacked .mmdb file of countries or \
                 cities"
            )
        })?;
        // Rules about countries would never match with a database that has none, such as one of networks' owners.
        if !has_countries(&reader) {
            let kind = &reader.metadata().database_type;
            return Err(format!(
                "has no countries (`country.iso_code`), its type is `{kind}`: name a database of countries or cities, such \
                 as GeoLite2-Country"
            ));
        }
        Ok(Geo(Some(Arc::new(reader))))
    }

    /// The code of the country in upper case, ISO 3166-1 alpha-2.
    pub(crate) fn country(&self, address: IpAddr) -> Option<Country> {
        Country::from_database(self.text(address, COUNTRY)?)
    }

    /// The code of the continent, such as EU.
    pub(crate) fn continent(&self, address: IpAddr) -> Option<&str> {
        self.text(address, CONTINENT)
    }

    /// The English name of the city.
    pub(crate) fn city(&self, address: IpAddr) -> Option<&str> {
        self.text(address, CITY)
    }

    /// The number of the autonomous system.
    pub(crate) fn asn(&self, address: IpAddr) -> Option<u32> {
        let reader = self.0.as_deref()?;
        ASN.iter().find_map(|path| entry(reader, address, path).ok().flatten())
    }

    fn text(&self, address: IpAddr, path: &[PathElement<'_>]) -> Option<&str> {
        entry(self.0.as_deref()?, address, path).ok().flatten()
    }
}

impl Locate for Geo {
    fn locate(&self, address: IpAddr) -> Location {
        let Some(reader) = self.0.as_deref() else {
            // Said once: it explains why every visitor may be refused.
            WARNED.call_once(|| {
                tracing::warn!(
                    "rules of IP policies name countries, and this server has no database of them: set --geoip"
                );
            });
            return Location::Unavailable;
        };
        match entry::<&str>(reader, address, COUNTRY) {
            Ok(Some(code)) => Country::from_database(code).map_or(Location::Unavailable, Location::In),
            Ok(None) => Location::Unlisted,
            // Also an IPv6 address in a database of IPv4: nothing is known about its country.
            Err(error) => {
                tracing::debug!(%address, %error, "the country of an address cannot be looked up");
                Location::Unavailable
            }
        }
    }
}

impl fmt::Debug for Geo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Geo").field(&self.0.as_ref().map(|reader| &reader.metadata().database_type)).finish()
    }
}

/// A value of the record of an address.
fn entry<'a, T: Deserialize<'a>>(
    reader: &'a Reader<Vec<u8>>,
    address: IpAddr,
    path: &[PathElement<'_>],
) -> Result<Option<T>, maxminddb::MaxMindDbError> {
    reader.lookup(address.to_canonical())?.decode_path(path)
}

/// Whether one of the first networks has a country. The first networks with data are those of ordinary addresses.
fn has_countries(reader: &Reader<Vec<u8>>) -> bool {
    let Ok(networks) = reader.networks(maxminddb::WithinOptions::default()) else { return false };
    networks
        .take(MAX_SEARCHED_NETWORKS)
        .flatten()
        .any(|network| network.decode_path::<&str>(COUNTRY).is_ok_and(|code| code.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_test_kit::geoip;

    fn geo(list: &[(&str, geoip::Place<'_>)]) -> Geo {
        Geo::from_bytes(geoip::database(list)).expect("a database")
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn places() -> Geo {
        geo(&[
            ("203.0.113.0/24", geoip::Place::of("DE", "EU").city("M\u{fc}nchen").asn(64500)),
            ("203.0.113.128/25", geoip::Place::of("fr", "EU")),
            ("2001:db8::/32", geoip::Place::of("US", "NA")),
            ("198.51.100.0/24", geoip::Place::default().asn(64501)),
        ])
    }

    #[test]
    fn addresses_have_the_facts_of_their_networks() {
        let places = places();
        let country = |text| places.country(address(text)).map(|country| country.to_string()).unwrap_or_default();
        for (text, expected) in [
            ("203.0.113.9", "DE"),
            ("::ffff:203.0.113.9", "DE"),
            ("203.0.113.129", "FR"),
            ("2001:db8::1", "US"),
            ("198.51.100.1", ""),
            ("192.0.2.1", ""),
            ("2001:db9::1", ""),
        ] {
            assert_eq!(country(text), expected, "{text}");
        }
        let munich = address("203.0.113.9");
        assert_eq!((places.continent(munich), places.city(munich)), (Some("EU"), Some("M\u{fc}nchen")));
        assert_eq!((places.asn(munich), places.asn(address("198.51.100.1"))), (Some(64500), Some(64501)));
        assert_eq!((places.city(address("2001:db8::1")), places.asn(address("192.0.2.1"))), (None, None));
    }

    #[test]
    fn what_is_not_in_the_database_is_unlisted_and_without_one_unavailable() {
        let places = places();
        assert_eq!(places.locate(address("203.0.113.9")), Location::In(Country::parse("DE").expect("a country")));
        assert_eq!(places.locate(address("192.0.2.1")), Location::Unlisted);
        assert_eq!(places.locate(address("198.51.100.1")), Location::Unlisted);
        assert_eq!(Geo::default().locate(address("203.0.113.9")), Location::Unavailable);
        let odd = geo(&[("203.0.113.0/24", geoip::Place::of("DE", "EU")), ("10.0.0.0/8", geoip::Place::of("A1", ""))]);
        assert_eq!(odd.locate(address("10.0.0.1")), Location::Unavailable, "not a country, so not known to be none");
    }

    #[test]
    fn broken_and_unsuitable_files_are_refused_with_what_to_do() {
        let refused = |bytes: &[u8]| Geo::from_bytes(bytes.to_vec()).expect_err("refused");
        let whole = geoip::database(&[("203.0.113.0/24", geoip::Place::of("DE", "EU"))]);
        for broken in [&b""[..], b"text", &whole[..whole.len() / 2], &whole[whole.len() / 2..]] {
            let error = refused(broken);
            assert!(error.starts_with("is not a database") || error.starts_with("has no countries"), "{error}");
        }
        let owners = geoip::database(&[("203.0.113.0/24", geoip::Place::default().asn(64500))]);
        assert!(refused(&owners).starts_with("has no countries"));
        assert!(Geo::from_bytes(whole).is_ok());
    }
}
