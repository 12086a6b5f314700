//! Encryption and decryption of records with the traffic keys of one direction (RFC 8446, section 5.2).

use rustls::{
    ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion, SupportedCipherSuite,
    crypto::cipher::{
        AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundChunks,
        OutboundPlainMessage,
    },
};

/// The version that records have for the sake of middleboxes, and in TLS 1.2 indeed.
const RECORD_VERSION: ProtocolVersion = ProtocolVersion::TLSv1_2;

/// Keys of a direction with the number of the next record.
pub(super) type NumberedSecrets = (u64, ConnectionTrafficSecrets);

/// Encrypts the records of one direction. Each gets a nonce of its own, because only [`Encrypter::encrypt`] counts.
pub(super) struct Encrypter {
    cipher: Box<dyn MessageEncrypter>,
    next: u64,
    /// Records after which the keys must be replaced.
    limit: u64,
}

/// Decrypts the records of one direction.
pub(super) struct Decrypter {
    cipher: Box<dyn MessageDecrypter>,
    next: u64,
    is_tls13: bool,
}

impl Encrypter {
    pub(super) fn new(suite: SupportedCipherSuite, (next, secrets): NumberedSecrets) -> Result<Self, Error> {
        let (key, iv) = key_and_iv(secrets)?;
        let (mut cipher, limit) = match suite {
            SupportedCipherSuite::Tls13(suite) => {
                (suite.aead_alg.encrypter(key, iv), suite.common.confidentiality_limit)
            }
            SupportedCipherSuite::Tls12(suite) => {
                let (fixed, explicit) = iv.as_ref().split_at(suite.aead_alg.key_block_shape().fixed_iv_len);
                (suite.aead_alg.encrypter(key, fixed, explicit), suite.common.confidentiality_limit)
            }
        };
        if next > 0 {
            // AES-GCM of aws-lc refuses nonces that do not grow, and assumes that the first belongs to record 0. The output is
            // discarded.
            cipher.encrypt(message(ContentType::ApplicationData, OutboundChunks::new_empty()), 0)?;
        }
        // Numbers must not wrap, however high the cipher's limit is.
        Ok(Encrypter { cipher, next, limit: limit.min(u64::MAX / 2) })
    }

    /// Whether the keys must be replaced before the next record. One more is allowed, which says so.
    pub(super) fn is_exhausted(&self) -> bool {
        self.next.saturating_add(1) >= self.limit
    }

    /// Encrypts one record, with its header.
    pub(super) fn encrypt(&mut self, content: ContentType, payload: OutboundChunks<'_>) -> Result<Vec<u8>, Error> {
        let number = self.next;
        self.next = number.checked_add(1).ok_or(Error::EncryptError)?;
        Ok(self.cipher.encrypt(message(content, payload), number)?.encode())
    }

    #[cfg(test)]
    pub(super) fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }
}

impl Decrypter {
    pub(super) fn new(suite: SupportedCipherSuite, (next, secrets): NumberedSecrets) -> Result<Self, Error> {
        let (key, iv) = key_and_iv(secrets)?;
        let (cipher, is_tls13) = match suite {
            SupportedCipherSuite::Tls13(suite) => (suite.aead_alg.decrypter(key, iv), true),
            SupportedCipherSuite::Tls12(suite) => {
                let fixed = &iv.as_ref()[..suite.aead_alg.key_block_shape().fixed_iv_len];
                (suite.aead_alg.decrypter(key, fixed), false)
            }
        };
        Ok(Decrypter { cipher, next, is_tls13 })
    }

    /// Decrypts a record where it is. `content` is the type in its header.
    pub(super) fn decrypt<'a>(
        &mut self,
        content: ContentType,
        fragment: &'a mut [u8],
    ) -> Result<InboundPlainMessage<'a>, Error> {
        if self.is_tls13 && content != ContentType::ApplicationData {
            let expect_types = vec![ContentType::ApplicationData];
            return Err(Error::InappropriateMessage { expect_types, got_type: content });
        }
        let number = self.next;
        self.next = number.checked_add(1).ok_or(Error::DecryptError)?;
        self.cipher.decrypt(InboundOpaqueMessage::new(content, RECORD_VERSION, fragment), number)
    }
}

fn message(content: ContentType, payload: OutboundChunks<'_>) -> OutboundPlainMessage<'_> {
    OutboundPlainMessage { typ: content, version: RECORD_VERSION, payload }
}

fn key_and_iv(secrets: ConnectionTrafficSecrets) -> Result<(AeadKey, Iv), Error> {
    match secrets {
        ConnectionTrafficSecrets::Aes128Gcm { key, iv }
        | ConnectionTrafficSecrets::Aes256Gcm { key, iv }
        | ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => Ok((key, iv)),
        _ => Err(Error::General("the cipher suite has no keys that can be used".into())),
    }
}
