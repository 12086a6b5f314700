//! The table of webhook providers: how each signs its requests.

use super::signature_scheme::{
    Challenge, DEFAULT_TOLERANCE, DOTTED, DigestAlgorithm, FIVE_MINUTES, KeyForm, SignatureScheme,
    SignedPart::{Body, DecompressedBody, Form, Header, Method, Secret, Text, Time, Url},
    TimestampLocation, header,
};
use postern_api::webhooks::Provider::{self, *};

/// Verification of a provider's requests.
#[derive(Clone, Copy, Debug)]
pub(super) enum Verification {
    /// By the first of these schemes whose header is present.
    Schemes(&'static [SignatureScheme]),
    /// By code of its own.
    Contentful,
    GraphCms,
    Mailgun,
    Plivo,
    SendGrid,
    Sns,
    Twilio,
    VMware,
}

/// One entry of the table.
pub(super) struct ProviderEntry {
    pub(super) verification: Verification,
    pub(super) challenge: Challenge,
}

impl ProviderEntry {
    /// The entry of a provider; `None` for one that this version does not know.
    pub(super) fn of(provider: Provider) -> Option<&'static ProviderEntry> {
        PROVIDERS.iter().find(|(known, _)| *known == provider).map(|(_, entry)| entry)
    }
}

const fn schemes(schemes: &'static [SignatureScheme]) -> ProviderEntry {
    ProviderEntry { verification: Verification::Schemes(schemes), challenge: Challenge::None }
}

const fn custom(verification: Verification) -> ProviderEntry {
    ProviderEntry { verification, challenge: Challenge::None }
}

const fn with_challenge(challenge: Challenge, schemes: &'static [SignatureScheme]) -> ProviderEntry {
    ProviderEntry { verification: Verification::Schemes(schemes), challenge }
}

const SVIX_KEY: KeyForm = KeyForm::Base64("whsec_");
const WEBHOOK_ID: SignatureScheme = header("webhook-signature")
    .spaced("v1,")
    .base64()
    .key(SVIX_KEY)
    .over(&[Header("webhook-id"), Text("."), Time, Text("."), Body])
    .time(TimestampLocation::Header("webhook-timestamp"), FIVE_MINUTES);
const SVIX: &[SignatureScheme] = &[
    header("svix-signature")
        .spaced("v1,")
        .base64()
        .key(SVIX_KEY)
        .over(&[Header("svix-id"), Text("."), Time, Text("."), Body])
        .time(TimestampLocation::Header("svix-timestamp"), FIVE_MINUTES),
    WEBHOOK_ID,
];

const HUB: SignatureScheme = header("X-Hub-Signature-256").after("sha256=");
const OLD_HUB: SignatureScheme = header("X-Hub-Signature").after("sha1=").digest(DigestAlgorithm::HmacSha1);
const META: ProviderEntry =
    with_challenge(Challenge::Forwarded(&["hub.mode", "hub.challenge", "hub.verify_token"]), &[HUB, OLD_HUB]);

static PROVIDERS: &[(Provider, ProviderEntry)] = &[
    (
        AfterShip,
        schemes(&[
            header("aftership-hmac-sha256").base64(),
            header("as-signature-hmac-sha256").base64(),
            header("am-webhook-signature").after("hmac-sha256=").base64(),
        ]),
    ),
    (
        Airship,
        schemes(&[header("X-UA-SIGNATURE")
            .over(&[Time, Text(":"), DecompressedBody])
            .time(TimestampLocation::Header("X-UA-TIMESTAMP"), DEFAULT_TOLERANCE)]),
    ),
    (Alchemy, schemes(&[header("X-Alchemy-Signature")])),
    (Sns, custom(Verification::Sns)),
    (
        Autodesk,
        schemes(&[
            header("x-adsk-signature").after("sha1hash=").digest(DigestAlgorithm::HmacSha1),
            header("x-adsk-signature").after("sha256hash="),
        ]),
    ),
    (Bitbucket, schemes(&[header("X-Hub-Signature").after("sha256=")])),
    (Bolt, schemes(&[header("X-Bolt-Hmac-Sha256").base64()])),
    (
        Box,
        schemes(&[header("BOX-SIGNATURE-PRIMARY")
            .or("BOX-SIGNATURE-SECONDARY")
            .base64()
            .over(&[Body, Time])
            .time(TimestampLocation::Header("BOX-DELIVERY-TIMESTAMP"), 600)
            .also(&[("BOX-SIGNATURE-VERSION", "1"), ("BOX-SIGNATURE-ALGORITHM", "HmacSHA256")])]),
    ),
    (Brex, schemes(&[WEBHOOK_ID])),
    (
        Buildkite,
        schemes(&[
            header("X-Buildkite-Signature")
                .listed("signature=")
                .over(DOTTED)
                .time(TimestampLocation::Listed("timestamp="), DEFAULT_TOLERANCE),
            header("X-Buildkite-Token").secret(),
        ]),
    ),
    (Calendly, schemes(&[header("Calendly-Webhook-Signature").dotted(DEFAULT_TOLERANCE)])),
    (Castle, schemes(&[header("X-Castle-Signature").base64()])),
    (Chargify, schemes(&[header("X-Chargify-Webhook-Signature-Hmac-Sha-256")])),
    (CircleCi, schemes(&[header("circleci-signature").listed("v1=")])),
    (Clearbit, schemes(&[header("X-Request-Signature").after("sha1=").digest(DigestAlgorithm::HmacSha1)])),
    (Clerk, schemes(SVIX)),
    (Coinbase, schemes(&[header("X-CC-Webhook-Signature")])),
    (Contentful, custom(Verification::Contentful)),
    (DocuSign, schemes(&[header("X-DocuSign-Signature").numbered().base64()])),
    (Dropbox, with_challenge(Challenge::Forwarded(&["challenge"]), &[header("X-Dropbox-Signature")])),
    (FacebookGraphApi, META),
    (FacebookMessenger, META),
    (Instagram, META),
    (WhatsApp, META),
    (
        FrameIo,
        schemes(&[header("X-Frameio-Signature")
            .after("v0=")
            .over(&[Text("v0:"), Time, Text(":"), Body])
            .time(TimestampLocation::Header("X-Frameio-Request-Timestamp"), FIVE_MINUTES)]),
    ),
    (GitHub, schemes(&[HUB, OLD_HUB])),
    (GitLab, schemes(&[header("X-Gitlab-Token").secret()])),
    (Go1, schemes(&[header("Go1-Signature").dotted(DEFAULT_TOLERANCE)])),
    (GraphCms, custom(Verification::GraphCms)),
    (Heroku, schemes(&[header("Heroku-Webhook-Hmac-SHA256").base64()])),
    (HostedHooks, schemes(&[header("HostedHooks-Signature").dotted(DEFAULT_TOLERANCE)])),
    (
        HubSpot,
        schemes(&[
            header("X-HubSpot-Signature-v3")
                .base64()
                .over(&[Method, Url, Body, Time])
                .time(TimestampLocation::Header("X-HubSpot-Request-Timestamp"), FIVE_MINUTES),
            header("X-HubSpot-Signature")
                .digest(DigestAlgorithm::Sha256)
                .over(&[Secret, Method, Url, Body])
                .also(&[("X-HubSpot-Signature-Version", "v2")]),
            header("X-HubSpot-Signature")
                .digest(DigestAlgorithm::Sha256)
                .over(&[Secret, Body])
                .also(&[("X-HubSpot-Signature-Version", "v1")]),
        ]),
    ),
    (Intercom, schemes(&[OLD_HUB])),
    (Jira, schemes(&[header("X-Hub-Signature").after("sha256=")])),
    (LaunchDarkly, schemes(&[header("X-LD-Signature")])),
    (Linear, schemes(&[header("Linear-Signature").time(TimestampLocation::Member("webhookTimestamp"), 60)])),
    (
        Mailchimp,
        schemes(&[header("X-Mandrill-Signature").base64().digest(DigestAlgorithm::HmacSha1).over(&[Url, Form])]),
    ),
    (Mailgun, custom(Verification::Mailgun)),
    (MicrosoftTeams, schemes(&[header("Authorization").after("HMAC ").base64().key(KeyForm::Base64(""))])),
    (ModernTreasury, schemes(&[header("X-Signature")])),
    (
        MongoDb,
        schemes(&[
            header("X-MMS-Signature").base64().digest(DigestAlgorithm::HmacSha1),
            header("X-Hook-Signature").after("sha256="),
        ]),
    ),
    (Mux, schemes(&[header("Mux-Signature").dotted(FIVE_MINUTES)])),
    (
        Orb,
        schemes(&[header("X-Orb-Signature")
            .spaced("v1=")
            .over(&[Text("v1:"), Time, Text(":"), Body])
            .time(TimestampLocation::Header("X-Orb-Timestamp"), FIVE_MINUTES)]),
    ),
    (Orbit, schemes(&[header("X-Orbit-Signature")])),
    (PagerDuty, schemes(&[header("X-PagerDuty-Signature").listed("v1=")])),
    (
        Pinwheel,
        schemes(&[header("x-pinwheel-signature")
            .after("v2=")
            .over(&[Text("v2:"), Time, Text(":"), Body])
            .time(TimestampLocation::Header("x-timestamp"), FIVE_MINUTES)]),
    ),
    (Plivo, custom(Verification::Plivo)),
    (Pusher, schemes(&[header("X-Pusher-Signature"), header("Webhook-Signature").digest(DigestAlgorithm::HmacSha1)])),
    (SendGrid, custom(Verification::SendGrid)),
    (Sentry, schemes(&[header("Sentry-Hook-Signature")])),
    (Shopify, schemes(&[header("X-Shopify-Hmac-Sha256").base64()])),
    (SignalSciences, schemes(&[header("X-SigSci-Signature")])),
    (
        Slack,
        schemes(&[header("X-Slack-Signature")
            .after("v0=")
            .over(&[Text("v0:"), Time, Text(":"), Body])
            .time(TimestampLocation::Header("X-Slack-Request-Timestamp"), FIVE_MINUTES)]),
    ),
    (Sonatype, schemes(&[header("X-Nexus-Webhook-Signature").digest(DigestAlgorithm::HmacSha1)])),
    (
        Square,
        schemes(&[
            header("X-Square-HmacSha256-Signature").base64().over(&[Url, Body]),
            header("X-Square-Signature").base64().digest(DigestAlgorithm::HmacSha1).over(&[Url, Body]),
        ]),
    ),
    (Stripe, schemes(&[header("Stripe-Signature").dotted(FIVE_MINUTES)])),
    (Svix, schemes(SVIX)),
    (
        Terraform,
        schemes(&[
            header("X-TFE-Notification-Signature").digest(DigestAlgorithm::HmacSha512),
            header("X-TFC-Task-Signature").digest(DigestAlgorithm::HmacSha512),
        ]),
    ),
    (
        TikTok,
        schemes(&[header("TikTok-Signature")
            .listed("s=")
            .over(DOTTED)
            .time(TimestampLocation::Listed("t="), DEFAULT_TOLERANCE)]),
    ),
    (TrendMicroConformity, schemes(&[header("X-Conformity-Signature")])),
    (Twilio, custom(Verification::Twilio)),
    (Twitter, with_challenge(Challenge::Twitter, &[header("x-twitter-webhooks-signature").after("sha256=").base64()])),
    (Typeform, schemes(&[header("Typeform-Signature").after("sha256=").base64()])),
    (VMware, custom(Verification::VMware)),
    (Webex, schemes(&[header("X-Spark-Signature").digest(DigestAlgorithm::HmacSha1)])),
    (Worldline, with_challenge(Challenge::Worldline, &[header("X-GCS-Signature").base64()])),
    (Xero, with_challenge(Challenge::Xero, &[header("x-xero-signature").base64()])),
    (
        Zendesk,
        schemes(&[header("X-Zendesk-Webhook-Signature")
            .base64()
            .over(&[Time, Body])
            .time(TimestampLocation::Header("X-Zendesk-Webhook-Signature-Timestamp"), DEFAULT_TOLERANCE)]),
    ),
    (
        Zoom,
        with_challenge(
            Challenge::Zoom,
            &[header("x-zm-signature")
                .after("v0=")
                .over(&[Text("v0:"), Time, Text(":"), Body])
                .time(TimestampLocation::Header("x-zm-request-timestamp"), FIVE_MINUTES)],
        ),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_has_one_row() {
        for provider in Provider::ALL {
            assert_eq!(PROVIDERS.iter().filter(|(known, _)| known == provider).count(), 1, "{provider:?}");
        }
        assert_eq!(PROVIDERS.len(), Provider::ALL.len());
    }

    /// A scheme that covers a timestamp without reading it could never match.
    #[test]
    fn every_scheme_reads_the_timestamp_that_it_covers() {
        for (provider, entry) in PROVIDERS {
            let Verification::Schemes(schemes) = entry.verification else { continue };
            assert!(!schemes.is_empty(), "{provider:?}");
            for scheme in schemes {
                let covered = scheme.over.contains(&Time);
                let read = scheme.time.is_some_and(|time| !matches!(time.at, TimestampLocation::Member(_)));
                assert_eq!(covered, read, "{provider:?} {}", scheme.header);
            }
        }
    }
}
