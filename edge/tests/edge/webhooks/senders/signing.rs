//! Signatures, and the ways in which several providers put them into headers.

use super::{Hook, JSON, Sending};
use aws_lc_rs::hmac;
use base64::{Engine, prelude::BASE64_STANDARD};
use std::fmt::Write as _;

pub(super) fn mac(algorithm: hmac::Algorithm, key: impl AsRef<[u8]>, text: impl AsRef<[u8]>) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(algorithm, key.as_ref()), text.as_ref()).as_ref().to_vec()
}

pub(super) fn sha256(key: impl AsRef<[u8]>, text: impl AsRef<[u8]>) -> Vec<u8> {
    mac(hmac::HMAC_SHA256, key, text)
}

pub(super) fn sha1(key: impl AsRef<[u8]>, text: impl AsRef<[u8]>) -> Vec<u8> {
    mac(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, key, text)
}

pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn b64(bytes: impl AsRef<[u8]>) -> String {
    BASE64_STANDARD.encode(bytes)
}

pub(super) fn iso(second: i64) -> String {
    jiff::Timestamp::from_second(second).unwrap().to_string()
}

impl Sending<'_> {
    pub(super) fn sha256(&self, text: impl AsRef<[u8]>) -> Vec<u8> {
        sha256(self.secret, text)
    }

    pub(super) fn sha1(&self, text: impl AsRef<[u8]>) -> Vec<u8> {
        sha1(self.secret, text)
    }

    /// The address of the route.
    pub(super) fn address(&self) -> String {
        format!("https://{}{}", super::HOST, self.path)
    }

    /// The time in milliseconds.
    pub(super) fn millisecond(&self) -> i64 {
        self.second * 1000
    }

    /// The SHA-256 signature of the body in hexadecimal digits.
    pub(super) fn hex_sha256(&self, header: &str) -> Hook {
        Hook::json(header, hex(self.sha256(JSON)))
    }

    /// The SHA-256 signature of the body in Base64.
    pub(super) fn base64_sha256(&self, header: &str) -> Hook {
        Hook::json(header, b64(self.sha256(JSON)))
    }

    /// The secret itself, which covers nothing.
    pub(super) fn token(&self, header: &str) -> Hook {
        Hook::json(header, self.secret).uncovered()
    }

    /// `<time>=…,<mark>=…` with a signature of time and body.
    pub(super) fn timestamped(&self, header: &str, time: &str, mark: &str, tolerance: i64) -> Hook {
        let signature = hex(self.sha256(format!("{}.{JSON}", self.second)));
        Hook::json(header, format!("{time}={},{mark}={signature}", self.second)).within(tolerance)
    }

    /// `<version>=…` with a signature of version, time and body; the time is in another header.
    pub(super) fn versioned(&self, version: &str, header: &str, time_header: &str, time: &str) -> Hook {
        let signature = hex(self.sha256(format!("{version}:{time}:{JSON}")));
        Hook::json(header, format!("{version}={signature}")).with(time_header, time).within(300)
    }

    /// The three headers of Standard Webhooks, with signatures of other keys around the right one.
    pub(super) fn standard_webhook(&self, prefix: &str) -> Hook {
        let secret = BASE64_STANDARD.decode(self.secret.strip_prefix("whsec_").unwrap_or(self.secret)).unwrap();
        let signature = b64(sha256(secret, format!("msg_{}.{}.{JSON}", self.number, self.second)));
        Hook::json(&format!("{prefix}-id"), format!("msg_{}", self.number))
            .with(&format!("{prefix}-timestamp"), self.second.to_string())
            .with(&format!("{prefix}-signature"), format!("v1a,other v1,{} v1,{signature}", b64([7; 32])))
            .within(300)
    }

    /// The header of WebSub.
    pub(super) fn hub(&self) -> Hook {
        Hook::json("X-Hub-Signature-256", format!("sha256={}", hex(self.sha256(JSON))))
    }

    /// The header of WebSub with SHA-1.
    pub(super) fn hub_sha1(&self) -> Hook {
        Hook::json("X-Hub-Signature", format!("sha1={}", hex(self.sha1(JSON))))
    }
}
