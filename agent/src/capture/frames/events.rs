//! Server-sent events on the bytes of a body as they pass, in any division. Each is kept as its lines.

/// Reads events.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// The line has something in it.
    in_line: bool,
    /// The event has a line.
    in_event: bool,
    /// The byte before was CR, so that LF belongs to it.
    after_cr: bool,
}

/// What a reader has found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    /// An event begins.
    Begin,
    /// Bytes of its lines. Line ends are always LF.
    Data(&'a [u8]),
    /// It has ended.
    End,
}

impl Reader {
    /// Takes bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut found: impl FnMut(Found<'_>)) {
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
                    found(Found::Begin);
                }
                self.in_line = true;
                found(Found::Data(line));
            }
            let Some((end, behind)) = behind.split_first() else { return };
            self.after_cr = *end == b'\r';
            rest = behind;
            if std::mem::take(&mut self.in_line) {
                found(Found::Data(b"\n"));
            } else if std::mem::take(&mut self.in_event) {
                found(Found::End);
            }
        }
    }
}

/// The fields of an event's lines: its kind, its id, its data.
pub(crate) fn fields(lines: &str) -> (Option<String>, Option<String>, String) {
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
        let (mut reader, mut seen, mut text) = (Reader::default(), Vec::new(), Vec::new());
        for piece in bytes.chunks(step) {
            reader.feed(piece, |found| match found {
                Found::Begin => text.clear(),
                Found::Data(more) => text.extend_from_slice(more),
                Found::End => seen.push(String::from_utf8(text.clone()).expect("text")),
            });
        }
        seen
    }

    #[test]
    fn events_end_with_an_empty_line_whatever_line_ends_are() {
        for end in ["\n", "\r\n", "\r"] {
            let text =
                [":hello", "", "event: a", "data: 1", "data:2", "", "", "id: 7", "data", "", "data: open"].join(end);
            for step in 1..text.len() {
                let seen = read(text.as_bytes(), step);
                assert_eq!(seen, [":hello\n", "event: a\ndata: 1\ndata:2\n", "id: 7\ndata\n"], "{end:?} {step}");
            }
        }
        assert_eq!(fields("event: a\ndata: 1\ndata:2\n"), (Some("a".into()), None, "1\n2".into()));
        assert_eq!(fields("id: 7\ndata\n: x\n"), (None, Some("7".into()), String::new()));
    }
}
