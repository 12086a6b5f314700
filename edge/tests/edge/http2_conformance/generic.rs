//! The group "generic": what every server of HTTP/2 does for a proper client.

use super::{
    case::{
        Case, REQUEST, case, change, continuation, data, get, headers, ping, post, priority, request_block, reset,
        weighted, window_update, with_method,
    },
    connection::{Outcome, Watched},
};
use crate::kit::frames::{END_HEADERS, END_STREAM, GOAWAY, HAS_PRIORITY, PADDED, PRIORITY, block, frame};
use h2::Reason;

const PAYLOAD: [u8; 8] = *b"h2spec\0\0";

pub(super) fn cases() -> Vec<Case> {
    [streams(), frame_definitions(), exchanges(), header_compression()].into_iter().flatten().collect()
}

fn streams() -> Vec<Case> {
    vec![
        case("generic/1/1", "a connection preface").accept_nothing(),
        case("generic/2/1", "PRIORITY on an idle stream").send([priority(1, 0), get(1)]).accept_response(),
        case("generic/2/2", "WINDOW_UPDATE on a half-closed stream")
            .send([get(1), window_update(1, 1)])
            .accept_response(),
        case("generic/2/3", "PRIORITY on a half-closed stream").send([get(1), priority(1, 0)]).accept_response(),
        case("generic/2/4", "RST_STREAM on a half-closed stream")
            .send([get(1), reset(1, Reason::CANCEL.into())])
            .accept_nothing(),
        case("generic/2/5", "PRIORITY on a closed stream")
            .send([get(1)])
            .wait_for(Watched::Stream(1))
            .send([priority(1, 0)])
            .accept_nothing(),
    ]
}

fn frame_definitions() -> Vec<Case> {
    let padded = [&[5][..], &request_block(), &[0; 5]].concat();
    let prioritized = [&weighted(0, 255)[..], &request_block()].concat();
    let block = request_block();
    let (first, rest) = block.split_at(10);
    let (second, third) = rest.split_at(10);
    vec![
        case("generic/3.1/1", "DATA").send([post(1), data(END_STREAM, 1, b"test")]).accept_response(),
        case("generic/3.1/2", "several DATA frames")
            .send([post(1), data(0, 1, b"test"), data(END_STREAM, 1, b"test")])
            .accept_response(),
        case("generic/3.1/3", "DATA with padding")
            .send([post(1), data(END_STREAM | PADDED, 1, b"\x05test\0\0\0\0\0")])
            .accept_response(),
        case("generic/3.2/1", "HEADERS").send([get(1)]).accept_response(),
        case("generic/3.2/2", "HEADERS with padding")
            .send([headers(END_STREAM | END_HEADERS | PADDED, 1, &padded)])
            .accept_response(),
        case("generic/3.2/3", "HEADERS with a priority")
            .send([headers(END_STREAM | END_HEADERS | HAS_PRIORITY, 1, &prioritized)])
            .accept_response(),
        case("generic/3.3/1", "PRIORITY with the lowest weight").send([priority(1, 0), get(1)]).accept_response(),
        case("generic/3.3/2", "PRIORITY with the highest weight")
            .send([frame(PRIORITY, 0, 1, &weighted(0, 255)), get(1)])
            .accept_response(),
        case("generic/3.3/3", "PRIORITY with a dependency").send([priority(3, 1), get(1)]).accept_response(),
        case("generic/3.3/4", "PRIORITY with an exclusive dependency")
            .send([priority(3, 1 | 1 << 31), get(1)])
            .accept_response(),
        case("generic/3.3/5", "PRIORITY on an idle stream, then a request on a lower one")
            .send([priority(7, 0), get(1)])
            .accept_response(),
        case("generic/3.4/1", "RST_STREAM").send([post(1), reset(1, Reason::CANCEL.into())]).accept_nothing(),
        case("generic/3.5/1", "SETTINGS").send([change(&[(3, 100)])]).accept_settings_ack(),
        case("generic/3.7/1", "PING")
            .send([ping(0, PAYLOAD)])
            .watch(Watched::Pong(PAYLOAD))
            .accept([Outcome::Received]),
        case("generic/3.8/1", "GOAWAY")
            .send([frame(GOAWAY, 0, 0, &[0; 8])])
            .accept([Outcome::Nothing, Outcome::Closed]),
        case("generic/3.9/1", "WINDOW_UPDATE of the connection").send([window_update(0, 1), get(1)]).accept_response(),
        case("generic/3.9/2", "WINDOW_UPDATE of a stream").send([get(1), window_update(1, 1)]).accept_response(),
        case("generic/3.10/1", "CONTINUATION")
            .send([headers(END_STREAM, 1, first), continuation(END_HEADERS, 1, rest)])
            .accept_response(),
        case("generic/3.10/2", "several CONTINUATION frames")
            .send([headers(END_STREAM, 1, first), continuation(0, 1, second), continuation(END_HEADERS, 1, third)])
            .accept_response(),
    ]
}

fn exchanges() -> Vec<Case> {
    let head = block(&with_method(b"HEAD", REQUEST));
    let trailers = block(&[(b"x-test", b"ok")]);
    vec![
        case("generic/4/1", "GET").send([get(1)]).accept_response(),
        case("generic/4/2", "HEAD").send([headers(END_STREAM | END_HEADERS, 1, &head)]).accept_response(),
        case("generic/4/3", "POST").send([post(1), data(END_STREAM, 1, b"test")]).accept_response(),
        case("generic/4/4", "POST with trailers")
            .send([post(1), data(0, 1, b"test"), headers(END_STREAM | END_HEADERS, 1, &trailers)])
            .accept_response(),
    ]
}

/// A request whose header block has these bytes in front of and behind its usual ones.
fn representation(id: &'static str, what: &'static str, before: &[u8], after: &[u8]) -> Case {
    let block = [before, &request_block(), after].concat();
    case(id, what).send([headers(END_STREAM | END_HEADERS, 1, &block)]).accept_response()
}

/// `x-test` and `test` in the Huffman code, each with its length.
const NAME: &[u8] = b"\x85\xf2\xb2\x4a\x84\xff";
const VALUE: &[u8] = b"\x83\x49\x50\x9f";

fn header_compression() -> Vec<Case> {
    let plain = b"\x06x-test\x04test";
    let coded = [NAME, VALUE].concat();
    let field = |first: &[u8], rest: &[u8]| [first, rest].concat();
    let indexed = [&[0x82, 0x87][..], &block(&REQUEST[2..])].concat();
    vec![
        case("generic/5/1", "an indexed field")
            .send([headers(END_STREAM | END_HEADERS, 1, &indexed)])
            .accept_response(),
        representation("generic/5/2", "with indexing, an indexed name", b"", b"\x7a\x04test"),
        representation("generic/5/3", "with indexing, an indexed name, Huffman", b"", &field(b"\x7a", VALUE)),
        representation("generic/5/4", "with indexing, a new name", b"", &field(b"\x40", plain)),
        representation("generic/5/5", "with indexing, a new name, Huffman", b"", &field(b"\x40", &coded)),
        representation("generic/5/6", "without indexing, an indexed name", b"", b"\x0f\x2b\x04test"),
        representation("generic/5/7", "without indexing, an indexed name, Huffman", b"", &field(b"\x0f\x2b", VALUE)),
        representation("generic/5/8", "without indexing, a new name", b"", &field(b"\0", plain)),
        representation("generic/5/9", "without indexing, a new name, Huffman", b"", &field(b"\0", &coded)),
        representation("generic/5/10", "never indexed, an indexed name", b"", b"\x1f\x2b\x04test"),
        representation("generic/5/11", "never indexed, an indexed name, Huffman", b"", &field(b"\x1f\x2b", VALUE)),
        representation("generic/5/12", "never indexed, a new name", b"", &field(b"\x10", plain)),
        representation("generic/5/13", "never indexed, a new name, Huffman", b"", &field(b"\x10", &coded)),
        representation("generic/5/14", "a table size", b"\x20", b""),
        representation("generic/5/15", "several table sizes", b"\x20\x3f\xe1\x1f", b""),
    ]
}
