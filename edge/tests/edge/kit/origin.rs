//! Local services with scripted responses, which record their requests.

use std::{
    future::Future,
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

pub(crate) struct Origin {
    pub(crate) address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
    pub(crate) connections: Arc<Mutex<usize>>,
    task: JoinHandle<()>,
}

impl Origin {
    /// Every connection is handed to `serve`.
    pub(crate) async fn serving<F, Served>(serve: F) -> Origin
    where
        F: Fn(Talk) -> Served + Send + 'static,
        Served: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let connections: Arc<Mutex<usize>> = Arc::default();
        let (hears, counts) = (heard.clone(), connections.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *counts.lock().unwrap() += 1;
                tokio::spawn(serve(Talk { stream, buffer: Vec::new(), heard: hears.clone() }));
            }
        });
        Origin { address, heard, connections, task }
    }

    /// Responds to every request with 200 and this text.
    pub(crate) async fn says(text: &'static str) -> Origin {
        Origin::answering(move |_| {
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}", text.len())
        })
        .await
    }

    /// Responds to every request (its head and body as text) with the result of `answer`.
    pub(crate) async fn answering(answer: impl Fn(&str) -> String + Clone + Send + Sync + 'static) -> Origin {
        Origin::serving(move |mut talk| {
            let answer = answer.clone();
            async move {
                while let Some(request) = talk.request().await {
                    let answer = answer(&request);
                    let last = answer.contains("Connection: close");
                    if talk.say(answer.as_bytes()).await.is_err() || last {
                        return;
                    }
                }
            }
        })
        .await
    }

    /// Echoes every byte.
    pub(crate) async fn echo() -> Origin {
        Origin::serving(|talk| async move {
            let (mut reader, mut writer) = talk.stream.into_split();
            let _ = tokio::io::copy(&mut reader, &mut writer).await;
        })
        .await
    }

    /// Sends one line on every connection and closes it.
    pub(crate) async fn greets(text: &'static str) -> Origin {
        Origin::serving(move |mut talk| async move {
            let _ = talk.say(text.as_bytes()).await;
        })
        .await
    }

    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    /// An address without a listener.
    pub(crate) async fn nowhere() -> SocketAddr {
        TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// One connection at the local service.
pub(crate) struct Talk {
    pub(crate) stream: TcpStream,
    buffer: Vec<u8>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Talk {
    /// The next request, body included, as text.
    pub(crate) async fn request(&mut self) -> Option<String> {
        loop {
            if let Some(end) = message_end(&self.buffer) {
                let message: Vec<u8> = self.buffer.drain(..end).collect();
                let text = String::from_utf8_lossy(&message).into_owned();
                self.heard.lock().unwrap().push(text.clone());
                return Some(text);
            }
            let mut piece = vec![0; 8192];
            match self.stream.read(&mut piece).await {
                Ok(read) if read > 0 => self.buffer.extend_from_slice(&piece[..read]),
                _ => return None,
            }
        }
    }

    pub(crate) async fn say(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes).await
    }
}

/// The end of the first message, if it is complete.
fn message_end(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    if text.contains("transfer-encoding: chunked") {
        // Trailers may follow the last chunk.
        let last = head + bytes[head - 2..].windows(5).position(|window| window == b"\r\n0\r\n")?;
        let end = bytes[last..].windows(4).position(|window| window == b"\r\n\r\n")?;
        return Some(last + end + 4);
    }
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .map_or(0, |length| length.trim().parse::<usize>().unwrap());
    (bytes.len() >= head + length).then_some(head + length)
}
