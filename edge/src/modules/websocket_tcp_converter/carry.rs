//! Conversion of one WebSocket connection to a byte stream, from its first message to the closing handshake.

use bytes::Bytes;
use futures::{
    SinkExt, StreamExt,
    stream::{SplitSink, SplitStream},
};
use std::{
    future::poll_fn,
    io,
    pin::{Pin, pin},
    task::{Poll, ready},
    time::Duration,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf, ReadHalf, WriteHalf};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Error, Message,
        error::{CapacityError, ProtocolError},
        protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};

/// Maximum size of a message, in one frame or several. Message boundaries mean nothing in a stream, so longer data can
/// be split.
const MAX_MESSAGE_BYTES: usize = 1 << 20;
/// Maximum bytes from the backend in one message.
const CHUNK_BYTES: usize = 16 * 1024;
/// Read buffer of an idle connection in bytes.
const READ_BUFFER_BYTES: usize = 4 * 1024;
/// Time for the closing handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes that are read and discarded after a refused connection.
const MAX_DISCARDED_BYTES: u64 = 1 << 20;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The visitor closed the connection, or it broke.
    Visitor,
    /// The visitor violated the protocol.
    Refused(CloseCode, &'static str),
    /// The backend closed its side.
    Backend,
    /// The connection to the backend broke.
    Broken,
}

/// Carries bytes in both directions until either side ends. The order of messages is kept, their boundaries are not.
pub(crate) async fn carry<V, B>(visitor: V, backend: B)
where
    V: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(0)
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let socket = WebSocketStream::from_raw_socket(visitor, Role::Server, Some(config)).await;
    let (mut sink, mut source) = socket.split();
    let (mut reader, mut writer) = tokio::io::split(backend);
    let end = {
        let mut up = pin!(up(&mut source, &mut writer));
        let ended = tokio::select! {
            end = &mut up => Ok(end),
            end = down(&mut sink, &mut reader) => Err(end),
        };
        match ended {
            Ok(end) => end,
            Err(End::Visitor) => End::Visitor,
            Err(end) => {
                let (code, reason) = match end {
                    End::Broken => (CloseCode::Error, "the connection to the backend broke"),
                    _ => (CloseCode::Normal, ""),
                };
                // Data that the visitor sent before it received the close frame still reaches the backend.
                let close = async {
                    let _ = sink.send(close_frame(code, reason)).await;
                    up.await
                };
                let _ = tokio::time::timeout(CLOSE_TIMEOUT, close).await;
                end
            }
        }
    };
    tracing::debug!(?end, "WebSocket connection ended");
    let to_visitor = async {
        let refused = if let End::Refused(code, reason) = end {
            sink.send(close_frame(code, reason)).await.ok()?;
            true
        } else {
            false
        };
        let mut visitor = sink.reunite(source).ok()?.into_inner();
        visitor.shutdown().await.ok()?;
        if refused {
            // Closing a socket with unread bytes sends a reset, which could discard the close frame.
            tokio::io::copy(&mut visitor.take(MAX_DISCARDED_BYTES), &mut tokio::io::sink()).await.ok()?;
        }
        Some(())
    };
    let to_backend = async {
        writer.shutdown().await?;
        // Likewise for the backend: it may still be reading the visitor's last data.
        tokio::io::copy(&mut reader, &mut tokio::io::sink()).await
    };
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, async { tokio::join!(to_visitor, to_backend) }).await;
}

fn close_frame(code: CloseCode, reason: &'static str) -> Message {
    Message::Close(Some(CloseFrame { code, reason: reason.into() }))
}

/// Copies from the visitor to the backend. Pings and close frames are answered by the library.
async fn up<V, B>(source: &mut SplitStream<WebSocketStream<V>>, writer: &mut WriteHalf<B>) -> End
where
    V: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        let message = match source.next().await {
            None => return End::Visitor,
            Some(Ok(message)) => message,
            Some(Err(error)) => return end_of(&error),
        };
        match message {
            Message::Binary(bytes) => {
                if writer.write_all(&bytes).await.is_err() || writer.flush().await.is_err() {
                    return End::Broken;
                }
            }
            Message::Text(_) => return End::Refused(CloseCode::Unsupported, "only binary messages are accepted"),
            Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_) => {}
        }
    }
}

fn end_of(error: &Error) -> End {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => {
            End::Refused(CloseCode::Size, "messages are limited to 1 MiB")
        }
        Error::Utf8(_) => End::Refused(CloseCode::Unsupported, "only binary messages are accepted"),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => End::Visitor,
        Error::Protocol(_) | Error::Capacity(_) => End::Refused(CloseCode::Protocol, "invalid WebSocket data"),
        _ => End::Visitor,
    }
}

/// Copies from the backend to the visitor.
async fn down<V, B>(sink: &mut SplitSink<WebSocketStream<V>, Message>, reader: &mut ReadHalf<B>) -> End
where
    V: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        let bytes = match read_chunk(reader).await {
            Ok(bytes) if bytes.is_empty() => return End::Backend,
            Ok(bytes) => bytes,
            Err(_) => return End::Broken,
        };
        match sink.send(Message::Binary(bytes)).await {
            Ok(()) => {}
            // The visitor has sent a close frame. The other direction handles it and must not be cut short.
            Err(Error::ConnectionClosed | Error::AlreadyClosed | Error::Protocol(ProtocolError::SendAfterClosing)) => {
                return std::future::pending().await;
            }
            Err(_) => return End::Visitor,
        }
    }
}

/// The next bytes from the backend; empty at its end. No buffer is held while the backend is idle.
async fn read_chunk(reader: &mut (impl AsyncRead + Unpin)) -> io::Result<Bytes> {
    poll_fn(|cx| {
        let mut space = [0; CHUNK_BYTES];
        let mut buffer = ReadBuf::new(&mut space);
        ready!(Pin::new(&mut *reader).poll_read(cx, &mut buffer))?;
        Poll::Ready(Ok(Bytes::copy_from_slice(buffer.filled())))
    })
    .await
}

#[cfg(test)]
mod tests;
