//! Notes beside a stream's bytes: what the server has to say about what comes next. Whoever forwards the bytes never
//! sees them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One end of the way of notes. Holds one note at most: the last one counts.
#[derive(Clone, Debug, Default)]
pub struct Notes(Arc<Mutex<Option<Vec<u8>>>>);

impl Notes {
    /// Puts a note down. At the server it leaves in front of the next bytes that are written. What is longer than
    /// [`MAX_NOTE`](crate::proto::frame::MAX_NOTE) is not taken.
    pub fn put(&self, note: Vec<u8>) {
        let fits = (1..=crate::proto::frame::MAX_NOTE).contains(&note.len());
        *self.locked() = Some(note).filter(|_| fits);
    }

    /// Takes the note up, if there is one. At the agent it is about the bytes that were read after it.
    pub fn take(&self) -> Option<Vec<u8>> {
        self.locked().take()
    }

    fn locked(&self) -> MutexGuard<'_, Option<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
