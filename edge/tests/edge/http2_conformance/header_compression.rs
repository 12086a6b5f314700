//! The group "hpack": header blocks that cannot be decoded (RFC 7541).

use super::case::{Case, MALFORMED, case, headers};
use crate::kit::frames::{END_HEADERS, END_STREAM, block};
use h2::Reason;

/// `x-test` in the Huffman code, as a new name that is not indexed.
const NAME: &[u8] = b"\0\x85\xf2\xb2\x4a\x84\xff";

/// A request with these bytes in front of or behind its fields.
fn undecodable(id: &'static str, what: &'static str, before: &[u8], after: &[&[u8]]) -> Case {
    let block = [before, &block(&MALFORMED), &after.concat()].concat();
    case(id, what)
        .send([headers(END_STREAM | END_HEADERS, 1, &block)])
        .accept_connection_error(Reason::COMPRESSION_ERROR)
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        undecodable("hpack/2.3.3/1", "an index behind the tables", b"", &[b"\xc6"]),
        undecodable("hpack/2.3.3/2", "the index of a name behind the tables", b"", &[b"\x7f\x07\x04test"]),
        undecodable("hpack/4.2/1", "a table size behind fields", b"", &[b"\x21"]),
        undecodable("hpack/5.2/1", "padding of more than 7 bits", b"", &[NAME, b"\x84\x49\x50\x9f\xff"]),
        undecodable("hpack/5.2/2", "padding of zeros", b"", &[NAME, b"\x83\x49\x50\x90"]),
        undecodable("hpack/5.2/3", "the end of string symbol", b"", &[NAME, b"\x87\x49\x51\xff\xff\xff\xfa\x7f"]),
        undecodable("hpack/6.1/1", "the index 0", b"", &[b"\x80"]),
        undecodable("hpack/6.3/1", "a table size above the limit", b"\x3f\xe2\x1f", &[]),
    ]
}
