//! The agent's data connections: dials as many as the server asks for and waits on each for streams.

use super::PATIENCE;
use super::agent::{IncomingEvent, IncomingStream};
use super::carrier::Carrier;
use super::dial::Dial;
use super::greeting::ADOPTED;
use super::session::Core;
use super::stream::{Home, TunnelStream};
use super::transport::BoxedTransport;
use crate::proto::backoff::Backoff;
use crate::proto::message::{FromAgent, Welcome};
use crate::proto::pool::MAX_CONNECTIONS;
use crate::proto::preamble::Preamble;
use crate::proto::start::{MalformedStart, StreamStart};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

/// So many handshakes are under way at a time.
const PARALLEL: usize = 32;
/// A connection that is lost sooner counts as a failed dial.
const SETTLED: Duration = Duration::from_secs(5);

/// The data connections of one session.
pub(crate) struct Dials {
    dial: Arc<dyn Dial>,
    preamble: Preamble,
    core: Arc<Core<FromAgent>>,
    incoming: mpsc::Sender<IncomingEvent>,
    wanted: AtomicUsize,
    live: AtomicUsize,
    /// Connections that were lost right after they were made, not yet answered with a pause.
    flops: AtomicUsize,
    changed: Notify,
    this: Weak<Dials>,
}

impl Dials {
    pub(crate) fn new(
        dial: Arc<dyn Dial>,
        welcome: &Welcome,
        core: Arc<Core<FromAgent>>,
        incoming: mpsc::Sender<IncomingEvent>,
    ) -> Arc<Self> {
        let preamble = Preamble::Data { session: welcome.session.clone(), secret: welcome.data_secret.clone() };
        Arc::new_cyclic(|this| Dials {
            dial,
            preamble,
            core,
            incoming,
            wanted: AtomicUsize::new(0),
            live: AtomicUsize::new(0),
            flops: AtomicUsize::new(0),
            changed: Notify::new(),
            this: this.clone(),
        })
    }

    /// The server wants so many connections.
    pub(crate) fn want(&self, connections: u16) {
        self.wanted.store((connections as usize).min(MAX_CONNECTIONS), Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Keeps as many connections as are wanted. After a failure it pauses, longer each time.
    pub(crate) async fn keep(&self) {
        let mut dialling = FuturesUnordered::new();
        let mut backoff = Backoff::new();
        let mut pause_ends = Instant::now();
        loop {
            let missing = self.wanted.load(Ordering::Relaxed).saturating_sub(self.live.load(Ordering::Relaxed));
            let pausing = Instant::now() < pause_ends;
            while !pausing && dialling.len() < missing.min(PARALLEL) {
                dialling.push(self.dial());
            }
            let failed = tokio::select! {
                Some(dialled) = dialling.next() => match dialled {
                    Ok(transport) => {
                        self.live.fetch_add(1, Ordering::Relaxed);
                        self.wait_for_start(Carrier::connection(transport, self.core.lives.enter()), Some(Instant::now()));
                        backoff.succeeded();
                        false
                    }
                    Err(error) => {
                        tracing::debug!(%error, "a data connection was not made");
                        true
                    }
                },
                () = self.changed.notified() => self.flops.swap(0, Ordering::Relaxed) > 0,
                () = tokio::time::sleep_until(pause_ends), if pausing => false,
            };
            if failed && Instant::now() >= pause_ends {
                pause_ends = Instant::now() + backoff.next_pause();
            }
        }
    }

    /// One connection, adopted by the server.
    async fn dial(&self) -> io::Result<BoxedTransport> {
        let made = async {
            let mut transport = self.dial.dial().await?;
            transport.write_all(&self.preamble.encode()).await?;
            transport.flush().await?;
            match transport.read_u8().await? {
                ADOPTED => Ok(transport),
                _ => Err(io::Error::new(io::ErrorKind::InvalidData, "the server did not adopt the connection")),
            }
        };
        tokio::time::timeout(PATIENCE, made).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Waits, in a task of its own, until the server starts a stream. `fresh` since then, if it carried none yet.
    fn wait_for_start(&self, mut carrier: Carrier, fresh: Option<Instant>) {
        let Some(this) = self.this.upgrade() else { return };
        self.core.runtime.spawn(async move {
            match read_start(&mut carrier).await {
                Ok(start) => {
                    let stream = TunnelStream::accepted_by_agent(carrier, Some(this.clone()));
                    let _ = this.incoming.send(IncomingEvent::Stream(IncomingStream::new(start, stream))).await;
                }
                Err(_) => {
                    drop(carrier);
                    if fresh.is_some_and(|since| since.elapsed() < SETTLED) {
                        this.flops.fetch_add(1, Ordering::Relaxed);
                    }
                    this.lost();
                }
            }
        });
    }
}

/// Reads the start of a stream and not a byte more.
pub(crate) async fn read_start(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<StreamStart> {
    let length = stream.read_u8().await? as usize;
    let mut bytes = [0; u8::MAX as usize];
    stream.read_exact(&mut bytes[..length]).await?;
    let malformed = |error: MalformedStart| io::Error::new(io::ErrorKind::InvalidData, error);
    StreamStart::decode(&bytes[..length]).map_err(malformed)
}

impl Home for Dials {
    fn come_back(&self, carrier: Carrier) {
        self.wait_for_start(carrier, None);
    }

    fn lost(&self) {
        self.live.fetch_sub(1, Ordering::Relaxed);
        self.changed.notify_one();
    }

    fn runtime(&self) -> &Handle {
        &self.core.runtime
    }
}
