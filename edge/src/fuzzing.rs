//! What the fuzz targets of this crate check; each check stands beside what it is about. In tests and under the fuzzer
//! only.

pub use crate::{http::fuzzing::head, modules::check_webhook as webhook, tls::fuzzing::hello};

#[cfg(test)]
#[path = "../../fuzz/replay.rs"]
mod replay;

#[test]
fn the_corpora_pass() {
    replay::replay("edge", &[("head", head), ("hello", hello), ("webhook", webhook)]);
}
