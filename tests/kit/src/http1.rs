//! HTTP/1.1 as bytes: a client for requests that no correct client sends, and the framing of messages.

use crate::condition::in_time;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A client's connection.
pub struct Http1Client<S> {
    /// The connection; bytes that were read beyond a response are not in it any more.
    pub stream: S,
    buffer: Vec<u8>,
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct Http1Response {
    /// The status code.
    pub status: u16,
    /// Status line and header lines, with the empty line.
    pub head: String,
    /// The body without its framing, followed by the trailers if there are any.
    pub body: Vec<u8>,
}

impl Http1Response {
    /// The first value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    /// The error code of the edge, or `none`.
    pub fn code(&self) -> &str {
        self.header("Postern-Error-Code").unwrap_or("none")
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn has_body(&self) -> bool {
        !matches!(self.status, 100..200 | 204 | 304)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Http1Client<S> {
    /// A client on an open connection.
    pub fn new(stream: S) -> Self {
        Http1Client { stream, buffer: Vec::new() }
    }

    /// Sends bytes. Panics if the peer has closed the connection.
    pub async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("sent");
        self.stream.flush().await.expect("sent");
    }

    /// Sends bytes; the peer may have closed already.
    pub async fn try_send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
        let _ = self.stream.flush().await;
    }

    /// Sends a request and reads its response.
    pub async fn request(&mut self, request: &str) -> Http1Response {
        self.send(request.as_bytes()).await;
        if request.starts_with("HEAD") { self.response_head().await } else { self.response().await }
    }

    /// Reads a response without its body: one to HEAD, or an interim one.
    pub async fn response_head(&mut self) -> Http1Response {
        let head = String::from_utf8(self.read_until(b"\r\n\r\n").await).expect("text");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Http1Response { status: status.unwrap_or_else(|| panic!("no status: {head}")), head, body: Vec::new() }
    }

    /// Reads a response to its end.
    pub async fn response(&mut self) -> Http1Response {
        let mut response = self.response_head().await;
        if !response.has_body() {
            return response;
        }
        let chunked = response.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
        let length = response.header("content-length").map(|length| length.parse().expect("a length"));
        response.body = match length {
            _ if chunked => self.chunked_body().await,
            Some(length) => self.read_exactly(length).await,
            None => self.rest().await,
        };
        response
    }

    async fn chunked_body(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let line = String::from_utf8(self.read_until(b"\r\n").await).expect("text");
            let size = usize::from_str_radix(line.trim(), 16).expect("the size of a chunk");
            if size == 0 {
                break;
            }
            body.extend(self.read_exactly(size).await);
            self.read_exactly(2).await;
        }
        let trailers = self.read_until(b"\r\n").await;
        if trailers.len() > 2 {
            body.extend_from_slice(&trailers);
            self.read_until(b"\r\n").await;
        }
        body
    }

    /// Reads up to and including these bytes. Panics if the connection ends before.
    pub async fn read_until(&mut self, end: &[u8]) -> Vec<u8> {
        loop {
            if let Some(at) = find(&self.buffer, end) {
                return self.buffer.drain(..at + end.len()).collect();
            }
            assert!(self.fill().await, "the connection ended after {:?}", String::from_utf8_lossy(&self.buffer));
        }
    }

    /// Reads this number of bytes. Panics if the connection ends before.
    pub async fn read_exactly(&mut self, size: usize) -> Vec<u8> {
        while self.buffer.len() < size {
            assert!(self.fill().await, "the connection ended early");
        }
        self.buffer.drain(..size).collect()
    }

    /// Everything until the connection ends.
    pub async fn rest(&mut self) -> Vec<u8> {
        while self.fill().await {}
        std::mem::take(&mut self.buffer)
    }

    async fn fill(&mut self) -> bool {
        let mut piece = vec![0; 16 * 1024];
        match in_time(self.stream.read(&mut piece)).await {
            Ok(read) => {
                self.buffer.extend_from_slice(&piece[..read]);
                read > 0
            }
            Err(_) => false,
        }
    }
}

/// The first value of a header in a head.
pub fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().skip(1).find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// The end of the first request in these bytes, if it is complete.
pub fn request_end(bytes: &[u8]) -> Option<usize> {
    let body = find(bytes, b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..body]);
    if header(&head, "transfer-encoding").is_some() {
        return chunked_end(bytes, body);
    }
    let length = header(&head, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    (bytes.len() >= body + length).then_some(body + length)
}

/// The end of a chunked body that begins here, after its trailers.
fn chunked_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let line_end = |at: usize| Some(at + find(bytes.get(at..)?, b"\r\n")?);
    loop {
        let end = line_end(at)?;
        let line = String::from_utf8_lossy(&bytes[at..end]);
        let size = usize::from_str_radix(line.split(';').next()?.trim(), 16).ok()?;
        at = end + 2;
        if size == 0 {
            break;
        }
        at += size + 2;
    }
    loop {
        let end = line_end(at)?;
        if end == at {
            return Some(end + 2);
        }
        at = end + 2;
    }
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_ends_where_its_framing_says() {
        for (request, rest) in [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ""),
            ("POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\nabc", "GET"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;e=1\r\n0\r\n\r\n0\r\n\r\n", "x"),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nSum: 1\r\n\r\n", "\r\n"),
        ] {
            let bytes = format!("{request}{rest}");
            assert_eq!(request_end(bytes.as_bytes()), Some(request.len()), "{request}");
            for length in 0..request.len() {
                assert_eq!(request_end(&bytes.as_bytes()[..length]), None, "{length} bytes of {request}");
            }
        }
    }

    #[tokio::test]
    async fn a_response_is_read_as_its_head_frames_it() {
        for (response, body) in [
            ("HTTP/1.1 204 No Content\r\n\r\n", ""),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1\r\n!\r\n0\r\n\r\n", "ok!"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nSum: 1\r\n\r\n", "Sum: 1\r\n"),
        ] {
            let (near, mut far) = tokio::io::duplex(1024);
            far.write_all(format!("{response}HTTP/1.1 404 Next\r\n\r\n").as_bytes()).await.unwrap();
            drop(far);
            let mut client = Http1Client::new(near);
            assert_eq!(client.response().await.text(), body, "{response}");
            assert_eq!(client.response().await.status, 404, "{response}");
        }
    }
}
