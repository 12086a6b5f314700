//! The paths of the programs under test: beside the test executable, unless the environment names them.

use std::path::PathBuf;

/// The program `postern-server`, or the one named by `POSTERN_SERVER_PROGRAM`.
pub fn server() -> PathBuf {
    find("postern-server", "POSTERN_SERVER_PROGRAM")
}

/// The program `postern`, or the one named by `POSTERN_AGENT_PROGRAM`.
pub fn agent() -> PathBuf {
    find("postern", "POSTERN_AGENT_PROGRAM")
}

fn find(name: &str, variable: &str) -> PathBuf {
    if let Some(path) = std::env::var_os(variable) {
        let path = PathBuf::from(path);
        assert!(path.is_file(), "{variable} names {}, which does not exist", path.display());
        return path;
    }
    let test = std::env::current_exe().expect("a test knows its own path");
    // <target>/<profile>/deps/specs-…
    let folder = test.parent().and_then(|deps| deps.parent()).expect("tests are in the target folder");
    let path = folder.join(name);
    assert!(
        path.is_file(),
        "{} is not built. Build the programs first (`cargo build -p postern-server -p postern-agent`, which \
         `make test` does), or name one in {variable}",
        path.display()
    );
    path
}
