//! Copying text. The clipboard is held as long as the app lives, because on Linux its owner must answer for it.

use crate::failure::{Failure, Result};
use arboard::Clipboard;
use std::sync::{Mutex, PoisonError};

/// Far more than any address or command.
const LONGEST: usize = 4 * 1024 * 1024;

/// The system's clipboard, opened when it is needed first.
#[derive(Default)]
pub(crate) struct Copying(Mutex<Option<Clipboard>>);

impl Copying {
    /// Puts the text on the clipboard. Blocks for a moment: not for the main thread.
    pub(crate) fn copy(&self, text: &str) -> Result<()> {
        if text.len() > LONGEST {
            return Err(Failure::new(postern_api::Code::BodyTooLarge, "This is too long for the clipboard (4 MiB)."));
        }
        let mut clipboard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |error: arboard::Error| Failure::local("The clipboard cannot be used", error);
        if clipboard.is_none() {
            *clipboard = Some(Clipboard::new().map_err(failed)?);
        }
        clipboard.as_mut().map_or(Ok(()), |clipboard| clipboard.set_text(text)).map_err(failed)
    }
}
