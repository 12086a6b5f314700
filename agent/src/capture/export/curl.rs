//! A captured request as a `curl` command for `sh` that sends the same method, target, headers and body.

use super::Secrets;
use crate::capture::exchange::Exchange;
use postern_api::{Code, Error};
use std::fmt::Write;

/// Longer bodies do not fit into one argument on every system; they are piped.
const MAX_ARGUMENT_BYTES: usize = 16 * 1024;
/// From this size on curl sends `Expect: 100-continue`.
const EXPECT_CONTINUE_BYTES: usize = 1000 * 1000;

/// Writes the command. `base` is the scheme and authority to send it to.
///
/// # Errors
/// `CapturedCut` if the request was not kept whole.
pub fn command(exchange: &Exchange, base: &str, secrets: Secrets<'_>) -> Result<String, Error> {
    let (request, _) = exchange.messages();
    if request.cut || !request.complete {
        return Err(Error::new(
            Code::CapturedCut,
            "The captured request was not kept whole, so no command can send it. Raise inspect_body_size to keep larger bodies, and inspect_db_size to four times that at least.",
        ));
    }
    let (method, target) = (exchange.info.method(), secrets.url(exchange.info.target()));
    let headers = secrets.headers(&request);
    let has_header = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
    let has_body = has_header("content-length") || has_header("transfer-encoding");
    let body = request.content_bytes();
    let piped = has_body && !body.is_empty() && !is_plain(&body);

    let mut words = vec!["curl".to_owned(), "--http1.1".to_owned()];
    match (method, has_body) {
        ("GET", false) => {}
        ("HEAD", false) => words.push("--head".into()),
        _ => words.push(format!("-X {}", quoted(method.as_bytes()))),
    }
    if target.starts_with('/')
        && target.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/?&=%+,:;@!$'()*".contains(&byte))
    {
        words.push(format!("--path-as-is {}", quoted(format!("{base}{target}").as_bytes())));
    } else {
        // curl would normalize such a URL; `--request-target` sends it unchanged.
        words.push(format!("--request-target {} {}", quoted(target.as_bytes()), quoted(format!("{base}/").as_bytes())));
    }
    let own_host = base.split_once("://").map_or("", |(_, authority)| authority);
    for (name, value) in &headers {
        let computed = name.eq_ignore_ascii_case("content-length");
        let same_host = name.eq_ignore_ascii_case("host")
            && value == own_host.as_bytes()
            && !own_host.ends_with(":80")
            && !own_host.ends_with(":443");
        if computed || same_host {
            continue;
        }
        let line = match value.is_empty() {
            true => format!("{name};").into_bytes(),
            false => [name.as_bytes(), b": ", value].concat(),
        };
        words.push(format!("-H {}", quoted(&line)));
    }
    for name in ["User-Agent", "Accept"].into_iter().filter(|name| !has_header(name)) {
        words.push(format!("-H '{name}:'"));
    }
    if !has_header("host") {
        words.push("-H 'Host:'".to_owned());
    }
    if has_body {
        if !has_header("content-type") {
            words.push("-H 'Content-Type:'".to_owned());
        }
        if body.len() >= EXPECT_CONTINUE_BYTES && !has_header("expect") {
            words.push("-H 'Expect:'".to_owned());
        }
        words.push(if piped { "--data-binary @-".to_owned() } else { format!("--data-raw {}", quoted(&body)) });
    }
    let command = words.join(" \\\n  ");
    Ok(if piped { format!("printf '{}' |\n  {command}", escaped(&body)) } else { command })
}

/// Whether a body can be quoted: short text without control characters other than LF.
fn is_plain(body: &[u8]) -> bool {
    let text = std::str::from_utf8(body);
    body.len() <= MAX_ARGUMENT_BYTES && text.is_ok_and(|text| text.chars().all(|c| c == '\n' || !c.is_control()))
}

/// Any bytes but NUL as one word for `sh`.
fn quoted(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_plain(bytes) || bytes.len() > MAX_ARGUMENT_BYTES => format!("'{}'", text.replace('\'', r"'\''")),
        _ => format!("\"$(printf '{}')\"", escaped(bytes)),
    }
}

/// Escapes bytes for the format of `printf`, between single quotes.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for (position, byte) in bytes.iter().enumerate() {
        match byte {
            // `printf` takes a format that begins with a hyphen for an option.
            b'-' if position == 0 => text.push_str(r"\055"),
            b'%' => text.push_str("%%"),
            b'\\' => text.push_str(r"\\"),
            b'\'' | 0..=31 | 127.. => {
                let _ = write!(text, "\\{byte:03o}");
            }
            _ => text.push(char::from(*byte)),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quoted(b"it's $HOME `x` \\ \"y\" !"), r#"'it'\''s $HOME `x` \ "y" !'"#);
        assert_eq!(quoted("grüße".as_bytes()), "'grüße'");
        assert_eq!(quoted(b"X: \xe9 100% 'a' \\n"), r#""$(printf 'X: \351 100%% \047a\047 \\n')""#);
        assert_eq!(quoted(b"a\tb"), r#""$(printf 'a\011b')""#);
        assert_eq!(quoted(b"-a-\t"), r#""$(printf '\055a-\011')""#);
    }
}
