//! A local service with scripted responses that records its requests.

use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

pub struct Origin {
    pub port: u16,
    requests: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Origin {
    /// Responds to every request that ends in these bytes, and closes.
    pub async fn responding_to(request_end: &'static [u8], response: &[u8]) -> Origin {
        let (listener, port) = listen().await;
        let requests: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
        let (recorded, response) = (requests.clone(), response.to_vec());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (recorded, response) = (recorded.clone(), response.clone());
                tokio::spawn(async move {
                    let mut request = Vec::new();
                    let mut buffer = vec![0; 64 * 1024];
                    while !request.ends_with(request_end) {
                        match stream.read(&mut buffer).await {
                            Ok(length) if length > 0 => request.extend_from_slice(&buffer[..length]),
                            _ => return,
                        }
                    }
                    recorded.lock().unwrap().push(request);
                    let _ = stream.write_all(&response).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Origin { port, requests }
    }

    /// Reads every request as its head frames it, responds, and closes.
    pub async fn responding(response: &'static [u8]) -> Origin {
        let (listener, port) = listen().await;
        let requests: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
        let recorded = requests.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let recorded = recorded.clone();
                tokio::spawn(async move {
                    let mut request = Vec::new();
                    let mut buffer = vec![0; 64 * 1024];
                    while !is_complete(&request) {
                        match stream.read(&mut buffer).await {
                            Ok(length) if length > 0 => request.extend_from_slice(&buffer[..length]),
                            _ => return,
                        }
                    }
                    recorded.lock().unwrap().push(request);
                    let _ = stream.write_all(response).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Origin { port, requests }
    }

    /// Serves TLS with a self-signed certificate; returns its port.
    pub async fn responding_over_tls(request_end: &'static [u8], response: &'static [u8]) -> u16 {
        let plain = Origin::responding_to(request_end, response).await.port;
        let acceptor = super::server::acceptor(&super::server::self_signed(), &[]);
        let (listener, port) = listen().await;
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut outer) = acceptor.accept(stream).await else { return };
                    let Ok(mut inner) = tokio::net::TcpStream::connect(("127.0.0.1", plain)).await else { return };
                    let _ = tokio::io::copy_bidirectional(&mut outer, &mut inner).await;
                });
            }
        });
        port
    }

    /// Echoes everything.
    pub async fn echoing() -> Origin {
        let (listener, port) = listen().await;
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut read, mut write) = stream.split();
                    let _ = tokio::io::copy(&mut read, &mut write).await;
                    let _ = write.shutdown().await;
                });
            }
        });
        Origin { port, requests: Arc::default() }
    }

    pub fn requests(&self) -> Vec<Vec<u8>> {
        self.requests.lock().unwrap().clone()
    }
}

/// Whether a request is complete, as its head frames it.
fn is_complete(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|part| part == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let value = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
    let body = &request[end + 4..];
    if value("transfer-encoding").is_some() {
        return body.ends_with(b"0\r\n\r\n");
    }
    body.len() >= value("content-length").and_then(|length| length.parse().ok()).unwrap_or(0)
}

async fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
    let port = listener.local_addr().expect("bound").port();
    (listener, port)
}
