//! Session bytes: preambles, messages, frames, starts of streams, verdicts.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| postern_tunnel::fuzzing::session(bytes));
