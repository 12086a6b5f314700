//! Parts common to request and response bodies.

use super::headers;
use bytes::Bytes;
use http_body::Frame;

/// Errors of any body.
pub(crate) type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// The bytes of data in a frame; none in trailers.
pub(crate) fn frame_bytes(frame: &Frame<Bytes>) -> u64 {
    frame.data_ref().map_or(0, |data| data.len() as u64)
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
