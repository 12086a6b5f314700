//! Names that need a certificate by ACME, and the time of the next order for each.

use crate::{ControlSettings, certificates::can_be_validated};
use postern_api::{
    Timestamp,
    host::HostName,
    module::TerminateAt,
    published::{Certificate, DomainCertificate, Published},
    resource::ManagedKeyType,
};
use std::collections::{BTreeMap, HashMap};

/// Public names with the type of their keys: names of edges that terminate TLS, reserved domains, and names of the server
/// itself, as far as they can be validated. With challenges in DNS these are wildcards, too, and among them that of the
/// server's own domain.
pub(super) fn certificate_targets(
    published: &Published,
    settings: &ControlSettings,
    has_dns: bool,
) -> BTreeMap<HostName, ManagedKeyType> {
    let https = published.https_edges.values().flat_map(|edge| &edge.names);
    let is_terminated = |at: TerminateAt| at == TerminateAt::Edge;
    let tls = published
        .tls_edges
        .values()
        .filter(|edge| edge.settings.tls_termination.is_some_and(|termination| is_terminated(termination.at)))
        .flat_map(|edge| &edge.names);
    let own_wildcard = HostName::parse(&format!("*.{}", settings.domain)).ok();
    let own = settings.own_names.iter().chain(&own_wildcard);
    let all = https.chain(tls).chain(published.names.domains.keys()).chain(own);
    let targets = all.filter(|name| can_be_validated(name, has_dns)).filter_map(|name| {
        match published.domain_certificates.get(name.as_str()) {
            Some(DomainCertificate::Chosen(_)) => None,
            Some(DomainCertificate::Managed(key_type)) => Some((name.clone(), *key_type)),
            None => Some((name.clone(), ManagedKeyType::default())),
        }
    });
    targets.collect()
}

/// Renewal times by name, from the certificates that exist: the end of an uploaded one, or two thirds of the lifetime of
/// one issued by ACME.
pub(super) struct Renewals(HashMap<HostName, i64>);

impl Renewals {
    pub(super) fn new(certificates: &[impl AsRef<Certificate>], now: Timestamp) -> Self {
        let mut renewals = HashMap::new();
        let started = certificates.iter().map(AsRef::as_ref).filter(|certificate| certificate.not_before <= now);
        for certificate in started {
            let renewal = renewal_time(certificate);
            for name in certificate.names.iter().filter_map(|name| HostName::parse(name).ok()) {
                renewals.entry(name).and_modify(|latest: &mut i64| *latest = renewal.max(*latest)).or_insert(renewal);
            }
        }
        Renewals(renewals)
    }

    /// Time of the next order in seconds since 1970; `None` if no certificate exists.
    pub(super) fn due(&self, name: &HostName) -> Option<i64> {
        let above = wildcard_above(name).and_then(|wildcard| self.0.get(&wildcard));
        self.0.get(name).max(above).copied()
    }
}

/// The wildcard whose certificate is also valid for a name.
pub(super) fn wildcard_above(name: &HostName) -> Option<HostName> {
    if name.wildcard_parent().is_some() { None } else { name.owned_with().nth(1) }
}

/// Renewal time in seconds since 1970.
fn renewal_time(certificate: &Certificate) -> i64 {
    let (from, until) = (certificate.not_before.seconds(), certificate.not_after.seconds());
    match certificate.issued_at {
        Some(_) => from + until.saturating_sub(from) / 3 * 2,
        None => until,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::{
        Secret,
        published::{HttpsEdge, Settings, Termination, TlsEdge, listed},
    };
    use std::sync::Arc;

    fn name(text: &str) -> HostName {
        HostName::parse(text).expect("a name")
    }

    fn moment(seconds: i64) -> Timestamp {
        Timestamp::new(jiff::Timestamp::from_second(seconds).expect("a moment"))
    }

    fn certificate(names: &[&str], issued: bool, from: i64, until: i64) -> Arc<Certificate> {
        Arc::new(Certificate {
            id: "cert_1".into(),
            chain_pem: String::new(),
            private_key_pem: Secret::new(""),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            addresses: Vec::new(),
            issued_at: issued.then(|| moment(from)),
            not_before: moment(from),
            not_after: moment(until),
        })
    }

    #[test]
    fn targets_are_names_with_terminated_tls_that_can_be_validated() {
        let https = |names: &[&str]| HttpsEdge {
            id: "edghts_1".into(),
            names: names.iter().map(|text| name(text)).collect(),
            settings: Settings::default(),
            routes: Vec::new(),
        };
        let tls = |host: &str, at: Option<TerminateAt>| TlsEdge {
            id: "edgtls_1".into(),
            names: vec![name(host)],
            settings: Settings {
                tls_termination: at.map(|at| Termination { at, oldest: None }),
                ..Settings::default()
            },
        };
        let mut published = Published {
            https_edges: listed([("1".into(), https(&["a.test", "*.b.test", "c.localhost", "localhost"]))]),
            tls_edges: listed([
                ("1".into(), tls("ended.test", Some(TerminateAt::Edge))),
                ("2".into(), tls("passed.test", None)),
            ]),
            ..Published::default()
        };
        for domain in ["kept.test", "chosen.test", "rsa.test", "*.kept.test"] {
            published.names.domains.insert_mut(name(domain), "usr_1".into());
        }
        let domains = Arc::make_mut(&mut published.domain_certificates);
        domains.insert("chosen.test".into(), DomainCertificate::Chosen("cert_1".into()));
        domains.insert("rsa.test".into(), DomainCertificate::Managed(ManagedKeyType::Rsa));
        let settings = ControlSettings {
            own_names: vec![name("login.test"), name("login.localhost")],
            domain: name("own.test"),
            ..ControlSettings::new("unused")
        };
        let targets = certificate_targets(&published, &settings, false);
        let expected = [
            ("a.test", ManagedKeyType::Ecdsa),
            ("ended.test", ManagedKeyType::Ecdsa),
            ("kept.test", ManagedKeyType::Ecdsa),
            ("login.test", ManagedKeyType::Ecdsa),
            ("rsa.test", ManagedKeyType::Rsa),
        ];
        assert_eq!(targets, expected.map(|(host, key_type)| (name(host), key_type)).into());
        let targets = certificate_targets(&published, &settings, true);
        let wildcards: Vec<_> = targets.keys().filter(|name| name.wildcard_parent().is_some()).collect();
        assert_eq!(wildcards, [&name("*.b.test"), &name("*.kept.test"), &name("*.own.test")], "with challenges in DNS");
        let local = ControlSettings::new("unused");
        assert!(!certificate_targets(&published, &local, true).contains_key("*.localhost"));
    }

    #[test]
    fn an_automatic_certificate_is_renewed_after_two_thirds_and_an_uploaded_one_when_it_ends() {
        let host = name("a.shop.test");
        for (certificates, expected) in [
            (vec![], None),
            (vec![certificate(&["a.shop.test"], true, 0, 90)], Some(60)),
            (vec![certificate(&["a.shop.test"], false, 0, 90)], Some(90)),
            (vec![certificate(&["*.shop.test"], false, 0, 90)], Some(90)),
            (vec![certificate(&["*.test", "shop.test"], false, 0, 90)], None),
            (vec![certificate(&["a.shop.test"], true, 0, 90), certificate(&["a.shop.test"], true, 30, 120)], Some(90)),
            (vec![certificate(&["a.shop.test"], false, 60, 90)], None),
        ] {
            assert_eq!(Renewals::new(&certificates, moment(50)).due(&host), expected);
        }
    }
}
