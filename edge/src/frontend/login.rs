//! Login requests: on the login host, and on the login paths that every endpoint with a login has.

use crate::{
    frontend::EdgeState,
    http::{Visitor, VisitorDisconnected, canonical},
    modules::login::{answer, asked, refusal},
    refusal::{Fault, Refusal},
    upstream::ResponseBody,
};
use bytes::Bytes;
use http_body_util::{BodyExt, Limited, combinators::UnsyncBoxBody};
use hyper::{Method, Response, http::request};
use postern_api::{Code, Error};
use postern_logins::Realm;
use std::{sync::Arc, time::Duration};

/// No form that an identity provider has a browser send is larger.
const MAX_FORM_BYTES: usize = 512 * 1024;
/// From its first byte to its last.
const FORM_TIMEOUT: Duration = Duration::from_secs(20);

impl EdgeState {
    /// Serves the login paths of an endpoint. `guarded` returns the realm of a path.
    pub(crate) async fn log_in(
        &self,
        parts: &request::Parts,
        visitor: &Visitor,
        guarded: impl Fn(&str) -> Option<Arc<Realm>>,
    ) -> Result<Response<ResponseBody>, Refusal> {
        let host = canonical::host(&parts.headers)?;
        let origin = self.logins.origin_of(&host);
        let asked = asked(&origin, parts, visitor.address.ip());
        self.logins.at_endpoint(asked, guarded).await.map(answer).map_err(refusal)
    }

    /// Serves the login host.
    pub(crate) async fn at_login_host(
        &self,
        parts: &request::Parts,
        incoming: UnsyncBoxBody<Bytes, VisitorDisconnected>,
        visitor: &Visitor,
    ) -> Result<Response<ResponseBody>, Refusal> {
        let form = if parts.method == Method::POST { read_form(incoming).await? } else { Bytes::new() };
        let asked = asked(self.logins.login_host(), parts, visitor.address.ip());
        self.logins.at_login_host(asked, &form).await.map(answer).map_err(refusal)
    }
}

async fn read_form(incoming: UnsyncBoxBody<Bytes, VisitorDisconnected>) -> Result<Bytes, Refusal> {
    let reading = Limited::new(incoming, MAX_FORM_BYTES).collect();
    match tokio::time::timeout(FORM_TIMEOUT, reading).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(_)) => {
            let message = format!("The form could not be read, or is larger than {MAX_FORM_BYTES} bytes.");
            Err(Refusal::new(Fault::Visitor, Error::new(Code::BodyTooLarge, message)))
        }
        Err(_) => Err(Refusal::new(Fault::Visitor, Code::BodySlow)),
    }
}
