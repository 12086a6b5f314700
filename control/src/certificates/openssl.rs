//! The command `openssl` in a temporary folder, for tests.

use std::process::Command;

pub(super) struct Openssl(tempfile::TempDir);

impl Openssl {
    pub(super) fn new() -> Self {
        Openssl(tempfile::tempdir().expect("a folder"))
    }

    /// Runs the command; it must succeed.
    pub(super) fn run(&self, words: &str) {
        let output = Command::new("openssl").args(words.split(' ')).current_dir(self.0.path()).output();
        let output = output.expect("openssl is installed");
        assert!(output.status.success(), "openssl {words}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub(super) fn file(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).expect("written");
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).expect("readable")
    }
}
