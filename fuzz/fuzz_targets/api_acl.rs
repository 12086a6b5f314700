//! Rules of tunnel credentials.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| postern_api::fuzzing::acl(bytes));
