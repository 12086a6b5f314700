//! The group "http2", section 6: each type of frame, but for windows.

use super::{
    case::{
        Case, MALFORMED, case, change, continuation, data, get, headers, ping, post, request_block, reset, weighted,
    },
    connection::{Outcome, Watched},
};
use crate::kit::frames::{
    ACK, END_HEADERS, END_STREAM, GOAWAY, INITIAL_WINDOW, PADDED, PING, PRIORITY, PUSH_PROMISE, RST_STREAM, SETTINGS,
    block, frame,
};
use h2::Reason;

const ENABLE_PUSH: u16 = 2;
const MAX_FRAME_SIZE: u16 = 5;
const PAYLOAD: [u8; 8] = *b"h2spec\0\0";

pub(super) fn cases() -> Vec<Case> {
    [data_frames(), header_frames(), control_frames(), settings_frames(), continuation_frames()]
        .into_iter()
        .flatten()
        .collect()
}

fn data_frames() -> Vec<Case> {
    vec![
        case("http2/6.1/1", "DATA on stream 0")
            .send([data(END_STREAM, 0, b"test")])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.1/2", "DATA on a stream that has ended")
            .send([get(1), data(END_STREAM, 1, b"test")])
            .accept_stream_error(1, Reason::STREAM_CLOSED),
        case("http2/6.1/3", "DATA with too much padding")
            .send([post(1), data(END_STREAM | PADDED, 1, b"\x06test")])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
    ]
}

fn header_frames() -> Vec<Case> {
    let begun = || headers(END_STREAM, 1, &block(&MALFORMED));
    let padded = [&[255][..], &block(&MALFORMED)].concat();
    vec![
        case("http2/6.2/1", "PRIORITY behind HEADERS without END_HEADERS")
            .send([begun(), frame(PRIORITY, 0, 1, &weighted(0, 1)), continuation(END_HEADERS, 1, b"")])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.2/2", "HEADERS of another stream behind HEADERS without END_HEADERS")
            .send([begun(), get(3)])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.2/3", "HEADERS on stream 0")
            .send([headers(END_STREAM | END_HEADERS, 0, &block(&MALFORMED))])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.2/4", "HEADERS with too much padding")
            .send([headers(END_STREAM | END_HEADERS | PADDED, 1, &padded)])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/8.2/1", "PUSH_PROMISE of a client")
            .send([get(1), frame(PUSH_PROMISE, END_HEADERS, 1, &[&[0, 0, 0, 2][..], &block(&MALFORMED)].concat())])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
    ]
}

fn control_frames() -> Vec<Case> {
    vec![
        case("http2/6.3/1", "PRIORITY on stream 0")
            .send([frame(PRIORITY, 0, 0, &weighted(0, 1))])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.3/2", "PRIORITY of another length")
            .send([post(1), frame(PRIORITY, 0, 1, &[0, 0, 0, 1])])
            .accept_stream_error(1, Reason::FRAME_SIZE_ERROR),
        case("http2/6.4/1", "RST_STREAM on stream 0")
            .send([reset(0, Reason::CANCEL.into())])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.4/2", "RST_STREAM on an idle stream")
            .send([reset(1, Reason::CANCEL.into())])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.4/3", "RST_STREAM of another length")
            .send([post(1), frame(RST_STREAM, 0, 1, &[0; 3])])
            .accept_connection_error(Reason::FRAME_SIZE_ERROR),
        case("http2/6.7/1", "PING").send([ping(0, PAYLOAD)]).watch(Watched::Pong(PAYLOAD)).accept([Outcome::Received]),
        case("http2/6.7/2", "PING with ACK")
            .send([ping(ACK, *b"invalid\0"), ping(0, PAYLOAD)])
            .watch(Watched::Pong(PAYLOAD))
            .accept([Outcome::Received]),
        case("http2/6.7/3", "PING on a stream")
            .send([frame(PING, 0, 1, &PAYLOAD)])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.7/4", "PING of another length")
            .send([frame(PING, 0, 0, &PAYLOAD[..6])])
            .accept_connection_error(Reason::FRAME_SIZE_ERROR),
        case("http2/6.8/1", "GOAWAY on a stream")
            .send([frame(GOAWAY, 0, 1, &[0; 8])])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
    ]
}

fn settings_frames() -> Vec<Case> {
    vec![
        case("http2/6.5/1", "SETTINGS with ACK and a payload")
            .send([frame(SETTINGS, ACK, 0, &[0; 6])])
            .accept_connection_error(Reason::FRAME_SIZE_ERROR),
        case("http2/6.5/2", "SETTINGS on a stream")
            .send([frame(SETTINGS, 0, 1, &[0, 3, 0, 0, 0, 100])])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.5/3", "SETTINGS of another length")
            .send([frame(SETTINGS, 0, 0, &[0, 3, 0])])
            .accept_connection_error(Reason::FRAME_SIZE_ERROR),
        case("http2/6.5.2/1", "SETTINGS_ENABLE_PUSH of 2")
            .send([change(&[(ENABLE_PUSH, 2)])])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.5.2/2", "SETTINGS_INITIAL_WINDOW_SIZE above the maximum")
            .send([change(&[(INITIAL_WINDOW, 1 << 31)])])
            .accept_connection_error(Reason::FLOW_CONTROL_ERROR),
        case("http2/6.5.2/3", "SETTINGS_MAX_FRAME_SIZE below the minimum")
            .send([change(&[(MAX_FRAME_SIZE, (1 << 14) - 1)])])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.5.2/4", "SETTINGS_MAX_FRAME_SIZE above the maximum")
            .send([change(&[(MAX_FRAME_SIZE, 1 << 24)])])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.5.2/5", "an unknown setting").send([change(&[(0xff, 1)])]).accept_settings_ack(),
        case("http2/6.5.3/1", "the last value of a setting counts")
            .send([change(&[(INITIAL_WINDOW, 100), (INITIAL_WINDOW, 1)]), get(1)])
            .watch(Watched::Data(1))
            .accept([Outcome::Data(1)]),
        case("http2/6.5.3/2", "SETTINGS are acknowledged").send([change(&[])]).accept_settings_ack(),
    ]
}

fn continuation_frames() -> Vec<Case> {
    let block = request_block();
    let (first, rest) = block.split_at(10);
    let (second, third) = rest.split_at(10);
    let hidden = || continuation(END_HEADERS, 1, &crate::kit::frames::block(&MALFORMED));
    vec![
        case("http2/6.10/1", "several CONTINUATION frames")
            .send([headers(END_STREAM, 1, first), continuation(0, 1, second), continuation(END_HEADERS, 1, third)])
            .accept_response(),
        case("http2/6.10/2", "another frame behind CONTINUATION without END_HEADERS")
            .send([headers(0, 1, first), continuation(0, 1, second), data(END_STREAM, 1, b"test")])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.10/3", "CONTINUATION on stream 0")
            .send([headers(END_STREAM, 1, first), continuation(END_HEADERS, 0, rest)])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.10/4", "CONTINUATION behind HEADERS with END_HEADERS")
            .send([post(1), hidden()])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.10/5", "CONTINUATION behind CONTINUATION with END_HEADERS")
            .send([headers(0, 1, first), continuation(END_HEADERS, 1, rest), hidden()])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.10/6", "CONTINUATION behind DATA")
            .send([post(1), data(0, 1, b"test"), hidden()])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
    ]
}
