//! Certificates as `ssh-keygen` reads them, and as the authority's own public key verifies them.

use super::*;
use crate::certificates::ssh::SshKeyType;
use aws_lc_rs::{
    rsa::{KeySize, PublicKeyComponents},
    signature::{
        ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ECDSA_P521_SHA512_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA512,
        UnparsedPublicKey,
    },
};
use proptest::prelude::*;
use ssh_key::{Certificate, EcdsaCurve, public::KeyData};
use std::process::Command;

const FORMS: [SshKeyType; 5] = [
    SshKeyType::Ed25519,
    SshKeyType::Ecdsa(EcdsaCurve::NistP256),
    SshKeyType::Ecdsa(EcdsaCurve::NistP384),
    SshKeyType::Ecdsa(EcdsaCurve::NistP521),
    SshKeyType::Rsa(KeySize::Rsa2048),
];

fn at(seconds: i64) -> Timestamp {
    Timestamp::new(jiff::Timestamp::from_second(seconds).expect("a moment"))
}

fn map(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
    entries.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

struct SigningTest {
    key: SubjectKey,
    principals: Vec<String>,
    critical_options: BTreeMap<String, String>,
    extensions: BTreeMap<String, String>,
}

impl SigningTest {
    fn new() -> Self {
        let pair = AuthorityKey::generate(SshKeyType::Ed25519).expect("a key");
        SigningTest {
            key: SubjectKey::parse(&pair.public_line().expect("a line")).expect("a key"),
            principals: vec!["tunnel.example.test".to_owned(), "192.0.2.7".to_owned()],
            critical_options: BTreeMap::new(),
            extensions: BTreeMap::new(),
        }
    }

    fn sign(&self, purpose: Purpose, authority: &AuthorityKey) -> Result<String> {
        CertificateContents {
            purpose,
            id: "shcrt_2EXAMPLE",
            key: &self.key,
            principals: &self.principals,
            validity: Validity { after: at(1_800_000_000), until: at(1_800_086_400) },
            critical_options: &self.critical_options,
            extensions: &self.extensions,
        }
        .sign(authority)
    }
}

/// Verifies the signature of a certificate with a library that did not build it.
fn verifies(line: &str) -> bool {
    let certificate = Certificate::from_openssh(line).expect("a certificate");
    let whole = certificate.to_bytes().expect("bytes");
    let signature: Vec<u8> = certificate.signature().clone().try_into().expect("bytes");
    let signed = &whole[..whole.len() - 4 - signature.len()];
    let raw = certificate.signature().as_bytes();
    match certificate.signature_key() {
        KeyData::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key.0).verify(signed, raw).is_ok(),
        KeyData::Ecdsa(key) => {
            let (algorithm, size) = match key.curve() {
                EcdsaCurve::NistP256 => (&ECDSA_P256_SHA256_FIXED, 32),
                EcdsaCurve::NistP384 => (&ECDSA_P384_SHA384_FIXED, 48),
                EcdsaCurve::NistP521 => (&ECDSA_P521_SHA512_FIXED, 66),
            };
            let mut fixed = Vec::new();
            let mut rest = raw;
            while let Some((length, tail)) = rest.split_first_chunk::<4>() {
                let (number, tail) = tail.split_at(u32::from_be_bytes(*length) as usize);
                let digits: Vec<u8> = number.iter().copied().skip_while(|byte| *byte == 0).collect();
                fixed.extend(std::iter::repeat_n(0, size - digits.len()).chain(digits));
                rest = tail;
            }
            UnparsedPublicKey::new(algorithm, key.as_sec1_bytes()).verify(signed, &fixed).is_ok()
        }
        KeyData::Rsa(key) => {
            let (n, e) = (key.n.as_positive_bytes().expect("n"), key.e.as_positive_bytes().expect("e"));
            PublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA512, signed, raw).is_ok()
        }
        other => panic!("an authority of another kind: {other:?}"),
    }
}

#[test]
fn certificates_of_every_kind_of_authority_verify() {
    let desk = SigningTest::new();
    for form in FORMS {
        let authority = AuthorityKey::generate(form).expect("a key");
        // The top bit of the numbers in signatures is random: both cases must be encoded correctly.
        for _ in 0..8 {
            let line = desk.sign(Purpose::Host, &authority).expect("a certificate");
            assert!(verifies(&line), "{form:?}: {line}");
        }
    }
}

#[test]
fn a_certificate_has_the_requested_contents() {
    let mut desk = SigningTest::new();
    desk.critical_options = map(&[("source-address", "192.0.2.0/24"), ("force-command", "/bin/true")]);
    desk.extensions = map(&[("permit-user-rc", ""), ("permit-pty", ""), ("login@example.test", "alice")]);
    let authority = AuthorityKey::generate(SshKeyType::Ed25519).expect("a key");
    let line = desk.sign(Purpose::User, &authority).expect("a certificate");
    assert!(line.starts_with("ssh-ed25519-cert-v01@openssh.com AAAA") && line.ends_with(" shcrt_2EXAMPLE"), "{line}");
    let read = Certificate::from_openssh(&line).expect("a certificate");
    assert_eq!((read.key_id(), read.serial(), read.cert_type()), ("shcrt_2EXAMPLE", 0, CertType::User));
    assert_eq!(read.valid_principals(), desk.principals);
    assert_eq!((read.valid_after(), read.valid_before()), (1_800_000_000, 1_800_086_400));
    assert_eq!(BTreeMap::from(read.critical_options().clone()), desk.critical_options);
    assert_eq!(BTreeMap::from(read.extensions().clone()), desk.extensions);
    assert_ne!(desk.sign(Purpose::User, &authority).expect("a certificate"), line, "each has a nonce of its own");
}

#[test]
fn ssh_keygen_reads_our_certificates() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("key-cert.pub");
    let mut desk = SigningTest::new();
    desk.critical_options = map(&[("force-command", "/bin/true")]);
    desk.extensions = map(&[("permit-pty", ""), ("login@example.test", "alice")]);
    for (form, signing) in FORMS.into_iter().zip(["ED25519", "ECDSA", "ECDSA", "ECDSA", "RSA"]) {
        let authority = AuthorityKey::generate(form).expect("a key");
        std::fs::write(&path, desk.sign(Purpose::User, &authority).expect("a certificate")).expect("written");
        let output = Command::new("ssh-keygen").arg("-L").arg("-f").arg(&path).env("TZ", "UTC").output();
        let output = output.expect("ssh-keygen is installed");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        for part in [
            "Type: ssh-ed25519-cert-v01@openssh.com user certificate",
            &format!("Signing CA: {signing} SHA256:"),
            "Key ID: \"shcrt_2EXAMPLE\"",
            "Serial: 0",
            "Valid: from 2027-01-15T08:00:00 to 2027-01-16T08:00:00",
            "tunnel.example.test\n",
            "192.0.2.7\n",
            "force-command /bin/true",
            "permit-pty\n",
            "login@example.test UNKNOWN OPTION",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
        if form == SshKeyType::Rsa(KeySize::Rsa2048) {
            assert!(text.contains("(using rsa-sha2-512)"), "{text}");
        }
    }
}

#[test]
fn keys_made_by_ssh_keygen_are_certified() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = AuthorityKey::generate(SshKeyType::Ed25519).expect("a key");
    for (number, (kind, bits, name)) in [
        ("rsa", "2048", "ssh-rsa-cert-v01@openssh.com"),
        ("ecdsa", "256", "ecdsa-sha2-nistp256-cert-v01@openssh.com"),
        ("ecdsa", "384", "ecdsa-sha2-nistp384-cert-v01@openssh.com"),
        ("ecdsa", "521", "ecdsa-sha2-nistp521-cert-v01@openssh.com"),
        ("ed25519", "256", "ssh-ed25519-cert-v01@openssh.com"),
    ]
    .into_iter()
    .enumerate()
    {
        let line = made_by_ssh_keygen(&folder.path().join(number.to_string()), kind, bits);
        let key = SubjectKey::parse(&line).expect("a key");
        assert_eq!(key.key_type().as_str(), kind);
        let line = SigningTest { key, ..SigningTest::new() }.sign(Purpose::Host, &authority).expect("a certificate");
        assert!(line.starts_with(&format!("{name} ")) && verifies(&line), "{line}");
    }
    let short = made_by_ssh_keygen(&folder.path().join("short"), "rsa", "1024");
    assert_eq!(SubjectKey::parse(&short).expect_err("refused").code, Code::SshKeyUnsupported);
}

fn made_by_ssh_keygen(path: &std::path::Path, kind: &str, bits: &str) -> String {
    let made = Command::new("ssh-keygen").args(["-q", "-N", "", "-t", kind, "-b", bits, "-f"]).arg(path).status();
    assert!(made.expect("ssh-keygen is installed").success(), "{kind} {bits}");
    std::fs::read_to_string(path.with_extension("pub")).expect("a public key")
}

#[test]
fn the_default_validity_begins_now_with_the_default_lifetime() {
    let now = at(1_800_000_000);
    for (purpose, lifetime) in [(Purpose::Host, 365 * 86_400), (Purpose::User, 86_400)] {
        let usual = Validity::new(purpose, None, None, now).expect("valid");
        assert_eq!(usual, Validity { after: now, until: at(1_800_000_000 + lifetime) });
        let said = Validity::new(purpose, Some(at(0)), Some(at(1)), now).expect("in the past, but a time");
        assert_eq!(said, Validity { after: at(0), until: at(1) });
    }
}

#[test]
fn an_empty_or_unrepresentable_validity_is_refused() {
    let now = at(1_800_000_000);
    for (purpose, code) in [(Purpose::Host, Code::HostValidity), (Purpose::User, Code::UserValidity)] {
        for (after, until, field) in [
            (Some(at(5)), Some(at(5)), "valid_until"),
            (Some(at(6)), Some(at(5)), "valid_until"),
            (None, Some(now), "valid_until"),
            (Some(at(4_000_000_000)), None, "valid_until"),
            (Some(at(-1)), None, "valid_after"),
            (Some(at(-2)), Some(at(-1)), "valid_after"),
        ] {
            let error = Validity::new(purpose, after, until, now).expect_err("refused");
            assert_eq!((error.code, error.details["field"].as_str()), (code, field), "{error}");
        }
    }
}

#[test]
fn names_and_options_that_openssh_cannot_read_are_refused() {
    let authority = AuthorityKey::generate(SshKeyType::Ed25519).expect("a key");
    let field = |desk: SigningTest| {
        let error = desk.sign(Purpose::User, &authority).expect_err("refused");
        assert_eq!(error.code, Code::FieldInvalid);
        error.details["field"].clone()
    };
    let long = "x".repeat(MAX_PRINCIPAL_BYTES + 1);
    for bad in [vec![String::new()], vec![long], vec!["a\0b".to_owned()], vec!["a".to_owned(); MAX_PRINCIPALS + 1]] {
        assert_eq!(field(SigningTest { principals: bad, ..SigningTest::new() }), "principals");
    }
    let many: BTreeMap<_, _> = (0..=MAX_OPTIONS).map(|number| (format!("o{number}"), String::new())).collect();
    let value = "x".repeat(MAX_OPTION_VALUE_BYTES + 1);
    for bad in
        [many, map(&[("", "")]), map(&[("a b", "")]), map(&[("ä", "")]), map(&[("a", "\0")]), map(&[("a", &value)])]
    {
        assert_eq!(field(SigningTest { critical_options: bad.clone(), ..SigningTest::new() }), "critical_options");
        assert_eq!(field(SigningTest { extensions: bad, ..SigningTest::new() }), "extensions");
    }
}

proptest! {
    #[test]
    fn every_signed_certificate_can_be_parsed(
        principals in proptest::collection::vec("\\PC{0,40}", 0..6),
        extensions in proptest::collection::btree_map("[!-~]{1,12}", "\\PC{0,20}", 0..6),
    ) {
        let authority = AuthorityKey::generate(SshKeyType::Ed25519).expect("a key");
        let desk = SigningTest { principals, extensions, ..SigningTest::new() };
        if let Ok(line) = desk.sign(Purpose::User, &authority) {
            let read = Certificate::from_openssh(&line).expect("a certificate");
            prop_assert_eq!(read.valid_principals(), desk.principals);
            prop_assert_eq!(BTreeMap::from(read.extensions().clone()), desk.extensions);
            prop_assert!(verifies(&line));
        }
    }
}
