//! Table of webhook providers: names and verification keys.

/// Key that verifies the signatures of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// Secret shared by provider and endpoint.
    Shared,
    /// The provider's public key: ECDSA on P-256, DER in base64.
    PublicKey,
    /// None: messages name the certificate that signs them.
    None,
}

macro_rules! providers {
    ($($variant:ident = $name:literal $(or $alias:literal)*, $secret:ident;)*) => {
        /// A service whose webhooks can be verified.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Provider {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Provider {
            /// All providers in table order.
            pub const ALL: &'static [Provider] = &[$(Provider::$variant,)*];

            /// Name.
            pub const fn name(self) -> &'static str {
                match self { $(Provider::$variant => $name,)* }
            }

            /// Aliases.
            pub const fn aliases(self) -> &'static [&'static str] {
                match self { $(Provider::$variant => &[$($alias),*],)* }
            }

            /// Verification key of its signatures.
            pub const fn secret(self) -> SecretKind {
                match self { $(Provider::$variant => SecretKind::$secret,)* }
            }
        }
    };
}

providers! {
    AfterShip = "aftership", Shared;
    Airship = "airship", Shared;
    Alchemy = "alchemy", Shared;
    Sns = "sns", None;
    Autodesk = "autodesk", Shared;
    Bitbucket = "bitbucket", Shared;
    Bolt = "bolt", Shared;
    Box = "box", Shared;
    Brex = "brex", Shared;
    Buildkite = "buildkite", Shared;
    Calendly = "calendly", Shared;
    Castle = "castle", Shared;
    Chargify = "chargify", Shared;
    CircleCi = "circleci", Shared;
    Clearbit = "clearbit", Shared;
    Clerk = "clerk", Shared;
    Coinbase = "coinbase", Shared;
    Contentful = "contentful", Shared;
    DocuSign = "docusign", Shared;
    Dropbox = "dropbox", Shared;
    FacebookGraphApi = "facebook_graph_api", Shared;
    FacebookMessenger = "facebook_messenger", Shared;
    FrameIo = "frameio", Shared;
    GitHub = "github", Shared;
    GitLab = "gitlab", Shared;
    Go1 = "go1", Shared;
    GraphCms = "graphcms", Shared;
    Heroku = "heroku", Shared;
    HostedHooks = "hostedhooks", Shared;
    HubSpot = "hubspot", Shared;
    Instagram = "instagram", Shared;
    Intercom = "intercom", Shared;
    Jira = "jira", Shared;
    LaunchDarkly = "launch_darkly" or "launchdarkly", Shared;
    Linear = "linear", Shared;
    Mailchimp = "mailchimp", Shared;
    Mailgun = "mailgun", Shared;
    MicrosoftTeams = "microsoft_teams", Shared;
    ModernTreasury = "modern_treasury", Shared;
    MongoDb = "mongodb", Shared;
    Mux = "mux", Shared;
    Orb = "orb", Shared;
    Orbit = "orbit", Shared;
    PagerDuty = "pagerduty", Shared;
    Pinwheel = "pinwheel", Shared;
    Plivo = "plivo", Shared;
    Pusher = "pusher", Shared;
    SendGrid = "sendgrid", PublicKey;
    Sentry = "sentry", Shared;
    Shopify = "shopify", Shared;
    SignalSciences = "signal_sciences" or "signalsciences", Shared;
    Slack = "slack", Shared;
    Sonatype = "sonatype" or "sonatype_nexus", Shared;
    Square = "square", Shared;
    Stripe = "stripe", Shared;
    Svix = "svix", Shared;
    Terraform = "terraform", Shared;
    TikTok = "tiktok", Shared;
    TrendMicroConformity = "trendmicro_conformity", Shared;
    Twilio = "twilio", Shared;
    Twitter = "twitter", Shared;
    Typeform = "typeform", Shared;
    VMware = "vmware" or "vmware_workspace", Shared;
    Webex = "webex", Shared;
    WhatsApp = "whatsapp", Shared;
    Worldline = "worldline", Shared;
    Xero = "xero", Shared;
    Zendesk = "zendesk", Shared;
    Zoom = "zoom", Shared;
}

impl Provider {
    /// Finds a provider by name or alias, case-insensitively.
    pub fn find(text: &str) -> Option<Provider> {
        let called = |provider: &Provider| {
            provider.name().eq_ignore_ascii_case(text)
                || provider.aliases().iter().any(|alias| alias.eq_ignore_ascii_case(text))
        };
        Provider::ALL.iter().copied().find(called)
    }

    /// All names and aliases.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Provider::ALL
            .iter()
            .flat_map(|provider| std::iter::once(provider.name()).chain(provider.aliases().iter().copied()))
    }

    /// Whether the provider has a secret.
    pub const fn has_secret(self) -> bool {
        !matches!(self.secret(), SecretKind::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn every_name_is_used_once_and_found_in_any_case() {
        let mut seen = HashSet::new();
        for provider in Provider::ALL {
            for name in std::iter::once(&provider.name()).chain(provider.aliases()) {
                assert!(seen.insert(*name), "{name} stands there twice");
                assert_eq!(Provider::find(name), Some(*provider));
                assert_eq!(Provider::find(&name.to_ascii_uppercase()), Some(*provider));
            }
        }
        assert_eq!((Provider::ALL.len(), seen.len()), (69, 73));
        assert_eq!(Provider::names().collect::<HashSet<_>>(), seen);
    }

    #[test]
    fn one_provider_has_no_secret_and_one_a_public_key() {
        let of = |kind| Provider::ALL.iter().copied().filter(|one| one.secret() == kind).collect::<Vec<_>>();
        assert_eq!(of(SecretKind::None), [Provider::Sns]);
        assert_eq!(of(SecretKind::PublicKey), [Provider::SendGrid]);
        assert!(!Provider::Sns.has_secret() && Provider::SendGrid.has_secret());
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(text in "\\PC{0,40}") {
            let known = Provider::names().any(|name| name == text.to_lowercase());
            prop_assert_eq!(Provider::find(&text).is_some(), known);
        }
    }
}
