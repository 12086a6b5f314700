//! HTTP/2 connections that the agent captures.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| postern_agent::fuzzing::capture_http2(bytes));
