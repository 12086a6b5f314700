//! Requests of HTTP/1.1, up to where they are routed.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| postern_edge::fuzzing::head(bytes));
