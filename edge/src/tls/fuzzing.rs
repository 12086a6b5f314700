//! The checks of the fuzz target for the ClientHello.

use super::hello::ReceivedHello;
use bytes::Bytes;
use futures::{executor::block_on, stream};
use postern_api::host::HostName;
use std::io;
use tokio_util::io::StreamReader;

/// Protocols that lead somewhere else than to HTTP.
const PROTOCOLS: [&[u8]; 2] = [postern_tunnel::ALPN, crate::tls::challenges::ALPN];

/// The ClientHello, or the alert it got.
#[derive(Debug, PartialEq, Eq)]
enum ReadHello {
    Hello { name: Option<HostName>, offers: [bool; 2] },
    Refused { kind: io::ErrorKind, alert: Vec<u8> },
}

/// Reads a ClientHello in pieces whose size the first byte chooses: the result must not depend on the split, name and
/// protocols must be those that a plain reader finds, and the bytes must be kept unchanged.
pub fn hello(bytes: &[u8]) {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    let result = read(bytes, usize::from(size) + 1);
    assert_eq!(result, read(bytes, usize::MAX), "wherever it is split");
    if let ReadHello::Hello { name, offers } = result {
        let message = handshake(bytes);
        let plain = Plain::read(&message).expect("what is understood can be read");
        if name.is_some() {
            assert_eq!(name, plain.name.and_then(|name| HostName::parse(name).ok()));
        }
        assert_eq!(offers, PROTOCOLS.map(|protocol| plain.protocols.contains(&protocol)));
    }
}

fn read(bytes: &[u8], size: usize) -> ReadHello {
    let pieces: Vec<io::Result<Bytes>> = bytes.chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let mut stream = tokio::io::join(StreamReader::new(stream::iter(pieces)), Vec::new());
    match block_on(ReceivedHello::read(&mut stream)) {
        Ok(hello) => {
            assert!(stream.writer().is_empty(), "nothing was said yet");
            let result =
                ReadHello::Hello { name: hello.name(), offers: PROTOCOLS.map(|protocol| hello.offers(protocol)) };
            assert!(bytes.starts_with(&hello.into_bytes()));
            result
        }
        Err(error) => ReadHello::Refused { kind: error.kind(), alert: stream.into_inner().1 },
    }
}

/// The handshake bytes of all records.
fn handshake(mut bytes: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    while let Some(([_, _, _, high, low], rest)) = bytes.split_first_chunk::<5>() {
        let length = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
        joined.extend_from_slice(&rest[..length]);
        bytes = &rest[length..];
    }
    joined
}

/// A ClientHello, read without validation.
#[derive(Default)]
struct Plain<'a> {
    name: Option<&'a str>,
    protocols: Vec<&'a [u8]>,
}

impl<'a> Plain<'a> {
    fn read(message: &'a [u8]) -> Option<Self> {
        let mut rest = message.get(1 + 3 + 2 + 32..)?;
        take(&mut rest, 1)?;
        take(&mut rest, 2)?;
        take(&mut rest, 1)?;
        let mut plain = Plain::default();
        let Some(mut extensions) = take(&mut rest, 2) else { return Some(plain) };
        while let Some((kind, after)) = extensions.split_first_chunk::<2>() {
            extensions = after;
            let mut content = take(&mut extensions, 2)?;
            match kind {
                [0, 0] => {
                    let mut names = take(&mut content, 2)?;
                    plain.name =
                        names.split_off(1..).and_then(|mut name| std::str::from_utf8(take(&mut name, 2)?).ok());
                }
                [0, 16] => {
                    let mut list = take(&mut content, 2)?;
                    while let Some(protocol) = take(&mut list, 1) {
                        plain.protocols.push(protocol);
                    }
                }
                _ => {}
            }
        }
        Some(plain)
    }
}

/// Reads a vector: its length in `width` bytes, then its content.
fn take<'a>(bytes: &mut &'a [u8], width: usize) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_at_checked(width)?;
    let length = length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
    let (taken, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}
