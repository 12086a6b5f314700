//! The group "http2", section 6.9: flow control.

use super::{
    case::{Case, case, change, get, post, window_update},
    connection::{Outcome, Watched},
};
use crate::kit::frames::{INITIAL_WINDOW, WINDOW_UPDATE, frame};
use h2::Reason;

/// The largest window.
const MAX_WINDOW: u32 = (1 << 31) - 1;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("http2/6.9/1", "a connection's window grows by 0")
            .send([window_update(0, 0)])
            .accept_connection_error(Reason::PROTOCOL_ERROR),
        case("http2/6.9/2", "a stream's window grows by 0")
            .send([post(1), window_update(1, 0)])
            .accept_stream_error(1, Reason::PROTOCOL_ERROR),
        case("http2/6.9/3", "WINDOW_UPDATE of another length")
            .send([frame(WINDOW_UPDATE, 0, 0, &[0, 0, 1])])
            .accept_connection_error(Reason::FRAME_SIZE_ERROR),
        case("http2/6.9.1/1", "a response in a window of 1")
            .send([change(&[(INITIAL_WINDOW, 1)]), get(1)])
            .watch(Watched::Data(1))
            .accept([Outcome::Data(1)]),
        case("http2/6.9.1/2", "a connection's window above the maximum")
            .send([window_update(0, MAX_WINDOW), window_update(0, MAX_WINDOW)])
            .accept_connection_error(Reason::FLOW_CONTROL_ERROR),
        case("http2/6.9.1/3", "a stream's window above the maximum")
            .send([post(1), window_update(1, MAX_WINDOW), window_update(1, MAX_WINDOW)])
            .accept_stream_error(1, Reason::FLOW_CONTROL_ERROR),
        case("http2/6.9.2/1", "the initial window changes after the request")
            .settings(&[(INITIAL_WINDOW, 0)])
            .send([get(1), change(&[(INITIAL_WINDOW, 1)])])
            .watch(Watched::Data(1))
            .accept([Outcome::Data(1)]),
        // The response has two bytes: one is sent, the window becomes -1 and then 1 again.
        case("http2/6.9.2/2", "a window becomes negative")
            .settings(&[(INITIAL_WINDOW, 1)])
            .send([get(1)])
            .wait_for(Watched::Data(1))
            .send([change(&[(INITIAL_WINDOW, 0)])])
            .wait_for(Watched::SettingsAck)
            .send([window_update(1, 2)])
            .watch(Watched::Data(1))
            .accept([Outcome::Data(1)]),
        case("http2/6.9.2/3", "the initial window above the maximum")
            .send([change(&[(INITIAL_WINDOW, MAX_WINDOW + 1)])])
            .accept_connection_error(Reason::FLOW_CONTROL_ERROR),
    ]
}
