//! Raw settings from flags, environment and file, before they are resolved.

use super::{
    file,
    settings::{SETTINGS, Setting},
};
use crate::io_error::reason;
use std::{collections::BTreeMap, io::Read, path::Path};

/// Source of a value, for error messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SettingSource {
    Flag,
    Environment,
    File { line: u64 },
}

/// A value and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawValue {
    pub(crate) text: String,
    pub(crate) source: SettingSource,
}

/// All raw values. A flag takes precedence over the environment, which takes precedence over the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawSettings(BTreeMap<&'static str, RawValue>);

impl RawSettings {
    /// Gathers the three sources. An empty environment variable counts as not set. Returns the values and the mistakes
    /// of the file, as sentences.
    pub(crate) fn gather(
        flags: impl IntoIterator<Item = (&'static str, String)>,
        environment: impl Fn(&str) -> Option<String>,
        config: Option<&Path>,
    ) -> (RawSettings, Vec<String>) {
        let mut values = BTreeMap::new();
        let mut errors = Vec::new();
        if let Some(path) = config {
            match read_file(path) {
                Ok(entries) => {
                    for entry in entries {
                        values.insert(
                            entry.key,
                            RawValue { text: entry.text, source: SettingSource::File { line: entry.line } },
                        );
                    }
                }
                Err(mistakes) => errors = mistakes,
            }
        }
        for setting in SETTINGS {
            if let Some(text) = environment(&setting.variable()).filter(|text| !text.is_empty()) {
                values.insert(setting.key, RawValue { text, source: SettingSource::Environment });
            }
        }
        for (key, text) in flags {
            values.insert(key, RawValue { text, source: SettingSource::Flag });
        }
        (RawSettings(values), errors)
    }

    /// Keys of the settings that have another value than before, in the order of the help.
    pub(crate) fn changed_since(&self, before: &RawSettings) -> Vec<&'static Setting> {
        let text = |raw: &RawSettings, key| raw.get(key).map(|value| value.text.trim().to_owned());
        SETTINGS.iter().filter(|setting| text(self, setting.key) != text(before, setting.key)).collect()
    }

    /// Value of a setting, if given.
    pub(crate) fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.get(key)
    }
}

fn read_file(path: &Path) -> Result<Vec<file::FileEntry>, Vec<String>> {
    let shown = path.display();
    let unreadable = |why: String| vec![format!("The configuration file {shown} cannot be read: {why}.")];
    let opened = std::fs::File::open(path).map_err(|error| unreadable(reason(&error)))?;
    let mut text = String::new();
    opened.take(file::MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(|error| unreadable(reason(&error)))?;
    if text.len() as u64 > file::MAX_FILE_BYTES {
        return Err(unreadable("it is larger than 1 MiB".into()));
    }
    file::read(&text).map_err(|mistakes| mistakes.into_iter().map(|mistake| format!("{shown}, {mistake}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_flag_overrides_the_environment_which_overrides_the_file() {
        let mut config = tempfile::NamedTempFile::new().expect("a file");
        writeln!(config, "domain: file.test\nhttp_addr: 127.0.0.1:1\napi_addr: 127.0.0.1:1").expect("written");
        let environment = |name: &str| match name {
            "POSTERN_DOMAIN" | "POSTERN_HTTP_ADDR" => Some("environment".to_owned()),
            "POSTERN_API_ADDR" => Some(String::new()),
            _ => None,
        };
        let (raw, errors) = RawSettings::gather([("domain", "flag".to_owned())], environment, Some(config.path()));
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(raw.get("domain").map(|given| given.text.as_str()), Some("flag"));
        assert_eq!(raw.get("http_addr").map(|given| given.text.as_str()), Some("environment"));
        assert_eq!(raw.get("api_addr").map(|given| &given.source), Some(&SettingSource::File { line: 3 }));
        assert_eq!(raw.get("log_level"), None);
    }

    #[test]
    fn a_change_is_one_of_the_value_and_not_of_its_source() {
        let gather = |flags: &[(&'static str, &str)]| {
            let flags = flags.iter().map(|(key, text)| (*key, (*text).to_owned()));
            RawSettings::gather(flags, |name| (name == "POSTERN_DOMAIN").then(|| "a.test".to_owned()), None).0
        };
        let (before, after) =
            (gather(&[("log_level", "info")]), gather(&[("domain", "a.test"), ("max_requests", "5")]));
        let keys: Vec<_> = after.changed_since(&before).iter().map(|setting| setting.key).collect();
        assert_eq!(keys, ["max_requests", "log_level"]);
    }

    #[test]
    fn a_missing_file_is_reported_by_name() {
        let (_, errors) = RawSettings::gather([], |_| None, Some(Path::new("/does/not/exist.yml")));
        assert!(errors[0].contains("/does/not/exist.yml") && errors[0].contains("no such file"), "{errors:?}");
    }
}
