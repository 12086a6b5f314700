//! The keys of a tunnel as they were written. Secrets among them are shown as stars, and stars that come back stand for
//! the secrets that are there.

use super::tree::Node;
use postern_api::Secret;
use serde_json::{Map, Value as Json};

/// What a secret is shown as.
const STARS: &str = "***";
/// Groups and their members that are secrets.
const SECRETS: &[(&str, &str)] = &[("verify_webhook", "secret"), ("oauth", "client_secret"), ("oidc", "client_secret")];
/// Lists of `user:password`.
const USERS: &[&str] = &["basic_auth", "auth"];

/// The keys of one tunnel. Neither `Debug` nor [`Written::shown`] says a secret.
#[derive(Clone, Default, PartialEq)]
pub struct Written(Map<String, Json>);

impl std::fmt::Debug for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Written {
    pub(super) fn of(node: &Node) -> Self {
        match node.to_json() {
            Json::Object(written) => Written(written),
            _ => Written::default(),
        }
    }

    /// To be looked at by anybody who may look at the tunnel.
    pub fn shown(&self) -> Map<String, Json> {
        let mut shown = self.0.clone();
        each_secret(&mut shown, &mut |text| *text = masked(text));
        shown
    }

    /// Puts the secrets that are here into the places of stars that [`Written::shown`] gave somebody.
    pub fn restore(&self, body: &mut Map<String, Json>) {
        let mut known: Vec<Secret> = Vec::new();
        each_secret(&mut self.0.clone(), &mut |text| known.push(Secret::new(std::mem::take(text))));
        each_secret(body, &mut |text| {
            if let Some(secret) = known.iter().find(|secret| text.ends_with(STARS) && masked(secret.reveal()) == *text)
            {
                *text = secret.reveal().to_owned();
            }
        });
    }
}

/// A user keeps the name, so that one can be told from the other.
fn masked(text: &str) -> String {
    text.split_once(':').map_or_else(|| STARS.to_owned(), |(user, _)| format!("{user}:{STARS}"))
}

fn each_secret(body: &mut Map<String, Json>, change: &mut impl FnMut(&mut String)) {
    for (group, member) in SECRETS {
        if let Some(Json::String(text)) = body.get_mut(*group).and_then(|group| group.get_mut(*member)) {
            change(text);
        }
    }
    for key in USERS {
        match body.get_mut(*key) {
            Some(Json::String(text)) => change(text),
            Some(Json::Array(items)) => items.iter_mut().for_each(|item| {
                if let Json::String(text) = item {
                    change(text);
                }
            }),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_shown_as_stars_and_come_back_from_them() {
        let body = json!({"proto": "http", "basic_auth": ["ada:planted-1", "bob:planted-2"],
            "verify_webhook": {"provider": "github", "secret": "planted-3"}});
        let written = Written(body.as_object().expect("an object").clone());
        let mut shown = written.shown();
        assert_eq!(shown["basic_auth"], json!(["ada:***", "bob:***"]));
        assert_eq!(shown["verify_webhook"], json!({"provider": "github", "secret": "***"}));
        assert!(!format!("{written:?}").contains("planted"));
        written.restore(&mut shown);
        assert_eq!(Json::Object(shown), body);
    }

    #[test]
    fn stars_of_somebody_else_stay_stars() {
        let body = json!({"basic_auth": "ada:planted-1"});
        let written = Written(body.as_object().expect("an object").clone());
        let mut other = json!({"basic_auth": ["eve:***"]}).as_object().expect("an object").clone();
        written.restore(&mut other);
        assert_eq!(other["basic_auth"], json!(["eve:***"]));
    }
}
