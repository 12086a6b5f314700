//! Reads and sets top-level keys of the agent's configuration file, with the same editor as the agent.

use crate::error::Result;
use postern_config::{
    edit,
    tree::{ConfigNode, ConfigValue},
};

/// The value of a top-level key. `None` if it is missing or no text or number, and for an invalid file.
pub(crate) fn top_level_value(text: &str, key: &str) -> Option<String> {
    match &ConfigNode::parse(text, None).ok()?.pair(key)?.value.value {
        ConfigValue::Text(text) => Some(text.clone()),
        ConfigValue::Integer(number) => Some(number.to_string()),
        ConfigValue::Null | ConfigValue::Bool(_) | ConfigValue::Sequence(_) | ConfigValue::Mapping(_) => None,
    }
}

/// The text with these top-level keys set. Comments and all other keys stay; missing keys are inserted near the top.
///
/// # Errors
///
/// Fails for an invalid file, and for one that cannot be changed without touching other keys.
pub(crate) fn set_values(text: &str, values: &[(&str, &str)]) -> Result<String> {
    let mut text = if text.is_empty() { "version: 2\n".to_owned() } else { text.to_owned() };
    // Each new key is inserted above the one before it.
    for (key, value) in values.iter().rev() {
        text = edit::set(&text, &[key], &(*value).into())?;
    }
    Ok(text)
}

/// Whether a server address is a loopback address or a `localhost` name.
pub(crate) fn is_loopback(server_addr: &str) -> bool {
    let host = server_addr.rsplit_once(':').map_or(server_addr, |(host, _)| host);
    let host = host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    let loopback = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    loopback || host == "localhost" || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIGURATION: &str =
        "# mine\nversion: 2\nauthtoken: old # keep safe\ntunnels:\n  site:\n    authtoken: inner\n    addr: 80\n";

    #[test]
    fn the_given_keys_are_set_and_everything_else_stays() {
        let text = set_values(CONFIGURATION, &[("authtoken", "new"), ("root_cas", "/a \"b\"/ca.pem")]).unwrap();
        assert_eq!(
            text,
            "# mine\nversion: 2\nroot_cas: \"/a \\\"b\\\"/ca.pem\"\nauthtoken: new # keep safe\ntunnels:\n  site:\n    authtoken: inner\n    addr: 80\n"
        );
        assert_eq!(set_values(&text, &[("authtoken", "new")]).unwrap(), text, "a second call changes nothing");
    }

    #[test]
    fn an_empty_file_becomes_a_complete_one() {
        let text = set_values("", &[("authtoken", "t"), ("server_addr", "localhost:4443")]).unwrap();
        assert_eq!(text, "version: 2\nauthtoken: t\nserver_addr: \"localhost:4443\"\n");
    }

    #[test]
    fn values_are_read_without_quotes_and_comments() {
        assert_eq!(top_level_value(CONFIGURATION, "authtoken").as_deref(), Some("old"));
        assert_eq!(top_level_value("a: \"b # c\"", "a").as_deref(), Some("b # c"));
        assert_eq!(top_level_value("a: 'b'", "a").as_deref(), Some("b"));
        assert_eq!(top_level_value("a:\n  b: c", "a"), None);
        assert_eq!(top_level_value("ab: c", "a"), None);
    }

    #[test]
    fn flow_style_is_edited_too() {
        let text = set_values("# x\n{version: 2}\n", &[("authtoken", "t")]).unwrap();
        assert!(text.starts_with("# x\n{"), "{text}");
        assert_eq!(top_level_value(&text, "authtoken").as_deref(), Some("t"));
    }

    #[test]
    fn an_invalid_file_is_not_changed() {
        let error = set_values("version: 2\ntunnels: [\n", &[("authtoken", "t")]).unwrap_err();
        assert!(error.message.contains("nothing was changed"), "{error}");
    }

    #[test]
    fn loopback_addresses_and_localhost_names_are_this_computer() {
        for local in ["localhost:4443", "127.0.0.1:1", "[::1]:4443", "x.localhost:4443", "LOCALHOST."] {
            assert!(is_loopback(local), "{local}");
        }
        for remote in ["tunnel.example.com:443", "10.0.0.1:4443", "localhost.example:1"] {
            assert!(!is_loopback(remote), "{remote}");
        }
    }
}
