//! What is read back must be what was written, and reading must always ask for a bounded number of bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use postern_tunnel::proto::preamble::{MAX_PREAMBLE, Preamble, Progress};

fuzz_target!(|bytes: &[u8]| {
    match Preamble::decode(bytes) {
        Ok(Progress::Complete(preamble)) => assert!(bytes.starts_with(&preamble.encode())),
        Ok(Progress::Needs(total)) => assert!(total > bytes.len() && total <= MAX_PREAMBLE),
        Err(_) => {}
    }
});
