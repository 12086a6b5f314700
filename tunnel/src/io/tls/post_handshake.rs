//! The connection after the handshake without its socket: records of all types, key updates and alerts.

use super::{
    incoming::{Incoming, Record},
    invalid_data,
    keys::{Decrypter, Encrypter},
    messages::{HandshakeMessage, MessageReader},
    outgoing::Outgoing,
};
use rustls::{
    AlertDescription, ContentType, Error, ExtractedSecrets, HandshakeType, InvalidMessage, PeerMisbehaved,
    ProtocolVersion, SupportedCipherSuite, client::ClientConnectionData, crypto::cipher::OutboundChunks,
    kernel::KernelConnection, server::ServerConnectionData,
};
use std::{io, ops::Range};

/// Key updates that the peer may send without any data in between, as in rustls and BoringSSL.
const MAX_KEY_UPDATES: u8 = 32;
/// Empty records that the peer may send without any other in between, as in rustls and OpenSSL.
const MAX_EMPTY_RECORDS: u8 = 32;
/// Warnings that the peer may send, as in rustls and BoringSSL.
const MAX_WARNINGS: u8 = 4;
/// `update_not_requested` and `update_requested` (RFC 8446, section 4.6.3).
const UPDATE_NOT_REQUESTED: u8 = 0;
const UPDATE_REQUESTED: u8 = 1;
const WARNING: u8 = 1;
const FATAL: u8 = 2;

/// The secrets of a connection, which make new keys and keep session tickets.
pub(super) enum Secrets {
    Server(KernelConnection<ServerConnectionData>),
    Client(KernelConnection<ClientConnectionData>),
}

/// An established connection.
pub(super) struct Session {
    secrets: Secrets,
    encrypter: Encrypter,
    decrypter: Decrypter,
    messages: MessageReader,
    key_updates: u8,
    /// Whether this end has replaced its keys at the peer's request, and may not have told it yet.
    is_key_update_queued: bool,
    empty_records: u8,
    warnings: u8,
    has_refused_renegotiation: bool,
    /// Whether the peer has announced that it sends nothing more.
    pub(super) is_read_closed: bool,
    /// Whether this end has.
    is_write_closed: bool,
    failure: Option<Error>,
}

impl Secrets {
    fn suite(&self) -> SupportedCipherSuite {
        match self {
            Secrets::Server(connection) => connection.negotiated_cipher_suite(),
            Secrets::Client(connection) => connection.negotiated_cipher_suite(),
        }
    }

    fn is_tls13(&self) -> bool {
        let version = match self {
            Secrets::Server(connection) => connection.protocol_version(),
            Secrets::Client(connection) => connection.protocol_version(),
        };
        version == ProtocolVersion::TLSv1_3
    }

    fn new_encrypter(&mut self) -> Result<Encrypter, Error> {
        let secrets = match self {
            Secrets::Server(connection) => connection.update_tx_secret(),
            Secrets::Client(connection) => connection.update_tx_secret(),
        };
        Encrypter::new(self.suite(), secrets?)
    }

    fn new_decrypter(&mut self) -> Result<Decrypter, Error> {
        let secrets = match self {
            Secrets::Server(connection) => connection.update_rx_secret(),
            Secrets::Client(connection) => connection.update_rx_secret(),
        };
        Decrypter::new(self.suite(), secrets?)
    }
}

impl Session {
    pub(super) fn new(secrets: Secrets, extracted: ExtractedSecrets) -> Result<Self, Error> {
        let suite = secrets.suite();
        Ok(Session {
            encrypter: Encrypter::new(suite, extracted.tx)?,
            decrypter: Decrypter::new(suite, extracted.rx)?,
            secrets,
            messages: MessageReader::default(),
            key_updates: 0,
            is_key_update_queued: false,
            empty_records: 0,
            warnings: 0,
            has_refused_renegotiation: false,
            is_read_closed: false,
            is_write_closed: false,
            failure: None,
        })
    }

    /// Encrypts application data into one record.
    pub(super) fn send(&mut self, data: OutboundChunks<'_>, outgoing: &mut Outgoing) -> io::Result<()> {
        if self.is_write_closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if self.encrypter.is_exhausted() {
            if !self.secrets.is_tls13() {
                self.close(outgoing);
                return Err(invalid_data(Error::EncryptError));
            }
            self.update_own_keys(outgoing).map_err(invalid_data)?;
        }
        outgoing.push(self.encrypter.encrypt(ContentType::ApplicationData, data).map_err(invalid_data)?);
        Ok(())
    }

    /// Announces that nothing more is sent.
    pub(super) fn close(&mut self, outgoing: &mut Outgoing) {
        if !std::mem::replace(&mut self.is_write_closed, true) {
            self.send_alert(WARNING, AlertDescription::CloseNotify, outgoing);
        }
    }

    /// Decrypts records until there is plaintext, or no whole record any more.
    ///
    /// # Errors
    /// What the peer did wrong, now or before. It is told with an alert in `outgoing`.
    pub(super) fn decrypt_next(&mut self, incoming: &mut Incoming, outgoing: &mut Outgoing) -> io::Result<()> {
        if let Some(error) = &self.failure {
            return Err(invalid_data(error.clone()));
        }
        while !incoming.has_plaintext() && !self.is_read_closed {
            match self.decrypt_one(incoming, outgoing) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.is_write_closed = true;
                    if let Some(alert) = alert_for(&error) {
                        self.send_alert(FATAL, alert, outgoing);
                    }
                    self.failure = Some(error.clone());
                    *incoming = Incoming::default();
                    return Err(invalid_data(error));
                }
            }
        }
        if self.is_read_closed && !incoming.has_plaintext() {
            // Nothing may follow the end.
            *incoming = Incoming::default();
        }
        Ok(())
    }

    /// Decrypts a record, if there is one.
    fn decrypt_one(&mut self, incoming: &mut Incoming, outgoing: &mut Outgoing) -> Result<bool, Error> {
        let Some(Record { content, fragment, fragment_start }) = incoming.next_record()? else { return Ok(false) };
        let start = fragment.as_ptr().addr();
        let message = self.decrypter.decrypt(content, fragment)?;
        if message.typ != ContentType::Handshake && self.messages.is_mid_message() {
            return Err(PeerMisbehaved::MessageInterleavedWithHandshakeMessage.into());
        }
        if !message.payload.is_empty() {
            self.empty_records = 0;
        } else if self.empty_records == MAX_EMPTY_RECORDS {
            return Err(PeerMisbehaved::TooManyEmptyFragments.into());
        } else {
            self.empty_records += 1;
        }
        let plaintext = match message.typ {
            ContentType::ApplicationData => {
                self.key_updates = 0;
                let from = fragment_start + message.payload.as_ptr().addr() - start;
                from..from + message.payload.len()
            }
            ContentType::Alert => {
                self.receive_alert(message.payload)?;
                Range::default()
            }
            ContentType::Handshake => {
                self.receive_handshake(message.payload, outgoing)?;
                Range::default()
            }
            got_type => {
                let expect_types = vec![ContentType::ApplicationData, ContentType::Handshake, ContentType::Alert];
                return Err(Error::InappropriateMessage { expect_types, got_type });
            }
        };
        incoming.set_plaintext(plaintext);
        Ok(true)
    }

    fn receive_alert(&mut self, payload: &[u8]) -> Result<(), Error> {
        let &[level, description] = payload else { return Err(InvalidMessage::MessageTooShort.into()) };
        let description = AlertDescription::from(description);
        // TLS 1.3 has no levels: all but these two end the connection.
        let is_warning = match self.secrets.is_tls13() {
            true => description == AlertDescription::UserCanceled,
            false => level == WARNING,
        };
        if description == AlertDescription::CloseNotify {
            self.is_read_closed = true;
        } else if !is_warning {
            return Err(Error::AlertReceived(description));
        } else {
            self.warnings += 1;
            if self.warnings > MAX_WARNINGS {
                return Err(PeerMisbehaved::TooManyWarningAlertsReceived.into());
            }
        }
        Ok(())
    }

    fn receive_handshake(&mut self, record: &[u8], outgoing: &mut Outgoing) -> Result<(), Error> {
        let mut messages = std::mem::take(&mut self.messages);
        let received = messages.read(record, |message| self.receive_message(message, outgoing));
        self.messages = messages;
        received
    }

    fn receive_message(&mut self, message: HandshakeMessage<'_>, outgoing: &mut Outgoing) -> Result<(), Error> {
        let HandshakeMessage { kind, body, is_last } = message;
        let is_tls13 = self.secrets.is_tls13();
        match (kind, &mut self.secrets) {
            (HandshakeType::KeyUpdate, secrets) if is_tls13 => {
                // What follows is encrypted with other keys, so that it must begin another record.
                if !is_last {
                    return Err(PeerMisbehaved::KeyEpochWithPendingFragment.into());
                }
                if self.key_updates == MAX_KEY_UPDATES {
                    return Err(PeerMisbehaved::TooManyKeyUpdateRequests.into());
                }
                self.key_updates += 1;
                self.decrypter = secrets.new_decrypter()?;
                match body {
                    [UPDATE_NOT_REQUESTED] => Ok(()),
                    [UPDATE_REQUESTED] => self.answer_key_update(outgoing),
                    _ => Err(InvalidMessage::InvalidKeyUpdate.into()),
                }
            }
            (HandshakeType::NewSessionTicket, Secrets::Client(connection)) if is_tls13 => {
                connection.handle_new_session_ticket(body)
            }
            (HandshakeType::ClientHello, Secrets::Server(_)) | (HandshakeType::HelloRequest, Secrets::Client(_))
                if !is_tls13 =>
            {
                if std::mem::replace(&mut self.has_refused_renegotiation, true) {
                    return Err(PeerMisbehaved::TooManyRenegotiationRequests.into());
                }
                self.send_alert(WARNING, AlertDescription::NoRenegotiation, outgoing);
                Ok(())
            }
            _ => Err(Error::InappropriateHandshakeMessage {
                expect_types: vec![HandshakeType::KeyUpdate, HandshakeType::NewSessionTicket],
                got_type: kind,
            }),
        }
    }

    /// Replaces this end's keys as the peer has requested. One update answers all requests until it is sent (RFC 8446, section 4.6.3).
    fn answer_key_update(&mut self, outgoing: &mut Outgoing) -> Result<(), Error> {
        self.is_key_update_queued &= outgoing.len() > 0;
        if self.is_write_closed || std::mem::replace(&mut self.is_key_update_queued, true) {
            return Ok(());
        }
        self.update_own_keys(outgoing)
    }

    /// Tells the peer that further records have new keys, and makes these.
    fn update_own_keys(&mut self, outgoing: &mut Outgoing) -> Result<(), Error> {
        let message = [u8::from(HandshakeType::KeyUpdate), 0, 0, 1, UPDATE_NOT_REQUESTED];
        outgoing.push(self.encrypter.encrypt(ContentType::Handshake, OutboundChunks::from(&message[..]))?);
        self.encrypter = self.secrets.new_encrypter()?;
        Ok(())
    }

    /// An alert that cannot be encrypted is not sent: there is an error already, or the connection ends anyway.
    fn send_alert(&mut self, level: u8, description: AlertDescription, outgoing: &mut Outgoing) {
        let alert = [level, u8::from(description)];
        if let Ok(record) = self.encrypter.encrypt(ContentType::Alert, OutboundChunks::from(&alert[..])) {
            outgoing.push(record);
        }
    }

    #[cfg(test)]
    pub(super) fn renew_encrypter(&mut self) {
        self.encrypter = self.secrets.new_encrypter().expect("TLS 1.3");
    }

    #[cfg(test)]
    pub(super) fn encrypter(&mut self) -> &mut Encrypter {
        &mut self.encrypter
    }
}

/// The alert that tells the peer what it did wrong; `None` if it has sent an alert itself.
fn alert_for(error: &Error) -> Option<AlertDescription> {
    Some(match error {
        Error::AlertReceived(_) => return None,
        Error::DecryptError => AlertDescription::BadRecordMac,
        Error::PeerSentOversizedRecord | Error::InvalidMessage(InvalidMessage::MessageTooLarge) => {
            AlertDescription::RecordOverflow
        }
        Error::InvalidMessage(InvalidMessage::UnknownProtocolVersion) => AlertDescription::ProtocolVersion,
        Error::InvalidMessage(InvalidMessage::InvalidKeyUpdate) => AlertDescription::IllegalParameter,
        Error::InvalidMessage(_) => AlertDescription::DecodeError,
        Error::PeerMisbehaved(_) | Error::InappropriateMessage { .. } | Error::InappropriateHandshakeMessage { .. } => {
            AlertDescription::UnexpectedMessage
        }
        _ => AlertDescription::InternalError,
    })
}
