//! The keys of a tunnel as they were written. Secrets are masked for display; a masked secret that is sent back stands
//! for the original.

use super::tree::ConfigNode;
use postern_api::Secret;
use serde_json::{Map, Value as Json};

/// The mask of a secret.
const MASK: &str = "***";
/// Groups with the keys of their secrets.
const SECRETS: &[(&str, &str)] = &[("verify_webhook", "secret"), ("oauth", "client_secret"), ("oidc", "client_secret")];
/// Keys of one `user:password` or a list of them.
const USERS: &[&str] = &["basic_auth", "auth"];

/// The keys of a tunnel. Neither `Debug` nor [`RawKeys::masked`] shows a secret.
#[derive(Clone, Default, PartialEq)]
pub struct RawKeys(Map<String, Json>);

impl std::fmt::Debug for RawKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl RawKeys {
    pub(super) fn from_node(node: &ConfigNode) -> Self {
        match node.to_json() {
            Json::Object(written) => RawKeys(written),
            _ => RawKeys::default(),
        }
    }

    /// The keys with masked secrets.
    pub fn masked(&self) -> Map<String, Json> {
        let mut shown = self.0.clone();
        each_secret(&mut shown, &mut |text| *text = mask(text));
        shown
    }

    /// Replaces the masked secrets of `body` by the originals.
    pub fn restore(&self, body: &mut Map<String, Json>) {
        let mut known: Vec<Secret> = Vec::new();
        each_secret(&mut self.0.clone(), &mut |text| known.push(Secret::new(std::mem::take(text))));
        each_secret(body, &mut |text| {
            if let Some(secret) = known.iter().find(|secret| text.ends_with(MASK) && mask(secret.reveal()) == *text) {
                *text = secret.reveal().to_owned();
            }
        });
    }
}

/// The user name stays visible, so that entries can be told apart.
fn mask(text: &str) -> String {
    text.split_once(':').map_or_else(|| MASK.to_owned(), |(user, _)| format!("{user}:{MASK}"))
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
    fn secrets_are_masked_and_restored() {
        let body = json!({"proto": "http", "basic_auth": ["ada:planted-1", "bob:planted-2"],
            "verify_webhook": {"provider": "github", "secret": "planted-3"}});
        let written = RawKeys(body.as_object().expect("an object").clone());
        let mut shown = written.masked();
        assert_eq!(shown["basic_auth"], json!(["ada:***", "bob:***"]));
        assert_eq!(shown["verify_webhook"], json!({"provider": "github", "secret": "***"}));
        assert!(!format!("{written:?}").contains("planted"));
        written.restore(&mut shown);
        assert_eq!(Json::Object(shown), body);
    }

    #[test]
    fn masks_of_unknown_secrets_stay() {
        let body = json!({"basic_auth": "ada:planted-1"});
        let written = RawKeys(body.as_object().expect("an object").clone());
        let mut other = json!({"basic_auth": ["eve:***"]}).as_object().expect("an object").clone();
        written.restore(&mut other);
        assert_eq!(other["basic_auth"], json!(["eve:***"]));
    }
}
