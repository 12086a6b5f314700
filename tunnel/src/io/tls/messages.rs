//! Handshake messages, which share records or are spread over several (RFC 8446, section 5.1).

use rustls::{Error, HandshakeType, InvalidMessage};

/// The longest message that may follow the handshake: a session ticket.
const MAX_MESSAGE: usize = 64 * 1024;
/// Message type and length.
const HEADER_LENGTH: usize = 4;

/// A message as it was received.
pub(super) struct HandshakeMessage<'a> {
    pub(super) kind: HandshakeType,
    pub(super) body: &'a [u8],
    /// Whether its record contains nothing more.
    pub(super) is_last: bool,
}

/// Finds the messages in records.
#[derive(Default)]
pub(super) struct MessageReader {
    /// The beginning of a message whose rest comes in further records.
    partial: Vec<u8>,
}

impl MessageReader {
    /// Whether further records must continue a message.
    pub(super) fn is_mid_message(&self) -> bool {
        !self.partial.is_empty()
    }

    /// Dispatches the messages that this record completes.
    pub(super) fn read(
        &mut self,
        record: &[u8],
        receive: impl FnMut(HandshakeMessage<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if record.is_empty() {
            return Err(InvalidMessage::InvalidEmptyPayload.into());
        }
        if self.partial.is_empty() {
            self.partial = dispatch(record, receive)?.to_vec();
        } else {
            let mut joined = std::mem::take(&mut self.partial);
            joined.extend_from_slice(record);
            let rest = dispatch(&joined, receive)?.len();
            joined.drain(..joined.len() - rest);
            self.partial = joined;
        }
        Ok(())
    }
}

/// Dispatches whole messages. Returns the beginning of one that is not whole.
fn dispatch(
    mut messages: &[u8],
    mut receive: impl FnMut(HandshakeMessage<'_>) -> Result<(), Error>,
) -> Result<&[u8], Error> {
    while let Some((&[kind, high, middle, low], rest)) = messages.split_first_chunk::<HEADER_LENGTH>() {
        let length = u32::from_be_bytes([0, high, middle, low]) as usize;
        if length > MAX_MESSAGE {
            return Err(InvalidMessage::HandshakePayloadTooLarge.into());
        }
        let Some((body, rest)) = rest.split_at_checked(length) else { break };
        receive(HandshakeMessage { kind: HandshakeType::from(kind), body, is_last: rest.is_empty() })?;
        messages = rest;
    }
    Ok(messages)
}
