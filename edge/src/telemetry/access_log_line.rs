//! A line of the access log as JSON. It is what serde writes for an [`AccessLogEntry`](super::AccessLogEntry) (a test
//! compares both), at a fraction of its cost: nothing is copied but into the line, most members are known to need no
//! escapes, and the time changes once a second.

use postern_api::{Code, trace};
use std::{
    cell::Cell,
    io::Write,
    net::{IpAddr, SocketAddr},
};

/// Room for the names of the members and those values that are short.
const TYPICAL_BYTES: usize = 448;

/// What a line says, but for what is counted until the end. Methods and ids have no character that JSON escapes.
pub(crate) struct LineMembers<'a> {
    pub(crate) time: jiff::Timestamp,
    pub(crate) kind: &'static str,
    pub(crate) id: &'a [u8],
    pub(crate) visitor: SocketAddr,
    pub(crate) scheme: &'static str,
    pub(crate) protocol: &'static str,
    pub(crate) host: &'a str,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) status: u16,
    pub(crate) edge: &'a str,
    pub(crate) route: &'a str,
    pub(crate) backend: &'a str,
    pub(crate) served_by: &'a str,
    pub(crate) decisions: &'a [trace::Decision],
    pub(crate) error_code: Option<Code>,
    pub(crate) message: &'a str,
}

/// A line that lacks its counts.
#[derive(Debug)]
pub(crate) struct LogLine {
    text: Vec<u8>,
    /// Where the counts belong.
    counts_at: usize,
}

impl LogLine {
    /// Writes all members but the counts.
    pub(crate) fn new(members: &LineMembers<'_>) -> Self {
        let LineMembers { host, path, message, edge, route, backend, served_by, .. } = members;
        let texts = [host, path, message, edge, route, backend, served_by];
        let length = TYPICAL_BYTES + texts.iter().map(|text| text.len()).sum::<usize>();
        let mut text = Vec::with_capacity(length);
        let line = &mut text;
        line.extend_from_slice(b"{\"time\":\"");
        write_time(line, members.time);
        write_plain(line, b"\",\"kind\":\"", members.kind);
        line.extend_from_slice(b"\",\"id\":\"");
        line.extend_from_slice(members.id);
        line.extend_from_slice(b"\",\"visitor\":\"");
        write_address(line, members.visitor);
        write_plain(line, b"\",\"scheme\":\"", members.scheme);
        write_plain(line, b"\",\"protocol\":\"", members.protocol);
        write_text(line, b"\",\"host\":", host);
        write_plain(line, b",\"method\":\"", members.method);
        write_text(line, b"\",\"path\":", path);
        write_number(line, b",\"status\":", members.status.into());
        let counts_at = line.len();
        write_plain(line, b",\"edge\":\"", edge);
        write_plain(line, b"\",\"route\":\"", route);
        write_plain(line, b"\",\"backend\":\"", backend);
        write_plain(line, b"\",\"served_by\":\"", served_by);
        if members.decisions.is_empty() && members.error_code.is_none() && message.is_empty() {
            line.extend_from_slice(b"\",\"decisions\":[],\"error_code\":null,\"message\":\"\"}\n");
        } else {
            line.extend_from_slice(b"\",\"decisions\":");
            write_json(line, members.decisions);
            line.extend_from_slice(b",\"error_code\":");
            write_json(line, &members.error_code);
            write_text(line, b",\"message\":", message);
            line.extend_from_slice(b"}\n");
        }
        LogLine { text, counts_at }
    }

    /// Appends the line with its counts and its end.
    pub(crate) fn finish(&self, lines: &mut Vec<u8>, bytes_in: u64, bytes_out: u64, microseconds: u64) {
        let (before, after) = self.text.split_at(self.counts_at);
        lines.extend_from_slice(before);
        write_number(lines, b",\"bytes_in\":", bytes_in);
        write_number(lines, b",\"bytes_out\":", bytes_out);
        write_number(lines, b",\"duration_microseconds\":", microseconds);
        lines.extend_from_slice(after);
    }
}

/// Writes a time with milliseconds, so that lines can be ordered. Each thread remembers the text of the current second.
fn write_time(line: &mut Vec<u8>, time: jiff::Timestamp) {
    thread_local! {
        static SECOND: Cell<(i64, [u8; 19])> = const { Cell::new((-1, [0; 19])) };
    }
    let second = time.as_second();
    let (mut known, mut text) = SECOND.get();
    if known != second {
        let written = jiff::Timestamp::from_second(second).map(|whole| whole.to_string()).unwrap_or_default();
        let Some(digits) = written.as_bytes().first_chunk().filter(|_| second >= 0) else {
            return write_display(line, format_args!("{time:.3}"));
        };
        (known, text) = (second, *digits);
        SECOND.set((known, text));
    }
    line.extend_from_slice(&text);
    let milliseconds = time.subsec_millisecond().unsigned_abs();
    let digit = |of: u32| b'0' + (of % 10) as u8;
    line.extend_from_slice(&[b'.', digit(milliseconds / 100), digit(milliseconds / 10), digit(milliseconds), b'Z']);
}

/// Writes an address with its port.
fn write_address(line: &mut Vec<u8>, address: SocketAddr) {
    let IpAddr::V4(v4) = address.ip() else { return write_display(line, format_args!("{address}")) };
    let octets = v4.octets();
    write_number(line, b"", octets[0].into());
    octets[1..].iter().for_each(|octet| write_number(line, b".", (*octet).into()));
    write_number(line, b":", address.port().into());
}

/// Writes a text that has no character to escape.
fn write_plain(line: &mut Vec<u8>, before: &[u8], text: &str) {
    line.extend_from_slice(before);
    line.extend_from_slice(text.as_bytes());
}

/// Writes any text as a JSON string.
fn write_text(line: &mut Vec<u8>, before: &[u8], text: &str) {
    line.extend_from_slice(before);
    let is_plain = text.bytes().fold(true, |plain, byte| plain & (byte >= b' ') & (byte != b'"') & (byte != b'\\'));
    if !is_plain {
        return write_json(line, text);
    }
    line.push(b'"');
    line.extend_from_slice(text.as_bytes());
    line.push(b'"');
}

fn write_number(line: &mut Vec<u8>, before: &[u8], number: u64) {
    line.extend_from_slice(before);
    line.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Writes a value that serializes in any case; a `Vec` takes all of it.
fn write_json<T: serde::Serialize + ?Sized>(line: &mut Vec<u8>, value: &T) {
    let _ = serde_json::to_writer(line, value);
}

fn write_display(line: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = line.write_fmt(text);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::telemetry::AccessLogEntry;
    use proptest::prelude::*;

    fn entry(texts: [String; 3], numbers: [u64; 3], time: jiff::Timestamp, visitor: SocketAddr) -> AccessLogEntry {
        let [host, path, message] = texts;
        AccessLogEntry {
            time,
            kind: "request",
            id: "op_2abc".into(),
            visitor,
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
            decisions: Vec::new(),
            error_code: None,
            message,
        }
    }

    fn refused(entry: AccessLogEntry) -> AccessLogEntry {
        let decision = trace::Decision {
            module: "acl".into(),
            rule: entry.path.clone(),
            verdict: trace::Verdict::Refused,
            microseconds: 7,
        };
        AccessLogEntry { decisions: vec![decision], error_code: Some(Code::RequestInvalid), ..entry }
    }

    fn members(entry: &AccessLogEntry) -> LineMembers<'_> {
        LineMembers {
            time: entry.time,
            kind: entry.kind,
            id: entry.id.as_bytes(),
            visitor: entry.visitor,
            scheme: entry.scheme,
            protocol: entry.protocol,
            host: &entry.host,
            method: &entry.method,
            path: &entry.path,
            status: entry.status,
            edge: &entry.edge,
            route: &entry.route,
            backend: &entry.backend,
            served_by: &entry.served_by,
            decisions: &entry.decisions,
            error_code: entry.error_code,
            message: &entry.message,
        }
    }

    /// A line about a path.
    pub(in crate::telemetry) fn line(path: &str) -> LogLine {
        let texts = ["a".to_owned(), path.to_owned(), String::new()];
        let visitor = SocketAddr::from(([127, 0, 0, 1], 80));
        LogLine::new(&members(&entry(texts, [0; 3], jiff::Timestamp::UNIX_EPOCH, visitor)))
    }

    proptest! {
        #[test]
        fn a_line_is_what_serde_writes(
            texts: [String; 3],
            numbers: [u64; 3],
            times in proptest::collection::vec(-10_000_i64..4_000_000_000_000, 1..4),
            v4: [u8; 4],
            v6: [u16; 8],
            port: u16,
            is_refused: bool,
        ) {
            for time in times {
                for visitor in [SocketAddr::from((v4, port)), SocketAddr::from((v6, port))] {
                    let time = jiff::Timestamp::from_millisecond(time).expect("a time");
                    let entry = entry(texts.clone(), numbers, time, visitor);
                    let entry = if is_refused { refused(entry) } else { entry };
                    let mut lines = b"before\n".to_vec();
                    LogLine::new(&members(&entry)).finish(&mut lines, numbers[0], numbers[1], numbers[2]);
                    prop_assert_eq!(
                        String::from_utf8(lines).expect("text"),
                        format!("before\n{}\n", serde_json::to_string(&entry).expect("JSON"))
                    );
                }
            }
        }
    }
}
