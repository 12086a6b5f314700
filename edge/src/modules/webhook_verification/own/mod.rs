//! Providers whose signatures cannot be told in data.

pub(super) mod contentful;
pub(super) mod graphcms;
pub(super) mod mailgun;
pub(super) mod plivo;
pub(super) mod sendgrid;
pub(super) mod sns;
pub(super) mod twilio;
pub(super) mod vmware;

use super::{
    check::{bytes, same_secret},
    message::{Field, Head, Message},
    moment,
    reason::Reason,
    scheme::{Encoding, USUAL},
};
use aws_lc_rs::{constant_time::verify_slices_are_equal, hmac};

/// A signature in a header of its own.
fn signature(head: &Head<'_>, header: &str, encoding: Encoding) -> Result<Vec<u8>, Reason> {
    bytes(encoding, head.one(header)?).ok_or_else(|| Reason::Unreadable(header.to_owned()))
}

/// Whether the key makes this signature of the parts.
fn signs<'a>(key: &hmac::Key, parts: impl IntoIterator<Item = &'a [u8]>, signature: &[u8]) -> bool {
    let mut context = hmac::Context::with_key(key);
    for part in parts {
        context.update(part);
    }
    verify_slices_are_equal(context.sign().as_ref(), signature).is_ok()
}

fn judged(fits: bool) -> Result<(), Reason> {
    if fits { Ok(()) } else { Err(Reason::Wrong) }
}
