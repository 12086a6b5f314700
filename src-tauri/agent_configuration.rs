//! The three lines of the agent's configuration that the app cares for; every other line stays as its owner wrote it.

use crate::failure::{Failure, Result};
use postern_api::Code;

/// The value of a key at the top level, without quotes and comment. `None` when it is missing or not a plain value.
pub(crate) fn value(text: &str, key: &str) -> Option<String> {
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

/// The text with these keys set at the top level: an existing line is replaced, a missing one put before the others.
///
/// Fails for a file in flow style (`{…}`), which has no lines of its own for keys.
pub(crate) fn with_values(text: &str, values: &[(&str, &str)]) -> Result<String> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['#', '-', '%']));
    if first.is_some_and(|line| line.starts_with('{')) {
        return Err(Failure::new(
            Code::ConfigInvalid,
            "The agent's configuration is written in braces and cannot be completed. Write one key a line.",
        ));
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        lines.push("version: 2".to_owned());
    }
    for (key, value) in values.iter().rev() {
        // A JSON string is a YAML string, whatever it holds.
        let line = format!("{key}: {}", serde_json::Value::from(*value));
        let starts = |line: &String| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
        match lines.iter().position(starts) {
            Some(place) => lines[place] = line,
            None => {
                let version = lines.iter().position(|line| line.starts_with("version:"));
                let document = lines.iter().position(|line| line.trim_end() == "---");
                let place = version.or(document).map_or(0, |place| place + 1);
                lines.insert(place, line);
            }
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// Whether a server address names this computer.
pub(crate) fn is_this_computer(server_addr: &str) -> bool {
    let host = server_addr.rsplit_once(':').map_or(server_addr, |(host, _)| host);
    let host = host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    let loopback = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    loopback || host == "localhost" || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const WRITTEN: &str =
        "# mine\nversion: 2\nauthtoken: old # keep safe\ntunnels:\n  site:\n    authtoken: inner\n    addr: 80\n";

    #[test]
    fn own_lines_are_set_and_the_rest_stays() {
        let text = with_values(WRITTEN, &[("authtoken", "new"), ("root_cas", "/a \"b\"/ca.pem")]).unwrap();
        assert_eq!(
            text,
            "# mine\nversion: 2\nroot_cas: \"/a \\\"b\\\"/ca.pem\"\nauthtoken: \"new\"\ntunnels:\n  site:\n    authtoken: inner\n    addr: 80\n"
        );
        assert_eq!(with_values(&text, &[("authtoken", "new")]).unwrap(), text, "doing it again changes nothing");
    }

    #[test]
    fn an_empty_file_becomes_a_whole_one() {
        let text = with_values("", &[("authtoken", "t"), ("server_addr", "localhost:4443")]).unwrap();
        assert_eq!(text, "version: 2\nauthtoken: \"t\"\nserver_addr: \"localhost:4443\"\n");
    }

    #[test]
    fn values_are_read_as_they_are_meant() {
        assert_eq!(value(WRITTEN, "authtoken").as_deref(), Some("old"));
        assert_eq!(value("a: \"b # c\"", "a").as_deref(), Some("b # c"));
        assert_eq!(value("a: 'b'", "a").as_deref(), Some("b"));
        assert_eq!(value("a:\n  b: c", "a"), None);
        assert_eq!(value("ab: c", "a"), None);
    }

    #[test]
    fn braces_are_refused_and_nothing_is_lost() {
        assert!(with_values("# x\n{version: 2}\n", &[("authtoken", "t")]).is_err());
    }

    #[test]
    fn this_computer_has_many_names() {
        for here in ["localhost:4443", "127.0.0.1:1", "[::1]:4443", "x.localhost:4443", "LOCALHOST."] {
            assert!(is_this_computer(here), "{here}");
        }
        for elsewhere in ["tunnel.example.com:443", "10.0.0.1:4443", "localhost.example:1"] {
            assert!(!is_this_computer(elsewhere), "{elsewhere}");
        }
    }
}
