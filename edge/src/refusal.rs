//! The reason why a visitor's request or connection was refused, and whose fault it is.

use bytes::Bytes;
use hyper::{
    StatusCode,
    header::{HeaderName, HeaderValue},
};
use postern_api::{
    Code, Error,
    error_pages::{PageFacts, PreparedPages},
};
use std::{sync::Arc, time::Duration};

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
    /// What modules add to the response; boxed, because few refusals have any.
    own: Option<Box<OwnParts>>,
}

/// What modules add to the response of a refusal.
#[derive(Clone, Debug, Default)]
struct OwnParts {
    headers: Vec<(HeaderName, HeaderValue)>,
    answer: Option<OwnAnswer>,
    pages: Option<Arc<PreparedPages>>,
}

/// A response of one's own.
#[derive(Clone, Debug)]
pub(crate) struct OwnAnswer {
    pub(crate) status: StatusCode,
    /// Type and bytes; `None` for the body that the server makes.
    pub(crate) body: Option<(HeaderValue, Bytes)>,
}

impl Refusal {
    pub(crate) fn new(fault: Fault, error: impl Into<Error>) -> Self {
        Refusal { error: error.into(), fault, retry_after: None, location: None, own: None }
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

    #[must_use]
    pub(crate) fn with_headers(mut self, headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>) -> Self {
        self.own.get_or_insert_default().headers.extend(headers);
        self
    }

    #[must_use]
    pub(crate) fn with_answer(mut self, answer: OwnAnswer) -> Self {
        self.own.get_or_insert_default().answer = Some(answer);
        self
    }

    #[must_use]
    pub(crate) fn with_pages(mut self, pages: Option<&Arc<PreparedPages>>) -> Self {
        if let Some(pages) = pages {
            self.own.get_or_insert_default().pages = Some(pages.clone());
        }
        self
    }

    /// The body that a module has in place of the server's.
    pub(crate) fn own_body(&self) -> Option<&(HeaderValue, Bytes)> {
        self.own.as_ref()?.answer.as_ref()?.body.as_ref()
    }

    /// The page that a module has in place of the server's.
    pub(crate) fn own_page(&self, id: &str) -> Option<String> {
        let pages = self.own.as_ref()?.pages.as_ref().filter(|_| self.location.is_none())?;
        let (status, message) = (self.status(), self.error.message.as_str());
        pages.render(&PageFacts { status, code: Some(self.error.code), message, id })
    }

    /// Further header fields of the response.
    pub(crate) fn headers(&self) -> impl Iterator<Item = &(HeaderName, HeaderValue)> {
        self.own.iter().flat_map(|own| &own.headers)
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
        match self.own.as_ref().and_then(|own| own.answer.as_ref()) {
            _ if self.location.is_some() => 308,
            Some(answer) => answer.status.as_u16(),
            None => self.error.status(),
        }
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
