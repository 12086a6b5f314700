//! Long texts in parts, each of which fits into a message.

use std::mem::take;

/// Longest part, as it is written in a message.
const MAX_PART_BYTES: usize = 60 * 1024;

/// Longest text.
pub const MAX_TEXT_BYTES: usize = 8 * 1024 * 1024;

/// Splits a text. An empty text is one empty part.
pub fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut written) = (Vec::new(), 0, 0);
    for (at, character) in text.char_indices() {
        let bytes = written_bytes(character);
        if written + bytes > MAX_PART_BYTES {
            parts.push(&text[start..at]);
            (start, written) = (at, 0);
        }
        written += bytes;
    }
    parts.push(&text[start..]);
    parts
}

/// Bytes of a character in a JSON string.
fn written_bytes(character: char) -> usize {
    match character {
        '"' | '\\' => 2,
        '\0'..='\x1f' => 6,
        other => other.len_utf8(),
    }
}

/// A text of which some parts have arrived.
#[derive(Debug, Default)]
pub struct PartialText(String);

/// The parts of a text exceed [`MAX_TEXT_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a text in parts is too long")]
pub struct TextTooLong;

impl PartialText {
    /// Adds a part.
    ///
    /// # Errors
    /// [`TextTooLong`]; nothing is kept then.
    pub fn push(&mut self, part: &str) -> Result<(), TextTooLong> {
        if self.0.len() + part.len() > MAX_TEXT_BYTES {
            take(&mut self.0);
            return Err(TextTooLong);
        }
        self.0.push_str(part);
        Ok(())
    }

    /// The text.
    pub fn into_text(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{codec::encode, message::FromAgent, node_link::Announcement};
    use proptest::prelude::*;

    fn joined(parts: &[&str]) -> String {
        let mut text = PartialText::default();
        for part in parts {
            let announcement = Announcement::Answer { number: u64::MAX, part: (*part).to_owned(), more: true };
            encode(&FromAgent::Announce { announcement }).expect("each part fits into a message");
            text.push(part).expect("it is short");
        }
        text.into_text()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn a_text_is_put_together_again(piece in ".{1,40}", times in 0usize..6000) {
            let text = piece.repeat(times);
            prop_assert_eq!(joined(&split(&text)), text);
        }
    }

    #[test]
    fn the_worst_characters_fit_as_well() {
        for worst in ["\"", "\\", "\u{1}", "\u{1F600}"] {
            let text = worst.repeat(70_000);
            let parts = split(&text);
            assert!(parts.len() > 1);
            assert_eq!(joined(&parts), text);
        }
        assert_eq!(split(""), [""]);
    }

    #[test]
    fn a_text_without_end_is_refused() {
        let part = "x".repeat(MAX_PART_BYTES);
        let mut text = PartialText::default();
        let taken = (0..1000).take_while(|_| text.push(&part).is_ok()).count();
        assert_eq!(taken, MAX_TEXT_BYTES / MAX_PART_BYTES);
        assert_eq!(text.into_text(), "");
    }
}
