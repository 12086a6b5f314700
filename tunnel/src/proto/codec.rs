//! Message encoding: a 4-byte big-endian length, followed by that many bytes of JSON.

use super::message::{FromAgent, FromServer};
use serde::{Serialize, de::DeserializeOwned};
use zeroize::Zeroizing;

/// Longest JSON body of a message in bytes, in either direction.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// Bytes of the length prefix.
const LENGTH: usize = 4;

/// A message of one direction.
pub trait Message: Serialize + DeserializeOwned {
    /// Whether the message has a type that this build does not know.
    fn is_unknown(&self) -> bool;
}

impl Message for FromAgent {
    fn is_unknown(&self) -> bool {
        matches!(self, FromAgent::Unknown)
    }
}

impl Message for FromServer {
    fn is_unknown(&self) -> bool {
        matches!(self, FromServer::Unknown)
    }
}

/// A message cannot be encoded or decoded.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// The message is longer than [`MAX_MESSAGE_BYTES`].
    #[error("a message of {0} bytes exceeds the limit")]
    TooLong(usize),
    /// The body is not the expected JSON.
    #[error("a message is malformed: {0}")]
    Malformed(serde_json::Error),
}

/// Encodes a message. The bytes are wiped from memory on drop, because a message may hold a secret.
///
/// # Errors
/// [`CodecError::TooLong`] if the body exceeds [`MAX_MESSAGE_BYTES`]; [`CodecError::Malformed`] if it cannot be
/// written as JSON.
pub fn encode(message: &impl Message) -> Result<Zeroizing<Vec<u8>>, CodecError> {
    let mut bytes = Zeroizing::new(vec![0; LENGTH]);
    serde_json::to_writer(&mut *bytes, message).map_err(CodecError::Malformed)?;
    let length = bytes.len() - LENGTH;
    if length > MAX_MESSAGE_BYTES {
        return Err(CodecError::TooLong(length));
    }
    bytes[..LENGTH].copy_from_slice(&(length as u32).to_be_bytes());
    Ok(bytes)
}

/// Decodes messages from a byte stream. Buffers at most one incomplete message.
#[derive(Default)]
pub struct Decoder {
    bytes: Zeroizing<Vec<u8>>,
}

impl Decoder {
    /// Number of bytes missing from the current message. Reading no more than these never consumes bytes of the next.
    ///
    /// # Errors
    /// [`CodecError::TooLong`] if the length prefix exceeds [`MAX_MESSAGE_BYTES`].
    pub fn bytes_needed(&self) -> Result<usize, CodecError> {
        let Some(length) = self.bytes.first_chunk::<LENGTH>() else { return Ok(LENGTH - self.bytes.len()) };
        let length = u32::from_be_bytes(*length) as usize;
        if length > MAX_MESSAGE_BYTES {
            return Err(CodecError::TooLong(length));
        }
        Ok(LENGTH + length - self.bytes.len())
    }

    /// Consumes bytes of the current message. Returns the number of bytes used, and the message once it is complete.
    /// Messages of unknown types are skipped.
    ///
    /// # Errors
    /// [`CodecError`] if the message is too long or not the expected JSON.
    pub fn read<M: Message>(&mut self, bytes: &[u8]) -> Result<(usize, Option<M>), CodecError> {
        let mut used = 0;
        loop {
            let needed = self.bytes_needed()?;
            if needed == 0 {
                let message: M = serde_json::from_slice(&self.bytes[LENGTH..]).map_err(CodecError::Malformed)?;
                self.bytes = Zeroizing::default();
                if !message.is_unknown() {
                    return Ok((used, Some(message)));
                }
            } else if used == bytes.len() {
                return Ok((used, None));
            } else {
                let count = needed.min(bytes.len() - used);
                self.bytes.extend_from_slice(&bytes[used..used + count]);
                used += count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{
        message::{AppProtocol, Bind, BindKind, Bound, Hello, Scheme},
        version::VersionRange,
    };
    use postern_api::{Code, Error, Secret};
    use proptest::prelude::*;

    fn frame(json: &str) -> Vec<u8> {
        [&(json.len() as u32).to_be_bytes(), json.as_bytes()].concat()
    }

    fn read_all<M: Message>(wire: &[u8], size: usize) -> Result<Vec<M>, CodecError> {
        let mut decoder = Decoder::default();
        let mut messages = Vec::new();
        for mut piece in wire.chunks(size) {
            while !piece.is_empty() {
                let (used, message) = decoder.read(piece)?;
                messages.extend(message);
                piece = &piece[used..];
            }
        }
        Ok(messages)
    }

    fn any_message() -> impl Strategy<Value = FromAgent> {
        prop_oneof![
            Just(FromAgent::Goodbye),
            any::<u64>().prop_map(|nonce| FromAgent::Ping { nonce }),
            any::<u32>().prop_map(|number| FromAgent::Unbind { number }),
            (".{0,40}", ".{0,40}", any::<u64>(), any::<bool>()).prop_map(|(name, metadata, request, inspect)| {
                let what = BindKind::Http { host: Some(name.clone()), scheme: Scheme::Https, previous: None };
                FromAgent::Bind(Bind {
                    request,
                    name,
                    what,
                    forwards_to: String::new(),
                    metadata,
                    inspect,
                    app_protocol: AppProtocol::Http2,
                    per_visitor: true,
                    modules: None,
                })
            }),
        ]
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_messages(messages in prop::collection::vec(any_message(), 0..6), size in 1usize..90) {
            let wire: Vec<u8> = messages.iter().flat_map(|message| encode(message).unwrap().to_vec()).collect();
            prop_assert_eq!(read_all::<FromAgent>(&wire, size).unwrap(), messages);
        }

        #[test]
        fn any_bytes_are_read_without_panic_and_bounded(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read_all::<FromServer>(&bytes, 7);
        }
    }

    #[test]
    fn unknown_types_are_skipped_and_unknown_fields_ignored() {
        let wire = [
            frame(r#"{"type":"compress","with":{"level":9}}"#),
            frame(r#"{"type":"ping","nonce":7,"newer":true}"#),
            frame(r#"{"type":"farewell"}"#),
            frame(r#"{"type":"drain"}"#),
        ]
        .concat();
        let expected = vec![FromServer::Ping { nonce: 7 }, FromServer::Drain { error: None }];
        assert_eq!(read_all::<FromServer>(&wire, 5).unwrap(), expected);
    }

    #[test]
    fn a_hostile_length_is_refused_before_anything_is_buffered() {
        let mut decoder = Decoder::default();
        let error = decoder.read::<FromAgent>(&u32::MAX.to_be_bytes()).unwrap_err();
        assert!(matches!(error, CodecError::TooLong(length) if length == u32::MAX as usize));
        assert!(decoder.bytes.capacity() < 64, "the length reserves nothing");
    }

    #[test]
    fn malformed_json_is_an_error() {
        for json in ["", "[]", "{}", "{\"type\":\"ping\"}", "\u{0}"] {
            assert!(read_all::<FromAgent>(&[frame(json), vec![0; 4]].concat(), 64).is_err(), "{json:?} was accepted");
        }
    }

    #[test]
    fn a_message_too_long_is_not_sent() {
        let error = Error::new(Code::Internal, "x".repeat(MAX_MESSAGE_BYTES));
        assert!(matches!(encode(&FromServer::End { error }), Err(CodecError::TooLong(_))));
    }

    #[test]
    fn an_old_hello_without_newer_fields_is_understood() {
        let wire = frame(r#"{"type":"hello","token":"t"}"#);
        let [FromAgent::Hello(hello)] = &read_all::<FromAgent>(&wire, 100).unwrap()[..] else {
            panic!("a hello was sent");
        };
        let expected = Hello {
            protocol: VersionRange::SUPPORTED,
            agent_version: String::new(),
            os: String::new(),
            instance: String::new(),
            token: Secret::new("t"),
            metadata: String::new(),
            remote_management: false,
            run: String::new(),
            replaces: String::new(),
            at: Vec::new(),
            host: None,
        };
        assert_eq!(hello, &expected);
    }

    #[test]
    fn messages_are_spelled_as_agreed() {
        let bound = FromServer::Bound(Bound {
            request: 1,
            tunnel: "tn_1".into(),
            number: 2,
            url: Some("https://a.localhost".into()),
            host: None,
            port: None,
        });
        let bytes = encode(&bound).unwrap();
        let text = r#"{"type":"bound","request":1,"tunnel":"tn_1","number":2,"url":"https://a.localhost","host":null,"port":null}"#;
        assert_eq!(&bytes[LENGTH..], text.as_bytes());
    }
}
