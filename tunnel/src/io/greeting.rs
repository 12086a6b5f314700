//! The first bytes of a connection, before yamux: preamble and greeting, read to the byte.

use crate::proto::codec::{CodecError, Decoder, Message, encode};
use crate::proto::preamble::{MAX_PREAMBLE, MalformedPreamble, Preamble, Progress};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use zeroize::Zeroizing;

use super::transport::Transport;

/// What the server writes once it has taken a data connection into its pool.
pub(crate) const ADOPTED: u8 = 1;

/// Reads a preamble, which is malformed in the inner error.
pub(crate) async fn read_preamble(stream: &mut impl Transport) -> io::Result<Result<Preamble, MalformedPreamble>> {
    let mut bytes = Zeroizing::new([0; MAX_PREAMBLE]);
    let mut have = 0;
    loop {
        match Preamble::decode(&bytes[..have]) {
            Err(malformed) => return Ok(Err(malformed)),
            Ok(Progress::Complete(preamble)) => return Ok(Ok(preamble)),
            Ok(Progress::Needs(total)) => {
                // Whatever arrives is looked at, so that a stranger is known by his first byte.
                match stream.read(&mut bytes[have..total]).await? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    count => have += count,
                }
            }
        }
    }
}

/// Reads one message and not a byte more.
pub(crate) async fn read_message<M: Message>(stream: &mut impl Transport) -> io::Result<M> {
    let mut decoder = Decoder::default();
    loop {
        let mut piece = Zeroizing::new(vec![0; decoder.needs().map_err(malformed)?]);
        stream.read_exact(&mut piece).await?;
        if let (_, Some(message)) = decoder.read(&piece).map_err(malformed)? {
            return Ok(message);
        }
    }
}

/// Writes one message, after `before`.
pub(crate) async fn write_message(
    stream: &mut impl Transport,
    before: &[u8],
    message: &impl Message,
) -> io::Result<()> {
    let mut bytes = Zeroizing::new(before.to_vec());
    bytes.extend_from_slice(&encode(message).map_err(malformed)?);
    stream.write_all(&bytes).await?;
    stream.flush().await
}

fn malformed(error: CodecError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
