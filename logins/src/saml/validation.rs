//! Checks of a response besides those of the library: they give precise refusals, and security does not depend on one
//! library alone.

use super::{
    replay_cache::MAX_VALIDITY_SECONDS,
    response::{Confirmation, ParsedResponse, malformed},
    service_provider::CLOCK_SKEW_SECONDS,
};
use jiff::Timestamp;
use postern_api::{Code, Error};

/// The values that a response must match.
pub(super) struct ExpectedResponse<'a> {
    /// Entity id of the identity provider.
    pub(super) idp_entity_id: &'a str,
    /// Entity id of this service provider.
    pub(super) entity_id: &'a str,
    /// URL of the assertion consumer service.
    pub(super) acs_url: &'a str,
    /// Id of the request it must respond to; `None` for an unsolicited response.
    pub(super) request_id: Option<&'a str>,
    pub(super) now: Timestamp,
}

/// Checks issuer, destination, request, audience, times and confirmation.
pub(super) fn validate(response: &ParsedResponse, expected: &ExpectedResponse<'_>) -> Result<(), Error> {
    if response.issuers.iter().any(|issuer| issuer != expected.idp_entity_id) {
        return Err(refusal(Code::SamlIssuer, "comes from a different identity provider than the trusted one"));
    }
    if response.destination.as_deref().is_some_and(|destination| destination != expected.acs_url) {
        return Err(wrong_destination());
    }
    if response.in_response_to.as_deref() != expected.request_id {
        return Err(wrong_request());
    }
    let names_us = |audiences: &Vec<String>| audiences.iter().any(|audience| audience == expected.entity_id);
    if response.audiences.is_empty() || !response.audiences.iter().all(names_us) {
        return Err(refusal(Code::SamlAudience, "was issued for another service (`Audience`)"));
    }
    let now = expected.now.as_second();
    check_time_window(response.window.0.as_deref(), response.window.1.as_deref(), now)?;
    let mut failure = refusal(Code::SamlUnreadable, "has no `bearer` confirmation");
    for confirmation in &response.confirmations {
        match check_confirmation(confirmation, expected, now) {
            Ok(()) => return Ok(()),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// The time at which an assertion was issued, in seconds since 1970.
pub(super) fn issued_at(response: &ParsedResponse) -> Result<i64, Error> {
    parse_time(&response.issued)
}

fn check_confirmation(confirmation: &Confirmation, expected: &ExpectedResponse<'_>, now: i64) -> Result<(), Error> {
    if confirmation.recipient.as_deref() != Some(expected.acs_url) {
        return Err(wrong_destination());
    }
    if confirmation.in_response_to.as_deref() != expected.request_id {
        return Err(wrong_request());
    }
    let until = confirmation.not_on_or_after.as_deref();
    let until = until.ok_or_else(|| malformed("has no end of its validity (`NotOnOrAfter`)"))?;
    if parse_time(until)? - now > MAX_VALIDITY_SECONDS {
        return Err(malformed("is valid for longer than a day"));
    }
    check_time_window(None, Some(until), now)
}

fn check_time_window(not_before: Option<&str>, not_on_or_after: Option<&str>, now: i64) -> Result<(), Error> {
    if let Some(begins) = not_before
        && parse_time(begins)? - CLOCK_SKEW_SECONDS > now
    {
        return Err(refusal(Code::SamlNotYet, "is not valid yet; check the clocks of both machines"));
    }
    if let Some(ends) = not_on_or_after
        && parse_time(ends)? + CLOCK_SKEW_SECONDS <= now
    {
        return Err(refusal(Code::SamlExpired, "has expired; check the clocks of both machines"));
    }
    Ok(())
}

fn parse_time(text: &str) -> Result<i64, Error> {
    let time: Timestamp = text.trim().parse().map_err(|_| malformed("contains an invalid time"))?;
    Ok(time.as_second())
}

fn wrong_destination() -> Error {
    refusal(Code::SamlDestination, "is for another URL (`Destination`, `Recipient`)")
}

fn wrong_request() -> Error {
    refusal(Code::SamlInResponseTo, "belongs to another login (`InResponseTo`)")
}

/// The response was used at another node.
pub(crate) fn replayed() -> Error {
    refusal(Code::SamlReplayed, "has been used already")
}

fn refusal(code: Code, what: &str) -> Error {
    let message = format!(
        "The response of the identity provider {what}. Log in again; if the problem persists, tell its administrator."
    );
    Error::new(code, message)
}
