//! `Max-Forwards` of OPTIONS and TRACE (RFC 9110, section 7.6.2).

use hyper::{
    Method, Request,
    header::{self, HeaderValue},
};

/// Counts this hop. Returns whether the request must not be forwarded: the edge is the recipient it asks for.
pub(crate) fn ends_here<B>(request: &mut Request<B>) -> bool {
    if !matches!(*request.method(), Method::OPTIONS | Method::TRACE) {
        return false;
    }
    let Some(value) = request.headers_mut().get_mut(header::MAX_FORWARDS) else { return false };
    // A value that is no number means nothing, and is passed on like any other header.
    let hops = value.to_str().ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    match hops.and_then(|text| text.parse::<u64>().ok()) {
        Some(0) => true,
        Some(hops) => {
            *value = HeaderValue::from(hops - 1);
            false
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_are_counted_for_options_and_trace_only() {
        for (method, sent, expected) in [
            (Method::OPTIONS, "0", (true, "0")),
            (Method::TRACE, "00", (true, "00")),
            (Method::OPTIONS, "7", (false, "6")),
            (Method::OPTIONS, "x", (false, "x")),
            (Method::OPTIONS, "+1", (false, "+1")),
            (Method::GET, "0", (false, "0")),
        ] {
            let request = Request::builder().method(&method).header(header::MAX_FORWARDS, sent);
            let mut request = request.body(()).expect("a request");
            let ends = ends_here(&mut request);
            assert_eq!((ends, request.headers()[header::MAX_FORWARDS].to_str().unwrap()), expected, "{method} {sent}");
        }
        assert!(!ends_here(&mut Request::options("/").body(()).expect("a request")));
    }
}
