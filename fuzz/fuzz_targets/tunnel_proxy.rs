//! Headers of the PROXY protocol.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| postern_tunnel::fuzzing::proxy(bytes));
