//! Messages with a TSIG record at their end (RFC 8945): a signed request, and the response that must be signed, too.

use super::{DnsError, TsigKey};

const TSIG: u16 = 250;
const CLASS_ANY: u16 = 255;
/// Largest difference between the clocks of both sides, in seconds.
const FUDGE: u16 = 300;
/// Length of the header of a message.
const HEADER_BYTES: usize = 12;
/// Offset of the number of additional records in the header.
const ADDITIONAL_COUNT: usize = 10;

/// A signed request.
pub(super) struct SignedRequest<'a> {
    key: &'a TsigKey,
    /// The message as it is sent.
    pub(super) bytes: Vec<u8>,
    code: Vec<u8>,
}

/// The TSIG record of a response.
struct Signature<'a> {
    /// The message before it.
    signed: &'a [u8],
    owner: Vec<u8>,
    algorithm: Vec<u8>,
    time: u64,
    fudge: u16,
    code: &'a [u8],
    original_id: u16,
    error: u16,
    other: &'a [u8],
}

impl<'a> SignedRequest<'a> {
    /// Signs a message. `now` is in seconds since 1970.
    pub(super) fn new(key: &'a TsigKey, message: &[u8], now: u64) -> Self {
        let (name, algorithm) = (wire_name(key.name()), wire_name(key.algorithm().as_str()));
        let code = key.sign(&[message, &variables(&name, &algorithm, now, FUDGE, 0, &[])]);
        let mut data = algorithm;
        data.extend(&now.to_be_bytes()[2..]);
        data.extend(FUDGE.to_be_bytes());
        data.extend((code.len() as u16).to_be_bytes());
        data.extend(&code);
        data.extend(&message[..2]);
        // No error, and no other data.
        data.extend([0; 4]);
        let mut bytes = message.to_vec();
        let count = u16::from_be_bytes([message[ADDITIONAL_COUNT], message[ADDITIONAL_COUNT + 1]]) + 1;
        bytes[ADDITIONAL_COUNT..HEADER_BYTES].copy_from_slice(&count.to_be_bytes());
        bytes.extend(name);
        for part in [TSIG, CLASS_ANY, 0, 0, data.len() as u16] {
            bytes.extend(part.to_be_bytes());
        }
        bytes.extend(data);
        SignedRequest { key, bytes, code }
    }

    /// Checks that a response belongs to this request and is signed with the same key; gives its response code (RCODE).
    ///
    /// # Errors
    /// If it is not, or if the name server rejects the signature of the request.
    pub(super) fn verify(&self, response: &[u8], now: u64) -> Result<u8, DnsError> {
        let unreadable = || DnsError("its response cannot be read".to_owned());
        let header = response.get(..HEADER_BYTES).ok_or_else(unreadable)?;
        if header[..2] != self.bytes[..2] || header[2] & 0x80 == 0 {
            return Err(DnsError("its response belongs to another request".to_owned()));
        }
        let code = header[3] & 0x0f;
        let signature = Signature::find(response);
        if let Some(why) = signature.as_ref().and_then(|signature| self.rejection(signature.error)) {
            return Err(why);
        }
        let Some(signature) = signature else {
            // A refusal without a signature changes nothing: anyone may have sent it.
            return if code == 0 { Err(DnsError("its response is not signed".to_owned())) } else { Ok(code) };
        };
        if !self.is_signed(&signature) {
            return Err(DnsError("its response has a wrong signature".to_owned()));
        }
        if signature.time.abs_diff(now) > u64::from(signature.fudge) {
            return Err(DnsError("its clock differs from that of this server by more than five minutes".to_owned()));
        }
        Ok(code)
    }

    fn is_signed(&self, signature: &Signature<'_>) -> bool {
        let Signature { owner, algorithm, time, fudge, error, other, .. } = signature;
        let same = *owner == wire_name(self.key.name()) && *algorithm == wire_name(self.key.algorithm().as_str());
        let mut message = signature.signed.to_vec();
        message[..2].copy_from_slice(&signature.original_id.to_be_bytes());
        let count = u16::from_be_bytes([message[ADDITIONAL_COUNT], message[ADDITIONAL_COUNT + 1]]).wrapping_sub(1);
        message[ADDITIONAL_COUNT..HEADER_BYTES].copy_from_slice(&count.to_be_bytes());
        let variables = variables(owner, algorithm, *time, *fudge, *error, other);
        let length = (self.code.len() as u16).to_be_bytes();
        same && self.key.verifies(&[&length, &self.code, &message, &variables], signature.code)
    }

    /// Why the name server rejects the signature of the request, by its TSIG error.
    fn rejection(&self, error: u16) -> Option<DnsError> {
        let (name, algorithm) = (self.key.name(), self.key.algorithm());
        let text = match error {
            0 => return None,
            16 => format!("it rejects the signature with the key `{name}`: the secret is not the one it has (BADSIG)"),
            17 => format!("it has no key `{name}` for {algorithm} (BADKEY)"),
            18 => "its clock differs from that of this server by more than five minutes (BADTIME)".to_owned(),
            other => format!("it rejects the signature with the key `{name}` (TSIG error {other})"),
        };
        Some(DnsError(text))
    }
}

impl<'a> Signature<'a> {
    /// The TSIG record, which must be the last one; `None` if there is none, or if the message cannot be read.
    fn find(message: &'a [u8]) -> Option<Self> {
        let mut reader = Reader { bytes: message, at: 4 };
        let questions = reader.number()?;
        let records = u32::from(reader.number()?) + u32::from(reader.number()?);
        let additional = u32::from(reader.number()?);
        for _ in 0..questions {
            reader.name()?;
            reader.take(4)?;
        }
        for _ in 0..(records + additional).checked_sub(1)? {
            reader.name()?;
            reader.take(8)?;
            let length = reader.number()?;
            reader.take(usize::from(length))?;
        }
        let signed = &message[..reader.at];
        let owner = reader.name()?;
        if additional == 0 || reader.number()? != TSIG {
            return None;
        }
        reader.take(8)?;
        let algorithm = reader.name()?;
        let time = reader.take(6)?.iter().fold(0, |time, byte| time << 8 | u64::from(*byte));
        let fudge = reader.number()?;
        let code = reader.block()?;
        let (original_id, error) = (reader.number()?, reader.number()?);
        let other = reader.block()?;
        (reader.at == message.len()).then_some(Signature {
            signed,
            owner,
            algorithm,
            time,
            fudge,
            code,
            original_id,
            error,
            other,
        })
    }
}

/// What is signed besides the message (RFC 8945, section 4.3.3).
fn variables(name: &[u8], algorithm: &[u8], time: u64, fudge: u16, error: u16, other: &[u8]) -> Vec<u8> {
    let mut bytes = name.to_vec();
    bytes.extend(CLASS_ANY.to_be_bytes());
    bytes.extend([0; 4]);
    bytes.extend(algorithm);
    bytes.extend(&time.to_be_bytes()[2..]);
    for number in [fudge, error, other.len() as u16] {
        bytes.extend(number.to_be_bytes());
    }
    bytes.extend(other);
    bytes
}

/// A name in its canonical wire form. Labels of more than 63 bytes do not occur in names of keys.
fn wire_name(name: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(name.len() + 2);
    for label in name.split('.').filter(|label| !label.is_empty()) {
        bytes.push(label.len() as u8);
        bytes.extend(label.to_ascii_lowercase().bytes());
    }
    bytes.push(0);
    bytes
}

/// Reads a message from a position on.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let part = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(part)
    }

    fn number(&mut self) -> Option<u16> {
        self.take(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    /// Bytes with their length before them.
    fn block(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.take(usize::from(length))
    }

    /// A name in its canonical wire form. One that ends with a pointer is given up to it, because TSIG records have none.
    fn name(&mut self) -> Option<Vec<u8>> {
        let mut name = Vec::new();
        loop {
            match self.take(1)?[0] {
                0 => {
                    name.push(0);
                    return Some(name);
                }
                length @ 1..=63 => {
                    name.push(length);
                    name.extend(self.take(usize::from(length))?.to_ascii_lowercase());
                }
                192.. => {
                    self.take(1)?;
                    return Some(name);
                }
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dns::TsigAlgorithm;
    use postern_api::Secret;
    use proptest::prelude::*;

    const NOW: u64 = 1_800_000_000;

    fn key(secret: &str) -> TsigKey {
        TsigKey::new("Key.test", TsigAlgorithm::HmacSha512, Secret::new(secret)).expect("a key")
    }

    /// An update of an empty zone section, and nothing else.
    fn message() -> Vec<u8> {
        let mut message = vec![1, 2, 0x28, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        message.extend(wire_name("shop.test"));
        message.extend([0, 6, 0, 1]);
        message
    }

    /// A response that is signed by a server with this key.
    fn response(request: &SignedRequest<'_>, key: &TsigKey, code: u8, time: u64) -> Vec<u8> {
        let mut plain = message();
        (plain[2], plain[3]) = (0xa8, code);
        let mut signed = SignedRequest::new(key, &plain, time);
        let length = (request.code.len() as u16).to_be_bytes();
        let (name, algorithm) = (wire_name(key.name()), wire_name(key.algorithm().as_str()));
        let variables = variables(&name, &algorithm, time, FUDGE, 0, &[]);
        let code = key.sign(&[&length, &request.code, &plain, &variables]);
        let at = signed.bytes.len() - 6 - code.len();
        signed.bytes[at..at + code.len()].copy_from_slice(&code);
        signed.bytes
    }

    #[test]
    fn only_a_response_with_the_right_signature_counts_as_success() {
        let (right, wrong) = (key("cGxhbnRlZA=="), key("b3RoZXI="));
        let request = SignedRequest::new(&right, &message(), NOW);
        assert_eq!(request.verify(&response(&request, &right, 0, NOW), NOW), Ok(0));
        assert_eq!(request.verify(&response(&request, &right, 5, NOW), NOW), Ok(5));
        let refused = |bytes: &[u8], part: &str| {
            let why = request.verify(bytes, NOW).expect_err(part).0;
            assert!(why.contains(part), "{part} in {why}");
        };
        refused(&response(&request, &wrong, 0, NOW), "wrong signature");
        refused(&response(&request, &right, 0, NOW - 301), "clock differs");
        let mut plain = message();
        plain[2] = 0xa8;
        refused(&plain, "not signed");
        plain[0] = 9;
        refused(&plain, "another request");
        refused(&[], "cannot be read");
        (plain[0], plain[3]) = (1, 9);
        assert_eq!(request.verify(&plain, NOW), Ok(9), "a refusal needs no signature");
    }

    #[test]
    fn a_rejected_signature_is_explained_without_the_secret() {
        let key = key("cGxhbnRlZA==");
        let request = SignedRequest::new(&key, &message(), NOW);
        for (error, part) in [(16, "BADSIG"), (17, "BADKEY"), (18, "BADTIME"), (22, "TSIG error 22")] {
            let mut bytes = request.bytes.clone();
            (bytes[2], bytes[3]) = (0xa8, 9);
            let at = bytes.len() - 3;
            bytes[at] = error;
            let why = request.verify(&bytes, NOW).expect_err(part).0;
            assert!(why.contains(part) && !why.contains("cGxh"), "{why}");
        }
    }

    proptest! {
        #[test]
        fn no_response_panics_or_passes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let key = key("cGxhbnRlZA==");
            let request = SignedRequest::new(&key, &message(), NOW);
            prop_assert_ne!(request.verify(&bytes, NOW), Ok(0));
            let mut long = request.bytes.clone();
            long[2] |= 0x80;
            long.extend(&bytes);
            prop_assert_ne!(request.verify(&long, NOW), Ok(0));
        }
    }
}
