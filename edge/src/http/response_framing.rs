//! The framing of a local service's response, brought into one form before it is passed on (RFC 9112, section 6.3).

use super::content_length::{self, InvalidLength};
use crate::refusal::{Fault, Refusal};
use hyper::{
    HeaderMap, StatusCode,
    header::{self, HeaderValue},
};
use postern_api::{Code, Error};

/// Leaves one `Content-Length` or none, and refuses responses whose end or content another program could see
/// elsewhere.
///
/// # Errors
/// If the body has a transfer coding other than `chunked`, or lengths that differ or are none.
pub(crate) fn reduce(status: StatusCode, headers: &mut HeaderMap) -> Result<(), Refusal> {
    if status == StatusCode::NO_CONTENT {
        // It has no content whatever its headers say (RFC 9110, section 15.3.5).
        headers.remove(header::CONTENT_LENGTH);
        return Ok(());
    }
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    if let Some(coding) = codings.next() {
        let is_chunked = coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked");
        if !is_chunked || codings.next().is_some() {
            let message = "The local service sent a transfer coding other than `chunked`. Let it send \
                           `Content-Encoding` instead of `Transfer-Encoding` for compressed content.";
            return Err(invalid(message));
        }
    }
    check_length(headers)
}

fn check_length(headers: &mut HeaderMap) -> Result<(), Refusal> {
    if is_plain(headers) {
        return Ok(());
    }
    let length = content_length::of(headers)
        .map_err(|InvalidLength| invalid("The local service sent a Content-Length that is not one number."))?;
    if let Some(length) = length {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    Ok(())
}

/// Whether there is one value, and it is a number.
fn is_plain(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_LENGTH).iter();
    values.next().is_some_and(|first| content_length::parse(first.as_bytes()).is_some()) && values.next().is_none()
}

fn invalid(message: &str) -> Refusal {
    Refusal::new(Fault::Service, Error::new(Code::UpstreamInvalid, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderName;

    fn reduced(status: u16, list: &[(HeaderName, &'static str)]) -> Option<Vec<String>> {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(name, HeaderValue::from_static(value));
        }
        reduce(StatusCode::from_u16(status).unwrap(), &mut headers).ok()?;
        let lengths = headers.get_all(header::CONTENT_LENGTH).iter();
        Some(lengths.map(|value| value.to_str().unwrap().to_owned()).collect())
    }

    #[test]
    fn a_response_has_one_length_or_is_refused() {
        let (length, coding) = (header::CONTENT_LENGTH, header::TRANSFER_ENCODING);
        let one = |value: &str| Some(vec![value.to_owned()]);
        assert_eq!(reduced(200, &[]), Some(vec![]));
        assert_eq!(reduced(200, &[(length.clone(), "2")]), one("2"));
        assert_eq!(reduced(200, &[(length.clone(), "2, 2")]), one("2"));
        assert_eq!(reduced(200, &[(length.clone(), "2"), (length.clone(), "02")]), one("2"));
        assert_eq!(reduced(204, &[(length.clone(), "2, 4")]), Some(vec![]));
        assert_eq!(reduced(304, &[(length.clone(), "2")]), one("2"));
        for wrong in ["2, 4", "2,", "x", "", "+2", "99999999999999999999", "9223372036854775808"] {
            assert_eq!(reduced(200, &[(length.clone(), wrong)]), None, "{wrong}");
        }
        assert_eq!(reduced(200, &[(length.clone(), "2"), (length, "4")]), None);
        assert_eq!(reduced(200, &[(coding.clone(), "Chunked")]), Some(vec![]));
        for wrong in ["gzip, chunked", "gzip", "xchunked", "identity", "chunked, chunked", ""] {
            assert_eq!(reduced(200, &[(coding.clone(), wrong)]), None, "{wrong}");
        }
        assert_eq!(reduced(200, &[(coding.clone(), "chunked"), (coding, "chunked")]), None);
    }
}
