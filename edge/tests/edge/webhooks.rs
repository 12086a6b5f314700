//! Routes for webhooks of one provider: every provider, with valid and invalid requests, through a real edge.

mod body;
mod challenges;
mod field;
mod sdk;
mod senders;

use field::Field;
use hyper::StatusCode;
use postern_api::webhooks::Provider;
use senders::{Covers, Hook, Sending, hook, secret_of};

/// One request form of a provider.
struct Trial<'a> {
    field: &'a Field,
    provider: Provider,
    form: usize,
}

impl Trial<'_> {
    /// A fresh request, signed at the time of the clock.
    fn signed(&self, secret: &str) -> Hook {
        let secret = if self.provider == Provider::Sns { secret.to_owned() } else { secret_of(self.provider, secret) };
        let path = format!("/{}", self.provider.name());
        let sending =
            Sending { path: &path, secret: &secret, second: self.field.second(), number: self.field.number() };
        hook(self.provider, self.form, &sending).expect("a form that it has")
    }

    async fn passes(&self, what: &str, hook: &Hook) {
        let response = self.field.send(self.provider.name(), hook).await;
        assert_eq!(response.status, StatusCode::OK, "{self}: {what}: {}", response.text());
        assert_eq!(response.body, hook.body, "{self}: {what}: the body arrives as it was sent");
    }

    async fn refused(&self, what: &str, hook: &Hook) {
        let response = self.field.send(self.provider.name(), hook).await;
        assert_eq!(response.status, StatusCode::FORBIDDEN, "{self}: {what}: {}", response.text());
        assert_eq!(response.code(), "ERR_POSTERN_3204", "{self}: {what}");
        let (text, secret) = (response.text(), secret_of(self.provider, "right"));
        assert!(secret.is_empty() || !text.contains(&secret), "{self}: {what}: {text}");
    }
}

impl std::fmt::Display for Trial<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (form {})", self.provider.name(), self.form)
    }
}

/// Every form of every provider.
fn trials(field: &Field) -> Vec<Trial<'_>> {
    let mut trials = Vec::new();
    for provider in Provider::ALL {
        let secret = secret_of(*provider, "right");
        let sending = Sending { path: "/", secret: &secret, second: 1_700_000_000, number: 0 };
        let forms = (0..).take_while(|form| hook(*provider, *form, &sending).is_some()).count();
        assert!(forms > 0, "no sender for `{}`", provider.name());
        trials.extend((0..forms).map(|form| Trial { field, provider: *provider, form }));
    }
    trials
}

#[tokio::test]
async fn only_requests_signed_by_the_provider_reach_the_service() {
    let field = Field::of_all_providers().await;
    for trial in trials(&field) {
        let good = trial.signed("right");
        trial.passes("as it is", &good).await;
        trial.refused("signed with another secret", &trial.signed("wrong")).await;
        let mut bare = trial.signed("right");
        bare.headers.retain(|(name, _)| !bare.signing.contains(name));
        if !good.signing.is_empty() {
            trial.refused("not signed", &bare).await;
        }
        for (what, body) in changed_bodies(good.covers, &good.body) {
            let changed = Hook { body, ..trial.signed("right") };
            trial.refused(what, &changed).await;
        }
    }
    assert_eq!(field.received(), field.passed(), "the service saw what passed, and only that");
}

/// Bodies that differ in a signed part.
fn changed_bodies(covers: Covers, body: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut bodies = Vec::new();
    if let Some(at) = body.windows(6).position(|word| word == b"CHANGE") {
        let mut changed = body.to_vec();
        changed[at] = b'c';
        bodies.push(("with one letter changed", changed));
    }
    match (covers, body.split_last()) {
        (Covers::Nothing, _) => return Vec::new(),
        (Covers::All, Some((last, rest))) => {
            bodies.push(("with one byte less", rest.to_vec()));
            bodies.push(("with the last byte changed", [rest, &[last ^ 1]].concat()));
            bodies.push(("with one byte more", [body, b" "].concat()));
        }
        (Covers::All, None) => bodies.push(("with a body", b"x".to_vec())),
        (Covers::Members, _) => {
            let text = String::from_utf8(body.to_vec()).expect("text");
            for twice in [r#"{"Message":"evil","#, r#"{"message":"evil","#] {
                bodies.push(("with a member twice", text.replacen('{', twice, 1).into_bytes()));
            }
        }
    }
    bodies
}

#[tokio::test]
async fn each_signature_header_is_required_once_and_unchanged() {
    let field = Field::of_all_providers().await;
    for trial in trials(&field) {
        for name in trial.signed("right").signing {
            let changed = |change: &dyn Fn(&str) -> String| {
                let mut hook = trial.signed("right");
                for (_, value) in hook.headers.iter_mut().filter(|(other, _)| *other == name) {
                    *value = change(value);
                }
                hook
            };
            let what = |how: &str| format!("`{name}` {how}");
            let mut missing = trial.signed("right");
            missing.headers.retain(|(other, _)| *other != name);
            trial.refused(&what("missing"), &missing).await;
            let mut twice = trial.signed("right");
            let again = twice.headers.iter().find(|(other, _)| *other == name).cloned().expect("it is there");
            twice.headers.push(again);
            trial.refused(&what("twice"), &twice).await;
            let last = |value: &str| {
                let (rest, last) = value.split_at(value.len() - 1);
                format!("{rest}{}", if last == "1" { "2" } else { "1" })
            };
            trial.refused(&what("empty"), &changed(&|_| String::new())).await;
            trial.refused(&what("shortened"), &changed(&|value| value[..value.len() - 1].to_owned())).await;
            trial.refused(&what("with one letter more"), &changed(&|value| format!("{value}0"))).await;
            trial.refused(&what("with another last letter"), &changed(&last)).await;
            let value = changed(&str::to_owned).headers.iter().find(|(other, _)| *other == name).expect("it").1.clone();
            for cased in [value.to_ascii_uppercase(), value.to_ascii_lowercase()] {
                if cased != value {
                    trial.refused(&what("in another case"), &changed(&|_| cased.clone())).await;
                }
            }
        }
    }
}

#[tokio::test]
async fn a_timestamp_is_valid_within_its_tolerance_in_both_directions() {
    let field = Field::of_all_providers().await;
    for trial in trials(&field) {
        let Some(tolerance) = trial.signed("right").tolerance else {
            let hook = trial.signed("right");
            field.pass(100_000);
            trial.passes("without a timestamp, a day later", &hook).await;
            continue;
        };
        for (seconds, passes) in
            [(tolerance, true), (tolerance + 1, false), (-tolerance, true), (-tolerance - 1, false), (86_400, false)]
        {
            let hook = trial.signed("right");
            field.pass(seconds);
            let what = format!("{seconds} seconds later");
            if passes { trial.passes(&what, &hook).await } else { trial.refused(&what, &hook).await }
        }
    }
}
