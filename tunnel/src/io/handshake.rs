//! Preamble and handshake, the bytes of a connection before yamux. No byte after them is consumed.

use crate::proto::{
    codec::{CodecError, Decoder, Message, encode},
    preamble::{MAX_PREAMBLE, MalformedPreamble, Preamble, PreambleProgress},
};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use zeroize::Zeroizing;

use super::transport::Transport;

/// Sent by the server once it has adopted a data connection.
pub(crate) const ADOPTED: u8 = 1;

/// Reads a preamble; the inner error is that of malformed bytes.
pub(crate) async fn read_preamble(stream: &mut impl Transport) -> io::Result<Result<Preamble, MalformedPreamble>> {
    let mut bytes = Zeroizing::new([0; MAX_PREAMBLE]);
    let mut have = 0;
    loop {
        match Preamble::decode(&bytes[..have]) {
            Err(malformed) => return Ok(Err(malformed)),
            Ok(PreambleProgress::Complete(preamble)) => return Ok(Ok(preamble)),
            Ok(PreambleProgress::Incomplete(total)) => {
                // Every byte is checked as it arrives, so that another protocol is detected at once.
                match stream.read(&mut bytes[have..total]).await? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    count => have += count,
                }
            }
        }
    }
}

/// Reads one message.
pub(crate) async fn read_message<M: Message>(stream: &mut impl Transport) -> io::Result<M> {
    let mut decoder = Decoder::default();
    loop {
        let mut piece = Zeroizing::new(vec![0; decoder.bytes_needed().map_err(malformed)?]);
        stream.read_exact(&mut piece).await?;
        if let (_, Some(message)) = decoder.read(&piece).map_err(malformed)? {
            return Ok(message);
        }
    }
}

/// Writes `prefix` and one message.
pub(crate) async fn write_message(
    stream: &mut impl Transport,
    prefix: &[u8],
    message: &impl Message,
) -> io::Result<()> {
    let mut bytes = Zeroizing::new(prefix.to_vec());
    bytes.extend_from_slice(&encode(message).map_err(malformed)?);
    stream.write_all(&bytes).await?;
    stream.flush().await
}

fn malformed(error: CodecError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
