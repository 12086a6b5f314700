//! A test identity provider that sends whatever a test requires. It writes canonical XML, so that signing needs no
//! library: the digest is that of the text itself.

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
    fn generate() -> Self {
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

/// The identity provider's key, an untrusted key, and the service provider's key.
pub(super) static TRUSTED: LazyLock<Pair> = LazyLock::new(Pair::generate);
pub(super) static ROGUE: LazyLock<Pair> = LazyLock::new(Pair::generate);
pub(super) static OWN: LazyLock<Pair> = LazyLock::new(Pair::generate);

/// The metadata of the identity provider.
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

/// The signed parts of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignedParts {
    Nothing,
    Assertion,
    Response,
    Both,
}

/// A response; tests can make every field wrong.
#[derive(Clone)]
pub(super) struct IdpResponse {
    pub(super) issuer: String,
    pub(super) destination: String,
    pub(super) recipient: String,
    pub(super) audience: String,
    pub(super) in_response_to: Option<String>,
    /// `InResponseTo` of the confirmation, if it differs from the response's.
    pub(super) confirmation_request: Option<String>,
    /// Seconds since 1970.
    pub(super) now: i64,
    pub(super) validity: i64,
    pub(super) id: String,
    pub(super) name_id: String,
    pub(super) groups: Vec<&'static str>,
    pub(super) statements: usize,
    pub(super) status: &'static str,
    pub(super) signed_parts: SignedParts,
    pub(super) rogue_key: bool,
    pub(super) algorithm: &'static str,
    pub(super) weak_digest: bool,
}

impl IdpResponse {
    /// A valid response.
    pub(super) fn valid(request: Option<&str>, now: i64) -> Self {
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(1);
        let acs = format!("{SP}/acs");
        IdpResponse {
            issuer: ENTITY.to_owned(),
            destination: acs.clone(),
            recipient: acs,
            audience: SP.to_owned(),
            in_response_to: request.map(str::to_owned),
            confirmation_request: None,
            now,
            validity: 300,
            id: format!("_a{}", NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)),
            name_id: "alice@example.test".to_owned(),
            groups: vec!["staff"],
            statements: 1,
            status: "Success",
            signed_parts: SignedParts::Assertion,
            rogue_key: false,
            algorithm: RSA_SHA256,
            weak_digest: false,
        }
    }

    /// The assertion without a signature.
    pub(super) fn assertion(&self) -> String {
        let (from, until) = (timestamp(self.now), timestamp(self.now + self.validity));
        let request = self.confirmation_request.as_ref().or(self.in_response_to.as_ref());
        let request = request.map_or_else(String::new, |request| format!("InResponseTo=\"{request}\" "));
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
             {request}NotOnOrAfter=\"{until}\" Recipient=\"{}\"></saml:SubjectConfirmationData>\
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

    /// The response wrap an assertion, without a signature of its own.
    pub(super) fn wrap(&self, assertion: &str) -> String {
        let in_response_to = self.in_response_to.as_ref();
        let in_response_to = in_response_to.map_or_else(String::new, |request| format!("InResponseTo=\"{request}\" "));
        format!(
            "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" Destination=\"{}\" ID=\"r{}\" \
             {in_response_to}IssueInstant=\"{}\" Version=\"2.0\"><saml:Issuer \
             xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">{}</saml:Issuer><samlp:Status><samlp:StatusCode \
             Value=\"urn:oasis:names:tc:SAML:2.0:status:{}\"></samlp:StatusCode></samlp:Status>{assertion}\
             </samlp:Response>",
            self.destination,
            self.id,
            timestamp(self.now),
            self.issuer,
            self.status,
        )
    }

    /// The signature of an element that is written canonically, given its id.
    pub(super) fn signature(&self, element: &str, id: &str) -> String {
        let pair = if self.rogue_key { &*ROGUE } else { &*TRUSTED };
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

    /// An element with its signature after the issuer.
    pub(super) fn signed(&self, element: &str, id: &str) -> String {
        element.replacen("</saml:Issuer>", &format!("</saml:Issuer>{}", self.signature(element, id)), 1)
    }

    /// The whole response.
    pub(super) fn xml(&self) -> String {
        let mut assertion = self.assertion();
        if matches!(self.signed_parts, SignedParts::Assertion | SignedParts::Both) {
            assertion = self.signed(&assertion, &self.id);
        }
        let response = self.wrap(&assertion);
        match self.signed_parts {
            SignedParts::Response | SignedParts::Both => self.signed(&response, &format!("r{}", self.id)),
            SignedParts::Nothing | SignedParts::Assertion => response,
        }
    }
}

/// A logout request.
pub(super) fn logout_request(name_id: &str, session: Option<&str>, now: i64) -> String {
    let session = session.map_or_else(String::new, |name| format!("<samlp:SessionIndex>{name}</samlp:SessionIndex>"));
    format!(
        "<samlp:LogoutRequest xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" Destination=\"{SP}/slo\" \
         ID=\"_l{now}\" IssueInstant=\"{}\" Version=\"2.0\"><saml:Issuer \
         xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">{ENTITY}</saml:Issuer><saml:NameID \
         xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">{name_id}</saml:NameID>{session}</samlp:LogoutRequest>",
        timestamp(now),
    )
}

/// A logout response.
pub(super) fn logout_response(request: &str, now: i64) -> String {
    format!(
        "<samlp:LogoutResponse xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" Destination=\"{SP}/slo\" \
         ID=\"_m{now}\" InResponseTo=\"{request}\" IssueInstant=\"{}\" Version=\"2.0\"><saml:Issuer \
         xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">{ENTITY}</saml:Issuer><samlp:Status><samlp:StatusCode \
         Value=\"urn:oasis:names:tc:SAML:2.0:status:Success\"></samlp:StatusCode></samlp:Status>\
         </samlp:LogoutResponse>",
        timestamp(now),
    )
}

/// A query with a message in the redirect binding, signed if a key is given.
pub(super) fn redirect_query(
    field: &str,
    xml: &str,
    state: Option<&str>,
    pair: Option<&Pair>,
    algorithm: &str,
) -> String {
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

fn timestamp(second: i64) -> String {
    jiff::Timestamp::from_second(second).expect("a time").to_string()
}
