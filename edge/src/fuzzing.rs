//! The checks of this crate's fuzz targets, each next to the code it checks. Compiled for tests and the fuzzer only.

pub use crate::{
    http::fuzzing::head, http::h1::fuzzing::response, http::h2::fuzzing::http2, modules::check_webhook as webhook,
    tls::fuzzing::hello,
};

#[cfg(test)]
#[path = "../../fuzz/replay.rs"]
mod replay;

#[test]
fn the_corpora_pass() {
    replay::replay(
        "edge",
        &[("head", head), ("hello", hello), ("http2", http2), ("response", response), ("webhook", webhook)],
    );
}
