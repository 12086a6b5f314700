//! Messages of both directions: any bytes, in pieces whose size the first byte chooses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use postern_tunnel::proto::codec::{Decoder, Message, encode};
use postern_tunnel::proto::message::{FromAgent, FromServer};

fn read_in_pieces<M: Message + PartialEq + std::fmt::Debug>(bytes: &[u8], size: usize) {
    let mut decoder = Decoder::default();
    for mut piece in bytes.chunks(size) {
        while !piece.is_empty() {
            let Ok((used, message)) = decoder.read::<M>(piece) else { return };
            if let Some(message) = message {
                // What an end understands it can say again, unless escapes made it longer than a message may be.
                if let Ok(again) = encode(&message) {
                    let (_, read) = Decoder::default().read::<M>(&again).expect("own bytes are understood");
                    assert_eq!(read, Some(message));
                }
            }
            piece = &piece[used..];
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    read_in_pieces::<FromAgent>(bytes, size as usize + 1);
    read_in_pieces::<FromServer>(bytes, size as usize + 1);
});
