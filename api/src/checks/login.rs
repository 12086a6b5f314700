//! Checks shared by the three login modules: session options, scopes, lists of names.

use crate::{
    Code, Error, Result,
    headers::is_token_byte,
    module::{
        CLIENT_LENGTH, COOKIE_PREFIX_LIMIT, DEFAULT_COOKIE_PREFIX, INACTIVITY_LIMIT, SCOPE_LENGTH, SCOPE_LIMIT,
        SessionOptions,
    },
};

/// Validates session options; an empty cookie prefix becomes the default.
///
/// # Errors
/// The code of the first invalid option, with the `field` detail.
pub fn session(mut options: SessionOptions) -> Result<SessionOptions> {
    let prefix = &mut options.cookie_prefix;
    if prefix.is_empty() {
        *prefix = DEFAULT_COOKIE_PREFIX.to_owned();
    }
    if prefix.len() > COOKIE_PREFIX_LIMIT || !prefix.bytes().all(is_token_byte) {
        let sentence = format!(
            "`{}` cannot begin the name of a cookie here: take at most {COOKIE_PREFIX_LIMIT} letters, digits and characters of !#$%&'*+-.^_`|~.",
            shown(prefix)
        );
        return Err(refusal(Code::CookiePrefixInvalid, "cookie_prefix", sentence));
    }
    if options.inactivity_timeout > INACTIVITY_LIMIT {
        let sentence = format!(
            "`inactivity_timeout` is {} seconds; at most {INACTIVITY_LIMIT}, a year, are allowed. 0 means never.",
            options.inactivity_timeout
        );
        return Err(refusal(Code::InactivityTooLong, "inactivity_timeout", sentence));
    }
    Ok(options)
}

/// Validates scopes and removes duplicates.
///
/// # Errors
/// [`Code::FieldInvalid`] if there are too many scopes or one is not valid.
pub fn scopes(scopes: &mut Vec<String>, field: &str) -> Result<()> {
    once(scopes);
    count(scopes.len(), SCOPE_LIMIT, field)?;
    for scope in scopes {
        // The characters that RFC 6749, section 3.3, allows in a scope.
        let plain = scope.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
        if scope.is_empty() || scope.len() > SCOPE_LENGTH || !plain {
            let sentence = format!(
                "`{}` is no scope: write 1 to {SCOPE_LENGTH} visible ASCII characters, none of them a quote, a backslash or a space.",
                shown(scope)
            );
            return Err(refusal(Code::FieldInvalid, field, sentence));
        }
    }
    Ok(())
}

/// Validates the length of a client id or secret. Errors do not contain it.
///
/// # Errors
/// [`Code::FieldInvalid`] if the text is too long.
pub fn client(text: &str, field: &str) -> Result<()> {
    if text.chars().count() <= CLIENT_LENGTH {
        return Ok(());
    }
    let sentence = format!("`{field}` is longer than {CLIENT_LENGTH} characters.");
    Err(refusal(Code::FieldInvalid, field, sentence))
}

/// Validates the number of entries in a list.
///
/// # Errors
/// [`Code::FieldInvalid`] if there are more than `limit` entries.
pub fn count(entries: usize, limit: usize, field: &str) -> Result<()> {
    if entries <= limit {
        return Ok(());
    }
    let sentence = format!("`{field}` has {entries} entries; at most {limit} are allowed.");
    Err(refusal(Code::FieldInvalid, field, sentence))
}

/// Removes duplicates and keeps the order.
pub fn once(texts: &mut Vec<String>) {
    let mut seen = std::collections::HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
}

/// Beginning of an input, for error messages.
pub fn shown(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(80).collect()
}

/// An error about a field.
pub fn refusal(code: Code, field: &str, sentence: impl Into<String>) -> Error {
    Error::new(code, sentence).with("field", field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn judged(cookie_prefix: &str, inactivity_timeout: u32) -> Result<String, Code> {
        let options = SessionOptions {
            options_passthrough: false,
            cookie_prefix: cookie_prefix.to_owned(),
            inactivity_timeout,
            maximum_duration: u32::MAX,
        };
        session(options).map(|options| options.cookie_prefix).map_err(|error| error.code)
    }

    #[test]
    fn cookie_prefixes_have_the_characters_of_cookie_names() {
        assert_eq!(judged("", 0).as_deref(), Ok("postern."));
        assert_eq!(judged("Shop.2.", 0).as_deref(), Ok("Shop.2."));
        assert!(judged(&"a".repeat(64), 0).is_ok());
        for right in ["my_app.", "my-app.", "!#$%&'*+-.^_`|~"] {
            assert_eq!(judged(right, 0).as_deref(), Ok(right));
        }
        for wrong in ["a=b", "a b", "a;b", "a,b", "a/b", "\"a\"", "(a)", "é", "a\r\n", &"a".repeat(65)] {
            assert_eq!(judged(wrong, 0), Err(Code::CookiePrefixInvalid), "{wrong}");
        }
    }

    #[test]
    fn inactivity_lasts_a_year_at_most() {
        assert!(judged("", 31_536_000).is_ok());
        assert_eq!(judged("", 31_536_001), Err(Code::InactivityTooLong));
    }

    #[test]
    fn scopes_stand_once_and_are_tokens() {
        let mut some = vec!["a".to_owned(), "b:c/d.e".to_owned(), "a".to_owned()];
        scopes(&mut some, "scopes").expect("fine");
        assert_eq!(some, ["a", "b:c/d.e"]);
        for wrong in ["", "a b", "a\"b", "a\\b", "é", &"a".repeat(257)] {
            assert!(scopes(&mut vec![wrong.to_owned()], "scopes").is_err(), "{wrong}");
        }
        let many = |count: usize| (0..count).map(|scope| scope.to_string()).collect::<Vec<_>>();
        assert!(scopes(&mut many(50), "scopes").is_ok());
        assert!(scopes(&mut many(51), "scopes").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(text in "\\PC{0,80}") {
            let _ = judged(&text, 0);
            let _ = scopes(&mut vec![text], "scopes");
        }
    }
}
