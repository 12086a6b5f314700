//! What we ask of a response ourselves, so that a refusal says what is wrong, and nobody relies on one library alone.

use super::{
    replays::LONGEST_SECONDS,
    response::{Confirmation, Told, unreadable},
    service_provider::SKEW_SECONDS,
};
use jiff::Timestamp;
use postern_api::{Code, Error};

/// What a response is held against.
pub(super) struct Expected<'a> {
    /// What the identity provider is called.
    pub(super) idp: &'a str,
    /// What we are called.
    pub(super) entity: &'a str,
    /// Where responses are sent.
    pub(super) acs: &'a str,
    /// The request it must answer; `None` if nobody asked.
    pub(super) request: Option<&'a str>,
    pub(super) now: Timestamp,
}

/// Judges what a response says.
pub(super) fn judge(told: &Told, expected: &Expected<'_>) -> Result<(), Error> {
    if told.issuers.iter().any(|issuer| issuer != expected.idp) {
        return Err(refused(
            Code::SamlIssuer,
            "comes from another identity provider than the one that is trusted here",
        ));
    }
    if told.destination.as_deref().is_some_and(|destination| destination != expected.acs) {
        return Err(destination());
    }
    if told.in_response_to.as_deref() != expected.request {
        return Err(in_response_to());
    }
    let meant = |audiences: &Vec<String>| audiences.iter().any(|audience| audience == expected.entity);
    if told.audiences.is_empty() || !told.audiences.iter().all(meant) {
        return Err(refused(Code::SamlAudience, "was made out to another service (`Audience`)"));
    }
    let now = expected.now.as_second();
    within(told.window.0.as_deref(), told.window.1.as_deref(), now)?;
    let mut failure = refused(Code::SamlUnreadable, "does not say that whoever brings it is meant (`bearer`)");
    for confirmation in &told.confirmations {
        match confirm(confirmation, expected, now) {
            Ok(()) => return Ok(()),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// When an assertion was issued, in seconds since 1970.
pub(super) fn issued(told: &Told) -> Result<i64, Error> {
    moment(&told.issued)
}

fn confirm(confirmation: &Confirmation, expected: &Expected<'_>, now: i64) -> Result<(), Error> {
    if confirmation.recipient.as_deref() != Some(expected.acs) {
        return Err(destination());
    }
    if confirmation.in_response_to.as_deref() != expected.request {
        return Err(in_response_to());
    }
    let until = confirmation.not_on_or_after.as_deref();
    let until = until.ok_or_else(|| unreadable("does not say until when it is valid"))?;
    if moment(until)? - now > LONGEST_SECONDS {
        return Err(unreadable("is valid for longer than a day, which is not taken"));
    }
    within(None, Some(until), now)
}

fn within(not_before: Option<&str>, not_on_or_after: Option<&str>, now: i64) -> Result<(), Error> {
    if let Some(begins) = not_before
        && moment(begins)? - SKEW_SECONDS > now
    {
        return Err(refused(Code::SamlNotYet, "is not valid yet; the clock of one of the machines may be wrong"));
    }
    if let Some(ends) = not_on_or_after
        && moment(ends)? + SKEW_SECONDS <= now
    {
        return Err(refused(Code::SamlExpired, "has expired; the clock of one of the machines may be wrong"));
    }
    Ok(())
}

fn moment(text: &str) -> Result<i64, Error> {
    let moment: Timestamp = text.trim().parse().map_err(|_| unreadable("has a time in it that cannot be read"))?;
    Ok(moment.as_second())
}

fn destination() -> Error {
    refused(Code::SamlDestination, "was meant for another address (`Destination`, `Recipient`)")
}

fn in_response_to() -> Error {
    refused(Code::SamlInResponseTo, "belongs to another login (`InResponseTo`)")
}

fn refused(code: Code, what: &str) -> Error {
    let sentence =
        format!("The answer of the identity provider {what}. Log in again; if it happens again, tell who runs it.");
    Error::new(code, sentence)
}
