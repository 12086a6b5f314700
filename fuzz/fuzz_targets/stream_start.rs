//! A start that is understood must survive being written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use postern_tunnel::StreamStart;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(start) = StreamStart::decode(bytes) {
        assert_eq!(StreamStart::decode(&start.encode()[1..]), Ok(start));
    }
});
