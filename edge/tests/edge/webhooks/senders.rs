//! Signed requests of every provider, written from its documentation and independent of the product's table.

use aws_lc_rs::{
    digest,
    encoding::{AsDer, PublicKeyX509Der},
    hmac, rand,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::webhooks::Provider;
use std::{collections::BTreeMap, fmt::Write as _, io::Write as _, sync::LazyLock};

pub(crate) const HOST: &str = "hooks.localhost";

/// A request of a provider.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) method: &'static str,
    /// The rest of the target after the path of the route.
    pub(crate) rest: String,
    pub(crate) headers: Vec<(String, String)>,
    /// The headers of the signature.
    pub(crate) signing: Vec<String>,
    pub(crate) body: Vec<u8>,
    /// The part of the body that the signature covers.
    pub(crate) covers: Covers,
    /// Tolerance of the timestamp in seconds.
    pub(crate) tolerance: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Covers {
    /// Every byte.
    All,
    /// The values of some members only.
    Members,
    Nothing,
}

/// The inputs of a request.
pub(crate) struct Sending<'a> {
    /// The path of the route.
    pub(crate) path: &'a str,
    pub(crate) secret: &'a str,
    pub(crate) second: i64,
    /// Different for each request.
    pub(crate) number: u64,
}

const JSON: &str = r#"{"id":"evt_1","object":"event","note":"h\u00e9llo é CHANGE"}"#;
const FORM: &str = "To=%2B18005551212&From=%2B14158675309&Note=CHANGE+me%21&Empty=&%C3%A9=1&From=twice";

impl Hook {
    fn post(body: impl Into<Vec<u8>>) -> Hook {
        let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
        let (rest, signing) = (String::new(), Vec::new());
        Hook { method: "POST", rest, headers, signing, body: body.into(), covers: Covers::All, tolerance: None }
    }

    fn form() -> Hook {
        let mut hook = Hook::post(FORM);
        hook.headers[0].1 = "application/x-www-form-urlencoded; charset=utf-8".to_owned();
        hook
    }

    /// Adds a header of the signature.
    fn with(mut self, name: &str, value: impl Into<String>) -> Hook {
        self.headers.push((name.to_owned(), value.into()));
        self.signing.push(name.to_owned());
        self
    }

    fn at(mut self, rest: &str) -> Hook {
        self.rest = rest.to_owned();
        self
    }

    fn within(mut self, tolerance: i64) -> Hook {
        self.tolerance = Some(tolerance);
        self
    }

    fn uncovered(mut self) -> Hook {
        self.covers = Covers::Nothing;
        self
    }
}

fn mac(algorithm: hmac::Algorithm, key: impl AsRef<[u8]>, text: impl AsRef<[u8]>) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(algorithm, key.as_ref()), text.as_ref()).as_ref().to_vec()
}

fn sha256(key: impl AsRef<[u8]>, text: impl AsRef<[u8]>) -> Vec<u8> {
    mac(hmac::HMAC_SHA256, key, text)
}

fn sha1(key: impl AsRef<[u8]>, text: impl AsRef<[u8]>) -> Vec<u8> {
    mac(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, key, text)
}

pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn b64(bytes: impl AsRef<[u8]>) -> String {
    BASE64_STANDARD.encode(bytes)
}

fn iso(second: i64) -> String {
    jiff::Timestamp::from_second(second).unwrap().to_string()
}

/// A secret in the provider's format, different for each text.
pub(crate) fn secret_of(provider: Provider, text: &str) -> String {
    match provider {
        Provider::Svix | Provider::Clerk | Provider::Brex => format!("whsec_{}", b64(format!("0123456789 {text}"))),
        Provider::MicrosoftTeams => b64(format!("0123456789 {text}")),
        Provider::VMware => format!("{text}::p:ssword"),
        Provider::SendGrid => b64(public_key(curve(text))),
        Provider::Sns => String::new(),
        _ => text.to_owned(),
    }
}

/// The public key in the provider's format.
fn public_key(pair: &EcdsaKeyPair) -> Vec<u8> {
    AsDer::<PublicKeyX509Der<'_>>::as_der(pair.public_key()).unwrap().as_ref().to_vec()
}

/// The key pairs of the two texts that tests use.
fn curve(text: &str) -> &'static EcdsaKeyPair {
    fn make() -> EcdsaKeyPair {
        EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap()
    }
    static RIGHT: LazyLock<EcdsaKeyPair> = LazyLock::new(make);
    static WRONG: LazyLock<EcdsaKeyPair> = LazyLock::new(make);
    if text == "right" { &RIGHT } else { &WRONG }
}

/// The key of the topic's certificate, and the certificate.
pub(crate) static TOPIC: LazyLock<(RsaKeyPair, String)> = LazyLock::new(|| {
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_RSA_SHA256).unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["sns.amazonaws.com".to_owned()]).unwrap();
    (RsaKeyPair::from_pkcs8(&key.serialize_der()).unwrap(), certificate.self_signed(&key).unwrap().pem())
});
static OTHER: LazyLock<RsaKeyPair> = LazyLock::new(|| {
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_RSA_SHA256).unwrap();
    RsaKeyPair::from_pkcs8(&key.serialize_der()).unwrap()
});

/// The request of a provider in one of its forms, counted from 0; `None` beyond the last form.
pub(crate) fn hook(provider: Provider, form: usize, sending: &Sending<'_>) -> Option<Hook> {
    use Provider::*;
    let Sending { path, secret: key, second, number } = sending;
    let json = Hook::post(JSON);
    let address = format!("https://{HOST}{path}");
    let whole = |name: &str, signature: String| json.clone().with(name, signature);
    let hexed = |name: &str| whole(name, hex(sha256(key, JSON)));
    let based = |name: &str| whole(name, b64(sha256(key, JSON)));
    let dotted = |name: &str, time: &str, mark: &str, tolerance: i64| {
        let signature = hex(sha256(key, format!("{second}.{JSON}")));
        whole(name, format!("{time}={second},{mark}={signature}")).within(tolerance)
    };
    let versioned = |version: &str, name: &str, time: &str, moment: &str| {
        let signature = hex(sha256(key, format!("{version}:{moment}:{JSON}")));
        whole(name, format!("{version}={signature}")).with(time, moment).within(300)
    };
    let spaced = |prefix: &str| {
        let secret = BASE64_STANDARD.decode(key.strip_prefix("whsec_").unwrap_or(key)).unwrap();
        let signature = b64(sha256(secret, format!("msg_{number}.{second}.{JSON}")));
        json.clone()
            .with(&format!("{prefix}-id"), format!("msg_{number}"))
            .with(&format!("{prefix}-timestamp"), second.to_string())
            .with(&format!("{prefix}-signature"), format!("v1a,other v1,{} v1,{signature}", b64([7; 32])))
            .within(300)
    };
    let hub = || whole("X-Hub-Signature-256", format!("sha256={}", hex(sha256(key, JSON))));
    let old_hub = || whole("X-Hub-Signature", format!("sha1={}", hex(sha1(key, JSON))));
    Some(match (provider, form) {
        (AfterShip, 0) => based("aftership-hmac-sha256"),
        (AfterShip, 1) => based("as-signature-hmac-sha256"),
        (AfterShip, 2) => whole("am-webhook-signature", format!("hmac-sha256={}", b64(sha256(key, JSON)))),
        (Airship, 0 | 1) => {
            let signature = hex(sha256(key, format!("{second}:{JSON}")));
            let mut hook = whole("X-UA-SIGNATURE", signature).with("X-UA-TIMESTAMP", second.to_string()).within(180);
            if form == 1 {
                let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                packed.write_all(JSON.as_bytes()).unwrap();
                hook.body = packed.finish().unwrap();
                hook.headers.push(("Content-Encoding".to_owned(), "gzip".to_owned()));
            }
            hook
        }
        (Airship, 2) => {
            let mut hook = Hook::post("")
                .with("X-UA-SIGNATURE", hex(sha256(key, format!("{second}:"))))
                .with("X-UA-TIMESTAMP", second.to_string())
                .at("/validate")
                .within(180);
            hook.method = "GET";
            hook
        }
        (Alchemy, 0) => hexed("X-Alchemy-Signature"),
        (Sns, 0..=3) => topic(form, key, *second),
        (Autodesk, 0) => whole("x-adsk-signature", format!("sha1hash={}", hex(sha1(key, JSON)))),
        (Autodesk, 1) => whole("x-adsk-signature", format!("sha256hash={}", hex(sha256(key, JSON)))),
        (Bitbucket | Jira, 0) => whole("X-Hub-Signature", format!("sha256={}", hex(sha256(key, JSON)))),
        (Bolt, 0) => based("X-Bolt-Hmac-Sha256"),
        (Box, 0..=2) => {
            let moment = format!("{}-07:00", iso(second - 7 * 3600).trim_end_matches('Z'));
            let signature = b64(sha256(key, format!("{JSON}{moment}")));
            let hook = match form {
                0 => whole("BOX-SIGNATURE-PRIMARY", signature),
                1 => whole("BOX-SIGNATURE-SECONDARY", signature),
                // During a key rotation, one of the two signatures has an unknown key.
                _ => {
                    let mut hook = whole("BOX-SIGNATURE-SECONDARY", signature);
                    hook.headers.push(("BOX-SIGNATURE-PRIMARY".to_owned(), b64([1; 32])));
                    hook
                }
            };
            hook.with("BOX-DELIVERY-TIMESTAMP", moment)
                .with("BOX-SIGNATURE-VERSION", "1")
                .with("BOX-SIGNATURE-ALGORITHM", "HmacSHA256")
                .within(600)
        }
        (Brex, 0) => spaced("webhook"),
        (Clerk | Svix, 0) => spaced("svix"),
        (Clerk | Svix, 1) => spaced("webhook"),
        (Buildkite, 0) => dotted("X-Buildkite-Signature", "timestamp", "signature", 180),
        (Buildkite, 1) => whole("X-Buildkite-Token", (*key).to_owned()).uncovered(),
        (Calendly, 0) => dotted("Calendly-Webhook-Signature", "t", "v1", 180),
        (Castle, 0) => based("X-Castle-Signature"),
        (Chargify, 0) => hexed("X-Chargify-Webhook-Signature-Hmac-Sha-256"),
        (CircleCi, 0) => whole("circleci-signature", format!("v2=later,v1={}", hex(sha256(key, JSON)))),
        (Clearbit, 0) => whole("X-Request-Signature", format!("sha1={}", hex(sha1(key, JSON)))),
        (Coinbase, 0) => hexed("X-CC-Webhook-Signature"),
        (Contentful, 0) => {
            let (names, moment) = ("x-contentful-signed-headers", second * 1000);
            let list = "content-type,x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic";
            let headers = format!(
                "content-type:application/json;{names}:{list};x-contentful-timestamp:{moment};x-contentful-topic:a.b"
            );
            let text = format!("POST\n{path}/x?a%253D1\n{headers}\n{JSON}");
            json.clone()
                .with("x-contentful-topic", "a.b")
                .with(names, list)
                .with("x-contentful-timestamp", moment.to_string())
                .with("x-contentful-signature", hex(sha256(key, text)))
                .at("/x?a=1")
                .within(180)
        }
        (DocuSign, 0) => based("X-DocuSign-Signature-1"),
        (DocuSign, 1) => {
            let mut hook = whole("X-DocuSign-Signature-3", b64(sha256(key, JSON)));
            for other in ["X-DocuSign-Signature-1", "X-DocuSign-Signature-2"] {
                hook.headers.push((other.to_owned(), b64([2; 32])));
            }
            hook
        }
        (Dropbox, 0) => hexed("X-Dropbox-Signature"),
        (FacebookGraphApi | FacebookMessenger | Instagram | WhatsApp | GitHub, 0) => hub(),
        (FacebookGraphApi | FacebookMessenger | Instagram | WhatsApp | GitHub, 1) => old_hub(),
        (Intercom, 0) => old_hub(),
        (FrameIo, 0) => versioned("v0", "X-Frameio-Signature", "X-Frameio-Request-Timestamp", &second.to_string()),
        (GitLab, 0) => whole("X-Gitlab-Token", (*key).to_owned()).uncovered(),
        (Go1, 0) => dotted("Go1-Signature", "t", "v1", 180),
        (GraphCms, 0) => {
            let body = JSON.replace('\\', "\\\\").replace('"', "\\\"");
            let moment = second * 1000;
            let text = format!(r#"{{"Body":"{body}","EnvironmentName":"master","TimeStamp":{moment}}}"#);
            let signature = b64(sha256(key, text));
            whole("gcms-signature", format!("sign={signature}, env=master, t={moment}")).within(180)
        }
        (Heroku, 0) => based("Heroku-Webhook-Hmac-SHA256"),
        (HostedHooks, 0) => dotted("HostedHooks-Signature", "t", "v1", 180),
        (HubSpot, 0 | 1) => {
            let moment = second * 1000;
            // The provider does not percent-encode some characters.
            let (rest, spelt) = if form == 0 { ("?a=b", "?a=b") } else { ("?a=%40b%2Fc%20d", "?a=@b/c%20d") };
            let signature = b64(sha256(key, format!("POST{address}{spelt}{JSON}{moment}")));
            whole("X-HubSpot-Signature-v3", signature)
                .with("X-HubSpot-Request-Timestamp", moment.to_string())
                .at(rest)
                .within(300)
        }
        (HubSpot, 2 | 3) => {
            let (version, text) = match form {
                2 => ("v2", format!("{key}POST{address}{JSON}")),
                _ => ("v1", format!("{key}{JSON}")),
            };
            whole("X-HubSpot-Signature", hex(digest::digest(&digest::SHA256, text.as_bytes())))
                .with("X-HubSpot-Signature-Version", version)
        }
        (LaunchDarkly, 0) => hexed("X-LD-Signature"),
        (Linear, 0) => {
            let body = format!(r#"{{"action":"CHANGE","webhookTimestamp":{}}}"#, second * 1000);
            Hook::post(body.clone()).with("Linear-Signature", hex(sha256(key, body))).within(60)
        }
        (Mailchimp, 0) => {
            let body = "mandrill_events=%5B%7B%22event%22%3A%22CHANGE%22%7D%5D&a=1";
            let text = format!("{address}a1mandrill_events[{{\"event\":\"CHANGE\"}}]");
            let mut hook = Hook::form().with("X-Mandrill-Signature", b64(sha1(key, text)));
            hook.body = body.into();
            hook
        }
        (Mailgun, 0..=3) => {
            let token = format!("{number:050x}");
            let signature = hex(sha256(key, format!("{second}{token}")));
            let hook = match form {
                0 => Hook::post(format!(
                    r#"{{"signature":{{"timestamp":"{second}","token":"{token}","signature":"{signature}"}},"event-data":{{}}}}"#
                )),
                1 => Hook::post(format!(
                    r#"{{"event-data":{{}},"signature":{{"token":"{token}","signature":"{signature}","timestamp":{second}}}}}"#
                )),
                2 => {
                    let part = |name: &str, text: &str| {
                        format!("--xYz\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
                    };
                    let file = "--xYz\r\nContent-Disposition: form-data; name=\"attachment-1\"; filename=\"token\"\r\n\
                                Content-Type: text/plain\r\n\r\n--x\r\n\r\n";
                    let (second, token) = (part("timestamp", &second.to_string()), part("token", &token));
                    let mut hook =
                        Hook::post(format!("{second}{file}{token}{}--xYz--\r\n", part("signature", &signature)));
                    hook.headers[0].1 = "multipart/form-data; boundary=xYz".to_owned();
                    hook
                }
                _ => {
                    let mut hook = Hook::form();
                    hook.body = format!("timestamp={second}&event=x&token={token}&signature={signature}").into();
                    hook
                }
            };
            hook.uncovered().within(180)
        }
        (MicrosoftTeams, 0) => {
            let secret = BASE64_STANDARD.decode(key).unwrap();
            whole("Authorization", format!("HMAC {}", b64(sha256(secret, JSON))))
        }
        (ModernTreasury, 0) => hexed("X-Signature"),
        (MongoDb, 0) => whole("X-MMS-Signature", b64(sha1(key, JSON))),
        (MongoDb, 1) => whole("X-Hook-Signature", format!("sha256={}", hex(sha256(key, JSON)))),
        (Mux, 0) => dotted("Mux-Signature", "t", "v1", 300),
        (Orb, 0) => versioned("v1", "X-Orb-Signature", "X-Orb-Timestamp", iso(*second).trim_end_matches('Z')),
        (Orbit, 0) => hexed("X-Orbit-Signature"),
        (PagerDuty, 0) => whole("X-PagerDuty-Signature", format!("v1={},v1={}", hex([3; 32]), hex(sha256(key, JSON)))),
        (Pinwheel, 0) => versioned("v2", "x-pinwheel-signature", "x-timestamp", &second.to_string()),
        (Plivo, 0) => {
            let fields =
                "Empty".to_owned() + "From+14158675309" + "Fromtwice" + "NoteCHANGE me!" + "To+18005551212" + "é1";
            let text = format!("{address}?b=1&b=2&c=d e.{fields}.{number}");
            Hook::form()
                .with("X-Plivo-Signature-V3", format!("{},{}", b64([4; 32]), b64(sha256(key, text))))
                .with("X-Plivo-Signature-V3-Nonce", number.to_string())
                .at("?b=2&c=d%20e&b=1")
        }
        (Plivo, 1) => {
            let text = format!("{address}?b=1.{number}");
            let mut hook = Hook::post("")
                .with("X-Plivo-Signature-V3", b64(sha256(key, text)))
                .with("X-Plivo-Signature-V3-Nonce", number.to_string())
                .at("?b=1");
            hook.method = "GET";
            hook
        }
        (Plivo, 2) => Hook::form()
            .with("X-Plivo-Signature-V2", b64(sha256(key, format!("{address}{number}"))))
            .with("X-Plivo-Signature-V2-Nonce", number.to_string())
            .at("?b=1")
            .uncovered(),
        (Pusher, 0) => hexed("X-Pusher-Signature"),
        (Pusher, 1) => whole("Webhook-Signature", hex(sha1(key, JSON))),
        (SendGrid, 0) => {
            let pair = [curve("right"), curve("wrong")]
                .into_iter()
                .find(|pair| b64(public_key(pair)) == *key)
                .expect("a key of the tests");
            let text = format!("{second}{JSON}");
            let signature = pair.sign(&rand::SystemRandom::new(), text.as_bytes()).unwrap();
            whole("X-Twilio-Email-Event-Webhook-Signature", b64(signature))
                .with("X-Twilio-Email-Event-Webhook-Timestamp", second.to_string())
                .within(180)
        }
        (Sentry, 0) => hexed("Sentry-Hook-Signature"),
        (Shopify, 0) => based("X-Shopify-Hmac-Sha256"),
        (SignalSciences, 0) => hexed("X-SigSci-Signature"),
        (Slack, 0) => versioned("v0", "X-Slack-Signature", "X-Slack-Request-Timestamp", &second.to_string()),
        (Sonatype, 0) => whole("X-Nexus-Webhook-Signature", hex(sha1(key, JSON))),
        (Square, 0) => {
            whole("X-Square-HmacSha256-Signature", b64(sha256(key, format!("{address}/a?b=c{JSON}")))).at("/a?b=c")
        }
        (Square, 1) => whole("X-Square-Signature", b64(sha1(key, format!("{address}{JSON}")))),
        (Stripe, 0) => dotted("Stripe-Signature", "t", "v1", 300),
        (Stripe, 1) => {
            let signature = hex(sha256(key, format!("{second}.{JSON}")));
            let others = format!("v1={},v0={}", hex([5; 32]), hex([6; 32]));
            whole("Stripe-Signature", format!("t={second},{others},v1={signature}")).within(300)
        }
        (Terraform, 0 | 1) => {
            let name = ["X-TFE-Notification-Signature", "X-TFC-Task-Signature"][form];
            whole(name, hex(mac(hmac::HMAC_SHA512, key, JSON)))
        }
        (TikTok, 0) => dotted("TikTok-Signature", "t", "s", 180),
        (TrendMicroConformity, 0) => hexed("X-Conformity-Signature"),
        (Twilio, 0 | 1) => {
            // The usual port may be part of the address.
            let address = if form == 0 { address.clone() } else { address.replace(HOST, &format!("{HOST}:443")) };
            let fields =
                "Empty".to_owned() + "From+14158675309" + "Fromtwice" + "NoteCHANGE me!" + "To+18005551212" + "é1";
            let signature = b64(sha1(key, format!("{address}?foo=1&bar=2{fields}")));
            Hook::form().with("X-Twilio-Signature", signature).at("?foo=1&bar=2")
        }
        (Twilio, 2) => {
            let hash = hex(digest::digest(&digest::SHA256, JSON.as_bytes()));
            let rest = format!("?foo=1&bodySHA256={hash}");
            whole("X-Twilio-Signature", b64(sha1(key, format!("{address}{rest}")))).at(&rest)
        }
        (Twitter, 0) => whole("x-twitter-webhooks-signature", format!("sha256={}", b64(sha256(key, JSON)))),
        (Typeform, 0) => whole("Typeform-Signature", format!("sha256={}", b64(sha256(key, JSON)))),
        (VMware, 0) => whole("Authorization", format!("Basic {}", b64(key.replacen("::", ":", 1)))).uncovered(),
        (Webex, 0) => whole("X-Spark-Signature", hex(sha1(key, JSON))),
        (Worldline, 0) => based("X-GCS-Signature"),
        (Xero, 0) => based("x-xero-signature"),
        (Zendesk, 0) => whole("X-Zendesk-Webhook-Signature", b64(sha256(key, format!("{}{JSON}", iso(*second)))))
            .with("X-Zendesk-Webhook-Signature-Timestamp", iso(*second))
            .within(180),
        (Zoom, 0) => versioned("v0", "x-zm-signature", "x-zm-request-timestamp", &second.to_string()),
        _ => return None,
    })
}

/// A message of a topic: a notification with a subject or without, and the two that ask for confirmation.
fn topic(form: usize, key: &str, second: i64) -> Hook {
    let mut said: BTreeMap<&str, String> = [
        ("Message", "CHANGE \"me\"\nplease".to_owned()),
        ("MessageId", "e1f2a232-e8ce-5f0a-b5d3-fbeb".to_owned()),
        ("Timestamp", iso(second)),
        ("TopicArn", "arn:aws:sns:us-east-1:123456789012:test".to_owned()),
    ]
    .into();
    let kind = ["Notification", "Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"][form];
    said.insert("Type", kind.to_owned());
    if form == 0 {
        said.insert("Subject", "Hello".to_owned());
    }
    if form > 1 {
        said.insert("Token", "2336412f37f".to_owned());
        said.insert("SubscribeURL", "https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription".to_owned());
    }
    let text: String = said.iter().map(|(name, value)| format!("{name}\n{value}\n")).collect();
    let pair = if key == "wrong" { &*OTHER } else { &TOPIC.0 };
    let mut signature = vec![0; pair.public_modulus_len()];
    pair.sign(&RSA_PKCS1_SHA256, &rand::SystemRandom::new(), text.as_bytes(), &mut signature).unwrap();
    let mut object: serde_json::Map<_, _> =
        said.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    object.insert("SignatureVersion".to_owned(), "2".into());
    object.insert("Signature".to_owned(), b64(signature).into());
    let place = "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem";
    object.insert("SigningCertURL".to_owned(), place.into());
    let mut hook = Hook::post(serde_json::to_vec(&object).unwrap()).within(180);
    hook.headers[0].1 = "text/plain; charset=UTF-8".to_owned();
    hook.covers = Covers::Members;
    hook
}
