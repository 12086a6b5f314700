//! The group "http2", sections 3 to 5: starting, frames, streams and their states.

use super::{
    MAX_STREAMS,
    case::{
        Case, MALFORMED, case, continuation, data, get, headers, ping, post, priority, request_block, reset, weighted,
        window_update,
    },
    connection::{Outcome, Watched},
};
use crate::kit::frames::{END_HEADERS, END_STREAM, GOAWAY, HAS_PRIORITY, PING, block, frame};
use h2::Reason;

/// One byte more than the largest frame that the edge accepts.
static TOO_LARGE: [u8; (1 << 14) + 1] = [b'x'; (1 << 14) + 1];
/// A type of frames that no specification defines.
const UNKNOWN: u8 = 0x16;
const PAYLOAD: [u8; 8] = *b"h2spec\0\0";

pub(super) fn cases() -> Vec<Case> {
    [starting(), frames(), idle_streams(), half_closed_streams(), closed_streams(), identifiers(), connections()]
        .into_iter()
        .flatten()
        .collect()
}

fn starting() -> Vec<Case> {
    vec![
        case("http2/3.5/1", "a connection preface").accept_nothing(),
        case("http2/3.5/2", "an invalid connection preface")
            .preface(b"INVALID CONNECTION PREFACE\r\n\r\n")
            .accept_connection_error(Reason::PROTOCOL_ERROR)
            .accept([Outcome::Closed]),
    ]
}

fn frames() -> Vec<Case> {
    let large = [request_block(), block(&[(b"x-malformed", &TOO_LARGE)])].concat();
    vec![
        case("http2/4.1/1", "a frame of unknown type").send([frame(UNKNOWN, 0, 0, &[0; 8])]).accept_nothing(),
        case("http2/4.1/2", "an undefined flag")
            .send([ping(0x16, PAYLOAD)])
            .watch(Watched::Pong(PAYLOAD))
            .accept([Outcome::Received]),
        case("http2/4.1/3", "the reserved bit")
            .send([frame(PING, 0, 1 << 31, &PAYLOAD)])
            .watch(Watched::Pong(PAYLOAD))
            .accept([Outcome::Received]),
        case("http2/4.2/1", "DATA of 2^14 bytes")
            .send([post(1), data(END_STREAM, 1, &TOO_LARGE[1..])])
            .accept_response(),
        case("http2/4.2/2", "DATA of more bytes")
            .send([post(1), data(END_STREAM, 1, &TOO_LARGE)])
            .accept_stream_error(1, Reason::FRAME_SIZE_ERROR),
        case("http2/4.2/3", "HEADERS of more bytes")
            .send([headers(END_STREAM | END_HEADERS, 1, &large)])
            .accept_connection_error(Reason::FRAME_SIZE_ERROR),
        case("http2/4.3/1", "an invalid header block")
            .send([headers(END_STREAM | END_HEADERS, 1, b"\x40")])
            .accept_connection_error(Reason::COMPRESSION_ERROR),
        case("http2/4.3/2", "PRIORITY in a header block")
            .send([headers(END_STREAM, 1, &block(&MALFORMED)), priority(1, 0), continuation(END_HEADERS, 1, b"")])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/4.3/3", "HEADERS of another stream in a header block")
            .send([headers(END_STREAM, 1, &block(&MALFORMED)), get(3)])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
    ]
}

fn idle_streams() -> Vec<Case> {
    vec![
        case("http2/5.1/1", "idle: DATA")
            .send([data(END_STREAM, 1, b"test")])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/5.1/2", "idle: RST_STREAM")
            .send([reset(1, Reason::CANCEL.into())])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/5.1/3", "idle: WINDOW_UPDATE")
            .send([window_update(1, 100)])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/5.1/4", "idle: CONTINUATION")
            .send([continuation(END_HEADERS, 1, &block(&MALFORMED))])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
    ]
}

fn half_closed_streams() -> Vec<Case> {
    vec![
        case("http2/5.1/5", "half-closed: DATA")
            .send([get(1), data(END_STREAM, 1, b"test")])
            .accept_stream_error(1, Reason::STREAM_CLOSED),
        case("http2/5.1/6", "half-closed: HEADERS")
            .send([get(1), headers(END_STREAM | END_HEADERS, 1, &block(&MALFORMED))])
            .accept_stream_error(1, Reason::STREAM_CLOSED),
        case("http2/5.1/7", "half-closed: CONTINUATION")
            .send([get(1), continuation(END_HEADERS, 1, &block(&MALFORMED))])
            .accept_stream_error(1, Reason::STREAM_CLOSED),
    ]
}

/// The state of a stream is forgotten some time after its end, and identifiers never return (section 5.1.1).
fn closed_streams() -> Vec<Case> {
    let canceled = || [post(1), reset(1, Reason::CANCEL.into())].concat();
    let fresh = || headers(END_STREAM | END_HEADERS, 1, &block(&MALFORMED));
    let more = || continuation(END_HEADERS, 1, &block(&MALFORMED));
    let answered = |id, what| case(id, what).send([get(1)]).wait_for(Watched::Stream(1));
    vec![
        case("http2/5.1/8", "closed: DATA after RST_STREAM")
            .send([canceled(), data(END_STREAM, 1, b"test")])
            .accept_stream_error(1, Reason::STREAM_CLOSED),
        case("http2/5.1/9", "closed: HEADERS after RST_STREAM")
            .send([canceled(), fresh()])
            .accept_stream_error(1, Reason::STREAM_CLOSED),
        case("http2/5.1/10", "closed: CONTINUATION after RST_STREAM")
            .send([canceled(), more()])
            .accept_stream_error(1, Reason::STREAM_CLOSED),
        answered("http2/5.1/11", "closed: DATA")
            .send([data(END_STREAM, 1, b"test")])
            .accept_stream_error(1, Reason::STREAM_CLOSED),
        answered("http2/5.1/12", "closed: HEADERS").send([fresh()]).accept_stream_error(1, Reason::STREAM_CLOSED),
        answered("http2/5.1/13", "closed: CONTINUATION").send([more()]).accept_stream_error(1, Reason::STREAM_CLOSED),
    ]
}

fn identifiers() -> Vec<Case> {
    let itself = |stream| [&weighted(stream, 255)[..], &request_block()].concat();
    let crowd: Vec<u8> = (0..=MAX_STREAMS).flat_map(|count| post(2 * count + 1)).collect();
    vec![
        case("http2/5.1.1/1", "a request on an even stream")
            .send([headers(END_STREAM | END_HEADERS, 2, &block(&MALFORMED))])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/5.1.1/2", "a request on a lower stream")
            .send([get(5), headers(END_STREAM | END_HEADERS, 3, &block(&MALFORMED))])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/5.1.2/1", "more requests at once than allowed")
            .send([crowd])
            .accept_stream_error(2 * MAX_STREAMS + 1, Reason::REFUSED_STREAM),
        // RFC 9113 has no rule for dependencies any more.
        case("http2/5.3.1/1", "a request that depends on itself")
            .send([headers(END_STREAM | END_HEADERS | HAS_PRIORITY, 1, &itself(1))])
            .accept_response()
            .accept_stream_error(1, Reason::PROTOCOL_ERROR),
        case("http2/5.3.1/2", "PRIORITY that depends on itself")
            .send([priority(2, 2)])
            .accept_nothing()
            .accept([Outcome::Reset(Reason::PROTOCOL_ERROR), Outcome::GoneAway(Reason::PROTOCOL_ERROR)]),
    ]
}

fn connections() -> Vec<Case> {
    vec![
        case("http2/5.4.1/1", "an invalid PING closes the connection")
            .send([frame(PING, 0, 0, &[0; 6])])
            .accept_connection_error(Reason::FRAME_SIZE_ERROR),
        case("http2/5.4.1/2", "an invalid PING is followed by GOAWAY")
            .send([frame(PING, 0, 3, &[0; 8])])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/5.5/1", "an unknown frame").send([frame(UNKNOWN, 0xff, 1, b"unknown"), get(1)]).accept_response(),
        case("http2/5.5/2", "an unknown frame in a header block")
            .send([
                headers(END_STREAM, 1, &block(&MALFORMED)),
                frame(UNKNOWN, 0, 1, b"unknown"),
                continuation(END_HEADERS, 1, b""),
            ])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/7/1", "GOAWAY with an unknown error")
            .send([frame(GOAWAY, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 0xff])])
            .accept([Outcome::Nothing, Outcome::Closed]),
        case("http2/7/2", "RST_STREAM with an unknown error").send([post(1), reset(1, 0xff)]).accept_nothing(),
    ]
}
