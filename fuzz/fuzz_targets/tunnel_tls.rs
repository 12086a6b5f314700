//! Records of TLS and the handshake messages in them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| postern_tunnel::fuzzing::tls(bytes));
