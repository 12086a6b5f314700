//! The edge's notes about the requests of one connection, each found by the digest of its request.

use postern_tunnel::{StreamMetadata, request_note::RequestDigest};
use std::collections::VecDeque;

/// Notes that wait for their requests; with one more the oldest is dropped.
const MAX_WAITING: usize = 64;

/// Notes in the order in which their requests are sent.
#[derive(Default)]
pub(super) struct RequestNotes {
    received: Option<StreamMetadata>,
    waiting: VecDeque<(RequestDigest, Vec<u8>)>,
}

impl RequestNotes {
    /// Notes that arrive as metadata of the connection.
    pub(super) fn new(received: Option<StreamMetadata>) -> Self {
        RequestNotes { received, waiting: VecDeque::new() }
    }

    /// Whether a note waits for its request, after those that have just arrived.
    pub(super) fn are_waiting(&mut self) -> bool {
        for metadata in self.received.iter().flat_map(StreamMetadata::take_all) {
            if self.waiting.len() == MAX_WAITING {
                self.waiting.pop_front();
            }
            self.waiting.extend(RequestDigest::read(&metadata).map(|(digest, note)| (digest, note.to_vec())));
        }
        !self.waiting.is_empty()
    }

    /// Takes the note about a request. Those in front of it are of requests that were given up before they were sent.
    pub(super) fn take(&mut self, request: RequestDigest) -> Option<StreamMetadata> {
        let found = self.waiting.iter().position(|(digest, _)| *digest == request)?;
        let (_, note) = self.waiting.drain(..=found).next_back()?;
        let own = StreamMetadata::default();
        own.put(note);
        Some(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(path: &str) -> RequestDigest {
        let mut digest = RequestDigest::default();
        digest.add(b":path", path.as_bytes());
        digest
    }

    fn note(notes: &mut RequestNotes, path: &str) -> Option<Vec<u8>> {
        notes.take(digest(path)).and_then(|note| note.take())
    }

    #[test]
    fn each_request_gets_its_own_note_and_one_that_was_not_sent_none() {
        let received = StreamMetadata::default();
        let mut notes = RequestNotes::new(Some(received.clone()));
        assert!(!notes.are_waiting());
        for (path, text) in [("/a", "first"), ("/b", "not sent"), ("/c", "third"), ("/c", "fourth")] {
            received.push(digest(path).with_note(text.as_bytes()));
        }
        received.push(b"short".to_vec());
        assert!(notes.are_waiting());
        assert_eq!(note(&mut notes, "/a"), Some(b"first".to_vec()));
        assert_eq!(note(&mut notes, "/x"), None, "no note was sent");
        assert_eq!(note(&mut notes, "/c"), Some(b"third".to_vec()));
        assert_eq!(note(&mut notes, "/b"), None);
        assert_eq!(note(&mut notes, "/c"), Some(b"fourth".to_vec()));
        assert!(!notes.are_waiting());
    }

    #[test]
    fn notes_that_no_request_takes_are_bounded() {
        let received = StreamMetadata::default();
        let mut notes = RequestNotes::new(Some(received.clone()));
        for number in 0..200 {
            received.push(digest(&number.to_string()).with_note(b"x"));
            assert!(notes.are_waiting());
        }
        assert_eq!(notes.waiting.len(), MAX_WAITING);
    }
}
