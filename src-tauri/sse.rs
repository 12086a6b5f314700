//! Server-sent events, read piece by piece.

/// The largest event that is read; the agent's lists stay far below.
const LARGEST: usize = 16 * 1024 * 1024;

/// One event: its name (`message` when none was given) and its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) data: String,
}

/// An event grew beyond what is read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the feed is larger than 16 MiB")]
pub(crate) struct TooLarge;

/// Takes bytes however they were cut and gives whole events.
#[derive(Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    name: String,
    data: String,
    after_return: bool,
}

impl Parser {
    /// The events that these bytes complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let mut events = Vec::new();
        for &byte in bytes {
            let second_of_pair = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            if second_of_pair {
                continue;
            }
            if byte == b'\n' || byte == b'\r' {
                let line = std::mem::take(&mut self.line);
                events.extend(self.take_line(&String::from_utf8_lossy(&line)));
                continue;
            }
            self.line.push(byte);
            if self.line.len() + self.data.len() > LARGEST {
                return Err(TooLarge);
            }
        }
        Ok(events)
    }

    fn take_line(&mut self, line: &str) -> Option<Event> {
        if line.is_empty() {
            let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
            let name = if name.is_empty() { "message".to_owned() } else { name };
            return (!data.is_empty()).then_some(Event { name, data });
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
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FEED: &str = ": hello\n\nevent: status\ndata: {\"a\":1}\n\ndata: x\r\ndata: ü\r\n\r\nevent: lonely\n\n";

    fn expected() -> Vec<Event> {
        let event = |name: &str, data: &str| Event { name: name.to_owned(), data: data.to_owned() };
        vec![event("status", "{\"a\":1}"), event("message", "x\nü")]
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        for cut in 0..=FEED.len() {
            let mut parser = Parser::default();
            let mut events = parser.push(&FEED.as_bytes()[..cut]).unwrap();
            events.extend(parser.push(&FEED.as_bytes()[cut..]).unwrap());
            assert_eq!(events, expected(), "cut at {cut}");
        }
    }

    #[test]
    fn a_feed_without_line_ends_does_not_fill_the_memory() {
        let mut parser = Parser::default();
        assert_eq!(parser.push(&vec![b'x'; LARGEST + 1]), Err(TooLarge));
    }
}
