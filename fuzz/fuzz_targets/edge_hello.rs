//! The first look at a TLS connection.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| postern_edge::fuzzing::hello(bytes));
