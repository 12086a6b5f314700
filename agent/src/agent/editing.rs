//! The configuration file as text: offered without its secrets, checked, and saved if nobody else has changed it.

use super::{Core, write};
use crate::{
    config::{Problems, edit, offered::Offered},
    diagnose::{Question, Report},
};
use aws_lc_rs::digest::{SHA256, digest};
use postern_api::{Code, Error};
use std::fmt::Write;

/// How many bytes of a digest tell two texts apart.
const REVISION_BYTES: usize = 12;

/// The file as it may be shown.
#[derive(Debug)]
pub struct Text {
    /// The text with notes in the places of its secrets.
    pub text: String,
    /// Changes with every change of the file.
    pub revision: String,
    /// How many secrets were taken out.
    pub kept: usize,
}

/// What became of an edited text.
#[derive(Debug)]
pub enum Edited {
    /// It is valid, and saved if that was asked for.
    Valid,
    /// It is not, and nothing was changed.
    Wrong(Problems),
}

impl Core {
    /// The file that changes are written to, as text.
    ///
    /// # Errors
    /// Why it cannot be read or shown.
    pub fn configuration(&self) -> Result<Text, Error> {
        let text = edit::read_for_edit(self.sources.edited())?;
        let offered = Offered::of(&text)?;
        Ok(Text { revision: revision(&text), kept: offered.kept(), text: offered.text })
    }

    /// The other files that this agent reads, whose keys the edited one overrides.
    pub fn other_files(&self) -> Vec<String> {
        let others = self.sources.files.iter().rev().skip(1).rev();
        others.map(|file| file.display().to_string()).collect()
    }

    /// Says what is wrong with an edited text; changes nothing.
    ///
    /// # Errors
    /// `ConfigChanged` if the text was made of another revision.
    pub fn check_configuration(&self, edited: &str, of: &str) -> Result<Edited, Error> {
        self.whole(edited, of).map(|(whole, _)| match self.sources.load_as(&whole) {
            Ok(_) => Edited::Valid,
            Err(problems) => Edited::Wrong(problems),
        })
    }

    /// Saves an edited text and takes it over. A text with problems is not saved.
    ///
    /// # Errors
    /// `ConfigChanged` if the text was made of another revision, or why the file cannot be written.
    pub async fn save_configuration(&self, edited: &str, of: &str) -> Result<Edited, Error> {
        let _editing = self.editing.lock().await;
        let (whole, old) = self.whole(edited, of)?;
        if let Err(problems) = self.sources.load_as(&whole) {
            return Ok(Edited::Wrong(problems));
        }
        write(self.sources.edited(), &old, &whole)?;
        self.reload().await.map_err(|problems| problems.to_error())?;
        Ok(Edited::Valid)
    }

    /// Looks at everything a tunnel needs.
    pub async fn diagnose(&self) -> Report {
        Question { sources: self.sources.clone(), ipv6: false }.answer().await
    }

    /// The edited text with its secrets, and the text as it stands in the file.
    fn whole(&self, edited: &str, of: &str) -> Result<(String, String), Error> {
        let old = edit::read_for_edit(self.sources.edited())?;
        if revision(&old) != of {
            return Err(Error::new(
                Code::ConfigChanged,
                "The configuration file was changed meanwhile. Read it again and make your change there.",
            ));
        }
        Ok((Offered::of(&old)?.restored(edited)?, old))
    }
}

fn revision(text: &str) -> String {
    digest(&SHA256, text.as_bytes()).as_ref().iter().take(REVISION_BYTES).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
