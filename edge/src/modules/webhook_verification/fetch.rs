//! Fetches one small file over HTTPS from a host that is known, and follows nothing.

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

/// From the first packet to the last byte.
const PATIENCE: Duration = Duration::from_secs(5);
/// A certificate is far smaller.
const LARGEST: usize = 64 * 1024;

/// The public network, and the authorities that this machine trusts.
pub(crate) struct Web;

impl SigningCertificates for Web {
    fn fetch<'a>(&'a self, host: &'a str, path: &'a str) -> BoxFuture<'a, io::Result<Vec<u8>>> {
        Box::pin(async move {
            let fetching = async {
                let stream = TcpStream::connect((host, 443)).await?;
                let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
                ask(CONNECTOR.connect(name, stream).await?, host, path).await
            };
            let late = |_| io::Error::new(io::ErrorKind::TimedOut, "it did not answer in time");
            tokio::time::timeout(PATIENCE, fetching).await.map_err(late)?
        })
    }
}

/// Asks for a file on a connection that is used for nothing else.
async fn ask(
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
    let answering = async {
        let response = sender.send_request(request).await.map_err(io::Error::other)?;
        if response.status() != StatusCode::OK {
            return Err(io::Error::other(format!("it answered {}", response.status())));
        }
        let body = Limited::new(response.into_body(), LARGEST).collect().await.map_err(io::Error::other)?;
        Ok(body.to_bytes().to_vec())
    };
    let driving = async {
        let _ = connection.await;
        // The answer tells how it ended.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        answer = answering => answer,
        () = driving => Err(io::Error::other("the connection ended")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    async fn answered(answer: String) -> (io::Result<Vec<u8>>, String) {
        let (near, mut far) = tokio::io::duplex(1024 * 1024);
        let serving = tokio::spawn(async move {
            let mut asked = vec![0; 4096];
            let read = far.read(&mut asked).await.expect("a request");
            far.write_all(answer.as_bytes()).await.expect("said");
            String::from_utf8_lossy(&asked[..read]).into_owned()
        });
        let got = ask(near, "sns.us-east-1.amazonaws.com", "/a.pem").await;
        (got, serving.await.expect("served"))
    }

    #[tokio::test]
    async fn a_file_is_fetched_and_nothing_else() {
        let (got, asked) = answered("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\npem".to_owned()).await;
        assert_eq!(got.expect("the file"), b"pem");
        assert!(asked.starts_with("GET /a.pem HTTP/1.1\r\n"), "{asked}");
        assert!(asked.to_ascii_lowercase().contains("host: sns.us-east-1.amazonaws.com\r\n"), "{asked}");
        let long = "x".repeat(LARGEST + 1);
        for wrong in [
            "HTTP/1.1 302 Found\r\nLocation: https://evil.test/\r\nContent-Length: 0\r\n\r\n".to_owned(),
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{long}", long.len()),
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\npem".to_owned(),
            "no HTTP at all\r\n\r\n".to_owned(),
        ] {
            assert!(answered(wrong.clone()).await.0.is_err(), "{}", &wrong[..40.min(wrong.len())]);
        }
    }
}
