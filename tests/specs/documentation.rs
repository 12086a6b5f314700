//! Every setting that a program takes is in a document.

use postern_tests::programs;
use std::{collections::BTreeSet, path::Path, process::Command};

/// The text of all documents.
fn documents() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let mut text = String::new();
    for entry in folder.read_dir().expect("the folder of documents") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            text += &std::fs::read_to_string(&path).expect("a document");
        }
    }
    text
}

/// The flags that a program's help lists, without their hyphens.
fn flags_of(help: &str) -> BTreeSet<String> {
    let name = |line: &str| {
        let flag = line
            .trim_start()
            .strip_prefix("--")
            .or_else(|| line.trim_start().strip_prefix("-")?.split_once("--").map(|(_, flag)| flag))?;
        Some(flag.split([' ', '=', '[', ',']).next().unwrap_or(flag).to_owned())
    };
    help.lines().filter_map(name).collect()
}

#[test]
fn every_setting_of_the_server_is_documented() {
    let output = Command::new(programs::server()).args(["run", "--help"]).output().expect("the program runs");
    let help = String::from_utf8(output.stdout).expect("text");
    let flags = flags_of(&help);
    assert!(flags.len() > 40 && flags.contains("data-dir"), "the help lists {flags:?}");
    let documents = documents();
    let common = ["help", "version"];
    let missing: Vec<_> = flags
        .iter()
        .filter(|flag| !common.contains(&flag.as_str()) && !documents.contains(&format!("`--{flag}")))
        .collect();
    assert!(missing.is_empty(), "no document has {missing:?}");
}

/// The keys that a configuration may have where `text` has one that is unknown: the error lists them.
fn known_keys(text: &str) -> BTreeSet<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("postern.yml");
    std::fs::write(&path, text).expect("written");
    let output = Command::new(programs::agent())
        .args(["config", "check", "--config"])
        .arg(&path)
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let is_key = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let lists = said.split(['.', ':', '\n']).filter(|sentence| sentence.matches(", ").count() > 5);
    lists.flat_map(|list| list.split([',', ' ', '`'])).filter(|word| is_key(word)).map(str::to_owned).collect()
}

#[test]
fn every_key_of_the_agents_file_is_documented() {
    let documents = documents();
    for (text, examples) in [
        ("version: 2\nqqqqqqqqqqqqqqqq: 1\n", ["server_addr", "tunnels"]),
        ("version: 2\ntunnels:\n  a:\n    addr: 1\n    qqqqqqqqqqqqqqqq: 1\n", ["terminate_at", "app_protocol"]),
    ] {
        let keys = known_keys(text);
        assert!(keys.len() > 20 && examples.iter().all(|key| keys.contains(*key)), "the error lists {keys:?}");
        let missing: Vec<_> = keys.iter().filter(|key| !documents.contains(&format!("`{key}"))).collect();
        assert!(missing.is_empty(), "no document has {missing:?}");
    }
}
