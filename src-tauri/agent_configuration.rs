//! Reads and sets single keys of the agent's configuration file. All other lines stay as they are.

use crate::error::{DesktopError, Result};
use postern_api::Code;

/// The value of a top-level key, without quotes and comment. `None` if it is missing or not a plain scalar.
pub(crate) fn top_level_value(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let line = line.trim();
    if let Some(quoted) = line.strip_prefix('"') {
        return quoted.split('"').next().map(str::to_owned);
    }
    if let Some(quoted) = line.strip_prefix('\'') {
        return quoted.split('\'').next().map(str::to_owned);
    }
    let plain = line.split(" #").next().unwrap_or(line).trim();
    (!plain.is_empty() && !plain.starts_with(['#', '|', '>', '&', '*', '{', '['])).then(|| plain.to_owned())
}

/// The text with these top-level keys set: an existing line is replaced, a missing key is inserted near the top.
///
/// # Errors
///
/// Fails for a file in flow style (`{…}`), which has no separate lines for keys.
pub(crate) fn set_values(text: &str, values: &[(&str, &str)]) -> Result<String> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['#', '-', '%']));
    if first.is_some_and(|line| line.starts_with('{')) {
        return Err(DesktopError::new(
            Code::ConfigInvalid,
            "The agent's configuration is in flow style ({…}), which Postern cannot edit. Write one key per line.",
        ));
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        lines.push("version: 2".to_owned());
    }
    for (key, value) in values.iter().rev() {
        // Every JSON string is a valid YAML string.
        let line = format!("{key}: {}", serde_json::Value::from(*value));
        let has_key = |line: &String| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
        match lines.iter().position(has_key) {
            Some(index) => lines[index] = line,
            None => {
                let version = lines.iter().position(|line| line.starts_with("version:"));
                let document = lines.iter().position(|line| line.trim_end() == "---");
                let index = version.or(document).map_or(0, |index| index + 1);
                lines.insert(index, line);
            }
        }
    }
    Ok(lines.join("\n") + "\n")
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
    #![allow(clippy::unwrap_used)]
    use super::*;

    const CONFIGURATION: &str =
        "# mine\nversion: 2\nauthtoken: old # keep safe\ntunnels:\n  site:\n    authtoken: inner\n    addr: 80\n";

    #[test]
    fn the_given_keys_are_set_and_all_other_lines_stay() {
        let text = set_values(CONFIGURATION, &[("authtoken", "new"), ("root_cas", "/a \"b\"/ca.pem")]).unwrap();
        assert_eq!(
            text,
            "# mine\nversion: 2\nroot_cas: \"/a \\\"b\\\"/ca.pem\"\nauthtoken: \"new\"\ntunnels:\n  site:\n    authtoken: inner\n    addr: 80\n"
        );
        assert_eq!(set_values(&text, &[("authtoken", "new")]).unwrap(), text, "a second call changes nothing");
    }

    #[test]
    fn an_empty_file_becomes_a_complete_one() {
        let text = set_values("", &[("authtoken", "t"), ("server_addr", "localhost:4443")]).unwrap();
        assert_eq!(text, "version: 2\nauthtoken: \"t\"\nserver_addr: \"localhost:4443\"\n");
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
    fn flow_style_is_refused() {
        assert!(set_values("# x\n{version: 2}\n", &[("authtoken", "t")]).is_err());
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
