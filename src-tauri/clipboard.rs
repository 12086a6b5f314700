//! Copies text. The clipboard stays open while the app runs, because on Linux its owner serves the content.

use crate::error::{DesktopError, Result};
use arboard::Clipboard;
use std::sync::{Mutex, PoisonError};

/// Far more than any address or command.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// The system's clipboard, opened on first use.
#[derive(Default)]
pub(crate) struct AppClipboard(Mutex<Option<Clipboard>>);

impl AppClipboard {
    /// Puts the text on the clipboard. Blocks for a moment, so do not call it on the main thread.
    ///
    /// # Errors
    ///
    /// Fails for more than 4 MiB, and if there is no clipboard.
    pub(crate) fn copy(&self, text: &str) -> Result<()> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(DesktopError::new(
                postern_api::Code::BodyTooLarge,
                "The text is too long for the clipboard (at most 4 MiB).",
            ));
        }
        let mut clipboard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |error: arboard::Error| DesktopError::local("The clipboard is not available", error);
        if clipboard.is_none() {
            *clipboard = Some(Clipboard::new().map_err(failed)?);
        }
        clipboard.as_mut().map_or(Ok(()), |clipboard| clipboard.set_text(text)).map_err(failed)
    }
}
