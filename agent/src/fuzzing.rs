//! The checks of this crate's fuzz targets, for tests and the fuzzer only.

pub use crate::capture::fuzzing::{capture, capture_http2};

#[cfg(test)]
#[path = "../../fuzz/replay.rs"]
mod replay;

#[test]
fn the_corpora_pass() {
    replay::replay("agent", &[("capture", capture), ("capture_http2", capture_http2)]);
}
