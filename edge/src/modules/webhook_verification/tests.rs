//! Tests of the whole stage: decisions, messages, and arbitrary input.

use super::{
    fuzzing::{run_stage, verifier},
    *,
};
use hyper::Request;
use proptest::prelude::*;

fn refused(outcome: Result<WebhookOutcome, Refusal>) -> Refusal {
    outcome.err().expect("refused")
}

fn request(headers: &[(&str, &str)]) -> Request<&'static [u8]> {
    let mut request = Request::post("/hook").header("host", "hooks.test");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(&b"{}"[..]).expect("a request")
}

const GITHUB: &str = "X-Hub-Signature-256";

#[tokio::test]
async fn the_trace_contains_the_decision() {
    let verifier = verifier("GitHub", "hunter2").expect("a verifier");
    let key = hmac::Key::new(hmac::HMAC_SHA256, b"hunter2");
    let signature: String = hmac::sign(&key, b"{}").as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let signature = format!("sha256={signature}");
    let (outcome, trace) = run_stage(&verifier, request(&[(GITHUB, &signature)])).await;
    assert!(
        matches!(outcome, Ok(WebhookOutcome::Forward)) && trace.starts_with("webhook_verification passed by github in"),
        "{trace}"
    );
    let (outcome, trace) = run_stage(&verifier, request(&[])).await;
    assert!(outcome.is_err() && trace.starts_with("webhook_verification refused by github in"), "{trace}");
}

#[tokio::test]
async fn a_refusal_names_the_problem_and_never_the_correct_value() {
    let wrong = format!("sha256={}", "0".repeat(64));
    for (provider, secret, headers, said) in [
        ("github", "hunter2", &[][..], "the `X-Hub-Signature-256` header is missing"),
        ("github", "hunter2", &[(GITHUB, wrong.as_str()), (GITHUB, wrong.as_str())], "more than once"),
        ("github", "hunter2", &[(GITHUB, "hello")], "does not have the format of this provider"),
        ("github", "hunter2", &[(GITHUB, wrong.as_str())], "its signature does not match"),
        ("docusign", "hunter2", &[], "the `X-DocuSign-Signature-1` header is missing"),
        ("stripe", "hunter2", &[("Stripe-Signature", "t=1,v1=00")], "more than 300 seconds away"),
        ("stripe", "hunter2", &[("Stripe-Signature", "t=now,v1=00")], "its timestamp cannot be parsed"),
        ("hubspot", "hunter2", &[("X-HubSpot-Signature", "00")], "the `X-HubSpot-Signature-Version` header is missing"),
        ("twilio", "hunter2", &[], "the `X-Twilio-Signature` header is missing"),
        ("svix", "whsec_hunter2!", &[("svix-signature", "v1,AAAA")], "it is not base64"),
        ("vmware", "hunter2", &[("Authorization", "Basic aHVudGVyMg==")], "not of the form user::password"),
        ("sendgrid", "hunter2", &[], "the secret of the route is not a public key"),
        ("sns", "", &[], "its body is not a signed message"),
        ("mailgun", "hunter2", &[], "its body is not a JSON object of this provider"),
    ] {
        let verifier = verifier(provider, secret).expect("a verifier");
        let (outcome, _) = run_stage(&verifier, request(headers)).await;
        let error = refused(outcome).error;
        assert_eq!((error.code, error.status()), (Code::WebhookRefused, 403), "{provider}");
        assert!(error.message.contains(said), "{provider}: {}", error.message);
        assert!(error.message.contains(&format!("`{provider}`")), "{}", error.message);
        assert!(secret.is_empty() || !error.message.contains(secret), "{}", error.message);
    }
}

#[test]
fn unknown_providers_are_refused() {
    assert!(verifier("githib", "hunter2").is_err());
    assert!(verifier("github", "").is_err());
    assert!(verifier("sns", "").is_ok());
    for provider in Provider::ALL {
        assert!(verifier(provider.name(), "hunter2").is_ok(), "{provider:?}");
    }
}

#[tokio::test]
async fn without_its_certificate_a_message_is_refused() {
    let message = br#"{"Type":"Notification","MessageId":"1","TopicArn":"a","Message":"m",
        "Timestamp":"2023-11-14T22:13:20.000Z","SignatureVersion":"2","Signature":"AAAA",
        "SigningCertURL":"https://sns.us-east-1.amazonaws.com/SimpleNotificationService-a.pem"}"#;
    let request = Request::post("/").header("host", "hooks.test").body(&message[..]).expect("a request");
    let (outcome, _) = run_stage(&verifier("sns", "").expect("a verifier"), request).await;
    let message = refused(outcome).error.message;
    assert!(message.contains("cannot be fetched at the moment"), "{message}");
}

#[tokio::test]
async fn decompression_stops_at_the_limit() {
    use std::io::Write;
    let packed = |length: usize| {
        let mut packing = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packing.write_all(&vec![b' '; length]).expect("packed");
        packing.finish().expect("packed")
    };
    let limit = crate::limits::Limits::default().buffered_body;
    for (length, said) in [(limit, "its signature does not match"), (limit + 1, "too large after decompression")] {
        let body = packed(length);
        assert!(body.len() < limit / 100);
        let request = Request::post("/")
            .header("host", "hooks.test")
            .header("content-encoding", "gzip")
            .header("x-ua-timestamp", "1700000000")
            .header("x-ua-signature", "00")
            .body(&body[..])
            .expect("a request");
        let (outcome, _) = run_stage(&verifier("airship", "hunter2").expect("a verifier"), request).await;
        let message = refused(outcome).error.message;
        assert!(message.contains(said), "{message}");
    }
}

/// Headers that some provider reads.
const HEADERS: &[&str] = &[
    "stripe-signature",
    "svix-id",
    "svix-timestamp",
    "svix-signature",
    "x-hub-signature-256",
    "x-hub-signature",
    "authorization",
    "gcms-signature",
    "x-contentful-signature",
    "x-contentful-signed-headers",
    "x-contentful-timestamp",
    "x-plivo-signature-v3",
    "x-plivo-signature-v3-nonce",
    "x-twilio-signature",
    "x-twilio-email-event-webhook-signature",
    "x-twilio-email-event-webhook-timestamp",
    "x-docusign-signature-1",
    "x-hubspot-signature-v3",
    "x-hubspot-request-timestamp",
    "x-ua-signature",
    "x-ua-timestamp",
    "x-mandrill-signature",
    "linear-signature",
    "content-type",
    "content-encoding",
];

proptest! {
    #[test]
    fn arbitrary_requests_never_panic_and_never_pass(
        provider in proptest::sample::select(Provider::ALL),
        headers in proptest::collection::vec((proptest::sample::select(HEADERS), HEADER_VALUE), 0..6),
        target in "/[a-z%?&=@0-9]{0,20}",
        body in prop_oneof![BODY.prop_map(String::into_bytes), proptest::collection::vec(any::<u8>(), 0..60)],
    ) {
        let mut request = Request::post(target).header("host", "hooks.test");
        for (name, value) in &headers {
            request = request.header(*name, value);
        }
        let Ok(request) = request.body(&body[..]) else { return Ok(()) };
        let secret = if provider == Provider::Sns { "" } else { "aHVudGVyMg==" };
        let verifier = verifier(provider.name(), secret).expect("a verifier");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        // Challenges with a wrong signature get a response, too.
        let (outcome, _) = runtime.block_on(run_stage(&verifier, request));
        prop_assert!(!matches!(outcome, Ok(WebhookOutcome::Forward)), "{provider:?}");
    }
}

const HEADER_VALUE: &str = "((t|v0|v1|s|sign|env|timestamp)=|sha1=|sha256=|v1,|HMAC |Basic |[0-9a-f]{2,8}|1700000000(000)?|[,; ]|AAAA|gzip|application/x-www-form-urlencoded|host|x-contentful-timestamp|x-contentful-signed-headers){0,6}";
const BODY: &str = r#"\{("(Type|Message|Signature|Timestamp|signature|events|event|token|timestamp|webhookTimestamp)":("[a-z0-9]{0,4}"|1700000000000|\[\]|\{\}|null),?){0,5}\}"#;
