//! What the fuzz targets of this crate check. In tests and under the fuzzer only.

use crate::{
    StreamStart,
    proto::{
        codec::{Decoder, Message, encode as encode_message},
        frame::FrameReader,
        message::{FromAgent, FromServer},
        preamble::{MAX_PREAMBLE, Preamble, Progress},
        verdict::{Verdict, VerdictReader},
    },
    proxy::{self, LONGEST, Look, ProxyHeader, ProxyVersion, encode},
};

/// What the two ends of a session say to each other: every decoder reads the same bytes, in pieces whose size the first
/// byte chooses.
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

/// What is read back is what was written, and reading asks for a bounded number of bytes.
fn preamble(bytes: &[u8]) {
    match Preamble::decode(bytes) {
        Ok(Progress::Complete(preamble)) => assert!(bytes.starts_with(&preamble.encode())),
        Ok(Progress::Needs(total)) => assert!(total > bytes.len() && total <= MAX_PREAMBLE),
        Err(_) => {}
    }
}

/// Messages are the same in any pieces, and what is understood can be said again.
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
        // Escapes may make a message longer than one may be.
        if let Ok(again) = encode_message(&message) {
            let (_, read) = Decoder::default().read::<M>(&again).expect("own bytes are understood");
            assert_eq!(read, Some(message));
        }
    }
}

/// Frames read in any pieces give what they give when read at once.
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

/// A start that is understood survives being written again.
fn stream_start(bytes: &[u8]) {
    if let Ok(start) = StreamStart::decode(bytes) {
        assert_eq!(StreamStart::decode(&start.encode()[1..]), Ok(start));
    }
}

/// Verdicts read in any pieces are the same, and take the same bytes.
fn verdict(bytes: &[u8], size: usize) {
    let read = |size: usize| -> Option<(Verdict, usize)> {
        let mut reader = VerdictReader::default();
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

/// A header of the PROXY protocol read as far as is asked for ends where it ends when read at once, and not a byte
/// later; one that names a visitor can be written again in both versions.
pub fn proxy(bytes: &[u8]) {
    let mut taken = 0;
    let verdict = loop {
        match proxy::look(&bytes[..taken]) {
            Ok(Look::Part(wanted)) => {
                assert!(wanted > 0 && taken + wanted <= LONGEST);
                if taken + wanted > bytes.len() {
                    break Ok(None);
                }
                taken += wanted;
            }
            Ok(Look::Whole(header, length)) => {
                assert_eq!(length, taken, "not a byte too many");
                break Ok(Some(header));
            }
            Err(error) => break Err(error),
        }
    };
    match (verdict, proxy::look(bytes)) {
        (Ok(Some(header)), whole) => assert_eq!(whole, Ok(Look::Whole(header, taken))),
        (Err(_), whole) => assert!(whole.is_err()),
        (Ok(None), whole) => assert!(!matches!(whole, Ok(Look::Whole(..)))),
    }
    if let Ok(Some(ProxyHeader::Visitor { source, destination })) = verdict {
        let plain = |address: std::net::SocketAddr| (address.ip().to_canonical(), address.port());
        for version in [ProxyVersion::V1, ProxyVersion::V2] {
            let written = encode(version, source, Some(destination));
            let Ok(Look::Whole(ProxyHeader::Visitor { source: from, destination: to }, length)) = proxy::look(&written)
            else {
                panic!("own bytes are understood");
            };
            assert_eq!(
                (length, plain(from), plain(to)),
                (written.len(), plain(source), plain(destination)),
                "{version:?} says the same"
            );
        }
    }
}

#[cfg(test)]
#[path = "../../fuzz/replay.rs"]
mod replay;

#[test]
fn the_corpora_pass() {
    replay::replay("tunnel", &[("session", session), ("proxy", proxy)]);
}
