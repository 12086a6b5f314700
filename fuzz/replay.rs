//! Runs every file of one crate's corpora through the checks of its fuzz targets. Each crate includes this in its tests,
//! so that no fuzzer is needed to repeat what fuzzing has found.

use std::{collections::BTreeSet, fs, panic::catch_unwind, path::Path};

/// What a target checks, by its name without that of the crate.
pub(crate) type Check = (&'static str, fn(&[u8]));

/// Fails for every file that a check fails for, and for a target that has no check or no corpus.
pub(crate) fn replay(of: &str, checks: &[Check]) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let targets: BTreeSet<String> = names(&fuzz.join("fuzz_targets"))
        .iter()
        .filter_map(|name| Some(name.strip_prefix(of)?.strip_prefix('_')?.strip_suffix(".rs")?.to_owned()))
        .collect();
    let checked: BTreeSet<String> = checks.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(targets, checked, "every target is replayed");
    let mut failed = Vec::new();
    for (name, check) in checks {
        let corpus = fuzz.join("corpus").join(format!("{of}_{name}"));
        let files = names(&corpus);
        assert!(!files.is_empty(), "{} is empty", corpus.display());
        for file in files {
            let bytes = fs::read(corpus.join(&file)).expect("a file of the corpus can be read");
            if catch_unwind(|| check(&bytes)).is_err() {
                failed.push(format!("{of}_{name}/{file}"));
            }
        }
    }
    assert!(failed.is_empty(), "these files of fuzz/corpus fail: {failed:?}");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name().into_string();
    entries.map(|entry| name(entry).expect("a name")).collect()
}
