//! Chains and keys as `openssl` writes them, in every form, valid and damaged.

use super::*;
use crate::certificates::openssl::Openssl;
use proptest::prelude::*;
use std::sync::LazyLock;

/// An authority, an intermediate and a leaf, generated once for all tests.
struct Made {
    root: String,
    intermediate: String,
    leaf: String,
    key: String,
    other_key: String,
    intermediate_key: String,
}

static MADE: LazyLock<Made> = LazyLock::new(|| {
    let openssl = Openssl::new();
    openssl.run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout root.key -out root.pem -days 30 -subj /CN=Root");
    openssl.file("ca.ext", "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign,cRLSign\n");
    openssl.run("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout mid.key -out mid.csr -subj /CN=Middle");
    openssl.run(
        "x509 -req -in mid.csr -CA root.pem -CAkey root.key -set_serial 0x10 -days 30 -extfile ca.ext -out mid.pem",
    );
    openssl.file(
        "leaf.ext",
        "keyUsage=critical,digitalSignature,keyEncipherment\nextendedKeyUsage=serverAuth,clientAuth,1.3.6.1.4.1.99999.1\n\
         subjectAltName=DNS:shop.example.test,DNS:*.example.test,IP:192.0.2.7,IP:2001:db8::7,email:a@example.test\n",
    );
    openssl.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out leaf.key");
    openssl.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out other.key");
    openssl.run("req -new -utf8 -key leaf.key -out leaf.csr -subj /C=DE/ST=Bayern/L=München/O=Beispiel/OU=Netz/OU=Zwei/CN=shop.example.test");
    openssl.run("x509 -req -in leaf.csr -CA mid.pem -CAkey mid.key -set_serial 0x0ABCDEF0123456789 -days 30 -extfile leaf.ext -out leaf.pem");
    Made {
        root: openssl.read("root.pem"),
        intermediate: openssl.read("mid.pem"),
        leaf: openssl.read("leaf.pem"),
        key: openssl.read("leaf.key"),
        other_key: openssl.read("other.key"),
        intermediate_key: openssl.read("mid.key"),
    }
});

fn read(chain: &str, key: &str) -> Result<TlsChain> {
    TlsChain::read(chain, &Secret::new(key))
}

fn refusal(chain: &str, key: &str) -> (Code, String) {
    let error = read(chain, key).err().expect("refused");
    assert!(!error.to_string().contains("MII"), "what was sent is not repeated: {error}");
    (error.code, error.details["field"].clone())
}

fn chain_refused(chain: &str) -> Code {
    let (code, field) = refusal(chain, &MADE.key);
    assert_eq!(field, "certificate_pem");
    code
}

fn key_refused(key: &str) -> Code {
    let (code, field) = refusal(&MADE.leaf, key);
    assert_eq!(field, "private_key_pem");
    code
}

#[test]
fn every_field_is_read_from_the_leaf() {
    let made = &*MADE;
    let read = read(&[&*made.leaf, &made.intermediate, &made.root].concat(), &made.key).expect("a chain");
    let facts = read.facts;
    assert_eq!(read.key_type, KeyType::Rsa);
    assert_eq!(facts.subject_common_name, "shop.example.test");
    assert_eq!(facts.subject_organization, "Beispiel");
    assert_eq!(facts.subject_organizational_unit, "Netz");
    assert_eq!(facts.subject_locality, "München");
    assert_eq!(facts.subject_province, "Bayern");
    assert_eq!(facts.subject_country, "DE");
    assert_eq!(facts.issuer_common_name, "Middle");
    assert_eq!(facts.serial_number, "abcdef0123456789");
    assert_eq!(facts.dns_names, ["shop.example.test", "*.example.test"]);
    assert_eq!(facts.ips, ["192.0.2.7", "2001:db8::7"]);
    assert_eq!(facts.key_usages, ["DigitalSignature", "KeyEncipherment"]);
    assert_eq!(facts.extended_key_usages, ["ServerAuth", "ClientAuth", "1.3.6.1.4.1.99999.1"]);
    assert_eq!(facts.not_after - facts.not_before, 30 * 86_400);
}

#[test]
fn every_form_of_every_type_of_key_is_accepted() {
    let openssl = Openssl::new();
    openssl.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.key");
    openssl.run("rsa -in rsa.key -traditional -out rsa.pkcs1");
    openssl.run("genpkey -algorithm ED25519 -out ed25519.key");
    let mut forms = vec![("rsa.key", "rsa.key", KeyType::Rsa), ("rsa.key", "rsa.pkcs1", KeyType::Rsa)];
    forms.push(("ed25519.key", "ed25519.key", KeyType::Ed25519));
    for curve in ["P-256", "P-384", "P-521"] {
        openssl.run(&format!("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:{curve} -out {curve}.key"));
        openssl.run(&format!("ec -in {curve}.key -out {curve}.sec1"));
        openssl.run(&format!(
            "ecparam -name {} -out {curve}.params",
            if curve == "P-256" { "prime256v1" } else { "secp384r1" }
        ));
        openssl.file(
            &format!("{curve}.both"),
            &(openssl.read(&format!("{curve}.params")) + &openssl.read(&format!("{curve}.sec1"))),
        );
    }
    let curves = ["P-256", "P-384", "P-521"];
    let names: Vec<(String, String)> = curves
        .iter()
        .flat_map(|curve| ["key", "sec1", "both"].map(|form| (format!("{curve}.key"), format!("{curve}.{form}"))))
        .collect();
    forms.extend(names.iter().map(|(made, form)| (made.as_str(), form.as_str(), KeyType::Ecdsa)));
    for (made, form, key_type) in forms {
        openssl.run(&format!("req -x509 -new -key {made} -out leaf.pem -days 3 -subj /CN=a"));
        let read =
            read(&openssl.read("leaf.pem"), &openssl.read(form)).unwrap_or_else(|error| panic!("{form}: {error}"));
        assert_eq!(read.key_type, key_type, "{form}");
    }
}

#[test]
fn both_forms_of_encrypted_keys_are_detected() {
    let openssl = Openssl::new();
    openssl.file("leaf.key", &MADE.key);
    openssl.run("pkcs8 -topk8 -in leaf.key -passout pass:planted -out newer.key");
    openssl.run("rsa -in leaf.key -traditional -aes128 -passout pass:planted -out older.key");
    for form in ["newer.key", "older.key"] {
        assert_eq!(key_refused(&openssl.read(form)), Code::PrivateKeyEncrypted, "{form}");
    }
}

#[test]
fn keys_of_other_forms_are_refused() {
    let openssl = Openssl::new();
    openssl.run("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out short.key");
    openssl.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1 -out curve.key");
    openssl.run("genpkey -algorithm ED448 -out ed448.key");
    openssl.file("leaf.key", &MADE.key);
    openssl.run("pkey -in leaf.key -pubout -out public.key");
    for form in ["short.key", "curve.key", "ed448.key", "public.key"] {
        assert_eq!(key_refused(&openssl.read(form)), Code::PrivateKeyUnsupported, "{form}");
    }
    for tag in ["OPENSSH PRIVATE KEY", "DSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY"] {
        let key = format!("-----BEGIN {tag}-----\nAQID\n-----END {tag}-----\n");
        assert_eq!(key_refused(&key), Code::PrivateKeyUnsupported, "{tag}");
    }
    assert_eq!(key_refused(&MADE.key.repeat(2)), Code::PrivateKeyUnsupported);
}

#[test]
fn missing_swapped_and_damaged_parts_have_different_codes() {
    let made = &*MADE;
    assert_eq!(chain_refused(""), Code::CertificateMissing);
    assert_eq!(chain_refused(" \n"), Code::CertificateMissing);
    assert_eq!(chain_refused("planted"), Code::CertificateMissing);
    assert_eq!(chain_refused(&made.key), Code::CertificateIsKey);
    assert_eq!(chain_refused(&[&*made.leaf, &made.key].concat()), Code::CertificateIsKey);
    assert_eq!(chain_refused(&made.leaf.replace("CERTIFICATE", "CERTIFICATE REQUEST")), Code::CertificateMissing);
    assert_eq!(chain_refused(&made.leaf[..made.leaf.len() / 2]), Code::PemUnreadable);
    assert_eq!(chain_refused(&made.leaf.replacen("MII", "!!!", 1)), Code::PemUnreadable);
    assert_eq!(
        chain_refused("-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n"),
        Code::CertificateUnreadable
    );
    assert_eq!(chain_refused(&"x".repeat(MAX_CHAIN_BYTES + 1)), Code::CertificateTooLarge);
    assert_eq!(chain_refused(&made.leaf.repeat(MAX_CHAIN_LENGTH + 1)), Code::CertificateTooLarge);
    assert_eq!(key_refused(""), Code::PrivateKeyMissing);
    assert_eq!(key_refused("planted"), Code::PrivateKeyMissing);
    assert_eq!(key_refused(&made.leaf), Code::KeyIsCertificate);
    assert_eq!(key_refused(&made.key[..made.key.len() / 2]), Code::PemUnreadable);
    assert_eq!(key_refused(&made.other_key), Code::PrivateKeyMismatch);
    assert_eq!(key_refused(&"x".repeat(MAX_KEY_BYTES + 1)), Code::CertificateTooLarge);
    assert!(read(&made.leaf, &[&*made.leaf, &made.key].concat()).is_ok(), "a file of both is a usual one");
}

#[test]
fn the_chain_begins_with_the_leaf_and_each_is_issued_by_the_next() {
    let made = &*MADE;
    assert!(read(&[&*made.leaf, &made.intermediate].concat(), &made.key).is_ok());
    assert!(read(&made.leaf, &made.key).is_ok(), "a leaf alone is a chain");
    for chain in [
        [&*made.leaf, &made.root].concat(),
        [&*made.leaf, &made.root, &made.intermediate].concat(),
        [&*made.leaf, &made.leaf].concat(),
        [&*made.intermediate, &made.leaf].concat(),
        [&*made.root, &made.intermediate, &made.leaf].concat(),
    ] {
        assert_eq!(chain_refused(&chain), Code::ChainOrder);
    }
    assert_eq!(refusal(&made.leaf, &made.intermediate_key).0, Code::PrivateKeyMismatch);
}

#[test]
fn names_in_old_encodings_and_times_without_an_end_are_shown() {
    let openssl = Openssl::new();
    openssl.file(
        "c.cnf",
        "[req]\nprompt=no\ndistinguished_name=d\nstring_mask=MASK:0x800\nutf8=yes\n[d]\nCN=Größe\nO=Straße\n",
    );
    openssl.run(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config c.cnf -keyout k -out old.pem -days 3",
    );
    let facts = read(&openssl.read("old.pem"), &openssl.read("k")).expect("a chain").facts;
    assert_eq!((facts.subject_common_name.as_str(), facts.subject_organization.as_str()), ("Größe", "Straße"));
    assert_eq!(x509::moment(253_402_300_799).to_string(), "9999-12-30T22:00:00Z");
    assert_eq!(x509::moment(0).to_string(), "1970-01-01T00:00:00Z");
}

proptest! {
    #[test]
    fn any_bytes_in_a_block_are_parsed_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        use base64::{Engine, engine::general_purpose::STANDARD};
        let block = |tag: &str| format!("-----BEGIN {tag}-----\n{}\n-----END {tag}-----\n", STANDARD.encode(&bytes));
        let _ = read(&block("CERTIFICATE"), &MADE.key);
        for tag in ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"] {
            prop_assert!(read(&MADE.leaf, &block(tag)).is_err());
        }
    }

    #[test]
    fn any_damaged_certificate_is_parsed_without_a_panic(place in 0usize..800, bit in 0u8..8) {
        let mut bytes = pem::parse(&MADE.leaf).expect("PEM").into_contents();
        let place = place % bytes.len();
        bytes[place] ^= 1 << bit;
        let _ = read(&pem::encode(&pem::Pem::new("CERTIFICATE", bytes)), &MADE.key);
    }
}
