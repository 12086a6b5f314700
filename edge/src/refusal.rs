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

impl Fault {
    /// The party as the management API names it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Fault::Visitor => "visitor",
            Fault::Route => "configuration",
            Fault::Agent => "agent",
            Fault::Service => "service",
            Fault::Us => "server",
        }
    }
}

/// The refusal of a request or connection.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) error: Error,
    pub(crate) fault: Fault,
    pub(crate) retry_after: Option<Duration>,
    /// Further parts of the response; boxed, because few refusals have any.
    custom: Option<Box<CustomParts>>,
}

/// A redirect, or what modules add to the response of a refusal.
#[derive(Clone, Debug, Default)]
struct CustomParts {
    location: Option<HeaderValue>,
    headers: Vec<(HeaderName, HeaderValue)>,
    response: Option<CustomResponse>,
    pages: Option<Arc<PreparedPages>>,
}

/// A response that a module makes.
#[derive(Clone, Debug)]
pub(crate) struct CustomResponse {
    pub(crate) status: StatusCode,
    /// Type and bytes; `None` for the body that the server makes.
    pub(crate) body: Option<(HeaderValue, Bytes)>,
}

impl Refusal {
    pub(crate) fn new(fault: Fault, error: impl Into<Error>) -> Self {
        Refusal { error: error.into(), fault, retry_after: None, custom: None }
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

    /// Makes it a redirect to another address.
    #[must_use]
    pub(crate) fn redirect_to(mut self, location: HeaderValue) -> Self {
        self.custom.get_or_insert_default().location = Some(location);
        self
    }

    #[must_use]
    pub(crate) fn with_headers(mut self, headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>) -> Self {
        self.custom.get_or_insert_default().headers.extend(headers);
        self
    }

    #[must_use]
    pub(crate) fn with_response(mut self, response: CustomResponse) -> Self {
        self.custom.get_or_insert_default().response = Some(response);
        self
    }

    #[must_use]
    pub(crate) fn with_pages(mut self, pages: Option<&Arc<PreparedPages>>) -> Self {
        if let Some(pages) = pages {
            self.custom.get_or_insert_default().pages = Some(pages.clone());
        }
        self
    }

    /// Where to go instead, if it is a redirect.
    pub(crate) fn location(&self) -> Option<&HeaderValue> {
        self.custom.as_ref()?.location.as_ref()
    }

    /// The body that a module has in place of the server's.
    pub(crate) fn custom_body(&self) -> Option<&(HeaderValue, Bytes)> {
        self.custom.as_ref()?.response.as_ref()?.body.as_ref()
    }

    /// The page that a module has in place of the server's.
    pub(crate) fn custom_page(&self, id: &str) -> Option<String> {
        let pages = self.custom.as_ref()?.pages.as_ref().filter(|_| self.location().is_none())?;
        let (status, message) = (self.status(), self.error.message.as_str());
        pages.render(&PageFacts { status, code: Some(self.error.code), message, id })
    }

    /// Further header fields of the response.
    pub(crate) fn headers(&self) -> impl Iterator<Item = &(HeaderName, HeaderValue)> {
        self.custom.iter().flat_map(|custom| &custom.headers)
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
        let is_offline = error.code == Code::AgentOffline;
        let refusal = Refusal::new(fault, error);
        // Said by the node at the other end of a link, whose agent has left.
        if is_offline { refusal.retry_after(Duration::from_secs(5)) } else { refusal }
    }

    pub(crate) fn status(&self) -> u16 {
        match self.custom.as_ref().and_then(|custom| custom.response.as_ref()) {
            _ if self.location().is_some() => 308,
            Some(response) => response.status.as_u16(),
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
