//! The agent's data connections: dials as many as the server requests and waits on each for streams.

use super::{
    HANDSHAKE_TIMEOUT,
    dial::Dial,
    handshake::ADOPTED,
    incoming::{IncomingEvent, IncomingStream},
    session::SessionCore,
    shared_driver,
    stream::TunnelStream,
    stream_transport::{ConnectionOwner, OwnConnection, SharedConnection, SharedStream, StreamTransport},
    transport::BoxedTransport,
};
use crate::proto::{
    message::{FromAgent, Welcome},
    preamble::Preamble,
    shared_frame::SharedLimits,
    shared_start::SharedStart,
    stream_reply::RECEIVED,
    stream_start::StreamStart,
    version::VersionRange,
};
use futures::{StreamExt, stream::FuturesUnordered};
use postern_api::backoff::Backoff;
use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    runtime::Handle,
    sync::{Notify, mpsc},
    time::Instant,
};

/// Most dials in progress at the same time.
const MAX_PARALLEL_DIALS: usize = 32;
/// Connections that are lost sooner count as failed dials.
const MIN_CONNECTION_LIFETIME: Duration = Duration::from_secs(5);

/// Data connections of one session.
pub(crate) struct DataConnections {
    dial: Arc<dyn Dial>,
    preamble: Preamble,
    core: Arc<SessionCore<FromAgent>>,
    incoming: mpsc::Sender<IncomingEvent>,
    /// Number of connections that the server requested.
    target: AtomicUsize,
    live: AtomicUsize,
    /// Most connections, whatever the server requests.
    max_connections: usize,
    /// Connections that were lost right after they were made and have not delayed the next dial yet.
    early_losses: AtomicUsize,
    changed: Notify,
    shared_limits: SharedLimits,
    /// Connections that streams share, by their numbers.
    shared: Mutex<HashMap<u32, Arc<SharedConnection>>>,
    this: Weak<DataConnections>,
}

impl DataConnections {
    pub(crate) fn new(
        dial: Arc<dyn Dial>,
        welcome: &Welcome,
        core: Arc<SessionCore<FromAgent>>,
        incoming: mpsc::Sender<IncomingEvent>,
        max_connections: usize,
    ) -> Arc<Self> {
        let preamble = Preamble::Data { session: welcome.session.clone(), secret: welcome.data_secret.clone() };
        Arc::new_cyclic(|this| DataConnections {
            dial,
            preamble,
            core,
            incoming,
            target: AtomicUsize::new(0),
            live: AtomicUsize::new(0),
            max_connections,
            early_losses: AtomicUsize::new(0),
            changed: Notify::new(),
            // A server of an older version shares no connection.
            shared_limits: VersionRange::shared_limits(welcome.protocol).unwrap_or(SharedLimits::FORMER),
            shared: Mutex::default(),
            this: this.clone(),
        })
    }

    /// Sets the number of connections to keep open.
    pub(crate) fn set_target(&self, connections: u16) {
        self.target.store((connections as usize).min(self.max_connections), Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Keeps the requested number of connections open, with exponential backoff after failures.
    pub(crate) async fn maintain(&self) {
        let mut dialling = FuturesUnordered::new();
        let mut backoff = Backoff::new();
        let mut retry_at = Instant::now();
        loop {
            let missing = self.target.load(Ordering::Relaxed).saturating_sub(self.live.load(Ordering::Relaxed));
            let backing_off = Instant::now() < retry_at;
            while !backing_off && dialling.len() < missing.min(MAX_PARALLEL_DIALS) {
                dialling.push(self.dial());
            }
            let failed = tokio::select! {
                Some(dialled) = dialling.next() => match dialled {
                    Ok(transport) => {
                        self.live.fetch_add(1, Ordering::Relaxed);
                        self.wait_for_start(StreamTransport::connection(transport, self.core.cancellation.token()), Some(Instant::now()));
                        backoff.reset();
                        false
                    }
                    Err(error) => {
                        tracing::debug!(%error, "dialing a data connection failed");
                        true
                    }
                },
                () = self.changed.notified() => self.early_losses.swap(0, Ordering::Relaxed) > 0,
                () = tokio::time::sleep_until(retry_at), if backing_off => false,
            };
            if failed && Instant::now() >= retry_at {
                retry_at = Instant::now() + backoff.next_delay();
            }
        }
    }

    /// Dials one connection and waits until the server has adopted it.
    async fn dial(&self) -> io::Result<BoxedTransport> {
        let adopted = async {
            let mut transport = self.dial.dial().await?;
            transport.write_all(&self.preamble.encode()).await?;
            transport.flush().await?;
            match transport.read_u8().await? {
                ADOPTED => Ok(transport),
                _ => Err(io::Error::new(io::ErrorKind::InvalidData, "the server did not adopt the connection")),
            }
        };
        tokio::time::timeout(HANDSHAKE_TIMEOUT, adopted).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Spawns a task that waits until the server starts a stream. `dialed` is set for a connection that has carried no
    /// stream yet.
    fn wait_for_start(&self, mut transport: StreamTransport, dialed: Option<Instant>) {
        let Some(this) = self.this.upgrade() else { return };
        self.core.runtime.spawn(async move {
            match read_start(&mut transport).await {
                Ok(ConnectionStart::Shared(SharedStart::Share { connection })) => this.share(connection, transport),
                Ok(ConnectionStart::Shared(SharedStart::Continue { connection, stream, sent })) => {
                    let own = OwnConnection::accepted(transport, this.clone(), sent);
                    let connection = this.shared().get(&connection).cloned();
                    if let Some(connection) = connection {
                        connection.continue_on(stream, own);
                    }
                }
                Ok(ConnectionStart::Stream(start)) => {
                    let stream = TunnelStream::accepted_by_agent(transport, Some(this.clone()));
                    let _ = this.incoming.send(IncomingEvent::Stream(IncomingStream::new(start, stream))).await;
                }
                Err(_) => {
                    drop(transport);
                    if dialed.is_some_and(|dialed| dialed.elapsed() < MIN_CONNECTION_LIFETIME) {
                        this.early_losses.fetch_add(1, Ordering::Relaxed);
                    }
                    this.discard();
                }
            }
        });
    }

    /// Serves the streams that share a connection.
    fn share(self: &Arc<Self>, number: u32, transport: StreamTransport) {
        let connection = SharedConnection::new(number, self.shared_limits, None, &self.core.runtime);
        self.shared().insert(number, connection.clone());
        let (this, owner) = (self.clone(), connection.clone());
        let on_stream = move |stream: SharedStream| {
            let transport = StreamTransport::shared(stream, this.core.cancellation.token());
            let owner: Arc<dyn ConnectionOwner> = owner.clone();
            this.core.runtime.spawn(accept(transport, Some(owner), Arrival::Untold, this.incoming.clone()));
        };
        let this = self.clone();
        let on_end = move || {
            this.shared().remove(&number);
            this.discard();
        };
        shared_driver::spawn(connection, transport, Vec::new(), on_stream, on_end);
    }

    fn shared(&self) -> MutexGuard<'_, HashMap<u32, Arc<SharedConnection>>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the opener of a stream is told at once that it has arrived, as that of an overflow stream is. On a link between nodes it is
/// told when the stream is forwarded, which happens at once or never.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    Told,
    Untold,
}

/// Delivers a stream that has no data connection of its own, with its start.
pub(crate) async fn accept(
    mut transport: StreamTransport,
    owner: Option<Arc<dyn ConnectionOwner>>,
    arrival: Arrival,
    incoming: mpsc::Sender<IncomingEvent>,
) {
    let start = async {
        let start = read_stream_start(&mut transport).await?;
        if arrival == Arrival::Told {
            transport.write_all(&[RECEIVED]).await?;
            transport.flush().await?;
        }
        io::Result::Ok(start)
    };
    if let Ok(Ok(start)) = tokio::time::timeout(HANDSHAKE_TIMEOUT, start).await {
        let mut stream = TunnelStream::accepted_by_agent(transport, owner);
        stream.is_arrival_told = arrival == Arrival::Told;
        let _ = incoming.send(IncomingEvent::Stream(IncomingStream::new(start, stream))).await;
    }
}

/// What a data connection is used for.
enum ConnectionStart {
    Stream(StreamStart),
    Shared(SharedStart),
}

fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// Reads what a data connection is used for, without consuming bytes after it.
async fn read_start(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<ConnectionStart> {
    let length = stream.read_u8().await?;
    if length > 0 {
        return read_rest(stream, length).await.map(ConnectionStart::Stream);
    }
    let second = stream.read_u8().await?;
    let length = SharedStart::length(second).map_err(invalid)?;
    let mut bytes = [0; SharedStart::MAX_LENGTH];
    stream.read_exact(&mut bytes[..length]).await?;
    SharedStart::decode(second, &bytes[..length]).map(ConnectionStart::Shared).map_err(invalid)
}

/// Reads the start of a stream without consuming bytes after it.
async fn read_stream_start(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<StreamStart> {
    let length = stream.read_u8().await?;
    read_rest(stream, length).await
}

async fn read_rest(stream: &mut (impl AsyncRead + Unpin), length: u8) -> io::Result<StreamStart> {
    let mut bytes = [0; u8::MAX as usize];
    let bytes = &mut bytes[..usize::from(length)];
    stream.read_exact(bytes).await?;
    StreamStart::decode(bytes).map_err(invalid)
}

impl ConnectionOwner for DataConnections {
    fn release(&self, transport: StreamTransport) {
        self.wait_for_start(transport, None);
    }

    fn discard(&self) {
        self.live.fetch_sub(1, Ordering::Relaxed);
        self.changed.notify_one();
    }

    fn runtime(&self) -> &Handle {
        &self.core.runtime
    }
}
