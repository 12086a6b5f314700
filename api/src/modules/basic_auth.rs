//! The basic auth module: visitors enter a user name and a password (HTTP Basic authentication, RFC 7617).

use crate::{
    Code, Error, Result, Secret,
    module::{Module, enabled, yes},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

/// Limit of users of one route or tunnel.
pub const BASIC_AUTH_USER_LIMIT: usize = 100;
/// Shortest password, in characters.
pub const MIN_PASSWORD_LENGTH: usize = 8;
/// Longest user name, colon and password together, in bytes.
pub const CREDENTIALS_LIMIT: usize = 256;

/// Users who may visit a route with their password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BasicAuth {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// The users, 1 to [`BASIC_AUTH_USER_LIMIT`], each name once.
    #[schemars(length(min = 1, max = 100))]
    pub users: Vec<BasicAuthUser>,
}

/// A user and, when it is set or changed, the password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BasicAuthUser {
    /// Name, without a colon or control characters; at most 256 bytes together with a colon and the password.
    #[schemars(length(min = 1, max = 128), regex(pattern = r"^[^:\x00-\x1f\x7f-\x9f]+$"))]
    pub username: String,
    /// Password of at least 8 characters without control characters. It is stored as a slow hash and never returned.
    /// Without one, the user keeps the present password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 8, max = 127), regex(pattern = r"^[^\x00-\x1f\x7f-\x9f]+$"))]
    pub password: Option<Secret>,
}

/// The basic auth module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BasicAuthView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// The users, without their passwords.
    pub users: Vec<BasicAuthUserView>,
}

/// A user of the basic auth module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BasicAuthUserView {
    /// Name.
    pub username: String,
}

/// Users and passwords as the edge checks them.
#[derive(Clone, Debug, PartialEq)]
pub enum BasicAuthUsers {
    /// `user:password`, as the agent of a tunnel sent them.
    Passwords(Vec<Secret>),
    /// Password hashes by user name: PHC strings of Argon2id.
    Hashes(BTreeMap<String, Secret>),
}

impl Module for BasicAuth {
    const NAME: &'static str = "basic_auth";
    const IS_LOGIN: bool = true;
    type View = BasicAuthView;
    type Published = Arc<BasicAuthUsers>;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

impl BasicAuth {
    /// Validates the users. Errors contain no password.
    ///
    /// # Errors
    /// [`Code::PasswordInvalid`] with the `field` detail.
    pub fn check(&self) -> Result<()> {
        let refuse =
            |field: String, sentence: String| Err(Error::new(Code::PasswordInvalid, sentence).with("field", field));
        match self.users.len() {
            0 => return refuse("users".to_owned(), "`users` is empty: name at least one user.".to_owned()),
            1..=BASIC_AUTH_USER_LIMIT => {}
            many => return refuse("users".to_owned(), too_many_users(many)),
        }
        for (place, user) in self.users.iter().enumerate() {
            let password = user.password.as_ref().map(Secret::reveal);
            check_user(&user.username, password).map_err(|(member, sentence)| {
                Error::new(Code::PasswordInvalid, sentence).with("field", format!("users[{place}].{member}"))
            })?;
            if self.users.iter().take(place).any(|former| former.username == user.username) {
                let sentence = "Another user has this name already: each name may be used once.";
                return refuse(format!("users[{place}].username"), sentence.to_owned());
            }
        }
        Ok(())
    }
}

/// Validates the users of a tunnel, `user:password` each. Errors contain neither.
///
/// # Errors
/// [`Code::PasswordInvalid`] with the `field` detail.
pub fn check_credentials(users: &[Secret]) -> Result<()> {
    if users.len() > BASIC_AUTH_USER_LIMIT {
        return Err(Error::new(Code::PasswordInvalid, too_many_users(users.len())));
    }
    for (place, user) in users.iter().enumerate() {
        user_and_password(user).map_err(|error| error.with("field", format!("[{place}]")))?;
    }
    Ok(())
}

/// Splits and validates one `user:password`.
///
/// # Errors
/// [`Code::PasswordInvalid`] if the text is not `user:password` or exceeds the limits.
pub fn user_and_password(text: &Secret) -> Result<()> {
    let refuse = |sentence: String| Error::new(Code::PasswordInvalid, sentence);
    let Some((user, password)) = text.reveal().split_once(':') else {
        return Err(refuse("There is no colon between a user and a password: write `user:password`.".to_owned()));
    };
    check_user(user, Some(password)).map_err(|(_, sentence)| refuse(sentence))
}

/// The member that is not valid, and why.
fn check_user(name: &str, password: Option<&str>) -> Result<(), (&'static str, String)> {
    if name.is_empty() {
        return Err(("username", "The user has no name.".to_owned()));
    }
    if name.contains(':') {
        let sentence = "A user name cannot contain a colon, which ends it in a request.";
        return Err(("username", sentence.to_owned()));
    }
    if password.is_some_and(|password| password.chars().count() < MIN_PASSWORD_LENGTH) {
        let sentence = format!("The password is too short: at least {MIN_PASSWORD_LENGTH} characters are needed.");
        return Err(("password", sentence));
    }
    let password = password.unwrap_or_default();
    let length = name.len() + 1 + password.len();
    if length > CREDENTIALS_LIMIT || name.chars().chain(password.chars()).any(char::is_control) {
        let sentence =
            format!("User and password have at most {CREDENTIALS_LIMIT} bytes together, and no control characters.");
        return Err((if password.is_empty() { "username" } else { "password" }, sentence));
    }
    Ok(())
}

fn too_many_users(many: usize) -> String {
    format!("There are {many} users; at most {BASIC_AUTH_USER_LIMIT} are allowed.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn checked(users: Value) -> Result<(), (Code, String)> {
        let module: BasicAuth = serde_json::from_value(json!({ "users": users })).expect("the right shape");
        assert!(module.enabled);
        module.check().map_err(|error| {
            assert!(!error.to_string().contains("planted"), "{error}");
            (error.code, error.details["field"].clone())
        })
    }

    #[test]
    fn users_have_a_name_and_a_password_of_some_length() {
        for (text, fits) in [
            ("ada:longenough", true),
            ("ada:with:colons:", true),
            ("ada:schlüssel", true),
            ("ada:1234567", false),
            (":longenough", false),
            ("adalongenough", false),
            ("ada:long\nenough", false),
        ] {
            let checked = user_and_password(&Secret::new(text));
            assert_eq!(checked.is_ok(), fits, "{text}");
            assert!(checked.is_ok() || !checked.unwrap_err().to_string().contains("enough"));
        }
    }

    #[test]
    fn the_field_of_an_invalid_user_is_named() {
        let wrong = |field: &str| Err((Code::PasswordInvalid, field.to_owned()));
        let user = |name: &str, password: &str| json!({"username": name, "password": password});
        assert_eq!(checked(json!([user("ada", "longenough"), {"username": "bob"}])), Ok(()));
        assert_eq!(checked(json!([user("ada", &"x".repeat(252))])), Ok(()));
        assert_eq!(checked(json!([user("ada", &"x".repeat(253))])), wrong("users[0].password"));
        assert_eq!(checked(json!([{"username": "a".repeat(256)}])), wrong("users[0].username"));
        assert_eq!(checked(json!([])), wrong("users"));
        assert_eq!(checked(json!([user("ada", "planted")])), wrong("users[0].password"));
        assert_eq!(checked(json!([user("ada", "planted\u{85}")])), wrong("users[0].password"));
        assert_eq!(checked(json!([user("", "longenough")])), wrong("users[0].username"));
        assert_eq!(checked(json!([user("a:b", "longenough")])), wrong("users[0].username"));
        assert_eq!(checked(json!([{"username": "ada"}, user("ada", "longenough")])), wrong("users[1].username"));
        let many: Vec<Value> = (0..=BASIC_AUTH_USER_LIMIT).map(|n| json!({"username": n.to_string()})).collect();
        assert_eq!(checked(many.into()), wrong("users"));
    }
}
