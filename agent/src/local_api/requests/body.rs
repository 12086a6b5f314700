//! The body of a captured message, whole or by range (RFC 9110 section 14).

use super::{ApiError, captured};
use crate::{capture::CapturedBody, context::AgentContext};
use axum::{
    body::{Body, Bytes},
    extract::{Path, RawQuery, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::stream;
use postern_api::{Code, Error};
use std::{convert::Infallible, sync::Arc};

pub(crate) async fn request(
    State(context): State<Arc<AgentContext>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let body = captured(&context, &id)?.request_body();
    body_response(body, query.as_deref().unwrap_or_default(), &headers)
}

pub(crate) async fn response(
    State(context): State<Arc<AgentContext>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let body = captured(&context, &id)?.response_body().ok_or_else(|| {
        Error::new(Code::CapturedUnknown, "The request has no response, or none yet. Try again once it has arrived.")
    })?;
    body_response(body, query.as_deref().unwrap_or_default(), &headers)
}

/// The bytes as a download, which no browser renders.
fn body_response(body: CapturedBody, query: &str, headers: &HeaderMap) -> Result<Response, ApiError> {
    let wire = match query {
        "" | "as=content" => false,
        "as=wire" => true,
        _ => {
            let message = "The query can be `as=content` (without the transfer coding, the default) or `as=wire`.";
            return Err(Error::new(Code::QueryInvalid, message).into());
        }
    };
    let pieces = || -> Box<dyn Iterator<Item = Bytes> + Send> {
        if wire { Box::new(body.wire()) } else { Box::new(body.content()) }
    };
    let length: u64 = pieces().map(|piece| piece.len() as u64).sum();
    let range =
        headers.get(header::RANGE).and_then(|range| range.to_str().ok()).and_then(|range| parse_range(range, length));
    let (status, from, to) = match range {
        None => (StatusCode::OK, 0, length),
        Some(Some((from, to))) => (StatusCode::PARTIAL_CONTENT, from, to),
        Some(None) => {
            let message = format!("The body has {length} bytes; the range begins after its end.");
            let mut refusal = ApiError::from(Error::new(Code::RangeUnsatisfiable, message)).into_response();
            set(&mut refusal, header::CONTENT_RANGE, &format!("bytes */{length}"));
            return Ok(refusal);
        }
    };
    let cut = slice(pieces(), from, to).map(Ok::<_, Infallible>);
    let mut response = (status, Body::from_stream(stream::iter(cut))).into_response();
    set(&mut response, header::CONTENT_TYPE, "application/octet-stream");
    set(&mut response, header::CONTENT_DISPOSITION, "attachment");
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    set(&mut response, header::CONTENT_LENGTH, &(to - from).to_string());
    if status == StatusCode::PARTIAL_CONTENT {
        set(&mut response, header::CONTENT_RANGE, &format!("bytes {from}-{}/{length}", to - 1));
    }
    Ok(response)
}

fn set(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// Parses a single byte range into its start and its exclusive end. `None` for a header that is ignored; `Some(None)` for
/// a range that cannot be satisfied.
fn parse_range(range: &str, length: u64) -> Option<Option<(u64, u64)>> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    let number = |text: &str| -> Option<u64> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let (from, to) = match (first, last) {
        ("", last) => (length.saturating_sub(number(last)?), length),
        (first, "") => (number(first)?, length),
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return None;
            }
            (first, last.saturating_add(1).min(length))
        }
    };
    Some((from < to).then_some((from, to)))
}

/// The bytes from `from` to before `to` of a body in chunks.
fn slice(pieces: impl Iterator<Item = Bytes> + Send, from: u64, to: u64) -> impl Iterator<Item = Bytes> + Send {
    let mut at = 0;
    pieces
        .map(move |piece| {
            let begin = at;
            at += piece.len() as u64;
            let within = |place: u64| usize::try_from(place.clamp(begin, at) - begin).unwrap_or(usize::MAX);
            (begin, piece.slice(within(from)..within(to.max(from))))
        })
        .take_while(move |(begin, _)| *begin < to)
        .map(|(_, piece)| piece)
        .filter(|piece| !piece.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_are_parsed_as_rfc_9110_says() {
        for (range, length, expected) in [
            ("bytes=0-0", 10, Some(Some((0, 1)))),
            ("bytes=2-", 10, Some(Some((2, 10)))),
            ("bytes=-3", 10, Some(Some((7, 10)))),
            ("bytes=-30", 10, Some(Some((0, 10)))),
            ("bytes=5-99999999999999999999", 10, Some(Some((5, 10)))),
            ("bytes=10-", 10, Some(None)),
            ("bytes=-0", 10, Some(None)),
            ("bytes=0-", 0, Some(None)),
            ("bytes=5-4", 10, None),
            ("bytes=1-2,4-5", 10, None),
            ("bytes=+1-2", 10, None),
            ("lines=1-2", 10, None),
            ("bytes=", 10, None),
            ("bytes=-", 10, None),
        ] {
            assert_eq!(parse_range(range, length), expected, "{range} of {length}");
        }
    }

    proptest! {
        #[test]
        fn a_slice_of_chunks_equals_a_slice_of_the_whole(sizes in prop::collection::vec(0usize..9, 0..12), from in 0u64..90, more in 0u64..90) {
            let whole: Vec<u8> = (0..sizes.iter().sum::<usize>()).map(|at| at as u8).collect();
            let mut rest = Bytes::from(whole.clone());
            let pieces: Vec<Bytes> = sizes.iter().map(|size| rest.split_to(*size)).collect();
            let from = from.min(whole.len() as u64);
            let to = (from + more).min(whole.len() as u64);
            let cut: Vec<u8> = slice(pieces.into_iter(), from, to).flatten().collect();
            prop_assert_eq!(cut, whole[from as usize..to as usize].to_vec());
        }
    }
}
