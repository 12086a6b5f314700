//! Keeps visitors out where they must log in: this server can be told who may come in, and cannot ask visitors yet.

use super::Trace;
use crate::refusal::{Fault, Refusal};
use postern_api::{Code, Error};
use std::time::Instant;

const NAME: &str = "login";

/// Turns everybody away where a login is asked for, so that nobody comes in who would have been refused.
pub(crate) fn stage(asked: bool, trace: &mut Trace) -> Result<(), Refusal> {
    if !asked {
        return Ok(());
    }
    trace.record(NAME, None, false, Instant::now());
    let message = "Visitors must log in here, which this server cannot have them do yet. Disable or remove the login module to let everybody in.";
    Err(Refusal::new(Fault::Us, Error::new(Code::LoginUnavailable, message)))
}
