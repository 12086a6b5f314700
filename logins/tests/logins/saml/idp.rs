//! An identity provider that says what it is told to say. It writes canonical XML, so that signing needs no library:
//! what is digested is the text itself.

use aws_lc_rs::{
    digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest},
    rand::SystemRandom,
    signature::{RSA_PKCS1_SHA256, RsaKeyPair},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, write::DeflateEncoder};
use postern_api::{
    Secret,
    published::{Login, SamlLogin},
};
use rcgen::{CertificateParams, KeyPair, PKCS_RSA_SHA256, RsaKeySize};
use serde_json::{Value, json};
use std::{io::Write, sync::LazyLock};
use url::form_urlencoded::Serializer;

pub(super) const ENTITY: &str = "https://idp.test/metadata";
pub(super) const SP: &str = "https://login.test:4443/saml/edghtsrt_1";
pub(super) const RSA_SHA256: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const C14N: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";

/// A key and its certificate.
pub(super) struct Pair {
    pub(super) key_pem: String,
    pub(super) certificate_pem: String,
    rsa: RsaKeyPair,
}

impl Pair {
    fn make() -> Self {
        let key = KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048).expect("a key");
        let certificate = CertificateParams::default().self_signed(&key).expect("a certificate");
        let rsa = RsaKeyPair::from_pkcs8(&key.serialize_der()).expect("the key again");
        Pair { key_pem: key.serialize_pem(), certificate_pem: certificate.pem(), rsa }
    }

    pub(super) fn certificate(&self) -> String {
        self.certificate_pem.lines().filter(|line| !line.starts_with("---")).collect()
    }

    pub(super) fn sign(&self, text: &str) -> String {
        let mut signature = vec![0; self.rsa.public_modulus_len()];
        self.rsa.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature).expect("a signature");
        STANDARD.encode(signature)
    }
}

/// What the identity provider signs with, what somebody else does, and what we do.
pub(super) static TRUSTED: LazyLock<Pair> = LazyLock::new(Pair::make);
pub(super) static ROGUE: LazyLock<Pair> = LazyLock::new(Pair::make);
pub(super) static OWN: LazyLock<Pair> = LazyLock::new(Pair::make);

/// What it says of itself.
pub(super) fn metadata() -> String {
    let redirect = "Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect\"";
    format!(
        "<EntityDescriptor xmlns=\"urn:oasis:names:tc:SAML:2.0:metadata\" entityID=\"{ENTITY}\"><IDPSSODescriptor \
         protocolSupportEnumeration=\"urn:oasis:names:tc:SAML:2.0:protocol\"><KeyDescriptor use=\"signing\">{}\
         </KeyDescriptor><SingleLogoutService {redirect} Location=\"https://idp.test/slo\"/>\
         <SingleSignOnService {redirect} Location=\"https://idp.test/sso\"/></IDPSSODescriptor></EntityDescriptor>",
        key_info(&TRUSTED)
    )
}

fn key_info(pair: &Pair) -> String {
    format!(
        "<ds:KeyInfo xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"><ds:X509Data><ds:X509Certificate>{}\
         </ds:X509Certificate></ds:X509Data></ds:KeyInfo>",
        pair.certificate()
    )
}

/// A route's SAML module, with changes.
pub(super) fn login(changes: &Value) -> Login {
    let mut module = json!({"idp_metadata": metadata(), "nameid_format": postern_api::module::NAMEID_FORMATS[0]});
    module.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
    Login::Saml(SamlLogin {
        module: serde_json::from_value(module).expect("a SAML module"),
        signing_key_pem: Secret::new(OWN.key_pem.clone()),
        signing_certificate_pem: OWN.certificate_pem.clone(),
    })
}

/// What is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signs {
    Nothing,
    Assertion,
    Response,
    Both,
}

/// What it says of somebody. Every member can be made wrong.
#[derive(Clone)]
pub(super) struct Answer {
    pub(super) issuer: String,
    pub(super) destination: String,
    pub(super) recipient: String,
    pub(super) audience: String,
    pub(super) in_response_to: Option<String>,
    /// Of the confirmation, where it is not that of the response.
    pub(super) confirmed: Option<String>,
    /// Seconds since 1970.
    pub(super) now: i64,
    pub(super) lasting: i64,
    pub(super) id: String,
    pub(super) name_id: String,
    pub(super) groups: Vec<&'static str>,
    pub(super) statements: usize,
    pub(super) status: &'static str,
    pub(super) signs: Signs,
    pub(super) rogue: bool,
    pub(super) algorithm: &'static str,
    pub(super) weak_digest: bool,
}

impl Answer {
    /// Everything as it should be.
    pub(super) fn fine(request: Option<&str>, now: i64) -> Self {
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(1);
        let acs = format!("{SP}/acs");
        Answer {
            issuer: ENTITY.to_owned(),
            destination: acs.clone(),
            recipient: acs,
            audience: SP.to_owned(),
            in_response_to: request.map(str::to_owned),
            confirmed: None,
            now,
            lasting: 300,
            id: format!("_a{}", NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)),
            name_id: "alice@example.test".to_owned(),
            groups: vec!["staff"],
            statements: 1,
            status: "Success",
            signs: Signs::Assertion,
            rogue: false,
            algorithm: RSA_SHA256,
            weak_digest: false,
        }
    }

    /// The assertion without a signature.
    pub(super) fn assertion(&self) -> String {
        let (from, until) = (moment(self.now), moment(self.now + self.lasting));
        let confirmed = self.confirmed.as_ref().or(self.in_response_to.as_ref());
        let confirmed = confirmed.map_or_else(String::new, |request| format!("InResponseTo=\"{request}\" "));
        let statement = format!(
            "<saml:AuthnStatement AuthnInstant=\"{from}\" SessionIndex=\"_s1\"><saml:AuthnContext>\
             <saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>\
             </saml:AuthnContext></saml:AuthnStatement>"
        );
        let groups: String =
            self.groups.iter().map(|group| format!("<saml:AttributeValue>{group}</saml:AttributeValue>")).collect();
        format!(
            "<saml:Assertion xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID=\"{}\" IssueInstant=\"{from}\" \
             Version=\"2.0\"><saml:Issuer>{}</saml:Issuer><saml:Subject><saml:NameID \
             Format=\"urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress\">{}</saml:NameID>\
             <saml:SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer\"><saml:SubjectConfirmationData \
             {confirmed}NotOnOrAfter=\"{until}\" Recipient=\"{}\"></saml:SubjectConfirmationData>\
             </saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore=\"{from}\" NotOnOrAfter=\"{until}\">\
             <saml:AudienceRestriction><saml:Audience>{}</saml:Audience></saml:AudienceRestriction></saml:Conditions>\
             {}<saml:AttributeStatement><saml:Attribute Name=\"groups\">{groups}</saml:Attribute>\
             <saml:Attribute Name=\"displayName\"><saml:AttributeValue>Alice</saml:AttributeValue></saml:Attribute>\
             </saml:AttributeStatement></saml:Assertion>",
            self.id,
            self.issuer,
            self.name_id,
            self.recipient,
            self.audience,
            statement.repeat(self.statements),
        )
    }

    /// The response around an assertion, without a signature of its own.
    pub(super) fn around(&self, assertion: &str) -> String {
        let answered = self.in_response_to.as_ref();
        let answered = answered.map_or_else(String::new, |request| format!("InResponseTo=\"{request}\" "));
        format!(
            "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" Destination=\"{}\" ID=\"r{}\" \
             {answered}IssueInstant=\"{}\" Version=\"2.0\"><saml:Issuer \
             xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">{}</saml:Issuer><samlp:Status><samlp:StatusCode \
             Value=\"urn:oasis:names:tc:SAML:2.0:status:{}\"></samlp:StatusCode></samlp:Status>{assertion}\
             </samlp:Response>",
            self.destination,
            self.id,
            moment(self.now),
            self.issuer,
            self.status,
        )
    }

    /// The signature of an element that is written canonically, given its id.
    pub(super) fn signature(&self, element: &str, id: &str) -> String {
        let pair = if self.rogue { &*ROGUE } else { &*TRUSTED };
        let (method, sum) = match self.weak_digest {
            false => ("http://www.w3.org/2001/04/xmlenc#sha256", digest(&SHA256, element.as_bytes())),
            true => ("http://www.w3.org/2000/09/xmldsig#sha1", digest(&SHA1_FOR_LEGACY_USE_ONLY, element.as_bytes())),
        };
        let info = format!(
            "<ds:CanonicalizationMethod Algorithm=\"{C14N}\"></ds:CanonicalizationMethod><ds:SignatureMethod \
             Algorithm=\"{}\"></ds:SignatureMethod><ds:Reference URI=\"#{id}\"><ds:Transforms><ds:Transform \
             Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"></ds:Transform><ds:Transform \
             Algorithm=\"{C14N}\"></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm=\"{method}\">\
             </ds:DigestMethod><ds:DigestValue>{}</ds:DigestValue></ds:Reference></ds:SignedInfo>",
            self.algorithm,
            STANDARD.encode(sum),
        );
        let namespace = "xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"";
        let value = pair.sign(&format!("<ds:SignedInfo {namespace}>{info}"));
        let key = key_info(pair).replace(&format!(" {namespace}"), "");
        format!(
            "<ds:Signature {namespace}><ds:SignedInfo>{info}<ds:SignatureValue>{value}</ds:SignatureValue>{key}\
             </ds:Signature>"
        )
    }

    /// An element with its signature, behind its issuer.
    pub(super) fn signed(&self, element: &str, id: &str) -> String {
        element.replacen("</saml:Issuer>", &format!("</saml:Issuer>{}", self.signature(element, id)), 1)
    }

    /// The whole response.
    pub(super) fn xml(&self) -> String {
        let mut assertion = self.assertion();
        if matches!(self.signs, Signs::Assertion | Signs::Both) {
            assertion = self.signed(&assertion, &self.id);
        }
        let response = self.around(&assertion);
        match self.signs {
            Signs::Response | Signs::Both => self.signed(&response, &format!("r{}", self.id)),
            Signs::Nothing | Signs::Assertion => response,
        }
    }
}

/// A request for a logout.
pub(super) fn logout(name_id: &str, session: Option<&str>, now: i64) -> String {
    let session = session.map_or_else(String::new, |name| format!("<samlp:SessionIndex>{name}</samlp:SessionIndex>"));
    format!(
        "<samlp:LogoutRequest xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" Destination=\"{SP}/slo\" \
         ID=\"_l{now}\" IssueInstant=\"{}\" Version=\"2.0\"><saml:Issuer \
         xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">{ENTITY}</saml:Issuer><saml:NameID \
         xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">{name_id}</saml:NameID>{session}</samlp:LogoutRequest>",
        moment(now),
    )
}

/// An answer to a request for a logout.
pub(super) fn logged_out(request: &str, now: i64) -> String {
    format!(
        "<samlp:LogoutResponse xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" Destination=\"{SP}/slo\" \
         ID=\"_m{now}\" InResponseTo=\"{request}\" IssueInstant=\"{}\" Version=\"2.0\"><saml:Issuer \
         xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">{ENTITY}</saml:Issuer><samlp:Status><samlp:StatusCode \
         Value=\"urn:oasis:names:tc:SAML:2.0:status:Success\"></samlp:StatusCode></samlp:Status>\
         </samlp:LogoutResponse>",
        moment(now),
    )
}

/// A message in an address, signed unless nobody signs.
pub(super) fn in_address(field: &str, xml: &str, state: Option<&str>, pair: Option<&Pair>, algorithm: &str) -> String {
    let mut deflated = DeflateEncoder::new(Vec::new(), Compression::default());
    deflated.write_all(xml.as_bytes()).expect("written");
    let message = STANDARD.encode(deflated.finish().expect("deflated"));
    let mut query = Serializer::new(String::new());
    query.append_pair(field, &message).extend_pairs(state.map(|state| ("RelayState", state)));
    match pair {
        None => query.finish(),
        Some(pair) => {
            let signed = query.append_pair("SigAlg", algorithm).finish();
            Serializer::new(signed.clone()).append_pair("Signature", &pair.sign(&signed)).finish()
        }
    }
}

fn moment(second: i64) -> String {
    jiff::Timestamp::from_second(second).expect("a moment").to_string()
}
