//! Bytes that can be made in any amount and recognised at the other end without keeping them.

use aws_lc_rs::digest::{Context, SHA256};
use bytes::Bytes;
use futures::{Stream, stream};

/// Bytes of one piece of a [`flow`].
const PIECE: usize = 64 << 10;

/// A sum over bytes that pass by.
pub struct Sum {
    context: Context,
    length: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Sum { context: Context::new(&SHA256), length: 0 }
    }
}

impl Sum {
    /// Adds what passes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.context.update(bytes);
        self.length += bytes.len() as u64;
    }

    /// `<length> <SHA-256>`.
    pub fn finish(self) -> String {
        let digest = self.context.finish();
        let hexadecimal: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{} {hexadecimal}", self.length)
    }
}

/// The piece at a position: cheap to make, different everywhere.
pub fn piece(seed: u64, index: u64, length: usize) -> Bytes {
    let mut state =
        seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ index.wrapping_add(1).wrapping_mul(0xD1B5_4A32_D192_ED03);
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes.into()
}

/// All pieces of so many bytes.
pub fn pieces(seed: u64, length: u64) -> impl Iterator<Item = Bytes> + Send {
    let count = length.div_ceil(PIECE as u64);
    (0..count).map(move |index| {
        let rest = length - index * PIECE as u64;
        piece(seed, index, PIECE.min(usize::try_from(rest).unwrap_or(PIECE)))
    })
}

/// The same as a stream, for bodies.
pub fn flow(seed: u64, length: u64) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send {
    stream::iter(pieces(seed, length).map(Ok))
}

/// The sum of a flow, without sending it.
pub fn sum(seed: u64, length: u64) -> String {
    let mut sum = Sum::default();
    pieces(seed, length).for_each(|piece| sum.add(&piece));
    sum.finish()
}

/// The sum of some bytes.
pub fn sum_of(bytes: &[u8]) -> String {
    let mut sum = Sum::default();
    sum.add(bytes);
    sum.finish()
}
