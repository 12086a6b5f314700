//! Load: keep-alive connections that send the next request as soon as they have the response.

use bytes::Bytes;
use hdrhistogram::Histogram;
use http::{Method, Request, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::net::TcpStream;

/// Server under test, and the key to use.
#[derive(Clone)]
pub struct Target {
    /// Address of the server.
    pub address: SocketAddr,
    /// Process id of the server.
    pub process: u32,
    /// Value of the `Authorization` header.
    pub key: String,
}

/// One keep-alive connection.
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
    target: Target,
}

/// Result of a load.
pub struct Load {
    /// Responses per second.
    pub rate: f64,
    /// CPU time of the server per response, in microseconds.
    pub cost: f64,
    took: Histogram<u64>,
}

impl Load {
    /// Latency within which this share of the responses came, in milliseconds.
    pub fn within(&self, share: f64) -> f64 {
        self.took.value_at_quantile(share) as f64 / 1000.0
    }
}

impl Target {
    /// Connects.
    pub async fn connect(&self) -> Connection {
        let stream = TcpStream::connect(self.address).await.expect("the server accepts");
        stream.set_nodelay(true).expect("a socket option");
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("HTTP");
        tokio::spawn(connection);
        Connection { sender, target: self.clone() }
    }
}

impl Connection {
    /// Sends one request; panics unless the response is a success.
    pub async fn ask(&mut self, method: Method, path: &str, body: Bytes) -> Bytes {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "127.0.0.1")
            .header(header::AUTHORIZATION, &self.target.key)
            .header("service-version", "2");
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        self.sender.ready().await.expect("the connection stays open");
        let response = self.sender.send_request(request.body(Full::new(body)).expect("a request")).await;
        let response = response.expect("a response");
        let status = response.status();
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        assert!(status.is_success(), "{path}: {status} {}", String::from_utf8_lossy(&bytes));
        bytes
    }
}

/// Next request of a connection.
pub type Next = Arc<dyn Fn(usize, u64) -> (Method, String, Bytes) + Send + Sync>;

/// The same GET request every time.
pub fn reading(path: impl Into<String>) -> Next {
    let path = path.into();
    Arc::new(move |_, _| (Method::GET, path.clone(), Bytes::new()))
}

/// Sends requests over a number of connections for a duration.
pub async fn load(target: &Target, connections: usize, time: Duration, next: Next) -> Load {
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(target.connect().await);
    }
    let before = processor_time(target.process);
    let started = Instant::now();
    let asking: Vec<_> = open
        .into_iter()
        .enumerate()
        .map(|(at, mut connection)| {
            let next = next.clone();
            tokio::spawn(async move {
                let mut took = Histogram::<u64>::new(3).expect("three digits");
                let mut number = 0;
                while started.elapsed() < time {
                    let (method, path, body) = next(at, number);
                    let asked = Instant::now();
                    connection.ask(method, &path, body).await;
                    let micros = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
                    took.record(micros).expect("the histogram grows");
                    number += 1;
                }
                took
            })
        })
        .collect();
    let mut took = Histogram::<u64>::new(3).expect("three digits");
    for task in asking {
        took.add(task.await.expect("no connection fails")).expect("histograms of one kind");
    }
    let (rate, spent) = (took.len() as f64 / started.elapsed().as_secs_f64(), processor_time(target.process) - before);
    Load { rate, cost: spent.as_secs_f64() * 1e6 / took.len() as f64, took }
}

/// CPU time used by a process; zero on systems without such a file.
fn processor_time(process: u32) -> Duration {
    const TICK: Duration = Duration::from_millis(10);
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The second field is the name in parentheses, which may contain spaces; user and system time are the 14th and 15th.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u32>().ok()).map(|ticks| TICK * ticks).sum()
}
