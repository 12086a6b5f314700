//! What was written, by flag, environment or file, before anybody asks what it means.

use super::{file, settings::SETTINGS};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Where a value was written, as a reader would look for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Flag,
    Environment,
    File { line: u64 },
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) text: String,
    pub(crate) place: Place,
}

/// All values that were written; a flag beats the environment, which beats the file.
#[derive(Debug, Default)]
pub(crate) struct Written(BTreeMap<&'static str, Given>);

impl Written {
    /// Gathers the three sources. An empty environment variable counts as not set.
    /// The mistakes of the file come back as sentences; what could be read is there nevertheless.
    pub(crate) fn gather(
        flags: impl IntoIterator<Item = (&'static str, String)>,
        environment: impl Fn(&str) -> Option<String>,
        config: Option<&Path>,
    ) -> (Written, Vec<String>) {
        let mut written = BTreeMap::new();
        let mut errors = Vec::new();
        if let Some(path) = config {
            match read_file(path) {
                Ok(entries) => {
                    for entry in entries {
                        written.insert(entry.key, Given { text: entry.text, place: Place::File { line: entry.line } });
                    }
                }
                Err(mistakes) => errors = mistakes,
            }
        }
        for setting in SETTINGS {
            if let Some(text) = environment(&setting.variable()).filter(|text| !text.is_empty()) {
                written.insert(setting.key, Given { text, place: Place::Environment });
            }
        }
        for (key, text) in flags {
            written.insert(key, Given { text, place: Place::Flag });
        }
        (Written(written), errors)
    }

    /// The value of a setting, if somebody wrote one.
    pub(crate) fn get(&self, key: &str) -> Option<&Given> {
        self.0.get(key)
    }
}

fn read_file(path: &Path) -> Result<Vec<file::Entry>, Vec<String>> {
    let shown = path.display();
    let unreadable = |why: String| vec![format!("The configuration file {shown} cannot be read: {why}.")];
    let opened = std::fs::File::open(path).map_err(|error| unreadable(plain(&error)))?;
    let mut text = String::new();
    opened.take(file::LONGEST_FILE + 1).read_to_string(&mut text).map_err(|error| unreadable(plain(&error)))?;
    if text.len() as u64 > file::LONGEST_FILE {
        return Err(unreadable("it is larger than 1 MiB".into()));
    }
    file::read(&text).map_err(|mistakes| mistakes.into_iter().map(|mistake| format!("{shown}, {mistake}")).collect())
}

/// What the system said, without its number and in the middle of a sentence.
pub(crate) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => error.kind().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_flag_beats_the_environment_which_beats_the_file() {
        let mut config = tempfile::NamedTempFile::new().expect("a file");
        writeln!(config, "domain: file.test\nhttp_addr: 127.0.0.1:1\napi_addr: 127.0.0.1:1").expect("written");
        let environment = |name: &str| match name {
            "POSTERN_DOMAIN" | "POSTERN_HTTP_ADDR" => Some("environment".to_owned()),
            "POSTERN_API_ADDR" => Some(String::new()),
            _ => None,
        };
        let (written, errors) = Written::gather([("domain", "flag".to_owned())], environment, Some(config.path()));
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(written.get("domain").map(|given| given.text.as_str()), Some("flag"));
        assert_eq!(written.get("http_addr").map(|given| given.text.as_str()), Some("environment"));
        assert_eq!(written.get("api_addr").map(|given| &given.place), Some(&Place::File { line: 3 }));
        assert_eq!(written.get("log_level"), None);
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let (_, errors) = Written::gather([], |_| None, Some(Path::new("/does/not/exist.yml")));
        assert!(errors[0].contains("/does/not/exist.yml") && errors[0].contains("no such file"), "{errors:?}");
    }
}
