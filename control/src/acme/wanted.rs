//! For which names there shall be certificates by ACME, and when each must be asked for.

use postern_api::{
    Timestamp,
    host::HostName,
    module::TerminateAt,
    published::{Certificate, DomainCertificate, Published},
    resource::ManagedKeyType,
};
use std::collections::{BTreeMap, HashMap};

/// The names that visitors come by, each with the kind of key it shall have: those of edges where TLS ends here, reserved
/// domains, and names of the server itself. Wildcards cannot be proved by what this server can show, and names that lead
/// nowhere but to the asking machine cannot be proved at all.
pub(super) fn names(published: &Published, own: &[HostName]) -> BTreeMap<HostName, ManagedKeyType> {
    let https = published.https_edges.values().flat_map(|edge| &edge.names);
    let ends_here = |at: TerminateAt| at == TerminateAt::Edge;
    let tls = published
        .tls_edges
        .values()
        .filter(|edge| edge.settings.tls_termination.is_some_and(|termination| ends_here(termination.at)))
        .flat_map(|edge| &edge.names);
    let all = https.chain(tls).chain(published.names.domains.keys()).chain(own);
    let wanted =
        all.filter(|name| provable(name)).filter_map(|name| match published.domain_certificates.get(name.as_str()) {
            Some(DomainCertificate::Chosen(_)) => None,
            Some(DomainCertificate::Managed(key_type)) => Some((name.clone(), *key_type)),
            None => Some((name.clone(), ManagedKeyType::default())),
        });
    wanted.collect()
}

pub(super) fn provable(name: &HostName) -> bool {
    let (text, local) = (name.as_str(), "localhost");
    name.wildcard_parent().is_none() && text.contains('.') && !text.ends_with(&format!(".{local}"))
}

/// When certificates must be asked for, as far as those tell that there are: as soon as an uploaded one ends, or two thirds
/// of the life of an automatic one are over.
pub(super) struct Renewals(HashMap<HostName, i64>);

impl Renewals {
    pub(super) fn of(certificates: &[impl AsRef<Certificate>], now: Timestamp) -> Self {
        let mut renewals = HashMap::new();
        let begun = certificates.iter().map(AsRef::as_ref).filter(|certificate| certificate.not_before <= now);
        for certificate in begun {
            let renewal = renewal(certificate);
            for name in certificate.names.iter().filter_map(|name| HostName::parse(name).ok()) {
                renewals.entry(name).and_modify(|latest: &mut i64| *latest = renewal.max(*latest)).or_insert(renewal);
            }
        }
        Renewals(renewals)
    }

    /// In seconds since 1970; `None` is at once.
    pub(super) fn due(&self, name: &HostName) -> Option<i64> {
        let wildcard =
            name.as_str().split_once('.').and_then(|(_, parent)| HostName::parse(&format!("*.{parent}")).ok());
        let above = wildcard.and_then(|wildcard| self.0.get(&wildcard));
        self.0.get(name).max(above).copied()
    }
}

/// Whether the server got it by itself, for this name.
pub(crate) fn automatic(certificate: &Certificate, name: &HostName) -> bool {
    certificate.issued_at.is_some() && certificate.names.len() == 1 && certificate.names[0] == name.as_str()
}

/// In seconds since 1970.
fn renewal(certificate: &Certificate) -> i64 {
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
    fn names_are_wanted_where_tls_ends_here_and_can_be_proved() {
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
        let wanted = names(&published, &[name("login.test"), name("login.localhost")]);
        let expected = [
            ("a.test", ManagedKeyType::Ecdsa),
            ("ended.test", ManagedKeyType::Ecdsa),
            ("kept.test", ManagedKeyType::Ecdsa),
            ("login.test", ManagedKeyType::Ecdsa),
            ("rsa.test", ManagedKeyType::Rsa),
        ];
        assert_eq!(wanted, expected.map(|(host, key_type)| (name(host), key_type)).into());
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
            assert_eq!(Renewals::of(&certificates, moment(50)).due(&host), expected);
        }
    }
}
