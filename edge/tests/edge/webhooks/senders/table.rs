//! Every provider with its sender: a line where the signature is simple, a file where it is not.

use super::{
    Hook, JSON, Sender, airship, b64, box_com, contentful, docusign, graph_cms, hex, hubspot, mailchimp, mailgun,
    plivo, sendgrid,
    signing::{iso, mac, sha256},
    sns, stripe, twilio,
};
use aws_lc_rs::hmac::HMAC_SHA512;
use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::webhooks::Provider::{self, *};

pub(super) const SENDERS: &[(Provider, Sender)] = &[
    (AfterShip, |to| {
        vec![
            to.base64_sha256("aftership-hmac-sha256"),
            to.base64_sha256("as-signature-hmac-sha256"),
            Hook::json("am-webhook-signature", format!("hmac-sha256={}", b64(to.sha256(JSON)))),
        ]
    }),
    (Airship, airship::forms),
    (Alchemy, |to| vec![to.hex_sha256("X-Alchemy-Signature")]),
    (Autodesk, |to| {
        vec![
            Hook::json("x-adsk-signature", format!("sha1hash={}", hex(to.sha1(JSON)))),
            Hook::json("x-adsk-signature", format!("sha256hash={}", hex(to.sha256(JSON)))),
        ]
    }),
    (Bitbucket, |to| vec![Hook::json("X-Hub-Signature", format!("sha256={}", hex(to.sha256(JSON))))]),
    (Bolt, |to| vec![to.base64_sha256("X-Bolt-Hmac-Sha256")]),
    (Box, box_com::forms),
    (Brex, |to| vec![to.standard_webhook("webhook")]),
    (Buildkite, |to| {
        vec![to.timestamped("X-Buildkite-Signature", "timestamp", "signature", 180), to.token("X-Buildkite-Token")]
    }),
    (Calendly, |to| vec![to.timestamped("Calendly-Webhook-Signature", "t", "v1", 180)]),
    (Castle, |to| vec![to.base64_sha256("X-Castle-Signature")]),
    (Chargify, |to| vec![to.hex_sha256("X-Chargify-Webhook-Signature-Hmac-Sha-256")]),
    (CircleCi, |to| vec![Hook::json("circleci-signature", format!("v2=later,v1={}", hex(to.sha256(JSON))))]),
    (Clearbit, |to| vec![Hook::json("X-Request-Signature", format!("sha1={}", hex(to.sha1(JSON))))]),
    (Clerk, |to| vec![to.standard_webhook("svix"), to.standard_webhook("webhook")]),
    (Coinbase, |to| vec![to.hex_sha256("X-CC-Webhook-Signature")]),
    (Contentful, contentful::forms),
    (DocuSign, docusign::forms),
    (Dropbox, |to| vec![to.hex_sha256("X-Dropbox-Signature")]),
    (FacebookGraphApi, |to| vec![to.hub(), to.hub_sha1()]),
    (FacebookMessenger, |to| vec![to.hub(), to.hub_sha1()]),
    (FrameIo, |to| {
        vec![to.versioned("v0", "X-Frameio-Signature", "X-Frameio-Request-Timestamp", &to.second.to_string())]
    }),
    (GitHub, |to| vec![to.hub(), to.hub_sha1()]),
    (GitLab, |to| vec![to.token("X-Gitlab-Token")]),
    (Go1, |to| vec![to.timestamped("Go1-Signature", "t", "v1", 180)]),
    (GraphCms, graph_cms::forms),
    (Heroku, |to| vec![to.base64_sha256("Heroku-Webhook-Hmac-SHA256")]),
    (HostedHooks, |to| vec![to.timestamped("HostedHooks-Signature", "t", "v1", 180)]),
    (HubSpot, hubspot::forms),
    (Instagram, |to| vec![to.hub(), to.hub_sha1()]),
    (Intercom, |to| vec![to.hub_sha1()]),
    (Jira, |to| vec![Hook::json("X-Hub-Signature", format!("sha256={}", hex(to.sha256(JSON))))]),
    (LaunchDarkly, |to| vec![to.hex_sha256("X-LD-Signature")]),
    (Linear, |to| {
        let body = format!(r#"{{"action":"CHANGE","webhookTimestamp":{}}}"#, to.millisecond());
        vec![Hook::post(body.clone()).with("Linear-Signature", hex(to.sha256(body))).within(60)]
    }),
    (Mailchimp, mailchimp::forms),
    (Mailgun, mailgun::forms),
    (MicrosoftTeams, |to| {
        let secret = BASE64_STANDARD.decode(to.secret).unwrap();
        vec![Hook::json("Authorization", format!("HMAC {}", b64(sha256(secret, JSON))))]
    }),
    (ModernTreasury, |to| vec![to.hex_sha256("X-Signature")]),
    (MongoDb, |to| {
        vec![
            Hook::json("X-MMS-Signature", b64(to.sha1(JSON))),
            Hook::json("X-Hook-Signature", format!("sha256={}", hex(to.sha256(JSON)))),
        ]
    }),
    (Mux, |to| vec![to.timestamped("Mux-Signature", "t", "v1", 300)]),
    (Orb, |to| vec![to.versioned("v1", "X-Orb-Signature", "X-Orb-Timestamp", iso(to.second).trim_end_matches('Z'))]),
    (Orbit, |to| vec![to.hex_sha256("X-Orbit-Signature")]),
    (PagerDuty, |to| {
        vec![Hook::json("X-PagerDuty-Signature", format!("v1={},v1={}", hex([3; 32]), hex(to.sha256(JSON))))]
    }),
    (Pinwheel, |to| vec![to.versioned("v2", "x-pinwheel-signature", "x-timestamp", &to.second.to_string())]),
    (Plivo, plivo::forms),
    (Pusher, |to| vec![to.hex_sha256("X-Pusher-Signature"), Hook::json("Webhook-Signature", hex(to.sha1(JSON)))]),
    (SendGrid, sendgrid::forms),
    (Sentry, |to| vec![to.hex_sha256("Sentry-Hook-Signature")]),
    (Shopify, |to| vec![to.base64_sha256("X-Shopify-Hmac-Sha256")]),
    (SignalSciences, |to| vec![to.hex_sha256("X-SigSci-Signature")]),
    (Slack, |to| vec![to.versioned("v0", "X-Slack-Signature", "X-Slack-Request-Timestamp", &to.second.to_string())]),
    (Sns, sns::forms),
    (Sonatype, |to| vec![Hook::json("X-Nexus-Webhook-Signature", hex(to.sha1(JSON)))]),
    (Square, |to| {
        let text = |rest: &str| format!("{}{rest}{JSON}", to.address());
        vec![
            Hook::json("X-Square-HmacSha256-Signature", b64(to.sha256(text("/a?b=c")))).at("/a?b=c"),
            Hook::json("X-Square-Signature", b64(to.sha1(text("")))),
        ]
    }),
    (Stripe, stripe::forms),
    (Svix, |to| vec![to.standard_webhook("svix"), to.standard_webhook("webhook")]),
    (Terraform, |to| {
        ["X-TFE-Notification-Signature", "X-TFC-Task-Signature"]
            .map(|header| Hook::json(header, hex(mac(HMAC_SHA512, to.secret, JSON))))
            .into()
    }),
    (TikTok, |to| vec![to.timestamped("TikTok-Signature", "t", "s", 180)]),
    (TrendMicroConformity, |to| vec![to.hex_sha256("X-Conformity-Signature")]),
    (Twilio, twilio::forms),
    (Twitter, |to| vec![Hook::json("x-twitter-webhooks-signature", format!("sha256={}", b64(to.sha256(JSON))))]),
    (Typeform, |to| vec![Hook::json("Typeform-Signature", format!("sha256={}", b64(to.sha256(JSON))))]),
    (VMware, |to| {
        vec![Hook::json("Authorization", format!("Basic {}", b64(to.secret.replacen("::", ":", 1)))).uncovered()]
    }),
    (Webex, |to| vec![Hook::json("X-Spark-Signature", hex(to.sha1(JSON)))]),
    (WhatsApp, |to| vec![to.hub(), to.hub_sha1()]),
    (Worldline, |to| vec![to.base64_sha256("X-GCS-Signature")]),
    (Xero, |to| vec![to.base64_sha256("x-xero-signature")]),
    (Zendesk, |to| {
        let signature = b64(to.sha256(format!("{}{JSON}", iso(to.second))));
        vec![
            Hook::json("X-Zendesk-Webhook-Signature", signature)
                .with("X-Zendesk-Webhook-Signature-Timestamp", iso(to.second))
                .within(180),
        ]
    }),
    (Zoom, |to| vec![to.versioned("v0", "x-zm-signature", "x-zm-request-timestamp", &to.second.to_string())]),
];
