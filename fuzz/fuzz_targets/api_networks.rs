//! CIDRs, and the IP rules made of them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| postern_api::fuzzing::networks(bytes));
