//! An entry of the access log as a line of JSON. It is what serde writes (a test compares both), at a fraction of its
//! cost: most members are known to need no escapes, and the time changes once a second.

use super::AccessLogEntry;
use std::io::{self, Write};

/// Writes entries as lines. Remembers the text of the current second.
#[derive(Debug, Default)]
pub struct AccessLogLines {
    second: Option<(i64, String)>,
}

impl AccessLogLines {
    /// Appends an entry as a JSON object, without a line end.
    ///
    /// # Errors
    /// Those of serde_json for members that are structures; none in practice.
    pub fn write(&mut self, line: &mut Vec<u8>, entry: &AccessLogEntry) -> io::Result<()> {
        let AccessLogEntry {
            time,
            kind,
            id,
            visitor,
            scheme,
            protocol,
            host,
            method,
            path,
            status,
            bytes_in,
            bytes_out,
            duration_microseconds,
            edge,
            route,
            backend,
            served_by,
            decisions,
            error_code,
            message,
        } = entry;
        line.extend_from_slice(b"{\"time\":\"");
        self.write_time(line, *time)?;
        write_plain(line, b"\",\"kind\":\"", kind);
        write_plain(line, b"\",\"id\":\"", id);
        line.extend_from_slice(b"\",\"visitor\":\"");
        write!(line, "{visitor}")?;
        write_plain(line, b"\",\"scheme\":\"", scheme);
        write_plain(line, b"\",\"protocol\":\"", protocol);
        line.push(b'"');
        write_text(line, b",\"host\":", host)?;
        write_text(line, b",\"method\":", method)?;
        write_text(line, b",\"path\":", path)?;
        let numbers: [(&[u8], u64); 4] = [
            (b",\"status\":", u64::from(*status)),
            (b",\"bytes_in\":", *bytes_in),
            (b",\"bytes_out\":", *bytes_out),
            (b",\"duration_microseconds\":", *duration_microseconds),
        ];
        for (name, number) in numbers {
            line.extend_from_slice(name);
            write!(line, "{number}")?;
        }
        write_text(line, b",\"edge\":", edge)?;
        write_text(line, b",\"route\":", route)?;
        write_text(line, b",\"backend\":", backend)?;
        write_text(line, b",\"served_by\":", served_by)?;
        line.extend_from_slice(b",\"decisions\":");
        if decisions.is_empty() {
            line.extend_from_slice(b"[]");
        } else {
            serde_json::to_writer(&mut *line, decisions)?;
        }
        line.extend_from_slice(b",\"error_code\":");
        match error_code {
            None => line.extend_from_slice(b"null"),
            Some(code) => serde_json::to_writer(&mut *line, code)?,
        }
        write_text(line, b",\"message\":", message)?;
        line.push(b'}');
        Ok(())
    }

    /// Writes a time with milliseconds, so that entries can be ordered.
    fn write_time(&mut self, line: &mut Vec<u8>, time: jiff::Timestamp) -> io::Result<()> {
        let second = time.as_second();
        if second < 0 {
            return write!(line, "{time:.3}");
        }
        let text = match &mut self.second {
            Some((of, text)) if *of == second => text,
            other => {
                let whole = jiff::Timestamp::from_second(second).map_err(io::Error::other)?;
                &mut other.insert((second, whole.to_string().trim_end_matches('Z').to_owned())).1
            }
        };
        line.extend_from_slice(text.as_bytes());
        write!(line, ".{:03}Z", time.subsec_millisecond())
    }
}

/// Writes a text that has no character to escape.
fn write_plain(line: &mut Vec<u8>, before: &[u8], text: &str) {
    line.extend_from_slice(before);
    line.extend_from_slice(text.as_bytes());
}

/// Writes any text as a JSON string.
fn write_text(line: &mut Vec<u8>, name: &[u8], text: &str) -> io::Result<()> {
    line.extend_from_slice(name);
    let is_plain = text.bytes().fold(true, |plain, byte| plain & (byte >= b' ') & (byte != b'"') & (byte != b'\\'));
    if !is_plain {
        return Ok(serde_json::to_writer(line, text)?);
    }
    line.push(b'"');
    line.extend_from_slice(text.as_bytes());
    line.push(b'"');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::{Code, trace};
    use proptest::prelude::*;

    fn entry(texts: [String; 3], numbers: [u64; 3], milliseconds: i64, is_refused: bool) -> AccessLogEntry {
        let [host, path, message] = texts;
        let decision = trace::Decision {
            module: "acl".into(),
            rule: path.clone(),
            verdict: trace::Verdict::Refused,
            microseconds: 7,
        };
        AccessLogEntry {
            time: jiff::Timestamp::from_millisecond(milliseconds).expect("a time"),
            kind: "request",
            id: "op_2abc".into(),
            visitor: "[2001:db8::1]:443".parse().expect("an address"),
            scheme: "https",
            protocol: "HTTP/1.1",
            host,
            method: "GET".into(),
            path,
            status: 200,
            bytes_in: numbers[0],
            bytes_out: numbers[1],
            duration_microseconds: numbers[2],
            edge: "edghts_2abc".into(),
            route: String::new(),
            backend: String::new(),
            served_by: "tn_2abc".into(),
            decisions: if is_refused { vec![decision] } else { Vec::new() },
            error_code: is_refused.then_some(Code::RequestInvalid),
            message,
        }
    }

    proptest! {
        #[test]
        fn a_line_is_what_serde_writes(
            texts: [String; 3],
            numbers: [u64; 3],
            times in proptest::collection::vec(-10_000_i64..4_000_000_000_000, 1..4),
            is_refused: bool,
        ) {
            let mut lines = AccessLogLines::default();
            for time in times {
                let entry = entry(texts.clone(), numbers, time, is_refused);
                let mut line = Vec::new();
                lines.write(&mut line, &entry).expect("written");
                prop_assert_eq!(
                    String::from_utf8(line).expect("text"),
                    serde_json::to_string(&entry).expect("JSON")
                );
            }
        }
    }
}
