//! Airship: time and body, also for compressed bodies, and an empty request that validates the address.

use super::{Hook, JSON, Sending, hex};
use std::io::Write;

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    vec![plain(sending), compressed(sending), validation(sending)]
}

fn signed(sending: &Sending<'_>, body: &str) -> Hook {
    Hook::post(body)
        .with("X-UA-SIGNATURE", hex(sending.sha256(format!("{}:{body}", sending.second))))
        .with("X-UA-TIMESTAMP", sending.second.to_string())
        .within(180)
}

fn plain(sending: &Sending<'_>) -> Hook {
    signed(sending, JSON)
}

fn compressed(sending: &Sending<'_>) -> Hook {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(JSON.as_bytes()).unwrap();
    let mut hook = signed(sending, JSON);
    hook.body = packed.finish().unwrap();
    hook.headers.push(("Content-Encoding".to_owned(), "gzip".to_owned()));
    hook
}

fn validation(sending: &Sending<'_>) -> Hook {
    Hook { method: "GET", ..signed(sending, "").at("/validate") }
}
