//! How a session ended or why there is none, and what follows from it.

use super::server_dialer::ConnectionPath;
use postern_api::{Code, Error};
use postern_tunnel::EndReason;
use std::time::Duration;

pub(super) enum SessionOutcome {
    Stop,
    /// A setting that the session depends on has changed.
    SettingsChanged,
    /// Retry after the backoff.
    Retry(Error),
    /// Retry after the backoff: a server accepted the connection but did not respond in time.
    ServerTimeout(Error),
    /// Retry at once: the local address of the session is gone, and another path may exist.
    NetworkChanged,
    /// The server refuses this agent.
    Refused(Error),
    /// What the agent's other sessions do decides when this one is established.
    Reconsider,
    /// The server's operator stopped the session; it starts again only when a person asks for it.
    Stopped(Error),
    /// The server shuts down and drains its agents.
    Drained(Error),
}

/// The time of the next attempt.
pub(super) enum NextStep {
    Stop,
    RetryNow,
    RetryAfter(Duration),
    WaitForSettings,
}

impl SessionOutcome {
    pub(super) fn of_end(reason: EndReason, path: &ConnectionPath) -> Self {
        match reason {
            EndReason::Ended(error) => Self::of_refusal(error),
            other => {
                tracing::debug!(reason = %other, "the session was lost");
                // The TLS library's description of a broken connection does not help a reader of the status.
                let why = match &other {
                    EndReason::Lost(_) => "the connection broke".to_owned(),
                    other => other.to_string(),
                };
                let message = format!("The session with the server at {} was lost: {why}.", path.server);
                SessionOutcome::Retry(Error::new(Code::ServerUnreachable, message))
            }
        }
    }

    /// Some refusals end by themselves; others need a person.
    pub(super) fn of_refusal(error: Error) -> Self {
        match error.code {
            Code::ServerDraining | Code::SessionRestarted => SessionOutcome::Drained(error),
            Code::SessionStopped => SessionOutcome::Stopped(error),
            Code::TokenUnknown
            | Code::TokenIsApiKey
            | Code::TokenMissing
            | Code::AgentTooOld
            | Code::AgentAddressDenied
            | Code::CredentialInactive
            | Code::CredentialDeleted
            | Code::SessionReplaced => SessionOutcome::Refused(error),
            _ => SessionOutcome::Retry(error),
        }
    }
}
