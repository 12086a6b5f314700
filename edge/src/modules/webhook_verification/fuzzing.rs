//! The checks of the webhook fuzz target, and helpers that it shares with the tests: the stage as a request passes it.

use super::{
    NAME, RequestContext, SigningCertificates, Verifier, WebhookOutcome, Webhooks,
    certificates::{self, CertificateUrl},
    multipart,
    providers::{ProviderEntry, Verification},
    request::{MAX_FIELDS, form_fields},
    signature::decode_signature,
    signature_scheme::{DigestAlgorithm, Encoding, KeyForm, SignatureFormat, SignatureScheme, SignedPart},
    stage, timestamp,
};
use crate::{
    http::{RequestBody, Visitor},
    limits::CurrentLimits,
    modules::Identity,
    refusal::Refusal,
    settings::Settings,
    telemetry::Trace,
};
use aws_lc_rs::hmac;
use base64::{Engine, prelude::BASE64_STANDARD};
use futures::future::BoxFuture;
use hyper::{
    Method, Request, StatusCode, Uri,
    header::{HeaderName, HeaderValue},
    http::request::Parts,
};
use jiff::Timestamp;
use postern_api::{Code, Error, Secret, host::HostName, module::WebhookVerification, webhooks::Provider};
use postern_tunnel::message;
use std::{
    fmt::Write,
    io,
    net::SocketAddr,
    sync::{Arc, LazyLock},
};

/// Base64, as some providers require; it occurs in no file of the corpus.
const SECRET: &str = "bm9ib2R5IGd1ZXNzZXMgdGhpcw==";
/// The time of all requests.
const NOW: i64 = 1_700_000_000;

struct Nowhere;

impl SigningCertificates for Nowhere {
    fn fetch<'a>(&'a self, _: &'a str, _: &'a str) -> BoxFuture<'a, io::Result<Vec<u8>>> {
        Box::pin(async { Err(io::Error::other("not there")) })
    }
}

fn shared() -> Arc<Webhooks> {
    let mut settings = Settings::loopback(HostName::parse("localhost").expect("a name"));
    settings.clock = Arc::new(|| Timestamp::from_second(NOW).expect("a time"));
    settings.signing_certificates = Arc::new(Nowhere);
    Arc::new(Webhooks::new(CurrentLimits::new(settings.limits), settings.clock, settings.signing_certificates))
}

/// A verifier with a fixed clock that fetches nothing.
pub(super) fn verifier(provider: &str, secret: &str) -> Result<Verifier, Error> {
    let secret = (!secret.is_empty()).then(|| Secret::new(secret));
    let module = WebhookVerification { enabled: true, provider: provider.to_owned(), secret };
    Verifier::of("edghtsrt_1", &module, &shared())
}

/// Runs the stage on a whole request; also returns the trace as text.
pub(super) async fn run_stage(
    verifier: &Verifier,
    request: Request<&[u8]>,
) -> (Result<WebhookOutcome, Refusal>, String) {
    let visitor = Visitor::new(SocketAddr::from(([127, 0, 0, 1], 1)), message::Scheme::Https);
    let (mut parts, body): (Parts, &[u8]) = request.into_parts();
    let mut body = RequestBody::from_bytes(body.to_vec().into());
    let mut trace = Trace::default();
    let mut context = RequestContext {
        visitor: &visitor,
        geo: &crate::geo::Geo::default(),
        parts: &mut parts,
        body: &mut body,
        trace: &mut trace,
        identity: Identity::default(),
    };
    let outcome = stage(Some(verifier), &mut context).await;
    (outcome, trace.to_string())
}

/// Checks a request to the endpoint of the provider that the first byte selects: a line with the target (a request
/// without a body uses GET), header lines, an empty line, the body. Unsigned requests must never pass, and signed ones
/// must always pass.
pub fn webhook(input: &[u8]) {
    let Some((&choice, input)) = input.split_first() else { return };
    let provider = Provider::ALL[usize::from(choice) % Provider::ALL.len()];
    let Some(request) = request(input) else { return };
    for value in request.headers().values().map(HeaderValue::as_bytes).chain([*request.body()]) {
        check_parsers(value);
    }
    let Some(ProviderEntry { verification, .. }) = ProviderEntry::of(provider) else {
        panic!("{provider:?} has an entry")
    };
    let verifier = verifier(provider.name(), if provider == Provider::Sns { "" } else { SECRET }).expect("a verifier");
    let unsigned = *request.method() == Method::GET && request.body().is_empty();
    match judge(&verifier, request.clone()) {
        Ok(WebhookOutcome::Forward) => {
            assert!(unsigned && forwards_unsigned(provider), "{provider:?} has not signed this")
        }
        Ok(WebhookOutcome::Respond(answer)) => match provider {
            Provider::Twitter | Provider::Worldline => assert!(unsigned && answer.status() == StatusCode::OK),
            // Xero checks that wrong signatures are refused.
            Provider::Xero => assert_eq!(answer.status(), StatusCode::UNAUTHORIZED),
            _ => panic!("{provider:?} sends no challenges"),
        },
        Err(refusal) => {
            assert_eq!(refusal.error.code, Code::WebhookRefused);
            assert!(!refusal.error.message.contains(SECRET), "{}", refusal.error.message);
        }
    }
    if let Verification::Schemes(schemes) = verification {
        for scheme in schemes.iter().filter(|scheme| scheme.over == [SignedPart::Body] && scheme.time.is_none()) {
            // A GET request is a challenge regardless of its signature.
            let mut signed = request.clone();
            *signed.method_mut() = Method::POST;
            if sign(&mut signed, schemes, scheme).is_none() {
                continue;
            }
            assert!(judge(&verifier, signed.clone()).is_ok(), "{provider:?} has signed this: {}", scheme.header);
            let other = [*signed.body(), b"!"].concat();
            let refused = judge(&verifier, signed.map(|_| &*other));
            let refused_with_status =
                matches!(&refused, Ok(WebhookOutcome::Respond(answer)) if answer.status() == StatusCode::UNAUTHORIZED);
            assert!(refused.is_err() || refused_with_status, "{provider:?} has signed another body");
        }
    }
}

fn request(input: &[u8]) -> Option<Request<&[u8]>> {
    let (target, mut rest) = line(input);
    let mut request = Request::new(&b""[..]);
    *request.uri_mut() = Uri::try_from(target).ok().filter(|uri| uri.authority().is_none())?;
    request.headers_mut().insert("host", HeaderValue::from_static("hooks.test"));
    loop {
        let (field, after) = line(rest);
        rest = after;
        let Some(colon) = field.iter().position(|byte| *byte == b':') else { break };
        let name = HeaderName::from_bytes(&field[..colon]).ok()?;
        request.headers_mut().try_append(name, HeaderValue::from_bytes(field[colon + 1..].trim_ascii()).ok()?).ok()?;
    }
    if !rest.is_empty() {
        *request.method_mut() = Method::POST;
    }
    Some(request.map(|_| rest))
}

fn line(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| *byte == b'\n');
    end.map_or((text, &[]), |end| (&text[..end], &text[end + 1..]))
}

fn judge(verifier: &Verifier, request: Request<&[u8]>) -> Result<WebhookOutcome, Refusal> {
    static RUNTIME: LazyLock<tokio::runtime::Runtime> =
        LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime"));
    let (outcome, trace) = RUNTIME.block_on(run_stage(verifier, request));
    assert!(trace.starts_with(NAME), "the trace names the module: {trace}");
    outcome
}

/// Whether the service behind the edge responds to the provider's challenges.
fn forwards_unsigned(provider: Provider) -> bool {
    use Provider::{Dropbox, FacebookGraphApi, FacebookMessenger, Instagram, WhatsApp};
    matches!(provider, Dropbox | FacebookGraphApi | FacebookMessenger | Instagram | WhatsApp)
}

/// Signs a request as the provider does; `None` if the scheme is not that simple.
fn sign(request: &mut Request<&[u8]>, schemes: &[SignatureScheme], scheme: &SignatureScheme) -> Option<()> {
    let algorithm = match scheme.digest {
        DigestAlgorithm::HmacSha1 => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        DigestAlgorithm::HmacSha256 => hmac::HMAC_SHA256,
        DigestAlgorithm::HmacSha512 => hmac::HMAC_SHA512,
        DigestAlgorithm::Sha256 => return None,
    };
    let key = match scheme.key {
        KeyForm::Text => SECRET.as_bytes().to_vec(),
        KeyForm::Base64(_) => BASE64_STANDARD.decode(SECRET).expect("base64"),
    };
    let tag = hmac::sign(&hmac::Key::new(algorithm, &key), request.body());
    let tag = match scheme.encoding {
        Encoding::Hex => hex(tag.as_ref()),
        Encoding::Base64 => BASE64_STANDARD.encode(tag),
    };
    let value = match scheme.format {
        SignatureFormat::Whole => tag,
        SignatureFormat::After(mark) | SignatureFormat::Listed { mark, .. } => format!("{mark}{tag}"),
        SignatureFormat::Numbered | SignatureFormat::Secret => return None,
    };
    let headers = request.headers_mut();
    for other in schemes {
        headers.remove(other.header);
        other.second.map(|second| headers.remove(second));
    }
    headers.insert(scheme.header, HeaderValue::try_from(value).expect("a value"));
    for (name, value) in scheme.also {
        headers.insert(*name, HeaderValue::from_static(value));
    }
    Some(())
}

/// Checks the parsers of header and body texts: parsed values have one spelling or can be written again.
fn check_parsers(value: &[u8]) {
    certificates::parse_certificate(value);
    if let Ok(form) = form_fields(value) {
        assert!(form.len() <= MAX_FIELDS);
        let escaped = |text: &[u8]| text.iter().map(|byte| format!("%{byte:02X}")).collect::<String>();
        let pairs = form.iter().filter(|(name, value)| !name.is_empty() || !value.is_empty());
        let pairs: Vec<_> = pairs.map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
        let again = form_fields(pairs.join("&").as_bytes()).expect("no more fields");
        assert!(again.iter().eq(form.iter().filter(|(name, value)| !name.is_empty() || !value.is_empty())));
    }
    let (first, rest) = line(value);
    let Ok(text) = std::str::from_utf8(first) else { return };
    if let Some(boundary) = multipart::boundary(text) {
        assert!(!boundary.is_empty());
        let _ = multipart::fields(rest, boundary);
    }
    let _ = multipart::fields(rest, text);
    if let Some(time) = timestamp::parse(text) {
        let limits = [Timestamp::MIN, Timestamp::MAX].map(Timestamp::as_millisecond);
        let date = Timestamp::from_millisecond(time);
        assert!(date.is_ok() || text.bytes().all(|byte| byte.is_ascii_digit()), "{text} {limits:?}");
        let spelt = date.map(|date| timestamp::parse(&date.to_string()));
        assert!(spelt.is_ok_and(|spelt| spelt == Some(time)) || time > limits[1], "{text}");
    }
    if let Some(read) = decode_signature(Encoding::Hex, text) {
        assert_eq!(hex(&read), text);
    }
    if let Some(read) = decode_signature(Encoding::Base64, text) {
        assert_eq!(BASE64_STANDARD.encode(read), text);
    }
    if let Some(url) = CertificateUrl::parse(text) {
        let uri: Uri = text.parse().expect("an address");
        let host = uri.authority().expect("a host").as_str();
        assert!(host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn"), "{text}");
        assert_eq!(url.address(), text);
        assert_eq!(HostName::parse(host).expect("a name").as_str(), host);
        assert!(uri.query().is_none() && uri.path().matches('/').count() == 1, "{text}");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
