//! Properties of an X.509 certificate (RFC 5280), in the terms of the API.

use postern_api::{KeyType, Timestamp};
use std::net::IpAddr;
use x509_parser::{
    certificate::X509Certificate,
    der_parser::asn1_rs::Tag,
    extensions::{ExtendedKeyUsage, GeneralName, KeyUsage},
    oid_registry::{OID_KEY_TYPE_EC_PUBLIC_KEY, OID_PKCS1_RSAENCRYPTION, OID_SIG_ED25519},
    x509::{AttributeTypeAndValue, SubjectPublicKeyInfo},
};

/// Properties of a certificate that are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CertificateFacts {
    pub(crate) subject_common_name: String,
    pub(crate) subject_organization: String,
    pub(crate) subject_organizational_unit: String,
    pub(crate) subject_locality: String,
    pub(crate) subject_province: String,
    pub(crate) subject_country: String,
    pub(crate) issuer_common_name: String,
    /// In lower-case hexadecimal digits, without leading zeros.
    pub(crate) serial_number: String,
    pub(crate) dns_names: Vec<String>,
    pub(crate) ips: Vec<String>,
    /// Seconds since 1970.
    pub(crate) not_before: i64,
    /// Seconds since 1970.
    pub(crate) not_after: i64,
    pub(crate) key_usages: Vec<String>,
    pub(crate) extended_key_usages: Vec<String>,
}

/// Parses a certificate; trailing bytes are refused.
pub(super) fn parse(der: &[u8]) -> Option<X509Certificate<'_>> {
    let (rest, certificate) = x509_parser::parse_x509_certificate(der).ok()?;
    rest.is_empty().then_some(certificate)
}

impl CertificateFacts {
    /// Collects the properties. `None` if an extension is repeated or cannot be parsed.
    pub(super) fn from_certificate(certificate: &X509Certificate<'_>) -> Option<Self> {
        let subject = certificate.subject();
        let usage = certificate.key_usage().ok()?;
        let extended = certificate.extended_key_usage().ok()?;
        let (dns_names, ips) = match certificate.subject_alternative_name().ok()? {
            Some(extension) => names(&extension.value.general_names),
            None => Default::default(),
        };
        Some(CertificateFacts {
            subject_common_name: first(subject.iter_common_name()),
            subject_organization: first(subject.iter_organization()),
            subject_organizational_unit: first(subject.iter_organizational_unit()),
            subject_locality: first(subject.iter_locality()),
            subject_province: first(subject.iter_state_or_province()),
            subject_country: first(subject.iter_country()),
            issuer_common_name: first(certificate.issuer().iter_common_name()),
            serial_number: format!("{:x}", certificate.tbs_certificate.serial),
            dns_names,
            ips,
            not_before: certificate.validity().not_before.timestamp(),
            not_after: certificate.validity().not_after.timestamp(),
            key_usages: usage.map(|usage| usages(usage.value)).unwrap_or_default(),
            extended_key_usages: extended.map(|extended| extended_usages(extended.value)).unwrap_or_default(),
        })
    }
}

/// Converts a time of a certificate. A certificate without an end has the last second of 9999 (RFC 5280, section
/// 4.1.2.5), which is later than the latest [`jiff::Timestamp`].
pub(crate) fn moment(seconds: i64) -> Timestamp {
    let earliest = jiff::Timestamp::MIN.as_second();
    let latest = jiff::Timestamp::MAX.as_second();
    let moment = jiff::Timestamp::from_second(seconds.clamp(earliest, latest));
    Timestamp::new(moment.unwrap_or(jiff::Timestamp::MAX))
}

/// Type of a public key, if it is supported.
pub(super) fn key_type(info: &SubjectPublicKeyInfo<'_>) -> Option<KeyType> {
    let oid = &info.algorithm.algorithm;
    [
        (OID_PKCS1_RSAENCRYPTION, KeyType::Rsa),
        (OID_KEY_TYPE_EC_PUBLIC_KEY, KeyType::Ecdsa),
        (OID_SIG_ED25519, KeyType::Ed25519),
    ]
    .into_iter()
    .find_map(|(known, key_type)| (*oid == known).then_some(key_type))
}

fn first<'a>(mut values: impl Iterator<Item = &'a AttributeTypeAndValue<'a>>) -> String {
    values.next().map(text).unwrap_or_default()
}

/// Text of a name's attribute, in any encoding.
fn text(value: &AttributeTypeAndValue<'_>) -> String {
    if let Ok(text) = value.as_str() {
        return text.to_owned();
    }
    let raw = value.attr_value();
    if raw.tag() == Tag::BmpString {
        let units = raw.data.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        return char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    }
    if raw.tag() == Tag::UniversalString {
        let points = raw.data.chunks_exact(4).map(|four| u32::from_be_bytes([four[0], four[1], four[2], four[3]]));
        return points.map(|point| char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    }
    // T61 and all other encodings are read as Latin 1, as other implementations do.
    raw.data.iter().map(|byte| char::from(*byte)).collect()
}

fn names(general: &[GeneralName<'_>]) -> (Vec<String>, Vec<String>) {
    let (mut dns_names, mut ips) = (Vec::new(), Vec::new());
    for name in general {
        match name {
            GeneralName::DNSName(name) => dns_names.push((*name).to_owned()),
            GeneralName::IPAddress(bytes) => ips.extend(address(bytes).map(|address| address.to_string())),
            _ => {}
        }
    }
    (dns_names, ips)
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes).ok().map(IpAddr::from),
        16 => <[u8; 16]>::try_from(bytes).ok().map(IpAddr::from),
        _ => None,
    }
}

fn usages(usage: &KeyUsage) -> Vec<String> {
    [
        (usage.digital_signature(), "DigitalSignature"),
        (usage.non_repudiation(), "ContentCommitment"),
        (usage.key_encipherment(), "KeyEncipherment"),
        (usage.data_encipherment(), "DataEncipherment"),
        (usage.key_agreement(), "KeyAgreement"),
        (usage.key_cert_sign(), "CertSign"),
        (usage.crl_sign(), "CRLSign"),
        (usage.encipher_only(), "EncipherOnly"),
        (usage.decipher_only(), "DecipherOnly"),
    ]
    .into_iter()
    .filter(|(set, _)| *set)
    .map(|(_, name)| name.to_owned())
    .collect()
}

fn extended_usages(usage: &ExtendedKeyUsage<'_>) -> Vec<String> {
    [
        (usage.any, "Any"),
        (usage.server_auth, "ServerAuth"),
        (usage.client_auth, "ClientAuth"),
        (usage.code_signing, "CodeSigning"),
        (usage.email_protection, "EmailProtection"),
        (usage.time_stamping, "TimeStamping"),
        (usage.ocsp_signing, "OCSPSigning"),
    ]
    .into_iter()
    .filter(|(set, _)| *set)
    .map(|(_, name)| name.to_owned())
    // Other usages are shown as their OID.
    .chain(usage.other.iter().map(ToString::to_string))
    .collect()
}
