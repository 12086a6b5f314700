//! Verdicts read in any pieces must be the same, and must take the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use postern_tunnel::proto::verdict::{Verdict, VerdictReader};

fn read(bytes: &[u8], size: usize) -> Option<(Verdict, usize)> {
    let mut reader = VerdictReader::default();
    let mut used = 0;
    for piece in bytes.chunks(size) {
        let (verdict, count) = reader.read(piece).ok()?;
        used += count;
        if let Some(verdict) = verdict {
            return Some((verdict, used));
        }
    }
    None
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    assert_eq!(read(bytes, usize::MAX), read(bytes, size as usize + 1));
});
