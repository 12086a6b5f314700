//! The end of a stream: its data connection returns to its owner, or is lost.

use super::{ReceiveState, SendState, TunnelStream};
use crate::proto::frame::FrameReader;
use std::{io, time::Duration};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Time limit for the peer to end a stream that was dropped after its own end.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);
/// Bytes of the peer that are discarded meanwhile.
const MAX_LINGER_BYTES: u64 = 256 * 1024;

impl Drop for TunnelStream {
    fn drop(&mut self) {
        let Some(transport) = self.transport.take() else { return };
        let Some(owner) = self.owner.take() else { return };
        let refused = matches!(self.receiving, ReceiveState::Refusal(_));
        if self.broken || transport.is_cancelled() {
            drop(transport);
            owner.discard();
        } else if self.sending == SendState::Closed && self.has_received_end() {
            owner.release(transport);
        } else if !self.lingering && (refused || self.sending == SendState::Closed) {
            let mut rest = TunnelStream::opened(transport, Some(owner.clone()), None, std::mem::take(&mut self.prefix));
            rest.write_buffer = std::mem::take(&mut self.write_buffer);
            rest.written = self.written;
            rest.receiving = std::mem::replace(&mut self.receiving, ReceiveState::Frames(FrameReader::default()));
            rest.sending = self.sending;
            rest.unflushed = self.unflushed;
            rest.lingering = true;
            owner.runtime().spawn(linger(rest));
        } else {
            drop(transport);
            owner.discard();
        }
    }
}

/// Waits briefly for the end of a dropped stream, so that its connection can be reused.
async fn linger(mut stream: TunnelStream) {
    let rest = async {
        stream.shutdown().await?;
        if !stream.has_received_end() {
            tokio::io::copy(&mut (&mut stream).take(MAX_LINGER_BYTES), &mut tokio::io::sink()).await?;
        }
        io::Result::Ok(())
    };
    let _ = tokio::time::timeout(LINGER_TIMEOUT, rest).await;
}
