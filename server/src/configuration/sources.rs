//! Where this process has its settings from, so that they can be read again.

use super::RawSettings;
use std::path::PathBuf;

/// The flags, the environment and the file of this process.
#[derive(Clone, Debug)]
pub(crate) struct SettingSources {
    flags: Vec<(&'static str, String)>,
    config: Option<PathBuf>,
}

impl SettingSources {
    pub(crate) fn new(flags: Vec<(&'static str, String)>, config: Option<PathBuf>) -> Self {
        SettingSources { flags, config }
    }

    /// Reads all of them. Returns the values and the mistakes of the file, as sentences.
    pub(crate) fn gather(&self) -> (RawSettings, Vec<String>) {
        RawSettings::gather(self.flags.clone(), |name| std::env::var(name).ok(), self.config.as_deref())
    }
}
