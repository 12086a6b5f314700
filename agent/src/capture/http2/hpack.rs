//! Decoding of header blocks (HPACK, RFC 7541). The dynamic table and what a block decodes to are bounded.

use super::{Malformed, hpack_static::STATIC_TABLE};
use crate::capture::head::{MAX_HEAD_BYTES, MAX_HEADERS};
use httlib_huffman::DecoderSpeed;
use std::collections::VecDeque;

/// Size of the dynamic table before any setting (RFC 9113 section 6.5.2).
const DEFAULT_TABLE_SIZE: usize = 4096;
/// A larger dynamic table is not followed.
const MAX_TABLE_SIZE: usize = 64 * 1024;
/// Size of an entry of the dynamic table beside its texts (RFC 7541 section 4.1).
const ENTRY_OVERHEAD: usize = 32;
/// Bytes of an integer; more would not fit into 32 bits.
const MAX_INTEGER_BYTES: usize = 5;

/// Decodes the header blocks of one direction, which must be given in order and completely.
#[derive(Debug)]
pub(super) struct HeaderDecoder {
    /// Newest first.
    entries: VecDeque<(Vec<u8>, Vec<u8>)>,
    /// Size of all entries.
    size: usize,
    /// Limit that the encoder has set for itself.
    max_size: usize,
    /// Limit that the encoder may set.
    allowed_size: usize,
}

impl Default for HeaderDecoder {
    fn default() -> Self {
        HeaderDecoder {
            entries: VecDeque::new(),
            size: 0,
            max_size: DEFAULT_TABLE_SIZE,
            allowed_size: DEFAULT_TABLE_SIZE,
        }
    }
}

impl HeaderDecoder {
    /// The peer of the encoder accepts a dynamic table of this size.
    pub(super) fn allow_table_size(&mut self, size: u32) {
        // Settings apply with their acknowledgement; until then the encoder may use the earlier ones.
        self.allowed_size = self.allowed_size.max(size as usize).min(MAX_TABLE_SIZE);
    }

    /// Decodes a block and calls `field` for each of its fields.
    pub(super) fn decode(&mut self, block: &[u8], mut field: impl FnMut(&[u8], &[u8])) -> Result<(), Malformed> {
        let mut block = Block(block);
        let (mut fields, mut bytes) = (0, 0);
        while let Some(first) = block.0.first().copied() {
            let (name, value) = match first {
                0x80.. => self.entry(block.integer(7)?)?,
                0x40.. => self.literal(&mut block, 6)?,
                0x20.. => {
                    let size = block.integer(5)?;
                    if size > self.allowed_size {
                        return Err(Malformed);
                    }
                    self.max_size = size;
                    self.evict();
                    continue;
                }
                _ => self.literal(&mut block, 4)?,
            };
            field(&name, &value);
            bytes += name.len() + value.len();
            if first & 0xc0 == 0x40 {
                self.insert(name, value);
            }
            fields += 1;
            if fields > MAX_HEADERS || bytes > MAX_HEAD_BYTES {
                return Err(Malformed);
            }
        }
        Ok(())
    }

    fn literal(&self, block: &mut Block<'_>, prefix: u32) -> Result<(Vec<u8>, Vec<u8>), Malformed> {
        let name = match block.integer(prefix)? {
            0 => block.string()?,
            index => self.entry(index)?.0,
        };
        Ok((name, block.string()?))
    }

    /// The entry at an index of both tables (RFC 7541 section 2.3.3).
    fn entry(&self, index: usize) -> Result<(Vec<u8>, Vec<u8>), Malformed> {
        let index = index.checked_sub(1).ok_or(Malformed)?;
        match STATIC_TABLE.get(index) {
            Some((name, value)) => Ok((name.as_bytes().to_vec(), value.as_bytes().to_vec())),
            None => self.entries.get(index - STATIC_TABLE.len()).cloned().ok_or(Malformed),
        }
    }

    fn insert(&mut self, name: Vec<u8>, value: Vec<u8>) {
        self.size += entry_size(&name, &value);
        self.entries.push_front((name, value));
        self.evict();
    }

    fn evict(&mut self) {
        while self.size > self.max_size
            && let Some((name, value)) = self.entries.pop_back()
        {
            self.size -= entry_size(&name, &value);
        }
    }
}

fn entry_size(name: &[u8], value: &[u8]) -> usize {
    name.len() + value.len() + ENTRY_OVERHEAD
}

/// The rest of a header block.
struct Block<'a>(&'a [u8]);

impl<'a> Block<'a> {
    /// An integer with a prefix of so many bits (RFC 7541 section 5.1).
    fn integer(&mut self, prefix: u32) -> Result<usize, Malformed> {
        let (first, rest) = self.0.split_first().ok_or(Malformed)?;
        self.0 = rest;
        let mask = (1u64 << prefix) - 1;
        let mut value = u64::from(*first) & mask;
        if value < mask {
            return usize::try_from(value).map_err(|_| Malformed);
        }
        for shift in (0..MAX_INTEGER_BYTES).map(|byte| byte * 7) {
            let (byte, rest) = self.0.split_first().ok_or(Malformed)?;
            self.0 = rest;
            value += u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(value).map(|value| value as usize).map_err(|_| Malformed);
            }
        }
        Err(Malformed)
    }

    /// A string literal (RFC 7541 section 5.2).
    fn string(&mut self) -> Result<Vec<u8>, Malformed> {
        let is_huffman = self.0.first().is_some_and(|first| first & 0x80 != 0);
        let length = self.integer(7)?;
        let (text, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        if !is_huffman {
            return Ok(text.to_vec());
        }
        // The shortest code has five bits.
        let mut decoded = Vec::with_capacity(length * 8 / 5);
        httlib_huffman::decode(text, &mut decoded, DecoderSpeed::FiveBits).map_err(|_| Malformed)?;
        Ok(decoded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(decoder: &mut HeaderDecoder, hex: &str) -> Result<Vec<String>, Malformed> {
        let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
        let bytes: Vec<u8> = digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).expect("text"), 16).expect("a byte"))
            .collect();
        let mut fields = Vec::new();
        decoder.decode(&bytes, |name, value| {
            fields.push(format!("{}: {}", String::from_utf8_lossy(name), String::from_utf8_lossy(value)));
        })?;
        Ok(fields)
    }

    /// RFC 7541 appendix C.4.
    #[test]
    fn the_requests_of_the_standard_are_decoded() {
        let mut decoder = HeaderDecoder::default();
        let first = decoded(&mut decoder, "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff");
        let common = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"];
        assert_eq!(first.expect("valid"), common);
        let second = decoded(&mut decoder, "8286 84be 5886 a8eb 1064 9cbf").expect("valid");
        assert_eq!((&second[..4], second[4].as_str()), (&common.map(String::from)[..], "cache-control: no-cache"));
        let third = decoded(&mut decoder, "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf");
        assert_eq!(third.expect("valid").last().map(String::as_str), Some("custom-key: custom-value"));
        assert_eq!(decoder.size, 164);
    }

    /// RFC 7541 appendix C.6: entries are evicted from a table of 256 bytes.
    #[test]
    fn the_responses_of_the_standard_evict_entries() {
        let mut decoder = HeaderDecoder { max_size: 256, ..HeaderDecoder::default() };
        decoded(&mut decoder, "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3").expect("valid");
        assert_eq!((decoder.entries.len(), decoder.size), (4, 222));
        let second = decoded(&mut decoder, "4883 640e ffc1 c0bf").expect("valid");
        assert_eq!(second[0], ":status: 307");
        assert_eq!((decoder.entries.len(), decoder.size), (4, 222));
    }

    #[test]
    fn what_a_block_decodes_to_is_bounded() {
        let mut decoder = HeaderDecoder::default();
        let mut block = vec![0x40, 1, b'a', 0x7f, 0xa1, 0x1e];
        block.extend([b'x'; 4000]);
        decoder.decode(&block, |_, _| ()).expect("an entry of 4,033 bytes");
        assert_eq!(decoder.decode(&[0xbe; 10], |_, _| ()), Ok(()));
        assert_eq!(decoder.decode(&[0xbe; 20], |_, _| ()), Err(Malformed), "80,000 bytes");
        assert_eq!(decoder.decode(&[0x82; 300], |_, _| ()), Err(Malformed), "300 fields");
        assert_eq!(decoder.decode(&[0x3f, 0xe1, 0xff, 3], |_, _| ()), Err(Malformed), "a table of 64 KiB");
        decoder.allow_table_size(65_536);
        assert_eq!(decoder.decode(&[0x3f, 0xe1, 0xff, 3], |_, _| ()), Ok(()));
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_or_refused(blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..6)) {
            let mut decoder = HeaderDecoder::default();
            for block in blocks {
                let _ = decoder.decode(&block, |_, _| ());
                prop_assert!(decoder.size <= decoder.max_size);
            }
        }
    }
}
