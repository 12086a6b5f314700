//! Editing the configuration file as text: shown without its secrets, checked, and saved unless it changed meanwhile.

use super::{AgentContext, write_if_changed};
use crate::{
    config::{Problems, edit, redacted_text::RedactedText},
    diagnose::{Diagnosis, DiagnosisReport},
};
use aws_lc_rs::digest::{SHA256, digest};
use postern_api::{Code, Error};
use std::fmt::Write;

/// Bytes of the digest that identify a text.
const REVISION_BYTES: usize = 12;

/// The configuration file without its secrets.
#[derive(Debug)]
pub struct ConfigText {
    /// The text with a placeholder for every secret.
    pub text: String,
    /// Changes with every change of the file.
    pub revision: String,
    /// Number of secrets that were replaced.
    pub kept: usize,
}

/// The result of checking or saving an edited text.
#[derive(Debug)]
pub enum EditOutcome {
    /// The text is valid, and saved if that was requested.
    Valid,
    /// The text has problems; nothing was changed.
    Invalid(Problems),
}

impl AgentContext {
    /// The file that changes are written to, as text.
    ///
    /// # Errors
    /// The file cannot be read, or its secrets cannot be told apart.
    pub fn configuration(&self) -> Result<ConfigText, Error> {
        let text = edit::read_for_edit(self.sources.edited())?;
        let redacted = RedactedText::new(&text)?;
        Ok(ConfigText { revision: revision(&text), kept: redacted.secret_count(), text: redacted.text })
    }

    /// The other configuration files; the edited file overrides their keys.
    pub fn other_files(&self) -> Vec<String> {
        let others = self.sources.files.iter().rev().skip(1).rev();
        others.map(|file| file.display().to_string()).collect()
    }

    /// Checks an edited text; changes nothing.
    ///
    /// # Errors
    /// `ConfigChanged` if the text was edited from another revision.
    pub fn check_configuration(&self, edited: &str, base_revision: &str) -> Result<EditOutcome, Error> {
        self.with_secrets(edited, base_revision).map(|(text, _)| match self.sources.load_as(&text) {
            Ok(_) => EditOutcome::Valid,
            Err(problems) => EditOutcome::Invalid(problems),
        })
    }

    /// Saves an edited text and applies it. A text with problems is not saved.
    ///
    /// # Errors
    /// `ConfigChanged` if the text was edited from another revision, or the reason why the file cannot be written.
    pub async fn save_configuration(&self, edited: &str, base_revision: &str) -> Result<EditOutcome, Error> {
        let _editing = self.editing.lock().await;
        let (text, old) = self.with_secrets(edited, base_revision)?;
        if let Err(problems) = self.sources.load_as(&text) {
            return Ok(EditOutcome::Invalid(problems));
        }
        write_if_changed(self.sources.edited(), &old, &text)?;
        self.reload().await.map_err(|problems| problems.to_error())?;
        Ok(EditOutcome::Valid)
    }

    /// Checks everything that a tunnel needs.
    pub async fn diagnose(&self) -> DiagnosisReport {
        Diagnosis { sources: self.sources.clone(), ipv6: false }.run().await
    }

    /// The edited text with its secrets restored, and the current text of the file.
    fn with_secrets(&self, edited: &str, base_revision: &str) -> Result<(String, String), Error> {
        let old = edit::read_for_edit(self.sources.edited())?;
        if revision(&old) != base_revision {
            return Err(Error::new(
                Code::ConfigChanged,
                "The configuration file has changed meanwhile. Read it again and repeat your change.",
            ));
        }
        Ok((RedactedText::new(&old)?.restore(edited)?, old))
    }
}

fn revision(text: &str) -> String {
    digest(&SHA256, text.as_bytes()).as_ref().iter().take(REVISION_BYTES).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
