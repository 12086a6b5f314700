//! Parts common to request and response bodies.

use super::{VisitorBody, VisitorDisconnected, headers};
use crate::telemetry::AccessRecord;
use bytes::Bytes;
use http_body::Frame;
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use std::sync::Arc;

/// Errors of any body.
pub(crate) type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// The bytes of data in a frame; none in trailers.
pub(crate) fn frame_bytes(frame: &Frame<Bytes>) -> u64 {
    frame.data_ref().map_or(0, |data| data.len() as u64)
}

/// A visitor's body for a service of the edge itself, with its bytes counted.
pub(crate) fn counted(body: VisitorBody, record: &Arc<AccessRecord>) -> UnsyncBoxBody<Bytes, VisitorDisconnected> {
    let record = record.clone();
    let counted = body.map_frame(move |frame| {
        record.add_bytes_in(frame_bytes(&frame));
        frame
    });
    counted.boxed_unsync()
}

/// Passes trailers on, except fields that would change how the message is framed or routed (RFC 9110, section 6.5.1).
pub(crate) fn without_smuggled_trailers(frame: Frame<Bytes>) -> Frame<Bytes> {
    match frame.into_trailers() {
        Ok(mut trailers) => {
            headers::strip_trailers(&mut trailers);
            Frame::trailers(trailers)
        }
        Err(frame) => frame,
    }
}
