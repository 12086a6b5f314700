//! The architecture: inside each crate a module imports only modules of lower floors.

use postern_tests::imports::Crate;
use std::path::Path;

/// Checks a crate's modules against its floors, from top to bottom. Modules of one floor do not import each other.
#[track_caller]
fn stands(root: &str, floors: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(root);
    if let Err(mistakes) = Crate::read(&path).check(floors) {
        panic!("the floors of {root} are broken:\n{}", mistakes.join("\n"));
    }
}

#[test]
fn the_edge_is_read_downwards() {
    stands(
        "edge/src/lib.rs",
        &[
            "edge",
            "live",
            "frontend",
            "settings",
            "tunnels",
            "tcp",
            "access routing",
            "modules",
            "upstream",
            "net",
            "http",
            "telemetry",
            "tls",
            "limits refusal",
        ],
    );
}
