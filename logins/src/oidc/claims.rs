//! All claims about a person who has logged in, those included that only some providers send.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use postern_api::{Code, Error};
use serde_json::{Map, Value};

/// Most values of a claim that are read.
const MAX_VALUES: usize = 1000;

/// The claims of a verified ID token, and those of the userinfo response about the same person.
#[derive(Debug, Default)]
pub(crate) struct VerifiedClaims {
    id_token: Map<String, Value>,
    userinfo: Map<String, Value>,
}

impl VerifiedClaims {
    /// The claims of an ID token (RFC 7519) whose signature has been verified.
    pub(super) fn of_verified(token: &str) -> Result<Self, Error> {
        let claims = token.split('.').nth(1).and_then(|part| URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).ok());
        let claims = claims.and_then(|claims| serde_json::from_slice(&claims).ok());
        let unreadable = || Error::new(Code::IdTokenUnreadable, "The provider's ID token cannot be parsed.");
        Ok(VerifiedClaims { id_token: claims.ok_or_else(unreadable)?, userinfo: Map::new() })
    }

    /// Whether the ID token has all of these claims.
    pub(super) fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| find(&self.id_token, name).is_some())
    }

    /// Adds the userinfo response, which must be about the same person.
    pub(super) fn add_userinfo(&mut self, userinfo: Map<String, Value>, subject: &str) -> Result<(), Error> {
        if userinfo.get("sub").and_then(Value::as_str) != Some(subject) {
            return Err(foreign_userinfo());
        }
        self.userinfo = userinfo;
        Ok(())
    }

    /// A text; empty if there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.sources().find_map(|source| find(source, name)?.as_str()).unwrap_or_default()
    }

    /// The address, and whether the source that states it calls it verified. A source that says nothing has not verified it.
    pub(crate) fn email(&self) -> Option<(&str, bool)> {
        self.sources().find_map(|source| {
            let verified = match source.get("email_verified") {
                Some(Value::Bool(verified)) => *verified,
                // Some providers send all claims as texts.
                Some(Value::String(text)) => text == "true",
                _ => false,
            };
            Some((source.get("email")?.as_str()?, verified))
        })
    }

    /// The texts of a list; a text alone is a list with one member.
    pub(crate) fn list(&self, name: &str) -> Vec<&str> {
        let found = self.sources().find_map(|source| find(source, name));
        let members = match found {
            Some(Value::Array(members)) => members.as_slice(),
            Some(single) => std::slice::from_ref(single),
            None => &[],
        };
        members.iter().take(MAX_VALUES).filter_map(Value::as_str).collect()
    }

    fn sources(&self) -> impl Iterator<Item = &Map<String, Value>> {
        [&self.id_token, &self.userinfo].into_iter()
    }
}

/// A claim by its name. A name that begins with a slash is a JSON pointer (RFC 6901), such as `/realm_access/roles`.
fn find<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    match name.strip_prefix('/') {
        Some(path) => {
            let (first, rest) = path.split_once('/').map_or((path, None), |(first, rest)| (first, Some(rest)));
            let member = claims.get(&first.replace("~1", "/").replace("~0", "~"))?;
            rest.map_or(Some(member), |rest| member.pointer(&format!("/{rest}")))
        }
        None => claims.get(name),
    }
}

pub(super) fn foreign_userinfo() -> Error {
    let message = "The provider described another account than the one that logged in. Log in again.";
    Error::new(Code::UserinfoForeign, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn claims(id_token: &Value) -> VerifiedClaims {
        let payload = URL_SAFE_NO_PAD.encode(id_token.to_string());
        VerifiedClaims::of_verified(&format!("e30.{payload}.c2ln")).expect("claims")
    }

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(members) => members,
            _ => panic!("an object"),
        }
    }

    #[test]
    fn lists_are_found_by_name_and_by_pointer() {
        let claims =
            claims(&json!({"groups": ["a", 1, "b"], "role": "c", "realm_access": {"roles": ["d"]}, "x/y": "e"}));
        assert_eq!(claims.list("groups"), ["a", "b"]);
        assert_eq!(claims.list("role"), ["c"]);
        assert_eq!(claims.list("/realm_access/roles"), ["d"]);
        assert_eq!(claims.list("/x~1y"), ["e"]);
        assert!(claims.list("/realm_access/none").is_empty() && claims.list("none").is_empty());
    }

    #[test]
    fn an_address_is_verified_by_the_source_that_states_it() {
        assert_eq!(claims(&json!({"email": "a@b.test"})).email(), Some(("a@b.test", false)));
        assert_eq!(claims(&json!({"email": "a@b.test", "email_verified": "true"})).email(), Some(("a@b.test", true)));
        assert_eq!(claims(&json!({"email": "a@b.test", "email_verified": 1})).email(), Some(("a@b.test", false)));
        let mut mixed = claims(&json!({"email": "a@b.test"}));
        mixed
            .add_userinfo(object(json!({"sub": "1", "email": "c@d.test", "email_verified": true})), "1")
            .expect("the same");
        assert_eq!(mixed.email(), Some(("a@b.test", false)), "what the other source verified is another address");
        let mut fetched = claims(&json!({"sub": "1"}));
        fetched
            .add_userinfo(object(json!({"sub": "1", "email": "c@d.test", "email_verified": true})), "1")
            .expect("the same");
        assert_eq!(fetched.email(), Some(("c@d.test", true)));
    }

    #[test]
    fn the_userinfo_of_another_person_is_refused() {
        let error = claims(&json!({"sub": "1"})).add_userinfo(object(json!({"sub": "2"})), "1").expect_err("another");
        assert_eq!(error.code, Code::UserinfoForeign);
        assert!(VerifiedClaims::of_verified("e30").is_err());
        assert!(VerifiedClaims::of_verified("e30.W10.x").is_err());
    }
}
