//! Authority and leaves together, as a TLS client sees them.

use crate::certificates::{Authority, Clock};
use jiff::Timestamp;
use postern_api::Code;
use rustls::{
    RootCertStore,
    client::{WebPkiServerVerifier, danger::ServerCertVerifier},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

struct Bench {
    folder: tempfile::TempDir,
    now: Arc<AtomicI64>,
}

impl Bench {
    fn new() -> Self {
        Bench { folder: tempfile::tempdir().expect("a folder"), now: Arc::new(AtomicI64::new(1_800_000_000)) }
    }
    fn authority(&self) -> Authority {
        let now = self.now.clone();
        let clock: Clock = Arc::new(move || Timestamp::from_second(now.load(Ordering::Relaxed)).expect("a moment"));
        Authority::open_at(self.folder.path(), clock).expect("an authority")
    }
    fn pass(&self, days: i64) {
        self.now.fetch_add(days * super::DAY, Ordering::Relaxed);
    }
    /// Whether a client that trusts the authority accepts the leaf for a name.
    fn accepts(&self, authority: &Authority, leaf: &rustls::sign::CertifiedKey, name: &str) -> bool {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_slice(authority.certificate_pem().as_bytes()).expect("PEM"))
            .expect("a root");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build().expect("a verifier");
        let now = UnixTime::since_unix_epoch(Duration::from_secs(self.now.load(Ordering::Relaxed).unsigned_abs()));
        let name = ServerName::try_from(name.to_owned()).expect("a name");
        verifier.verify_server_cert(leaf.end_entity_cert().expect("a leaf"), &[], &name, &[], now).is_ok()
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).expect("it exists").permissions().mode() & 0o777
}

#[test]
fn a_client_that_trusts_the_authority_accepts_its_leaves_and_no_other_name() {
    let bench = Bench::new();
    let authority = bench.authority();
    let leaf = authority.leaf(&["Shop.localhost", "*.wild.localhost", "127.0.0.1", "::1"]).expect("a leaf");
    for name in ["shop.localhost", "a.wild.localhost", "127.0.0.1", "::1"] {
        assert!(bench.accepts(&authority, &leaf, name), "{name}");
    }
    for name in ["other.localhost", "wild.localhost", "127.0.0.2"] {
        assert!(!bench.accepts(&authority, &leaf, name), "{name}");
    }
}

#[test]
fn the_authority_survives_a_restart_and_its_key_is_sealed() {
    let bench = Bench::new();
    let before = bench.authority();
    let leaf = before.leaf(&["a.localhost"]).expect("a leaf");
    let after = bench.authority();
    assert_eq!(before.certificate_pem(), after.certificate_pem());
    assert!(bench.accepts(&after, &leaf, "a.localhost"));
    assert!(bench.accepts(&before, &after.leaf(&["a.localhost"]).expect("a leaf"), "a.localhost"));
    #[cfg(unix)]
    {
        assert_eq!(mode(bench.folder.path()), 0o700);
        for entry in std::fs::read_dir(bench.folder.path()).expect("a folder") {
            let path = entry.expect("an entry").path();
            let expected = if path.ends_with("ca.pem") { 0o644 } else { 0o600 };
            assert_eq!(mode(&path), expected, "{}", path.display());
            let bytes = std::fs::read(&path).expect("readable");
            assert!(!String::from_utf8_lossy(&bytes).contains("PRIVATE KEY"), "{}", path.display());
        }
    }
}

#[test]
fn a_lost_ca_pem_is_restored_and_an_authority_that_cannot_be_unsealed_is_not_replaced() {
    let bench = Bench::new();
    let before = bench.authority().certificate_pem().to_owned();
    let path = bench.folder.path().join("ca.pem");
    std::fs::remove_file(&path).expect("removed");
    bench.authority();
    assert_eq!(std::fs::read_to_string(&path).expect("it is back"), before);
    std::fs::write(bench.folder.path().join("seal.key"), [7; 32]).expect("another key");
    let error = Authority::open(bench.folder.path()).expect_err("it does not open");
    assert!(error.message.contains("seal.key"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).expect("untouched"), before);
}

#[test]
fn leaves_are_cached_and_renewed_before_they_expire_and_never_outlive_the_authority() {
    let bench = Bench::new();
    let authority = bench.authority();
    let first = authority.leaf(&["a.localhost", "b.localhost"]).expect("a leaf");
    let again = authority.leaf(&["B.localhost.", "a.localhost", "a.localhost"]).expect("a leaf");
    assert!(Arc::ptr_eq(&first, &again), "the same names are the same certificate");
    bench.pass(365);
    assert!(Arc::ptr_eq(&first, &authority.leaf(&["a.localhost", "b.localhost"]).expect("a leaf")));
    bench.pass(2);
    let renewed = authority.leaf(&["a.localhost", "b.localhost"]).expect("a leaf");
    assert!(!Arc::ptr_eq(&first, &renewed), "with less than 30 days left it is made anew");
    let (_, read) = x509_parser::parse_x509_certificate(&renewed.cert[0]).expect("a certificate");
    let validity = read.validity();
    assert!(validity.not_after.timestamp() - validity.not_before.timestamp() <= 397 * super::DAY);
    bench.pass(3652 - 367 - 20);
    let last = authority.leaf(&["a.localhost"]).expect("a leaf");
    assert!(bench.accepts(&authority, &last, "a.localhost"), "twenty days before the end");
}

#[test]
fn a_leaf_from_the_future_is_made_anew_when_the_clock_was_set_right() {
    let bench = Bench::new();
    let authority = bench.authority();
    bench.pass(400);
    let ahead = authority.leaf(&["a.localhost"]).expect("a leaf");
    bench.pass(-400);
    assert!(!bench.accepts(&authority, &ahead, "a.localhost"), "it is not valid yet");
    let leaf = authority.leaf(&["a.localhost"]).expect("a leaf");
    assert!(bench.accepts(&authority, &leaf, "a.localhost"));
    assert!(Arc::ptr_eq(&leaf, &authority.leaf(&["a.localhost"]).expect("a leaf")), "once");
}

#[test]
fn the_cache_is_bounded_and_evicts_the_least_recently_used() {
    let bench = Bench::new();
    let authority = bench.authority();
    let used = authority.leaf(&["used.localhost"]).expect("a leaf");
    let unused = authority.leaf(&["unused.localhost"]).expect("a leaf");
    for number in 0..super::MAX_CACHED {
        authority.leaf(&[&format!("n{number}.localhost")]).expect("a leaf");
        authority.leaf(&["used.localhost"]).expect("a leaf");
    }
    assert!(Arc::ptr_eq(&used, &authority.leaf(&["used.localhost"]).expect("a leaf")));
    assert!(!Arc::ptr_eq(&unused, &authority.leaf(&["unused.localhost"]).expect("a leaf")));
    let (names, by_use) = authority.cached();
    assert!(names <= super::MAX_CACHED && names == by_use, "{names} and {by_use}");
}

#[test]
fn invalid_names_are_refused() {
    let authority = Bench::new().authority();
    for names in [&[][..], &["a b"], &[""], &["a..b"]] {
        assert_eq!(authority.leaf(names).expect_err("refused").code, Code::NameInvalid, "{names:?}");
    }
}
