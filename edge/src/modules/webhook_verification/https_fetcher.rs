//! Fetches one small file over HTTPS from a known host, without following redirects.

use super::certificates::SigningCertificates;
use crate::upstream::CONNECTOR;
use bytes::Bytes;
use futures::future::BoxFuture;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::{Request, StatusCode, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use std::{io, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};

/// Time from connecting to the last byte.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum size of a file; certificates are far smaller.
const MAX_FILE_BYTES: usize = 64 * 1024;

/// Fetches from the Internet, trusting the certificate authorities of this machine.
pub(crate) struct HttpsFetcher;

impl SigningCertificates for HttpsFetcher {
    fn fetch<'a>(&'a self, host: &'a str, path: &'a str) -> BoxFuture<'a, io::Result<Vec<u8>>> {
        Box::pin(async move {
            let fetching = async {
                let stream = TcpStream::connect((host, 443)).await?;
                let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
                get(CONNECTOR.connect(name, stream).await?, host, path).await
            };
            let timed_out = |_| io::Error::new(io::ErrorKind::TimedOut, "the request timed out");
            tokio::time::timeout(FETCH_TIMEOUT, fetching).await.map_err(timed_out)?
        })
    }
}

/// Requests a file on a connection of its own.
async fn get(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    host: &str,
    path: &str,
) -> io::Result<Vec<u8>> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    let request = Request::get(path)
        .header(header::HOST, host)
        .header(header::CONNECTION, "close")
        .body(Empty::<Bytes>::new())
        .map_err(io::Error::other)?;
    let receiving = async {
        let response = sender.send_request(request).await.map_err(io::Error::other)?;
        if response.status() != StatusCode::OK {
            return Err(io::Error::other(format!("the response has status {}", response.status())));
        }
        let body = Limited::new(response.into_body(), MAX_FILE_BYTES).collect().await.map_err(io::Error::other)?;
        Ok(body.to_bytes().to_vec())
    };
    let driver = async {
        let _ = connection.await;
        // The response reports how the connection ended.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        received = receiving => received,
        () = driver => Err(io::Error::other("the connection ended")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    async fn fetch_from(response: String) -> (io::Result<Vec<u8>>, String) {
        let (near, mut far) = tokio::io::duplex(1024 * 1024);
        let serving = tokio::spawn(async move {
            let mut request = vec![0; 4096];
            let read = far.read(&mut request).await.expect("a request");
            far.write_all(response.as_bytes()).await.expect("written");
            String::from_utf8_lossy(&request[..read]).into_owned()
        });
        let got = get(near, "sns.us-east-1.amazonaws.com", "/a.pem").await;
        (got, serving.await.expect("served"))
    }

    #[tokio::test]
    async fn a_file_is_fetched_and_nothing_else() {
        let (got, request) = fetch_from("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\npem".to_owned()).await;
        assert_eq!(got.expect("the file"), b"pem");
        assert!(request.starts_with("GET /a.pem HTTP/1.1\r\n"), "{request}");
        assert!(request.to_ascii_lowercase().contains("host: sns.us-east-1.amazonaws.com\r\n"), "{request}");
        let long = "x".repeat(MAX_FILE_BYTES + 1);
        for wrong in [
            "HTTP/1.1 302 Found\r\nLocation: https://evil.test/\r\nContent-Length: 0\r\n\r\n".to_owned(),
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{long}", long.len()),
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\npem".to_owned(),
            "no HTTP at all\r\n\r\n".to_owned(),
        ] {
            assert!(fetch_from(wrong.clone()).await.0.is_err(), "{}", &wrong[..40.min(wrong.len())]);
        }
    }
}
