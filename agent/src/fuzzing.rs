//! What the fuzz targets of this crate check. In tests and under the fuzzer only.

pub use crate::capture::fuzzing::capture;

#[cfg(test)]
#[path = "../../fuzz/replay.rs"]
mod replay;

#[test]
fn the_corpora_pass() {
    replay::replay("agent", &[("capture", capture)]);
}
