//! The group "http2", section 8: requests that are malformed (RFC 9113, section 8.1.1).

use super::{
    case::{Case, Field, MALFORMED, case, data, headers, post, request, with_method},
    connection::Outcome,
};
use crate::kit::frames::{END_HEADERS, END_STREAM, block};

pub(super) fn cases() -> Vec<Case> {
    [fields(), pseudo_fields(), bodies()].into_iter().flatten().collect()
}

/// A malformed request with additional fields.
fn and(more: &[Field]) -> Vec<u8> {
    request(&[&MALFORMED[..], more].concat())
}

/// The request without one of its fields.
fn without(name: &[u8]) -> Vec<u8> {
    request(&MALFORMED.into_iter().filter(|field| field.0 != name).collect::<Vec<_>>())
}

fn fields() -> Vec<Case> {
    vec![
        case("http2/8.1.2/1", "a name in upper case").send([and(&[(b"X-TEST", b"ok")])]).accept_malformed(),
        case("http2/8.1.2.2/1", "a connection-specific field")
            .send([and(&[(b"connection", b"keep-alive")])])
            .accept_malformed(),
        case("http2/8.1.2.2/2", "TE other than trailers")
            .send([and(&[(b"trailers", b"test"), (b"te", b"trailers, deflate")])])
            .accept_malformed(),
    ]
}

fn pseudo_fields() -> Vec<Case> {
    let mut late = MALFORMED.to_vec();
    late.insert(3, (b"x-test", b"ok"));
    let mut pathless = MALFORMED;
    pathless[3].1 = b"";
    vec![
        case("http2/8.1.2.1/1", "an unknown pseudo-header").send([and(&[(b":test", b"ok")])]).accept_malformed(),
        case("http2/8.1.2.1/2", "a pseudo-header of responses").send([and(&[(b":status", b"200")])]).accept_malformed(),
        case("http2/8.1.2.1/3", "a pseudo-header in trailers")
            .send([
                post(1),
                data(0, 1, b"test"),
                headers(END_STREAM | END_HEADERS, 1, &block(&[(b":method", b"MALFORMED")])),
            ])
            .accept_malformed()
            .deviates_to(Outcome::Responded(200), "h2 drops pseudo-headers of trailers and passes the others on"),
        case("http2/8.1.2.1/4", "a pseudo-header behind a field").send([request(&late)]).accept_malformed(),
        case("http2/8.1.2.3/1", "an empty :path").send([request(&pathless)]).accept_malformed(),
        case("http2/8.1.2.3/2", "no :method").send([without(b":method")]).accept_malformed(),
        case("http2/8.1.2.3/3", "no :scheme").send([without(b":scheme")]).accept_malformed(),
        case("http2/8.1.2.3/4", "no :path").send([without(b":path")]).accept_malformed(),
        case("http2/8.1.2.3/5", "two :method").send([and(&[MALFORMED[0]])]).accept_malformed(),
        case("http2/8.1.2.3/6", "two :scheme").send([and(&[MALFORMED[1]])]).accept_malformed(),
        case("http2/8.1.2.3/7", "two :path").send([and(&[MALFORMED[3]])]).accept_malformed(),
    ]
}

fn bodies() -> Vec<Case> {
    let declared = || {
        let fields = [&with_method(b"POST", MALFORMED)[..], &[(b"content-length", b"1")]].concat();
        headers(END_HEADERS, 1, &block(&fields))
    };
    vec![
        case("http2/8.1/1", "a second HEADERS frame without END_STREAM")
            .send([post(1), data(0, 1, b"test"), headers(END_HEADERS, 1, &block(&[(b"x-malformed", b"ok")]))])
            .accept_malformed(),
        case("http2/8.1.2.6/1", "a content-length that DATA does not have")
            .send([declared(), data(END_STREAM, 1, b"test")])
            .accept_malformed(),
        case("http2/8.1.2.6/2", "a content-length that several DATA frames do not have")
            .send([declared(), data(0, 1, b"test"), data(END_STREAM, 1, b"test")])
            .accept_malformed(),
    ]
}
