//! One WebSocket connection as a stream of bytes, from its first message to its closing handshake.

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

/// The longest message, in one frame or several. A stream has no messages: whoever has more to say sends more of them.
const LONGEST: usize = 1 << 20;
/// So many bytes of the backend become one message at most.
const PIECE: usize = 16 * 1024;
/// Memory of a connection that waits.
const BUFFER: usize = 4 * 1024;
/// For the other side to take its leave.
const FAREWELL: Duration = Duration::from_secs(5);
/// So much is read, and thrown away, of a visitor who was told to go.
const LEFTOVER: u64 = 1 << 20;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The visitor closed it, or left without a word.
    Visitor,
    /// The visitor did what is not allowed.
    Refused(CloseCode, &'static str),
    /// The backend has said everything.
    Backend,
    /// The connection to the backend broke.
    Broken,
}

/// Carries bytes both ways until either side ends. Messages keep their order; where they begin and end is lost.
pub(crate) async fn carry<V, B>(visitor: V, backend: B)
where
    V: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let config = WebSocketConfig::default()
        .read_buffer_size(BUFFER)
        .write_buffer_size(0)
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST));
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
                // What the visitor sent before it hears of it still reaches a backend that listens.
                let farewell = async {
                    let _ = sink.send(closing(code, reason)).await;
                    up.await
                };
                let _ = tokio::time::timeout(FAREWELL, farewell).await;
                end
            }
        }
    };
    tracing::debug!(?end, "WebSocket connection ended");
    let to_visitor = async {
        let refused = if let End::Refused(code, reason) = end {
            sink.send(closing(code, reason)).await.ok()?;
            true
        } else {
            false
        };
        let mut visitor = sink.reunite(source).ok()?.into_inner();
        visitor.shutdown().await.ok()?;
        if refused {
            // Closing with bytes unread would make the kernel take back the last words.
            tokio::io::copy(&mut visitor.take(LEFTOVER), &mut tokio::io::sink()).await.ok()?;
        }
        Some(())
    };
    let to_backend = async {
        writer.shutdown().await?;
        // The same for the backend: it may still be reading what the visitor sent last.
        tokio::io::copy(&mut reader, &mut tokio::io::sink()).await
    };
    let _ = tokio::time::timeout(FAREWELL, async { tokio::join!(to_visitor, to_backend) }).await;
}

fn closing(code: CloseCode, reason: &'static str) -> Message {
    Message::Close(Some(CloseFrame { code, reason: reason.into() }))
}

/// From the visitor to the backend. Pings are answered on the way, and so is the visitor's farewell.
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
            Message::Text(_) => return End::Refused(CloseCode::Unsupported, "only binary messages are taken"),
            Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_) => {}
        }
    }
}

fn end_of(error: &Error) -> End {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => {
            End::Refused(CloseCode::Size, "a message has 1 MiB at most")
        }
        Error::Utf8(_) => End::Refused(CloseCode::Unsupported, "only binary messages are taken"),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => End::Visitor,
        Error::Protocol(_) | Error::Capacity(_) => End::Refused(CloseCode::Protocol, "that is not WebSocket"),
        _ => End::Visitor,
    }
}

/// From the backend to the visitor.
async fn down<V, B>(sink: &mut SplitSink<WebSocketStream<V>, Message>, reader: &mut ReadHalf<B>) -> End
where
    V: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        let bytes = match piece(reader).await {
            Ok(bytes) if bytes.is_empty() => return End::Backend,
            Ok(bytes) => bytes,
            Err(_) => return End::Broken,
        };
        match sink.send(Message::Binary(bytes)).await {
            Ok(()) => {}
            // The visitor has taken its leave. The other direction hears of it, and must not be cut short.
            Err(Error::ConnectionClosed | Error::AlreadyClosed | Error::Protocol(ProtocolError::SendAfterClosing)) => {
                return std::future::pending().await;
            }
            Err(_) => return End::Visitor,
        }
    }
}

/// What the backend says next; empty at its end. No memory is held while it says nothing.
async fn piece(reader: &mut (impl AsyncRead + Unpin)) -> io::Result<Bytes> {
    poll_fn(|cx| {
        let mut space = [0; PIECE];
        let mut buffer = ReadBuf::new(&mut space);
        ready!(Pin::new(&mut *reader).poll_read(cx, &mut buffer))?;
        Poll::Ready(Ok(Bytes::copy_from_slice(buffer.filled())))
    })
    .await
}

#[cfg(test)]
mod tests;
