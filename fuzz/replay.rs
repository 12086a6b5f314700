//! Runs every corpus file of a crate through the checks of its fuzz targets. Each crate includes this in its tests, so
//! that past findings are repeated without a fuzzer.

use std::{collections::BTreeSet, fs, panic::catch_unwind, path::Path};

/// The name of a target without the crate's prefix, and its check.
pub(crate) type Check = (&'static str, fn(&[u8]));

/// # Panics
/// If a check fails for a file, or a target has no check or no corpus.
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
