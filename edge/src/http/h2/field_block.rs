//! Field blocks as HPACK writes them (RFC 7541): whether one can be read without those before it.

use super::frames::{FrameHead, PADDED, PRIORITY};

/// The entries of the static table (RFC 7541, appendix A); those of the dynamic table have larger indexes.
const STATIC_ENTRIES: usize = 61;
const PRIORITY_BYTES: usize = 5;

/// Whether this complete field block, the payload of a HEADERS frame, refers to entries that only earlier blocks can have
/// put into the dynamic table. Of a block that is malformed, only what precedes the error counts.
pub(super) fn needs_earlier_blocks(head: FrameHead, payload: &[u8]) -> bool {
    let Some(block) = fields(head, payload) else { return false };
    Block { rest: block, inserted: 0 }.needs_earlier_blocks() == Some(true)
}

/// The payload without padding and priority.
fn fields(head: FrameHead, payload: &[u8]) -> Option<&[u8]> {
    let (padding, rest) = match head.has(PADDED) {
        true => payload.split_first().map(|(padding, rest)| (usize::from(*padding), rest))?,
        false => (0, payload),
    };
    let rest = if head.has(PRIORITY) { rest.get(PRIORITY_BYTES..)? } else { rest };
    rest.get(..rest.len().checked_sub(padding)?)
}

struct Block<'a> {
    rest: &'a [u8],
    /// Entries that this block has put into the table so far.
    inserted: usize,
}

impl Block<'_> {
    /// `None` if the block is malformed.
    fn needs_earlier_blocks(&mut self) -> Option<bool> {
        while let Some(&first) = self.rest.first() {
            let (index, has_value, is_inserted) = match first {
                // An indexed field.
                0x80.. => (self.integer(7)?, false, false),
                // A literal that is put into the table.
                0x40..0x80 => (self.integer(6)?, true, true),
                // A new size of the table. With none left, no earlier entry is in it.
                0x20..0x40 => match self.integer(5)? {
                    0 => return Some(false),
                    _ => continue,
                },
                // A literal that is not.
                _ => (self.integer(4)?, true, false),
            };
            if index > STATIC_ENTRIES + self.inserted {
                return Some(true);
            }
            if has_value {
                if index == 0 {
                    self.skip_string()?;
                }
                self.skip_string()?;
            }
            self.inserted += usize::from(is_inserted);
        }
        Some(false)
    }

    /// An integer whose prefix has this many bits (RFC 7541, section 5.1).
    fn integer(&mut self, prefix_bits: u32) -> Option<usize> {
        let mask = (1 << prefix_bits) - 1;
        let mut value = usize::from(self.byte()? & mask);
        if value < usize::from(mask) {
            return Some(value);
        }
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            value += usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn skip_string(&mut self) -> Option<()> {
        let length = self.integer(7)?;
        self.rest = self.rest.get(length..)?;
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::h2::frames::{END_HEADERS, HEADERS};

    #[test]
    fn only_references_to_earlier_blocks_need_them() {
        let table: [(&[u8], bool); 14] = [
            // :method GET, :scheme https, :path /
            (&[0x82, 0x87, 0x84], false),
            // The newest entry of the table.
            (&[0x82, 0xbe], true),
            // a: b, put into the table, and the same again.
            (&[0x40, 1, b'a', 1, b'b', 0xbe], false),
            (&[0x40, 1, b'a', 1, b'b', 0xbf], true),
            // The name of an entry, in each of the three literals.
            (&[0x7e, 1, b'b'], true),
            (&[0x0f, 47, 1, b'b'], true),
            (&[0x1f, 47, 1, b'b'], true),
            // Names of the static table.
            (&[0x41, 1, b'a', 0x0f, 46, 1, b'b'], false),
            // The table is emptied first; then nothing in this block can be of an earlier one.
            (&[0x20, 0x3f, 0xe1, 0x1f, 0x40, 1, b'a', 1, b'b', 0xbe], false),
            // A smaller table keeps entries.
            (&[0x3f, 1, 0xbe], true),
            // An index of three bytes.
            (&[0xff, 0x80, 0x01], true),
            (&[], false),
            // Malformed.
            (&[0x40, 9, b'a'], false),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff], false),
        ];
        for (block, needs) in table {
            let head = FrameHead { length: block.len() as u32, kind: HEADERS, flags: END_HEADERS, stream: 1 };
            assert_eq!(needs_earlier_blocks(head, block), needs, "{block:x?}");
            // The same with a priority and two bytes of padding.
            let payload = [&[2, 0, 0, 0, 0, 15], block, &[0xbe, 0xbe]].concat();
            let head = FrameHead { flags: END_HEADERS | PADDED | PRIORITY, length: payload.len() as u32, ..head };
            assert_eq!(needs_earlier_blocks(head, &payload), needs, "{block:x?} with padding");
        }
    }
}
