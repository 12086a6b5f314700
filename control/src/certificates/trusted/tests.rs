//! Authorities as `openssl` writes them, valid and damaged.

use super::*;
use crate::certificates::openssl::Openssl;
use proptest::prelude::*;

fn authority() -> String {
    let openssl = Openssl::new();
    openssl.run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -out ca.pem -days 30 -subj /CN=Trust -addext keyUsage=keyCertSign -addext extendedKeyUsage=clientAuth");
    openssl.read("ca.pem")
}

fn code(text: &str) -> Code {
    let error = read(text).expect_err("refused");
    assert_eq!(error.details["field"], "ca_pem");
    error.code
}

#[test]
fn an_authority_shows_its_properties() {
    let facts = read(&authority()).expect("an authority");
    assert_eq!(facts.subject_common_name, "Trust");
    assert_eq!(
        (facts.key_usages, facts.extended_key_usages),
        (vec!["CertSign".to_owned()], vec!["ClientAuth".to_owned()])
    );
    assert_eq!(facts.not_after - facts.not_before, 30 * 86_400);
}

#[test]
fn an_expired_authority_is_accepted() {
    let openssl = Openssl::new();
    openssl.run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -out ca.pem -days 1 -subj /CN=Old -set_serial 1");
    // Expired: signed again with a start and an end in the past.
    openssl.run("req -new -key k -subj /CN=Old -out ca.csr");
    openssl.file("index.txt", "");
    openssl.file("serial", "01\n");
    openssl.file(
        "ca.cnf",
        "[ca]\ndefault_ca=d\n[d]\nnew_certs_dir=.\ndatabase=index.txt\nserial=serial\ndefault_md=sha256\npolicy=p\nx509_extensions=e\n[p]\ncommonName=supplied\n[e]\nbasicConstraints=critical,CA:TRUE\n",
    );
    openssl.run("ca -batch -notext -config ca.cnf -selfsign -keyfile k -in ca.csr -startdate 20200101000000Z -enddate 20210101000000Z -out old.pem");
    let facts = read(&openssl.read("old.pem")).expect("an authority");
    assert_eq!(facts.not_after, 1_609_459_200);
}

#[test]
fn invalid_authorities_have_different_codes() {
    let authority = authority();
    let openssl = Openssl::new();
    openssl.run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -out leaf.pem -days 3 -subj /CN=a -addext basicConstraints=critical,CA:FALSE");
    openssl
        .run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -out big.pem -days 3 -subj /CN=a");
    assert_eq!(code(""), Code::AuthorityMissing);
    assert_eq!(code(" \r\n"), Code::AuthorityMissing);
    assert_eq!(code("planted"), Code::PemUnreadable);
    assert_eq!(code(&authority[..100]), Code::PemUnreadable);
    assert_eq!(code(&openssl.read("k")), Code::AuthorityBlockType);
    assert_eq!(code(&[authority.clone(), openssl.read("k")].concat()), Code::AuthorityBlockType);
    assert_eq!(code(&authority.repeat(2)), Code::AuthorityCount);
    let headers = authority.replacen("-----\n", "-----\nName: value\n\n", 1);
    assert_eq!(code(&headers), Code::AuthorityHeaders);
    assert_eq!(code(&openssl.read("leaf.pem")), Code::NoAuthority);
    assert_eq!(code("-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n"), Code::CertificateUnreadable);
    assert_eq!(code(&"x".repeat(MAX_BYTES + 1)), Code::CertificateTooLarge);
}

proptest! {
    #[test]
    fn any_text_is_parsed_without_a_panic(text in "\\PC{0,200}") {
        prop_assert!(read(&text).is_err());
    }
}
