//! Checks of this crate's fuzz targets. Compiled for tests and the fuzzer only.

pub use crate::io::tls::fuzzing::tls;
use crate::{
    StreamStart,
    proto::{
        codec::{Decoder, Message, encode as encode_message},
        frame::FrameReader,
        message::{FromAgent, FromServer},
        preamble::{MAX_PREAMBLE, Preamble, PreambleProgress},
        stream_reply::{StreamReply, StreamReplyReader},
    },
    proxy::{self, HeaderParse, MAX_HEADER_BYTES, ProxyHeader, ProxyVersion, encode},
};

/// Session protocol: every decoder reads the same bytes, in pieces whose size is given by the first byte.
pub fn session(bytes: &[u8]) {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    let size = usize::from(size) + 1;
    preamble(bytes);
    messages::<FromAgent>(bytes, size);
    messages::<FromServer>(bytes, size);
    frames(bytes, size);
    stream_start(bytes);
    verdict(bytes, size);
}

/// A decoded preamble encodes to the same bytes, and decoding needs a bounded number of bytes.
fn preamble(bytes: &[u8]) {
    match Preamble::decode(bytes) {
        Ok(PreambleProgress::Complete(preamble)) => assert!(bytes.starts_with(&preamble.encode())),
        Ok(PreambleProgress::Incomplete(total)) => assert!(total > bytes.len() && total <= MAX_PREAMBLE),
        Err(_) => {}
    }
}

/// Messages do not depend on the pieces they are read in, and a decoded message can be encoded again.
fn messages<M: Message + PartialEq + std::fmt::Debug>(bytes: &[u8], size: usize) {
    let read = |size: usize| {
        let mut decoder = Decoder::default();
        let mut messages = Vec::new();
        for mut piece in bytes.chunks(size) {
            while !piece.is_empty() {
                let Ok((used, message)) = decoder.read::<M>(piece) else { return (messages, false) };
                messages.extend(message);
                piece = &piece[used..];
            }
        }
        (messages, true)
    };
    let whole = read(usize::MAX);
    assert_eq!(whole, read(size));
    for message in whole.0 {
        // Escapes may make a message exceed the limit.
        if let Ok(again) = encode_message(&message) {
            let (_, read) = Decoder::default().read::<M>(&again).expect("encoded bytes can be decoded");
            assert_eq!(read, Some(message));
        }
    }
}

/// Frames do not depend on the pieces they are read in.
fn frames(bytes: &[u8], size: usize) {
    let read = |size: usize| {
        let mut reader = FrameReader::default();
        let (mut payload, mut used) = (Vec::new(), 0);
        for piece in bytes.chunks(size) {
            match reader.read(piece, |bytes| payload.extend_from_slice(bytes)) {
                Ok(count) => used += count,
                Err(_) => return (payload, None),
            }
        }
        (payload, Some((used, reader.ended())))
    };
    let whole = read(usize::MAX);
    assert!(whole.0.len() <= bytes.len());
    assert_eq!(whole, read(size));
}

/// A decoded stream start can be encoded again.
fn stream_start(bytes: &[u8]) {
    if let Ok(start) = StreamStart::decode(bytes) {
        assert_eq!(StreamStart::decode(&start.encode()[1..]), Ok(start));
    }
}

/// Stream replies do not depend on the pieces they are read in, and consume the same bytes.
fn verdict(bytes: &[u8], size: usize) {
    let read = |size: usize| -> Option<(StreamReply, usize)> {
        let mut reader = StreamReplyReader::default();
        let mut used = 0;
        for piece in bytes.chunks(size) {
            let (verdict, count) = reader.read(piece).ok()?;
            used += count;
            if let Some(verdict) = verdict {
                return Some((verdict, used));
            }
        }
        None
    };
    assert_eq!(read(usize::MAX), read(size));
}

/// A PROXY protocol header read step by step ends at the same byte as one read at once; a header with a visitor can be
/// encoded again in both versions.
pub fn proxy(bytes: &[u8]) {
    let mut taken = 0;
    let verdict = loop {
        match proxy::parse(&bytes[..taken]) {
            Ok(HeaderParse::Incomplete(missing)) => {
                assert!(missing > 0 && taken + missing <= MAX_HEADER_BYTES);
                if taken + missing > bytes.len() {
                    break Ok(None);
                }
                taken += missing;
            }
            Ok(HeaderParse::Complete(header, length)) => {
                assert_eq!(length, taken, "not a byte too many");
                break Ok(Some(header));
            }
            Err(error) => break Err(error),
        }
    };
    match (verdict, proxy::parse(bytes)) {
        (Ok(Some(header)), whole) => assert_eq!(whole, Ok(HeaderParse::Complete(header, taken))),
        (Err(_), whole) => assert!(whole.is_err()),
        (Ok(None), whole) => assert!(!matches!(whole, Ok(HeaderParse::Complete(..)))),
    }
    if let Ok(Some(ProxyHeader::Visitor { source, destination })) = verdict {
        let plain = |address: std::net::SocketAddr| (address.ip().to_canonical(), address.port());
        for version in [ProxyVersion::V1, ProxyVersion::V2] {
            let encoded = encode(version, source, Some(destination));
            let Ok(HeaderParse::Complete(ProxyHeader::Visitor { source: from, destination: to }, length)) =
                proxy::parse(&encoded)
            else {
                panic!("encoded bytes can be decoded");
            };
            assert_eq!(
                (length, plain(from), plain(to)),
                (encoded.len(), plain(source), plain(destination)),
                "{version:?} contains the same addresses"
            );
        }
    }
}

#[cfg(test)]
#[path = "../../fuzz/replay.rs"]
mod replay;

#[test]
fn the_corpora_pass() {
    replay::replay("tunnel", &[("session", session), ("proxy", proxy), ("tls", tls)]);
}
