//! A local service with scripted responses that records its requests.

use crate::http1::request_end;
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

type Requests = Arc<Mutex<Vec<Vec<u8>>>>;

/// A service on a free port. It stops listening with its handle.
pub struct ScriptedOrigin {
    /// The listen address.
    pub address: SocketAddr,
    requests: Requests,
    connections: Arc<AtomicUsize>,
    listening: JoinHandle<()>,
}

impl ScriptedOrigin {
    /// Hands every connection to `serve`.
    pub async fn serving<F, Served>(serve: F) -> ScriptedOrigin
    where
        F: Fn(OriginConnection) -> Served + Send + 'static,
        Served: Future<Output = ()> + Send + 'static,
    {
        ScriptedOrigin::accepting(move |stream, requests| {
            serve(OriginConnection { requests, ..OriginConnection::new(stream) })
        })
        .await
    }

    /// Hands every TLS connection to `serve`.
    pub async fn serving_tls<F, Served>(acceptor: TlsAcceptor, serve: F) -> ScriptedOrigin
    where
        F: Fn(OriginConnection<TlsStream<TcpStream>>) -> Served + Clone + Send + 'static,
        Served: Future<Output = ()> + Send + 'static,
    {
        ScriptedOrigin::accepting(move |stream, requests| {
            let (accepting, serve) = (acceptor.accept(stream), serve.clone());
            async move {
                if let Ok(stream) = accepting.await {
                    serve(OriginConnection { requests, ..OriginConnection::new(stream) }).await;
                }
            }
        })
        .await
    }

    async fn accepting<F, Served>(serve: F) -> ScriptedOrigin
    where
        F: Fn(TcpStream, Requests) -> Served + Send + 'static,
        Served: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (requests, connections) = (Requests::default(), Arc::<AtomicUsize>::default());
        let (recorded, counted) = (requests.clone(), connections.clone());
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, recorded.clone()));
            }
        });
        ScriptedOrigin { address, requests, connections, listening }
    }

    /// Responds to every request with 200 and this text.
    pub async fn with_text(text: &'static str) -> ScriptedOrigin {
        ScriptedOrigin::responding(move |_| {
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}", text.len())
        })
        .await
    }

    /// Responds to every request (its head and body as text) with the result of `respond`.
    pub async fn responding(respond: impl Fn(&str) -> String + Clone + Send + Sync + 'static) -> ScriptedOrigin {
        ScriptedOrigin::serving(move |mut connection| {
            let respond = respond.clone();
            async move {
                while let Some(request) = connection.request().await {
                    let response = respond(&request);
                    let last = response.contains("Connection: close");
                    if connection.send(response.as_bytes()).await.is_err() || last {
                        return;
                    }
                }
            }
        })
        .await
    }

    /// Responds to the first request of every connection with these bytes, and closes.
    pub async fn closing_after(response: &'static [u8]) -> ScriptedOrigin {
        ScriptedOrigin::serving(move |mut connection| async move {
            if connection.request().await.is_some() {
                connection.close_with(response).await;
            }
        })
        .await
    }

    /// Reads up to these bytes, whatever the framing says, responds, and closes.
    pub async fn closing_after_end(request_end: &'static [u8], response: &[u8]) -> ScriptedOrigin {
        let response: Arc<[u8]> = response.into();
        ScriptedOrigin::serving(move |mut connection| {
            let response = response.clone();
            async move {
                if connection.request_ending_in(request_end).await.is_some() {
                    connection.close_with(&response).await;
                }
            }
        })
        .await
    }

    /// Echoes every byte.
    pub async fn echo() -> ScriptedOrigin {
        ScriptedOrigin::serving(|connection| async move {
            let (mut reader, mut writer) = connection.stream.into_split();
            let _ = tokio::io::copy(&mut reader, &mut writer).await;
            let _ = writer.shutdown().await;
        })
        .await
    }

    /// Sends this text on every connection and closes it.
    pub async fn greeting(text: &'static str) -> ScriptedOrigin {
        ScriptedOrigin::serving(move |mut connection| async move { connection.close_with(text.as_bytes()).await }).await
    }

    /// The port of the listen address.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The number of connections so far.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// The requests so far, as bytes.
    pub fn requests(&self) -> Vec<Vec<u8>> {
        self.requests.lock().unwrap().clone()
    }

    /// The requests so far, as text.
    pub fn request_texts(&self) -> Vec<String> {
        self.requests().iter().map(|request| String::from_utf8_lossy(request).into_owned()).collect()
    }
}

impl std::fmt::Display for ScriptedOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.address.fmt(f)
    }
}

impl Drop for ScriptedOrigin {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// One connection at a local service.
pub struct OriginConnection<S = TcpStream> {
    /// The connection.
    pub stream: S,
    buffer: Vec<u8>,
    requests: Requests,
}

impl<S: AsyncRead + AsyncWrite + Unpin> OriginConnection<S> {
    /// A connection that records its requests for itself only.
    pub fn new(stream: S) -> OriginConnection<S> {
        OriginConnection { stream, buffer: Vec::new(), requests: Requests::default() }
    }

    /// The next request, body included, as text; `None` at the end of the connection.
    pub async fn request(&mut self) -> Option<String> {
        self.next_request(request_end).await
    }

    /// The next request, which ends in these bytes.
    pub async fn request_ending_in(&mut self, end: &[u8]) -> Option<String> {
        self.next_request(|bytes| bytes.ends_with(end).then_some(bytes.len())).await
    }

    async fn next_request(&mut self, end: impl Fn(&[u8]) -> Option<usize>) -> Option<String> {
        let mut piece = vec![0; 64 * 1024];
        loop {
            if let Some(end) = end(&self.buffer) {
                let request: Vec<u8> = self.buffer.drain(..end).collect();
                let text = String::from_utf8_lossy(&request).into_owned();
                self.requests.lock().unwrap().push(request);
                return Some(text);
            }
            match self.stream.read(&mut piece).await {
                Ok(read) if read > 0 => self.buffer.extend_from_slice(&piece[..read]),
                _ => return None,
            }
        }
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// If the peer has closed the connection.
    pub async fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// Sends the last bytes and closes the connection.
    pub async fn close_with(&mut self, bytes: &[u8]) {
        let _ = self.send(bytes).await;
        let _ = self.stream.shutdown().await;
    }
}
