//! A change of protocol (RFC 9110, section 7.8): after a 101 the stream belongs to the task that asked for it.

use std::sync::{Arc, Mutex, PoisonError};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::oneshot,
};

/// The stream behind a 101.
pub(crate) type UpgradedStream = Box<dyn UpgradedIo>;

/// A stream in both directions.
pub(crate) trait UpgradedIo: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> UpgradedIo for S {}

/// In the extensions of a request that asks for a change of protocol: where its stream arrives.
#[derive(Clone, Debug)]
pub(crate) struct RequestedUpgrade(Arc<Mutex<Option<oneshot::Receiver<UpgradedStream>>>>);

impl std::fmt::Debug for dyn UpgradedIo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UpgradedIo")
    }
}

impl RequestedUpgrade {
    pub(super) fn new() -> (oneshot::Sender<UpgradedStream>, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, RequestedUpgrade(Arc::new(Mutex::new(Some(receiver)))))
    }

    /// Waits for the stream; `None` if the connection ended, or the response was not 101.
    pub(crate) async fn stream(self) -> Option<UpgradedStream> {
        let receiver = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        receiver.await.ok()
    }
}
