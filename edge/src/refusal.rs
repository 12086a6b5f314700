//! The reason why a visitor's request or connection was refused, and whose fault it is.

use hyper::header::HeaderValue;
use postern_api::{Code, Error};
use std::time::Duration;

/// The party at fault. Determines the level of the log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The visitor sent something that cannot be served.
    Visitor,
    /// The configuration says no, or knows nothing of it.
    Route,
    /// The agent is away or broke the stream.
    Agent,
    /// The local service behind the agent.
    Service,
    /// This server.
    Us,
}

/// The refusal of a request or connection.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) error: Error,
    pub(crate) fault: Fault,
    pub(crate) retry_after: Option<Duration>,
    /// Where to go instead; makes it a redirect.
    pub(crate) location: Option<HeaderValue>,
}

impl Refusal {
    pub(crate) fn new(fault: Fault, error: impl Into<Error>) -> Self {
        Refusal { error: error.into(), fault, retry_after: None, location: None }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Refusal::new(Fault::Visitor, Error::new(Code::RequestInvalid, message))
    }

    pub(crate) fn unknown_host(host: &str) -> Self {
        let message = format!(
            "Nothing is published under `{}`. Check the address. If it is yours, start its tunnel.",
            shown(host)
        );
        Refusal::new(Fault::Route, Error::new(Code::HostUnknown, message))
    }

    pub(crate) fn offline(host: &str) -> Self {
        let message = format!("`{}` is known, but its agent is not connected at the moment.", shown(host));
        Refusal::new(Fault::Agent, Error::new(Code::AgentOffline, message)).retry_after(Duration::from_secs(5))
    }

    #[must_use]
    pub(crate) fn retry_after(mut self, pause: Duration) -> Self {
        self.retry_after = Some(pause);
        self
    }

    /// The refusal an agent sent in place of a local service's response. Its code is kept if an agent may use it.
    pub(crate) fn from_agent(error: &Error) -> Self {
        let fault = match error.code {
            Code::ServiceUnreachable | Code::TunnelLoop | Code::UpstreamInvalid | Code::UpstreamClosed => {
                Fault::Service
            }
            _ => Fault::Agent,
        };
        let mut error = error.clone();
        if error.status() < 500 {
            error.code = Code::ServiceUnreachable;
        }
        Refusal::new(fault, error)
    }

    pub(crate) fn status(&self) -> u16 {
        if self.location.is_some() { 308 } else { self.error.status() }
    }
}

/// Text from outside, cut so that it cannot fill a page.
fn shown(text: &str) -> String {
    text.chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_cannot_blame_the_visitor() {
        let claimed = Error::new(Code::KeyUnknown, "no");
        assert_eq!(Refusal::from_agent(&claimed).status(), 502);
        assert_eq!(Refusal::from_agent(&Error::from(Code::ServiceUnreachable)).status(), 502);
        assert_eq!(Refusal::from_agent(&Error::from(Code::TunnelLoop)).status(), 508);
    }
}
