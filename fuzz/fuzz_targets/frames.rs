//! Frames read in any pieces must give what they give when read at once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use postern_tunnel::proto::frame::FrameReader;

fn read(bytes: &[u8], size: usize) -> (Vec<u8>, usize, bool, bool) {
    let mut reader = FrameReader::default();
    let (mut payload, mut used) = (Vec::new(), 0);
    for piece in bytes.chunks(size) {
        match reader.read(piece, |bytes| payload.extend_from_slice(bytes)) {
            Ok(count) => used += count,
            Err(_) => return (payload, 0, false, true),
        }
    }
    (payload, used, reader.ended(), false)
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    let whole = read(bytes, usize::MAX);
    assert!(whole.0.len() <= bytes.len());
    assert_eq!(whole, read(bytes, size as usize + 1));
});
