//! Server-sent events (WHATWG HTML section 9.2.6, "Interpreting an event stream") read from the bytes of a body in any
//! split. Each event is kept as its lines.

/// Reads events.
#[derive(Debug, Default)]
pub(crate) struct EventReader {
    /// The current line is not empty.
    in_line: bool,
    /// The current event has a line.
    in_event: bool,
    /// The last byte was CR; an LF that follows belongs to it.
    after_cr: bool,
}

/// A part of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EventPart<'a> {
    /// An event begins.
    Begin,
    /// Bytes of its lines. Line ends are always LF.
    Data(&'a [u8]),
    /// The event has ended.
    End,
}

impl EventReader {
    /// Takes bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut emit: impl FnMut(EventPart<'_>)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let (line, behind) = rest.split_at(end.unwrap_or(rest.len()));
            if !line.is_empty() {
                if !std::mem::replace(&mut self.in_event, true) {
                    emit(EventPart::Begin);
                }
                self.in_line = true;
                emit(EventPart::Data(line));
            }
            let Some((end, behind)) = behind.split_first() else { return };
            self.after_cr = *end == b'\r';
            rest = behind;
            if std::mem::take(&mut self.in_line) {
                emit(EventPart::Data(b"\n"));
            } else if std::mem::take(&mut self.in_event) {
                emit(EventPart::End);
            }
        }
    }
}

/// Parses the lines of an event into its type, id and data.
pub(crate) fn parse_fields(lines: &str) -> (Option<String>, Option<String>, String) {
    let (mut kind, mut id, mut data) = (None, None, Vec::new());
    for line in lines.lines() {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => kind = Some(value.to_owned()),
            "id" => id = Some(value.to_owned()),
            "data" => data.push(value),
            _ => {}
        }
    }
    (kind, id, data.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], step: usize) -> Vec<String> {
        let (mut reader, mut events, mut text) = (EventReader::default(), Vec::new(), Vec::new());
        for piece in bytes.chunks(step) {
            reader.feed(piece, |part| match part {
                EventPart::Begin => text.clear(),
                EventPart::Data(more) => text.extend_from_slice(more),
                EventPart::End => events.push(String::from_utf8(text.clone()).expect("text")),
            });
        }
        events
    }

    #[test]
    fn events_end_with_an_empty_line_for_every_kind_of_line_ending() {
        for end in ["\n", "\r\n", "\r"] {
            let text =
                [":hello", "", "event: a", "data: 1", "data:2", "", "", "id: 7", "data", "", "data: open"].join(end);
            for step in 1..text.len() {
                let events = read(text.as_bytes(), step);
                assert_eq!(events, [":hello\n", "event: a\ndata: 1\ndata:2\n", "id: 7\ndata\n"], "{end:?} {step}");
            }
        }
        assert_eq!(parse_fields("event: a\ndata: 1\ndata:2\n"), (Some("a".into()), None, "1\n2".into()));
        assert_eq!(parse_fields("id: 7\ndata\n: x\n"), (None, Some("7".into()), String::new()));
    }
}
