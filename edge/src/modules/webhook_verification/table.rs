//! The table of providers: how each signs its webhooks.

use super::scheme::{
    At, Challenge, DOTTED, Digest, FIVE_MINUTES, KeyForm,
    Part::{Body, Form, Header, Method, Secret, Text, Time, Unpacked, Url},
    USUAL, Way, header,
};
use postern_api::webhooks::Provider::{self, *};

/// How a provider is verified.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scheme {
    /// In the first of these ways whose header is there.
    Ways(&'static [Way]),
    /// In a way that is not told in data.
    Contentful,
    GraphCms,
    Mailgun,
    Plivo,
    SendGrid,
    Sns,
    Twilio,
    VMware,
}

/// One row of the table.
pub(super) struct Row {
    pub(super) scheme: Scheme,
    pub(super) challenge: Challenge,
}

impl Row {
    /// The row of a provider; `None` for one that this version does not know.
    pub(super) fn of(provider: Provider) -> Option<&'static Row> {
        TABLE.iter().find(|(known, _)| *known == provider).map(|(_, row)| row)
    }
}

const fn ways(ways: &'static [Way]) -> Row {
    Row { scheme: Scheme::Ways(ways), challenge: Challenge::None }
}

const fn own(scheme: Scheme) -> Row {
    Row { scheme, challenge: Challenge::None }
}

const fn asking(challenge: Challenge, ways: &'static [Way]) -> Row {
    Row { scheme: Scheme::Ways(ways), challenge }
}

const SVIX_KEY: KeyForm = KeyForm::Base64("whsec_");
const WEBHOOK_ID: Way = header("webhook-signature")
    .spaced("v1,")
    .base64()
    .key(SVIX_KEY)
    .over(&[Header("webhook-id"), Text("."), Time, Text("."), Body])
    .time(At::Header("webhook-timestamp"), FIVE_MINUTES);
const SVIX: &[Way] = &[
    header("svix-signature")
        .spaced("v1,")
        .base64()
        .key(SVIX_KEY)
        .over(&[Header("svix-id"), Text("."), Time, Text("."), Body])
        .time(At::Header("svix-timestamp"), FIVE_MINUTES),
    WEBHOOK_ID,
];

const HUB: Way = header("X-Hub-Signature-256").after("sha256=");
const OLD_HUB: Way = header("X-Hub-Signature").after("sha1=").digest(Digest::HmacSha1);
const META: Row = asking(Challenge::Passes(&["hub.mode", "hub.challenge", "hub.verify_token"]), &[HUB, OLD_HUB]);

static TABLE: &[(Provider, Row)] = &[
    (
        AfterShip,
        ways(&[
            header("aftership-hmac-sha256").base64(),
            header("as-signature-hmac-sha256").base64(),
            header("am-webhook-signature").after("hmac-sha256=").base64(),
        ]),
    ),
    (
        Airship,
        ways(&[header("X-UA-SIGNATURE").over(&[Time, Text(":"), Unpacked]).time(At::Header("X-UA-TIMESTAMP"), USUAL)]),
    ),
    (Alchemy, ways(&[header("X-Alchemy-Signature")])),
    (Sns, own(Scheme::Sns)),
    (
        Autodesk,
        ways(&[
            header("x-adsk-signature").after("sha1hash=").digest(Digest::HmacSha1),
            header("x-adsk-signature").after("sha256hash="),
        ]),
    ),
    (Bitbucket, ways(&[header("X-Hub-Signature").after("sha256=")])),
    (Bolt, ways(&[header("X-Bolt-Hmac-Sha256").base64()])),
    (
        Box,
        ways(&[header("BOX-SIGNATURE-PRIMARY")
            .or("BOX-SIGNATURE-SECONDARY")
            .base64()
            .over(&[Body, Time])
            .time(At::Header("BOX-DELIVERY-TIMESTAMP"), 600)
            .also(&[("BOX-SIGNATURE-VERSION", "1"), ("BOX-SIGNATURE-ALGORITHM", "HmacSHA256")])]),
    ),
    (Brex, ways(&[WEBHOOK_ID])),
    (
        Buildkite,
        ways(&[
            header("X-Buildkite-Signature").listed("signature=").over(DOTTED).time(At::Listed("timestamp="), USUAL),
            header("X-Buildkite-Token").secret(),
        ]),
    ),
    (Calendly, ways(&[header("Calendly-Webhook-Signature").dotted(USUAL)])),
    (Castle, ways(&[header("X-Castle-Signature").base64()])),
    (Chargify, ways(&[header("X-Chargify-Webhook-Signature-Hmac-Sha-256")])),
    (CircleCi, ways(&[header("circleci-signature").listed("v1=")])),
    (Clearbit, ways(&[header("X-Request-Signature").after("sha1=").digest(Digest::HmacSha1)])),
    (Clerk, ways(SVIX)),
    (Coinbase, ways(&[header("X-CC-Webhook-Signature")])),
    (Contentful, own(Scheme::Contentful)),
    (DocuSign, ways(&[header("X-DocuSign-Signature").numbered().base64()])),
    (Dropbox, asking(Challenge::Passes(&["challenge"]), &[header("X-Dropbox-Signature")])),
    (FacebookGraphApi, META),
    (FacebookMessenger, META),
    (Instagram, META),
    (WhatsApp, META),
    (
        FrameIo,
        ways(&[header("X-Frameio-Signature")
            .after("v0=")
            .over(&[Text("v0:"), Time, Text(":"), Body])
            .time(At::Header("X-Frameio-Request-Timestamp"), FIVE_MINUTES)]),
    ),
    (GitHub, ways(&[HUB, OLD_HUB])),
    (GitLab, ways(&[header("X-Gitlab-Token").secret()])),
    (Go1, ways(&[header("Go1-Signature").dotted(USUAL)])),
    (GraphCms, own(Scheme::GraphCms)),
    (Heroku, ways(&[header("Heroku-Webhook-Hmac-SHA256").base64()])),
    (HostedHooks, ways(&[header("HostedHooks-Signature").dotted(USUAL)])),
    (
        HubSpot,
        ways(&[
            header("X-HubSpot-Signature-v3")
                .base64()
                .over(&[Method, Url, Body, Time])
                .time(At::Header("X-HubSpot-Request-Timestamp"), FIVE_MINUTES),
            header("X-HubSpot-Signature")
                .digest(Digest::Sha256)
                .over(&[Secret, Method, Url, Body])
                .also(&[("X-HubSpot-Signature-Version", "v2")]),
            header("X-HubSpot-Signature")
                .digest(Digest::Sha256)
                .over(&[Secret, Body])
                .also(&[("X-HubSpot-Signature-Version", "v1")]),
        ]),
    ),
    (Intercom, ways(&[OLD_HUB])),
    (Jira, ways(&[header("X-Hub-Signature").after("sha256=")])),
    (LaunchDarkly, ways(&[header("X-LD-Signature")])),
    (Linear, ways(&[header("Linear-Signature").time(At::Member("webhookTimestamp"), 60)])),
    (Mailchimp, ways(&[header("X-Mandrill-Signature").base64().digest(Digest::HmacSha1).over(&[Url, Form])])),
    (Mailgun, own(Scheme::Mailgun)),
    (MicrosoftTeams, ways(&[header("Authorization").after("HMAC ").base64().key(KeyForm::Base64(""))])),
    (ModernTreasury, ways(&[header("X-Signature")])),
    (
        MongoDb,
        ways(&[
            header("X-MMS-Signature").base64().digest(Digest::HmacSha1),
            header("X-Hook-Signature").after("sha256="),
        ]),
    ),
    (Mux, ways(&[header("Mux-Signature").dotted(FIVE_MINUTES)])),
    (
        Orb,
        ways(&[header("X-Orb-Signature")
            .spaced("v1=")
            .over(&[Text("v1:"), Time, Text(":"), Body])
            .time(At::Header("X-Orb-Timestamp"), FIVE_MINUTES)]),
    ),
    (Orbit, ways(&[header("X-Orbit-Signature")])),
    (PagerDuty, ways(&[header("X-PagerDuty-Signature").listed("v1=")])),
    (
        Pinwheel,
        ways(&[header("x-pinwheel-signature")
            .after("v2=")
            .over(&[Text("v2:"), Time, Text(":"), Body])
            .time(At::Header("x-timestamp"), FIVE_MINUTES)]),
    ),
    (Plivo, own(Scheme::Plivo)),
    (Pusher, ways(&[header("X-Pusher-Signature"), header("Webhook-Signature").digest(Digest::HmacSha1)])),
    (SendGrid, own(Scheme::SendGrid)),
    (Sentry, ways(&[header("Sentry-Hook-Signature")])),
    (Shopify, ways(&[header("X-Shopify-Hmac-Sha256").base64()])),
    (SignalSciences, ways(&[header("X-SigSci-Signature")])),
    (
        Slack,
        ways(&[header("X-Slack-Signature")
            .after("v0=")
            .over(&[Text("v0:"), Time, Text(":"), Body])
            .time(At::Header("X-Slack-Request-Timestamp"), FIVE_MINUTES)]),
    ),
    (Sonatype, ways(&[header("X-Nexus-Webhook-Signature").digest(Digest::HmacSha1)])),
    (
        Square,
        ways(&[
            header("X-Square-HmacSha256-Signature").base64().over(&[Url, Body]),
            header("X-Square-Signature").base64().digest(Digest::HmacSha1).over(&[Url, Body]),
        ]),
    ),
    (Stripe, ways(&[header("Stripe-Signature").dotted(FIVE_MINUTES)])),
    (Svix, ways(SVIX)),
    (
        Terraform,
        ways(&[
            header("X-TFE-Notification-Signature").digest(Digest::HmacSha512),
            header("X-TFC-Task-Signature").digest(Digest::HmacSha512),
        ]),
    ),
    (TikTok, ways(&[header("TikTok-Signature").listed("s=").over(DOTTED).time(At::Listed("t="), USUAL)])),
    (TrendMicroConformity, ways(&[header("X-Conformity-Signature")])),
    (Twilio, own(Scheme::Twilio)),
    (Twitter, asking(Challenge::Twitter, &[header("x-twitter-webhooks-signature").after("sha256=").base64()])),
    (Typeform, ways(&[header("Typeform-Signature").after("sha256=").base64()])),
    (VMware, own(Scheme::VMware)),
    (Webex, ways(&[header("X-Spark-Signature").digest(Digest::HmacSha1)])),
    (Worldline, asking(Challenge::Worldline, &[header("X-GCS-Signature").base64()])),
    (Xero, asking(Challenge::Xero, &[header("x-xero-signature").base64()])),
    (
        Zendesk,
        ways(&[header("X-Zendesk-Webhook-Signature")
            .base64()
            .over(&[Time, Body])
            .time(At::Header("X-Zendesk-Webhook-Signature-Timestamp"), USUAL)]),
    ),
    (
        Zoom,
        asking(
            Challenge::Zoom,
            &[header("x-zm-signature")
                .after("v0=")
                .over(&[Text("v0:"), Time, Text(":"), Body])
                .time(At::Header("x-zm-request-timestamp"), FIVE_MINUTES)],
        ),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_has_one_row() {
        for provider in Provider::ALL {
            assert_eq!(TABLE.iter().filter(|(known, _)| known == provider).count(), 1, "{provider:?}");
        }
        assert_eq!(TABLE.len(), Provider::ALL.len());
    }

    /// A way that is chosen without its header, or covers a timestamp that it does not read, could never match.
    #[test]
    fn every_way_reads_the_timestamp_that_it_covers() {
        for (provider, row) in TABLE {
            let Scheme::Ways(ways) = row.scheme else { continue };
            assert!(!ways.is_empty(), "{provider:?}");
            for way in ways {
                let covered = way.over.contains(&Time);
                let read = way.time.is_some_and(|time| !matches!(time.at, At::Member(_)));
                assert_eq!(covered, read, "{provider:?} {}", way.header);
            }
        }
    }
}
