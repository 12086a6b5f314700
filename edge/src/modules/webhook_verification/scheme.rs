//! What can be said about a provider's signatures in data: where they stand, how they are written, what they cover.

/// One way in which a provider signs its requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// The header with the signature.
    pub(super) header: &'static str,
    /// Another one; a match in either is enough.
    pub(super) second: Option<&'static str>,
    pub(super) given: Given,
    pub(super) encoding: Encoding,
    pub(super) digest: Digest,
    pub(super) key: KeyForm,
    /// What is signed, in order.
    pub(super) over: &'static [Part],
    pub(super) time: Option<Time>,
    /// Headers that must say exactly this, or the way is another one.
    pub(super) also: &'static [(&'static str, &'static str)],
}

/// How signatures stand in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// Alone.
    Whole,
    /// Behind this text.
    After(&'static str),
    /// Each behind `mark` in a list; what is marked otherwise is something else.
    Listed { separator: char, mark: &'static str },
    /// Alone in each of several headers: the name of the way's header, a hyphen and a number from 1 on.
    Numbered,
    /// It is no signature: the header is the secret itself.
    Secret,
}

/// How the bytes of a signature are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// In lower case.
    Hex,
    /// The standard alphabet with padding.
    Base64,
}

/// What makes a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digest {
    HmacSha1,
    HmacSha256,
    HmacSha512,
    /// No key: the secret is one of the parts.
    Sha256,
}

/// What the secret says about the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyForm {
    /// Its bytes are the key.
    Text,
    /// It is the key in base64, perhaps behind this text.
    Base64(&'static str),
}

/// A part of what is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(&'static str),
    /// The body as it was received.
    Body,
    /// The body, unpacked if it is compressed with gzip.
    Unpacked,
    /// The timestamp as it is written.
    Time,
    /// A header as it is written.
    Header(&'static str),
    Method,
    /// The public address of the request.
    Url,
    /// The fields of a form, sorted: name, value, name, value.
    Form,
    Secret,
}

/// A timestamp that is signed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time {
    pub(super) at: At,
    /// In seconds, before and after.
    pub(super) tolerance: u16,
}

/// Where a timestamp stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Header(&'static str),
    /// In the list with the signatures, behind this text.
    Listed(&'static str),
    /// A member of the JSON object in the body.
    Member(&'static str),
}

/// What a provider asks in order to see that an endpoint is what it seems, and who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Challenge {
    None,
    /// A GET with all of these in its query: the service behind the edge answers.
    Passes(&'static [&'static str]),
    /// The edge answers in the manner of one provider.
    Twitter,
    Worldline,
    Xero,
    Zoom,
}

/// The tolerance where a provider suggests none.
pub(super) const USUAL: u16 = 180;
/// The tolerance that most providers suggest.
pub(super) const FIVE_MINUTES: u16 = 300;

/// HMAC-SHA256 over the body, in hexadecimal, alone in this header: what most ways differ from in one thing or two.
pub(super) const fn header(header: &'static str) -> Way {
    Way {
        header,
        second: None,
        given: Given::Whole,
        encoding: Encoding::Hex,
        digest: Digest::HmacSha256,
        key: KeyForm::Text,
        over: &[Part::Body],
        time: None,
        also: &[],
    }
}

impl Way {
    pub(super) const fn or(self, second: &'static str) -> Way {
        Way { second: Some(second), ..self }
    }

    pub(super) const fn base64(self) -> Way {
        Way { encoding: Encoding::Base64, ..self }
    }

    pub(super) const fn after(self, mark: &'static str) -> Way {
        Way { given: Given::After(mark), ..self }
    }

    /// In a list with commas.
    pub(super) const fn listed(self, mark: &'static str) -> Way {
        Way { given: Given::Listed { separator: ',', mark }, ..self }
    }

    /// In a list with spaces.
    pub(super) const fn spaced(self, mark: &'static str) -> Way {
        Way { given: Given::Listed { separator: ' ', mark }, ..self }
    }

    pub(super) const fn numbered(self) -> Way {
        Way { given: Given::Numbered, ..self }
    }

    pub(super) const fn secret(self) -> Way {
        Way { given: Given::Secret, over: &[], ..self }
    }

    pub(super) const fn digest(self, digest: Digest) -> Way {
        Way { digest, ..self }
    }

    pub(super) const fn key(self, key: KeyForm) -> Way {
        Way { key, ..self }
    }

    pub(super) const fn over(self, over: &'static [Part]) -> Way {
        Way { over, ..self }
    }

    pub(super) const fn time(self, at: At, tolerance: u16) -> Way {
        Way { time: Some(Time { at, tolerance }), ..self }
    }

    pub(super) const fn also(self, also: &'static [(&'static str, &'static str)]) -> Way {
        Way { also, ..self }
    }

    /// `t=…,v1=…` over the timestamp, a period and the body.
    pub(super) const fn dotted(self, tolerance: u16) -> Way {
        self.listed("v1=").over(DOTTED).time(At::Listed("t="), tolerance)
    }
}

/// The timestamp, a period, the body.
pub(super) const DOTTED: &[Part] = &[Part::Time, Part::Text("."), Part::Body];
