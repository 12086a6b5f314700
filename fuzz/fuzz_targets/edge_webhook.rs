//! Requests that claim to be webhooks.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| postern_edge::fuzzing::webhook(bytes));
