use super::*;
use postern_api::Secret;
use rcgen::{
    CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ED25519, PKCS_RSA_SHA256,
    SignatureAlgorithm,
};

const EVERY: &[SignatureScheme] = &[
    SignatureScheme::ECDSA_NISTP256_SHA256,
    SignatureScheme::ECDSA_NISTP384_SHA384,
    SignatureScheme::ED25519,
    SignatureScheme::RSA_PSS_SHA256,
];
const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

fn moment(seconds: i64) -> Timestamp {
    Timestamp::new(jiff::Timestamp::from_second(seconds).expect("a moment"))
}

/// A certificate that is valid from one moment to another.
fn certificate(id: &str, names: &[&str], from: i64, until: i64, kind: &'static SignatureAlgorithm) -> Arc<Certificate> {
    let key = KeyPair::generate_for(kind).expect("a key");
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let made = CertificateParams::new(names.clone()).expect("names").self_signed(&key).expect("a certificate");
    Arc::new(Certificate {
        id: id.to_owned(),
        chain_pem: made.pem(),
        private_key_pem: Secret::new(key.serialize_pem()),
        addresses: names.iter().filter_map(|name| name.parse().ok()).collect(),
        names,
        issued_at: None,
        not_before: moment(from),
        not_after: moment(until),
    })
}

fn ecdsa(id: &str, names: &[&str], from: i64, until: i64) -> Arc<Certificate> {
    certificate(id, names, from, until, &PKCS_ECDSA_P256_SHA256)
}

fn published(certificates: Vec<Arc<Certificate>>) -> Published {
    Published { certificates: Arc::new(certificates), ..Published::default() }
}

/// The id of the certificate that is shown.
fn shown(uploaded: &UploadedCertificates, name: Option<&str>, schemes: &[SignatureScheme], now: i64) -> Option<String> {
    let name = name.map(|name| HostName::parse(name).expect("a name"));
    let key = uploaded.find(name.as_ref(), HERE, schemes, moment(now))?;
    let shelf = uploaded.0.load();
    shelf.by_id.iter().find(|(_, held)| Arc::ptr_eq(&held.key, &key)).map(|(id, _)| id.clone())
}

#[test]
fn the_most_specific_name_wins_then_the_newest_of_those_that_are_valid() {
    let uploaded = UploadedCertificates::default();
    uploaded.follow(&published(vec![
        ecdsa("exact-new", &["a.shop.test"], 50, 100),
        ecdsa("exact-old", &["A.Shop.Test", "other.test"], 10, 200),
        ecdsa("wild", &["*.shop.test"], 0, 1000),
        ecdsa("apex", &["shop.test"], 0, 1000),
    ]));
    for (name, now, expected) in [
        ("a.shop.test", 60, Some("exact-new")),
        ("a.shop.test", 40, Some("exact-old")),
        ("a.shop.test", 150, Some("exact-old")),
        ("a.shop.test", 500, Some("wild")),
        ("a.shop.test", 1001, None),
        ("b.shop.test", 60, Some("wild")),
        ("a.b.shop.test", 60, None),
        ("shop.test", 60, Some("apex")),
        ("other.test", 60, Some("exact-old")),
        ("other.test", 201, None),
        ("test", 60, None),
    ] {
        assert_eq!(shown(&uploaded, Some(name), EVERY, now).as_deref(), expected, "{name} at {now}");
    }
}

#[test]
fn a_visitor_that_names_no_host_gets_the_certificate_of_the_address() {
    let uploaded = UploadedCertificates::default();
    uploaded.follow(&published(vec![ecdsa("name", &["a.test"], 0, 100), ecdsa("address", &["127.0.0.1"], 0, 100)]));
    assert_eq!(shown(&uploaded, None, EVERY, 50).as_deref(), Some("address"));
    assert_eq!(shown(&uploaded, None, EVERY, 101), None);
}

#[test]
fn of_several_key_types_one_that_the_visitor_supports_is_shown() {
    let uploaded = UploadedCertificates::default();
    uploaded.follow(&published(vec![
        certificate("rsa", &["a.test"], 0, 100, &PKCS_RSA_SHA256),
        certificate("p256", &["a.test"], 1, 100, &PKCS_ECDSA_P256_SHA256),
        certificate("p384", &["a.test"], 2, 100, &PKCS_ECDSA_P384_SHA384),
        certificate("ed25519", &["a.test"], 3, 100, &PKCS_ED25519),
    ]));
    use SignatureScheme as S;
    for (schemes, expected) in [
        (EVERY, "ed25519"),
        (&[S::RSA_PSS_SHA256][..], "rsa"),
        (&[S::RSA_PKCS1_SHA256], "rsa"),
        (&[S::ECDSA_NISTP256_SHA256, S::RSA_PSS_SHA256], "p256"),
        (&[S::ECDSA_NISTP384_SHA384], "p384"),
        (&[S::ED448], "ed25519"),
    ] {
        assert_eq!(shown(&uploaded, Some("a.test"), schemes, 50).as_deref(), Some(expected), "{schemes:?}");
    }
}

#[test]
fn what_was_chosen_for_a_reserved_domain_wins_where_it_fits() {
    let uploaded = UploadedCertificates::default();
    let mut published = published(vec![
        ecdsa("new", &["a.test", "b.c.test"], 50, 1000),
        ecdsa("chosen", &["a.test", "*.c.test"], 0, 100),
    ]);
    let choices = [("a.test", "chosen"), ("*.c.test", "chosen"), ("gone.test", "none")];
    published.domain_certificates = Arc::new(
        choices.map(|(domain, id)| (domain.to_owned(), DomainCertificate::Chosen(id.to_owned()))).into_iter().collect(),
    );
    uploaded.follow(&published);
    for (name, now, expected) in [
        ("a.test", 60, Some("chosen")),
        ("a.test", 200, Some("new")),
        ("b.c.test", 60, Some("chosen")),
        ("x.y.c.test", 60, None),
        ("gone.test", 60, None),
    ] {
        assert_eq!(shown(&uploaded, Some(name), EVERY, now).as_deref(), expected, "{name} at {now}");
    }
    published.domain_certificates = Arc::default();
    uploaded.follow(&published);
    assert_eq!(shown(&uploaded, Some("a.test"), EVERY, 60).as_deref(), Some("new"));
}

#[test]
fn what_has_not_changed_is_not_read_again_and_what_cannot_be_read_is_passed_over() {
    let uploaded = UploadedCertificates::default();
    let kept = ecdsa("kept", &["a.test"], 0, 100);
    uploaded.follow(&published(vec![kept.clone()]));
    let before = uploaded.0.load().by_id["kept"].clone();
    let mut broken = Certificate::clone(&ecdsa("broken", &["a.test"], 50, 100));
    broken.private_key_pem = Secret::new("nothing");
    uploaded.follow(&published(vec![kept, Arc::new(broken)]));
    assert!(Arc::ptr_eq(&before, &uploaded.0.load().by_id["kept"]));
    assert_eq!(shown(&uploaded, Some("a.test"), EVERY, 60).as_deref(), Some("kept"));
    uploaded.follow(&Published::default());
    assert_eq!(shown(&uploaded, Some("a.test"), EVERY, 60), None);
}
