//! Records in DNS that a reserved domain needs, compared with what name servers answer.

use crate::{
    dns::{DnsError, DnsRecordData, DnsRecordType, Resolver},
    resources::{Caller, RecordPath, Resources},
};
use postern_api::{
    Result,
    host::is_localhost,
    resource::{DomainRecord, DomainRecordPurpose, DomainRecordType, Record, ReservedDomain},
};
use std::net::IpAddr;

/// What name servers answer for one name.
struct Lookup {
    alias: Option<String>,
    addresses: Vec<IpAddr>,
    /// Whether the name is the apex of a zone, which cannot have an alias.
    is_apex: bool,
}

impl Resources {
    /// Records that a reserved domain needs, with what is found of each. Names below `localhost` need none.
    ///
    /// # Errors
    /// `NotFound`, or if the caller may not see the domain.
    pub(crate) async fn domain_records(
        &self,
        caller: &Caller,
        at: &RecordPath<ReservedDomain>,
    ) -> Result<Vec<DomainRecord>> {
        let record = self.get::<ReservedDomain>(caller, at).await?;
        let (name, own) = (&record.spec.domain, self.settings.domain.as_str());
        if is_localhost(name) {
            return Ok(Vec::new());
        }
        let resolver = Resolver::new(self.settings.dns_resolver);
        let is_custom = record.status.cname_target.is_some();
        let (traffic, certificate) =
            tokio::join!(traffic(&resolver, name, own, is_custom), certificate(&resolver, &record));
        Ok(traffic.into_iter().chain(certificate).collect())
    }
}

/// Records that lead visitors of a name to the server's own domain.
async fn traffic(resolver: &Resolver, name: &str, own: &str, is_custom: bool) -> Vec<DomainRecord> {
    let (found, target) = tokio::join!(look_up(resolver, name), resolver.addresses(own));
    let needed = if is_custom { name.to_owned() } else { format!("*.{own}") };
    let found = match found {
        Ok(found) => found,
        Err(error) => return vec![alias(&needed, own, failed(&error))],
    };
    let target = target.unwrap_or_default();
    if !is_custom {
        return vec![alias(&needed, own, own_name(name, own, &found, &target))];
    }
    if !found.is_apex {
        return vec![alias(name, own, custom_name(own, &found, &target))];
    }
    if target.is_empty() {
        let msg = format!("`{own}`, the domain of this server, has no address in DNS. Add its records first.");
        return vec![record(DomainRecordType::A, name, Vec::new(), (texts(&found.addresses), false, msg))];
    }
    let families = [(DomainRecordType::A, true), (DomainRecordType::Aaaa, false)].into_iter();
    families.filter_map(|(kind, ipv4)| address_record(kind, name, &found, &target, ipv4)).collect()
}

/// The record by which the server can prove that it controls a wildcard of another zone.
async fn certificate(resolver: &Resolver, domain: &Record<ReservedDomain>) -> Option<DomainRecord> {
    domain.spec.certificate_management_policy?;
    let target = domain.status.acme_challenge_cname_target.clone()?;
    let name = format!("_acme-challenge.{}", domain.spec.domain.strip_prefix("*.")?);
    let check = match resolver.look_up(&name, DnsRecordType::Cname).await {
        Err(error) => failed(&error),
        Ok(answer) => match first_alias(answer.records) {
            Some(alias) if alias == target => (vec![alias], true, "The record is right.".to_owned()),
            Some(alias) => (vec![alias], false, format!("It leads to another name. Change it to `{target}`.")),
            None => {
                let msg = "It does not exist. Add it, unless the server may change the records of this zone itself.";
                (Vec::new(), false, msg.to_owned())
            }
        },
    };
    Some(DomainRecord { purpose: DomainRecordPurpose::Certificate, ..alias(&name, &target, check) })
}

/// What is found, whether it is right, and a sentence about it.
type Check = (Vec<String>, bool, String);

async fn look_up(resolver: &Resolver, name: &str) -> Result<Lookup, DnsError> {
    let (alias, addresses, zone) = tokio::join!(
        resolver.look_up(name, DnsRecordType::Cname),
        resolver.addresses(name),
        resolver.look_up(name, DnsRecordType::Soa)
    );
    Ok(Lookup {
        alias: first_alias(alias?.records),
        addresses: addresses?,
        is_apex: zone.is_ok_and(|answer| answer.zone.as_deref() == Some(name)),
    })
}

/// A name below the server's own domain.
fn own_name(name: &str, own: &str, found: &Lookup, target: &[IpAddr]) -> Check {
    let shown = shown(found);
    if found.addresses.is_empty() {
        let msg =
            format!("`{name}` has no address. Add this record, and those of `{own}` with the address of this server.");
        return (shown, false, msg);
    }
    if target.is_empty() || leads_to(found, own, target) {
        return (shown, true, format!("`{name}` has an address; it needs no record of its own."));
    }
    (shown, false, format!("`{name}` has other addresses than `{own}`. Add this record, or correct that of the name."))
}

/// A name of another zone.
fn custom_name(own: &str, found: &Lookup, target: &[IpAddr]) -> Check {
    let shown = shown(found);
    match (&found.alias, found.addresses.is_empty()) {
        (Some(alias), _) if alias == own && target.is_empty() => (
            shown,
            false,
            format!("The record is right, but `{own}`, the domain of this server, has no address in DNS."),
        ),
        _ if leads_to(found, own, target) => (shown, true, "The record is right.".to_owned()),
        (None, true) => (shown, false, "It does not exist. Add it where the domain's DNS is managed.".to_owned()),
        (Some(_), _) => (shown, false, format!("It leads to another name. Change it to `{own}`.")),
        (None, false) => {
            let msg = "It has other addresses. Replace them by this record, unless a proxy there leads to this server.";
            (shown, false, msg.to_owned())
        }
    }
}

/// The record of a family of addresses at the apex of a zone; `None` if there is nothing to say about it.
fn address_record(
    kind: DomainRecordType,
    name: &str,
    found: &Lookup,
    target: &[IpAddr],
    ipv4: bool,
) -> Option<DomainRecord> {
    let of_family = |all: &[IpAddr]| all.iter().copied().filter(|one| one.is_ipv4() == ipv4).collect::<Vec<_>>();
    let (found, wanted) = (of_family(&found.addresses), of_family(target));
    let (ok, msg) = match (found.is_empty(), wanted.is_empty()) {
        (true, true) => return None,
        (true, false) => {
            (false, "It does not exist. Add it; an alias is not possible at the top of a zone.".to_owned())
        }
        (false, true) => (false, "This server has no address of this family. Remove the record.".to_owned()),
        (false, false) if found.iter().all(|one| wanted.contains(one)) => (true, "The record is right.".to_owned()),
        (false, false) => (false, "It has other addresses than the domain of this server. Correct them.".to_owned()),
    };
    Some(record(kind, name, texts(&wanted), (texts(&found), ok, msg)))
}

/// Whether a name leads to the server's own domain, by an alias or by the same addresses.
fn leads_to(found: &Lookup, own: &str, target: &[IpAddr]) -> bool {
    let same = !found.addresses.is_empty() && found.addresses.iter().all(|one| target.contains(one));
    same || (found.alias.as_deref() == Some(own) && !target.is_empty())
}

fn alias(name: &str, target: &str, check: Check) -> DomainRecord {
    record(DomainRecordType::Cname, name, vec![target.to_owned()], check)
}

fn record(kind: DomainRecordType, name: &str, values: Vec<String>, (found, ok, msg): Check) -> DomainRecord {
    let purpose = DomainRecordPurpose::Traffic;
    DomainRecord { purpose, record_type: kind, name: name.to_owned(), values, found, ok, msg }
}

fn failed(error: &DnsError) -> Check {
    (Vec::new(), false, format!("It could not be looked up: {error}."))
}

fn first_alias(records: Vec<DnsRecordData>) -> Option<String> {
    records.into_iter().find_map(|record| match record {
        DnsRecordData::Alias(target) => Some(target),
        _ => None,
    })
}

/// The alias, or the addresses if there is none.
fn shown(found: &Lookup) -> Vec<String> {
    found.alias.as_ref().map_or_else(|| texts(&found.addresses), |alias| vec![alias.clone()])
}

fn texts(addresses: &[IpAddr]) -> Vec<String> {
    addresses.iter().map(IpAddr::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 9));

    fn found(alias: Option<&str>, addresses: &[IpAddr]) -> Lookup {
        Lookup { alias: alias.map(str::to_owned), addresses: addresses.to_vec(), is_apex: false }
    }

    #[test]
    fn a_name_of_another_zone_leads_to_the_server() {
        for (alias, addresses, target, ok, part) in [
            (Some("own.test"), &[SERVER][..], &[SERVER][..], true, "is right"),
            (None, &[SERVER], &[SERVER], true, "is right"),
            (None, &[], &[SERVER], false, "does not exist"),
            (Some("else.test"), &[OTHER], &[SERVER], false, "another name"),
            (None, &[OTHER], &[SERVER], false, "a proxy"),
            (Some("own.test"), &[], &[], false, "has no address"),
            (Some("cdn.test"), &[SERVER], &[SERVER], true, "is right"),
        ] {
            let (_, is_ok, msg) = custom_name("own.test", &found(alias, addresses), target);
            assert!(is_ok == ok && msg.contains(part), "{alias:?} {addresses:?}: {msg}");
        }
    }

    #[test]
    fn a_name_below_the_own_domain_needs_no_record_of_its_own() {
        for (addresses, target, ok) in [
            (&[SERVER][..], &[SERVER][..], true),
            (&[SERVER], &[], true),
            (&[], &[SERVER], false),
            (&[OTHER], &[SERVER], false),
        ] {
            assert_eq!(own_name("a.own.test", "own.test", &found(None, addresses), target).1, ok, "{addresses:?}");
        }
    }

    #[test]
    fn the_apex_of_a_zone_has_addresses() {
        let ipv6: IpAddr = "2001:db8::1".parse().expect("an address");
        let check = |kind, addresses: &[IpAddr], ipv4| {
            let record = address_record(kind, "shop.test", &found(None, addresses), &[SERVER], ipv4);
            record.map(|record| (record.values, record.ok))
        };
        let server = vec![SERVER.to_string()];
        assert_eq!(check(DomainRecordType::A, &[SERVER], true), Some((server.clone(), true)));
        assert_eq!(check(DomainRecordType::A, &[], true), Some((server.clone(), false)));
        assert_eq!(check(DomainRecordType::A, &[SERVER, OTHER], true), Some((server, false)));
        assert_eq!(check(DomainRecordType::Aaaa, &[], false), None);
        assert_eq!(check(DomainRecordType::Aaaa, &[ipv6], false), Some((Vec::new(), false)));
    }
}
