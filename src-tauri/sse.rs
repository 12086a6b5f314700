//! An incremental parser of server-sent events (WHATWG HTML, section 9.2).

/// The largest event; the agent's lists stay far below.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// One event: its name (`message` if it has none) and its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SseEvent {
    pub(crate) name: String,
    pub(crate) data: String,
}

/// An event exceeds the size limit.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event is larger than 16 MiB")]
pub(crate) struct EventTooLarge;

/// Joins chunks of bytes into events.
#[derive(Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    name: String,
    data: String,
    after_return: bool,
}

impl SseParser {
    /// The events that these bytes complete.
    ///
    /// # Errors
    ///
    /// Fails if an event is larger than 16 MiB.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, EventTooLarge> {
        let mut events = Vec::new();
        for &byte in bytes {
            let line_feed_of_pair = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            if line_feed_of_pair {
                continue;
            }
            if byte == b'\n' || byte == b'\r' {
                let line = std::mem::take(&mut self.line);
                events.extend(self.take_line(&String::from_utf8_lossy(&line)));
                continue;
            }
            self.line.push(byte);
            if self.line.len() + self.data.len() > MAX_EVENT_BYTES {
                return Err(EventTooLarge);
            }
        }
        Ok(events)
    }

    fn take_line(&mut self, line: &str) -> Option<SseEvent> {
        if line.is_empty() {
            let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
            let name = if name.is_empty() { "message".to_owned() } else { name };
            return (!data.is_empty()).then_some(SseEvent { name, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.name = value.to_owned(),
            "data" => {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = ": hello\n\nevent: status\ndata: {\"a\":1}\n\ndata: x\r\ndata: ü\r\n\r\nevent: lonely\n\n";

    fn expected() -> Vec<SseEvent> {
        let event = |name: &str, data: &str| SseEvent { name: name.to_owned(), data: data.to_owned() };
        vec![event("status", "{\"a\":1}"), event("message", "x\nü")]
    }

    #[test]
    fn events_do_not_depend_on_how_the_bytes_are_split() {
        for split in 0..=STREAM.len() {
            let mut parser = SseParser::default();
            let mut events = parser.push(&STREAM.as_bytes()[..split]).unwrap();
            events.extend(parser.push(&STREAM.as_bytes()[split..]).unwrap());
            assert_eq!(events, expected(), "split at {split}");
        }
    }

    #[test]
    fn a_stream_without_line_ends_is_limited() {
        let mut parser = SseParser::default();
        assert_eq!(parser.push(&vec![b'x'; MAX_EVENT_BYTES + 1]), Err(EventTooLarge));
    }
}
