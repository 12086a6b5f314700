//! The configuration: parsed, then checked. All problems are reported at once, each with its location and a fix.

pub mod canned_response;
pub mod definition;
mod definition_kind;
mod fields;
pub mod file_watch;
pub mod local_address;
mod login_modules;
mod modules;
pub mod paths;
mod pem;
pub mod proxy;
mod rate_limit;
mod raw;
pub mod redacted_text;
pub mod redaction;
pub mod server_address;
pub mod settings;
pub mod state_file;
pub(crate) mod suggestion;
pub mod tls_identity;
pub mod upstream;
pub mod upstream_protocol;
pub mod upstream_trust;
mod version3;
mod visitor_modules;

pub use definition::Definition;
pub use definition_kind::{DefinitionKind, Schemes, Terminate};
pub use postern_config::{
    edit,
    problem::{self, Problem, Problems, SourceLocation},
    tree,
};
pub use server_address::ServerAddress;
pub use settings::{AgentSettings, MAX_SESSIONS};
pub use upstream::LocalUpstream;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};
use tree::{ConfigNode, ConfigValue};

/// The configuration of an agent.
#[derive(Clone, Debug)]
pub struct Config {
    /// The keys next to `tunnels`.
    pub settings: AgentSettings,
    /// The tunnels by name.
    pub tunnels: BTreeMap<String, Arc<Definition>>,
}

/// The sources of a configuration: files, overridden by the command line and the environment.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The files; later ones override earlier ones.
    pub files: Vec<PathBuf>,
    /// Whether files may be missing: only the one in the default location may.
    pub may_be_missing: bool,
    /// Keys from the command line and the environment; they override all files.
    pub overlay: ConfigNode,
}

impl Sources {
    /// The file that changes are written to: the last one, because it overrides the others.
    pub fn edited(&self) -> &Path {
        self.files.last().map_or(Path::new("postern.yml"), PathBuf::as_path)
    }

    /// Reads and checks all sources.
    ///
    /// # Errors
    /// All problems of all files.
    pub fn load(&self) -> Result<Config, Problems> {
        self.load_with(None)
    }

    /// Checks all sources as if the edited file had this text.
    ///
    /// # Errors
    /// All problems of all files.
    pub fn load_as(&self, edited: &str) -> Result<Config, Problems> {
        self.load_with(Some(edited))
    }

    fn load_with(&self, edited: Option<&str>) -> Result<Config, Problems> {
        let mut problems = Problems::default();
        let mut root = ConfigNode::empty();
        for (index, file) in self.files.iter().enumerate() {
            let read = match edited.filter(|_| index + 1 == self.files.len()) {
                Some(text) => ConfigNode::parse(text, Some(file.display().to_string().into())).map(Some),
                None => read_file(file, self.may_be_missing),
            };
            match read {
                Ok(Some(node)) => {
                    root.merge(convert_to_version_2(node, file, &mut problems));
                }
                Ok(None) => {}
                Err(mut wrong) => problems.0.append(&mut wrong.0),
            }
        }
        root.merge(self.overlay.clone());
        let config = Config::read(&root, &mut problems);
        if problems.is_empty() { Ok(config) } else { Err(problems) }
    }
}

impl Config {
    /// Parses one text as the only file.
    ///
    /// # Errors
    /// All problems of the text.
    pub fn parse(text: &str) -> Result<Config, Problems> {
        let node = ConfigNode::parse(text, Some("postern.yml".into()))?;
        let mut problems = Problems::default();
        let node = convert_to_version_2(node, Path::new("postern.yml"), &mut problems);
        let config = Config::read(&node, &mut problems);
        if problems.is_empty() { Ok(config) } else { Err(problems) }
    }

    fn read(root: &ConfigNode, problems: &mut Problems) -> Config {
        let settings = AgentSettings::read(root, problems);
        let mut tunnels = BTreeMap::new();
        if let Some(node) = root.pair("tunnels").map(|pair| &pair.value) {
            match &node.value {
                ConfigValue::Null => {}
                ConfigValue::Mapping(pairs) => {
                    for pair in pairs {
                        let path = format!("tunnels.{}", pair.key.chars().take(60).collect::<String>());
                        if let Some(tunnel) = Definition::read(&pair.key, &pair.location, &pair.value, &path, problems)
                        {
                            tunnels.insert(pair.key.clone(), Arc::new(tunnel));
                        }
                    }
                }
                _ => problems.add(
                    &node.location,
                    "tunnels",
                    format!("Must be a group of tunnels by name, not {}.", node.kind()),
                ),
            }
        }
        Config { settings, tunnels }
    }
}

/// Converts a file to version 2.
fn convert_to_version_2(root: ConfigNode, file: &Path, problems: &mut Problems) -> ConfigNode {
    let whole = SourceLocation { file: Some(file.display().to_string().into()), line: 0, column: 0 };
    let Some(pair) = root.pair("version") else {
        if root.pairs().is_some() {
            problems.add(
                &whole,
                "version",
                "Is missing: write `version: 2` at the top, or run `postern config upgrade`.",
            );
        }
        return root;
    };
    match &pair.value.value {
        ConfigValue::Integer(2) => root,
        ConfigValue::Text(text) if text == "2" => root,
        ConfigValue::Integer(3) => version3::to_version_2(&root, problems),
        ConfigValue::Text(text) if text == "3" => version3::to_version_2(&root, problems),
        _ => {
            problems.add(&pair.value.location, "version", "Must be 2 or 3.");
            root
        }
    }
}

/// Parses a file; `None` where it is missing and may be.
fn read_file(path: &Path, may_be_missing: bool) -> Result<Option<ConfigNode>, Problems> {
    let shown: Arc<str> = path.display().to_string().into();
    let refuse = |why: String| {
        let mut problems = Problems::default();
        problems.add(&SourceLocation { file: Some(shown.clone()), line: 0, column: 0 }, "", why);
        problems
    };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && may_be_missing => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(refuse("There is no such file.".into()));
        }
        Err(error) => return Err(refuse(format!("The file cannot be read: {error}."))),
    };
    let text = String::from_utf8(bytes).map_err(|_| refuse("The file is not UTF-8 text.".into()))?;
    ConfigNode::parse(&text, Some(shown)).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_in_the_documentation_is_valid() {
        let config = Config::parse(
            "version: 2\nauthtoken: x\nserver_addr: localhost:4443\nroot_cas: host\nweb_addr: 127.0.0.1:4040\ninspect_db_size: 52428800\ntunnels:\n  site:\n    proto: http\n    addr: 8080\n    inspect: true\n  shell:\n    proto: tcp\n    addr: 22\n",
        )
        .expect("valid");
        assert_eq!(config.tunnels.len(), 2);
        assert_eq!(config.settings.inspect_bytes, Some(52_428_800));
    }

    #[test]
    fn all_problems_are_reported_at_once_with_line_and_column_and_without_secrets() {
        let problems = Config::parse(
            "version: 2\nauthtoken: planted-secret\nserver_adr: a:1\nweb_addr: [1]\nupdate_check: true\nproxy_url: gopher://x\ntunnels:\n  site:\n    proto: http\n    addr: x y\n  shell:\n    addr: 22\n",
        )
        .expect_err("wrong");
        let text = problems.to_string();
        for part in [
            "postern.yml:3:1: server_adr: There is no such key. Did you mean `server_addr`?",
            "postern.yml:4:11: web_addr: Must be text, not a list.",
            "postern.yml:5:1: update_check: Comes in a later version",
            "postern.yml:6:12: proxy_url: Must be the address of a proxy",
            "postern.yml:10:11: tunnels.site.addr: `x y` is not a local address",
            "tunnels.shell.proto: Is missing",
        ] {
            assert!(text.contains(part), "{part} is not in:\n{text}");
        }
        assert!(!text.contains("planted-secret") && !format!("{problems:?}").contains("planted-secret"));
    }

    #[test]
    fn later_files_win_and_maps_are_merged() {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, second) = (folder.path().join("a.yml"), folder.path().join("b.yml"));
        std::fs::write(
            &first,
            "version: 2\nserver_addr: a:1\ntunnels:\n  x: {proto: http, addr: 1}\n  y: {proto: tcp, addr: 2}\n",
        )
        .expect("written");
        std::fs::write(&second, "version: 2\nserver_addr: b:1\ntunnels:\n  x: {addr: 9}\n").expect("written");
        let sources = Sources { files: vec![first, second], may_be_missing: false, overlay: ConfigNode::empty() };
        let config = sources.load().expect("valid");
        assert_eq!(config.settings.servers[0].host, "b");
        assert_eq!(config.tunnels["x"].upstream.shown(true), "http://localhost:9");
        assert_eq!(config.tunnels.len(), 2);
    }

    #[test]
    fn capture_sizes_follow_their_special_values() {
        let size = |value: &str| {
            Config::parse(&format!("version: 2\ninspect_db_size: {value}\n")).expect("valid").settings.inspect_bytes
        };
        assert_eq!(size("0"), Some(settings::DEFAULT_INSPECT_BYTES));
        assert_eq!(size("-1"), None);
        assert_eq!(size("1000"), Some(1000));
    }

    #[test]
    fn a_missing_or_unknown_version_is_reported() {
        assert!(Config::parse("tunnels: {}\n").expect_err("no version").to_string().contains("version: 2"));
        assert!(Config::parse("version: 4\n").expect_err("unknown").to_string().contains("2 or 3"));
    }
}
