//! Requires a login: visitors without a session are redirected to their identity provider.

use super::{
    RequestContext,
    rate_limit::{Identity, Limiter},
};
use crate::{
    http,
    refusal::{Fault, Refusal},
    upstream::ResponseBody,
};
use hyper::Response;
use postern_api::{Code, Error, published};
use postern_logins::{AuthOutcome, LoginRequest, LoginResponse, Logins, Origin, Realm};
use std::sync::Arc;
use tokio::time::Instant;

const NAME: &str = "login";

/// The login of a route.
pub(crate) struct Login {
    realm: Arc<Realm>,
    logins: Arc<Logins>,
}

impl Login {
    pub(crate) fn of(id: &str, edge: &str, module: &published::Login, logins: &Arc<Logins>) -> Result<Self, Error> {
        Ok(Login { realm: logins.realm(id, edge, module)?, logins: logins.clone() })
    }

    pub(crate) fn realm(&self) -> &Arc<Realm> {
        &self.realm
    }
}

/// Lets requests with a session pass, with headers that identify the person; all others get a response in place of the
/// backend's.
pub(crate) async fn stage(
    login: Option<&Login>,
    limiter: Option<&Limiter>,
    context: &mut RequestContext<'_>,
) -> Result<Option<Box<Response<ResponseBody>>>, Refusal> {
    let Some(Login { realm, logins }) = login else { return Ok(None) };
    let began = Instant::now();
    let host = http::host(&context.parts.headers)?;
    let admission = logins.authenticate(realm, &context.parts.method, &context.parts.headers, &host).await;
    match admission {
        AuthOutcome::Authenticated(known) => {
            context.parts.headers.extend(known.headers().iter().cloned());
            let user = &known.session().user;
            // A session that is not stored yet has no user.
            if let (Identity::Wanted, Some(limiter), false) = (context.identity, limiter, user.is_empty()) {
                context.identity = limiter.identity(user);
            }
            context.trace.record(NAME, Some(user.clone()), true, began);
            Ok(None)
        }
        AuthOutcome::Bypassed => {
            context.trace.record(NAME, Some("options_passthrough".to_owned()), true, began);
            Ok(None)
        }
        AuthOutcome::Denied(error) => {
            context.trace.record(NAME, None, false, began);
            Err(refusal(error))
        }
        AuthOutcome::Unauthenticated if !Logins::is_browsing(&context.parts.headers) => {
            context.trace.record(NAME, None, false, began);
            let message = "This address requires a login. Open it in a browser, log in, and send the session cookie with the request.";
            Err(refusal(Error::new(Code::LoginNeeded, message)))
        }
        AuthOutcome::Unauthenticated => {
            context.trace.record(NAME, None, false, began);
            let origin = logins.origin_of(&host);
            let back = context.parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
            let asked = asked(&origin, context.parts, context.visitor.address.ip());
            let reply = logins.begin(realm, asked, &back, false).await.map_err(refusal)?;
            Ok(Some(Box::new(answer(reply))))
        }
    }
}

/// The parts of a request that a login needs.
pub(crate) fn asked<'a>(
    origin: &'a Origin,
    parts: &'a hyper::http::request::Parts,
    address: std::net::IpAddr,
) -> LoginRequest<'a> {
    let (method, uri, headers) = (&parts.method, &parts.uri, &parts.headers);
    LoginRequest { origin, method, path: uri.path(), query: uri.query(), headers, address }
}

/// The response of a login as a response of the edge.
pub(crate) fn answer(reply: LoginResponse) -> Response<ResponseBody> {
    reply.map(ResponseBody::full)
}

/// The refusal for an error of a login, with its fault.
pub(crate) fn refusal(error: Error) -> Refusal {
    let fault = match error.status() {
        502.. => Fault::Service,
        500..=501 => Fault::Us,
        _ => Fault::Visitor,
    };
    Refusal::new(fault, error)
}
