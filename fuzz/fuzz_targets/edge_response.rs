//! Responses of local services over HTTP/1.1, to the end of their bodies.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| postern_edge::fuzzing::response(bytes));
