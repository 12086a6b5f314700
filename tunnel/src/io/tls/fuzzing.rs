//! The check of the fuzz target for records.

use super::{
    HEADER_LENGTH, MAX_EXPANSION, MAX_PLAINTEXT,
    incoming::Incoming,
    messages::{HandshakeMessage, MessageReader},
};
use std::task::{Context, Poll, Waker};

/// Records and handshake messages do not depend on the pieces that they are received in, whose size is given by the first byte.
pub fn tls(bytes: &[u8]) {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    let size = usize::from(size) + 1;
    let plain = plain_records(bytes);
    assert_eq!(records(bytes, size), plain);
    assert_eq!(records(bytes, usize::MAX), plain);
    messages(bytes, size);
}

/// Records by the types in their headers, and whether an invalid one came next.
type Records = (Vec<(u8, Vec<u8>)>, bool);

fn records(bytes: &[u8], size: usize) -> Records {
    let (mut incoming, mut found) = (Incoming::default(), Vec::new());
    let mut cx = Context::from_waker(Waker::noop());
    for mut piece in bytes.chunks(size) {
        while !piece.is_empty() {
            let received = incoming.poll_receive(&mut piece, &mut cx);
            assert!(matches!(received, Poll::Ready(Ok(1..))), "there is room");
            loop {
                match incoming.next_record() {
                    Ok(Some(record)) => found.push((u8::from(record.content), record.fragment.to_vec())),
                    Ok(None) => break,
                    Err(_) => return (found, true),
                }
                // What is not application data leaves no plaintext.
                incoming.set_plaintext(0..0);
            }
        }
    }
    (found, false)
}

fn plain_records(mut bytes: &[u8]) -> Records {
    let mut found = Vec::new();
    while let Some((&[content, major, _, high, low], rest)) = bytes.split_first_chunk::<HEADER_LENGTH>() {
        let length = usize::from(high) << 8 | usize::from(low);
        if major != 3 || length > MAX_PLAINTEXT + MAX_EXPANSION {
            return (found, true);
        }
        if rest.len() < length {
            break;
        }
        found.push((content, rest[..length].to_vec()));
        bytes = &rest[length..];
    }
    (found, false)
}

fn messages(bytes: &[u8], size: usize) {
    let read = |size: usize| {
        let (mut reader, mut found) = (MessageReader::default(), Vec::new());
        let is_valid = bytes.chunks(size).all(|record| {
            let mut receive = |message: HandshakeMessage<'_>| {
                found.push((u8::from(message.kind), message.body.to_vec()));
                Ok(())
            };
            reader.read(record, &mut receive).is_ok()
        });
        (found, is_valid, is_valid && reader.is_mid_message())
    };
    assert_eq!(read(size), read(usize::MAX));
}
