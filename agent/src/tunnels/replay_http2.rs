//! A replay to a local service that speaks HTTP/2. The messages are captured in the form that HTTP/1.1 gives them.

use crate::capture::{replay_request::PreparedReplay, sniffer::Conversation};
use bytes::Bytes;
use http::{HeaderMap, Request, Response, header};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};

/// Headers about one connection, which HTTP/2 does not have (RFC 9113 section 8.2.2).
const CONNECTION_HEADERS: [&str; 5] = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

/// Sends a request and hands its response to the conversation.
///
/// # Errors
/// The connection broke, or the service does not speak HTTP/2.
pub(super) async fn exchange_messages<S>(
    local: S,
    conversation: &mut Conversation,
    prepared: &PreparedReplay,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let request = prepared.parsed().ok_or(io::ErrorKind::InvalidInput)?;
    let request = to_http2(request).map_err(io::Error::other)?;
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(local));
    let (mut sender, connection) = handshake.await.map_err(io::Error::other)?;
    let driver = tokio::spawn(connection);
    let outcome = async {
        let response = sender.send_request(request).await.map_err(io::Error::other)?;
        receive(response, conversation).await
    };
    let outcome = outcome.await;
    driver.abort();
    if let Err(error) = &outcome {
        conversation.fail(&format!("The local service did not respond over HTTP/2: {error}."));
    }
    outcome
}

async fn receive(response: Response<Incoming>, conversation: &mut Conversation) -> io::Result<()> {
    let (parts, mut body) = response.into_parts();
    let chunked = !body.is_end_stream() && !parts.headers.contains_key(header::CONTENT_LENGTH);
    let mut head = format!("HTTP/1.1 {} \r\n", parts.status.as_str()).into_bytes();
    write_fields(&mut head, &parts.headers);
    if chunked {
        head.extend_from_slice(b"transfer-encoding: chunked\r\n");
    }
    head.extend_from_slice(b"\r\n");
    conversation.response_bytes(&head);
    let mut trailers = Vec::new();
    while let Some(frame) = body.frame().await {
        match frame.map_err(io::Error::other)?.into_data() {
            Ok(data) if chunked && !data.is_empty() => {
                conversation.response_bytes(format!("{:x}\r\n", data.len()).as_bytes());
                conversation.response_bytes(&data);
                conversation.response_bytes(b"\r\n");
            }
            Ok(data) => conversation.response_bytes(&data),
            Err(frame) => {
                if let Some(fields) = frame.trailers_ref() {
                    write_fields(&mut trailers, fields);
                }
            }
        }
    }
    if chunked {
        conversation.response_bytes(&[b"0\r\n", trailers.as_slice(), b"\r\n"].concat());
    }
    if conversation.answered() == 0 {
        conversation.response_closed();
    }
    Ok(())
}

fn write_fields(text: &mut Vec<u8>, fields: &HeaderMap) {
    for (name, value) in fields {
        text.extend_from_slice(name.as_str().as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(value.as_bytes());
        text.extend_from_slice(b"\r\n");
    }
}

/// Gives a request the form it has on HTTP/2.
fn to_http2(request: Request<Bytes>) -> http::Result<Request<Full<Bytes>>> {
    let (mut parts, body) = request.into_parts();
    let host = parts.headers.remove(header::HOST);
    let authority = host.as_ref().and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    parts.uri = http::Uri::builder().scheme("http").authority(authority).path_and_query(target).build()?;
    parts.version = http::Version::HTTP_2;
    for name in CONNECTION_HEADERS {
        parts.headers.remove(name);
    }
    if parts.headers.get(header::TE).is_some_and(|te| te != "trailers") {
        parts.headers.remove(header::TE);
    }
    Ok(Request::from_parts(parts, Full::new(body)))
}
