//! Connections over HTTP/2 with pauses, in which the codec is released.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| postern_edge::fuzzing::http2(bytes));
