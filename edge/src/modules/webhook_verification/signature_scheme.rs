//! Signature schemes as data: the location, encoding and contents of a provider's signatures.

/// One scheme by which a provider signs its requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct SignatureScheme {
    /// The header with the signature.
    pub(super) header: &'static str,
    /// An alternative header; a match in either is enough.
    pub(super) second: Option<&'static str>,
    pub(super) format: SignatureFormat,
    pub(super) encoding: Encoding,
    pub(super) digest: DigestAlgorithm,
    pub(super) key: KeyForm,
    /// The signed parts, in order.
    pub(super) over: &'static [SignedPart],
    pub(super) time: Option<SignedTimestamp>,
    /// Headers that must have exactly these values for the scheme to apply.
    pub(super) also: &'static [(&'static str, &'static str)],
}

/// Format of the signatures in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignatureFormat {
    /// Alone.
    Whole,
    /// The value after this prefix.
    After(&'static str),
    /// Entries of a list that begin with `mark`; other entries are ignored.
    Listed { separator: char, mark: &'static str },
    /// The whole value of several headers, named like the scheme's header with a hyphen and a number from 1.
    Numbered,
    /// No signature: the header contains the secret itself.
    Secret,
}

/// Encoding of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Lower-case hexadecimal.
    Hex,
    /// The standard alphabet with padding (RFC 4648, section 4).
    Base64,
}

/// Algorithm of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DigestAlgorithm {
    HmacSha1,
    HmacSha256,
    HmacSha512,
    /// A plain hash: the secret is one of the parts.
    Sha256,
}

/// Relation between the secret and the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyForm {
    /// The bytes of the secret are the key.
    Text,
    /// The secret is the key in base64, optionally after this prefix.
    Base64(&'static str),
}

/// A signed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignedPart {
    Text(&'static str),
    /// The raw body.
    Body,
    /// The body, decompressed if it is gzip-encoded.
    DecompressedBody,
    /// The raw timestamp.
    Time,
    /// The raw value of a header.
    Header(&'static str),
    Method,
    /// The public URL of the request.
    Url,
    /// The fields of a form, sorted: name, value, name, value.
    Form,
    Secret,
}

/// A timestamp that is signed.
#[derive(Clone, Copy, Debug)]
pub(super) struct SignedTimestamp {
    pub(super) at: TimestampLocation,
    /// Tolerance in seconds, in both directions.
    pub(super) tolerance: u16,
}

/// Location of a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimestampLocation {
    Header(&'static str),
    /// In the list with the signatures, after this prefix.
    Listed(&'static str),
    /// A member of the JSON object in the body.
    Member(&'static str),
}

/// The request by which a provider validates an endpoint, and who responds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Challenge {
    None,
    /// A GET request with all of these query parameters: the service behind the edge responds.
    Forwarded(&'static [&'static str]),
    /// The edge responds in the provider's format.
    Twitter,
    Worldline,
    Xero,
    Zoom,
}

/// Tolerance if the provider recommends none.
pub(super) const DEFAULT_TOLERANCE: u16 = 180;
/// Tolerance recommended by most providers.
pub(super) const FIVE_MINUTES: u16 = 300;

/// HMAC-SHA256 of the body, hexadecimal, as the whole value of this header: the base of most schemes.
pub(super) const fn header(header: &'static str) -> SignatureScheme {
    SignatureScheme {
        header,
        second: None,
        format: SignatureFormat::Whole,
        encoding: Encoding::Hex,
        digest: DigestAlgorithm::HmacSha256,
        key: KeyForm::Text,
        over: &[SignedPart::Body],
        time: None,
        also: &[],
    }
}

impl SignatureScheme {
    pub(super) const fn or(self, second: &'static str) -> SignatureScheme {
        SignatureScheme { second: Some(second), ..self }
    }

    pub(super) const fn base64(self) -> SignatureScheme {
        SignatureScheme { encoding: Encoding::Base64, ..self }
    }

    pub(super) const fn after(self, mark: &'static str) -> SignatureScheme {
        SignatureScheme { format: SignatureFormat::After(mark), ..self }
    }

    /// In a comma-separated list.
    pub(super) const fn listed(self, mark: &'static str) -> SignatureScheme {
        SignatureScheme { format: SignatureFormat::Listed { separator: ',', mark }, ..self }
    }

    /// In a space-separated list.
    pub(super) const fn spaced(self, mark: &'static str) -> SignatureScheme {
        SignatureScheme { format: SignatureFormat::Listed { separator: ' ', mark }, ..self }
    }

    pub(super) const fn numbered(self) -> SignatureScheme {
        SignatureScheme { format: SignatureFormat::Numbered, ..self }
    }

    pub(super) const fn secret(self) -> SignatureScheme {
        SignatureScheme { format: SignatureFormat::Secret, over: &[], ..self }
    }

    pub(super) const fn digest(self, digest: DigestAlgorithm) -> SignatureScheme {
        SignatureScheme { digest, ..self }
    }

    pub(super) const fn key(self, key: KeyForm) -> SignatureScheme {
        SignatureScheme { key, ..self }
    }

    pub(super) const fn over(self, over: &'static [SignedPart]) -> SignatureScheme {
        SignatureScheme { over, ..self }
    }

    pub(super) const fn time(self, at: TimestampLocation, tolerance: u16) -> SignatureScheme {
        SignatureScheme { time: Some(SignedTimestamp { at, tolerance }), ..self }
    }

    pub(super) const fn also(self, also: &'static [(&'static str, &'static str)]) -> SignatureScheme {
        SignatureScheme { also, ..self }
    }

    /// `t=…,v1=…` over the timestamp, a period and the body.
    pub(super) const fn dotted(self, tolerance: u16) -> SignatureScheme {
        self.listed("v1=").over(DOTTED).time(TimestampLocation::Listed("t="), tolerance)
    }
}

/// The timestamp, a period, the body.
pub(super) const DOTTED: &[SignedPart] = &[SignedPart::Time, SignedPart::Text("."), SignedPart::Body];
