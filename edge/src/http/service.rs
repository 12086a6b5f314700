//! One request: made canonical, routed, judged, cleaned, sent to its tunnel, and answered.

use super::{
    body::{RequestBody, ResponseBody},
    canonical,
    exchange::{AnswerBody, exchange},
    headers, upgrade,
    visitor::Visitor,
};
use crate::{
    counters,
    modules::{Column, Trace},
    pages::{self, Manners},
    refusal::{Fault, Refusal},
    sessions::{Found, Registry, Tunnel},
    settings::{ApiHost, Limits},
};
use http_body_util::BodyExt;
use hyper::{
    HeaderMap, Request, Response, StatusCode, Uri, Version,
    body::Incoming,
    header::{self, HeaderValue},
};
use postern_api::{Code, Error, id::ksuid};
use postern_tunnel::message::Scheme;
use std::{convert::Infallible, sync::Arc, time::Instant};
use tower::ServiceExt;

/// What all requests share.
pub(crate) struct Front {
    pub(crate) registry: Arc<Registry>,
    pub(crate) api: Option<ApiHost>,
    pub(crate) limits: Limits,
    /// Where plain requests are sent when a name is published over HTTPS only.
    pub(crate) https_port: u16,
}

/// Names a request in the log, and to the visitor when it is refused.
pub(super) fn request_id() -> String {
    format!("op_{}", ksuid(jiff::Timestamp::now().as_second(), rand::random()))
}

/// Answers one request. Whatever goes wrong becomes an answer, too.
pub(super) async fn handle(
    front: Arc<Front>,
    visitor: Arc<Visitor>,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, Infallible> {
    let began = Instant::now();
    let open = visitor.busy.begin();
    let manners = Manners::of(request.headers());
    let asked = (request.method().clone(), request.uri().clone());
    // The guard reads nothing behind a request that names another protocol: see `framing`.
    let last = request.version() < Version::HTTP_2 && request.headers().contains_key(header::UPGRADE);
    let mut trace = Trace::default();
    let outcome = front.answer(&visitor, request, &mut trace).await;
    let mut response = match outcome {
        Ok(response) => {
            tracing::debug!(visitor = %visitor.address, method = %asked.0, uri = %asked.1, status = response.status().as_u16(), %trace, "answered");
            response
        }
        Err(refusal) => {
            let id = request_id();
            report(&refusal, &id, &visitor, &asked.0, &asked.1, &trace);
            pages::answer(&refusal, manners, &id)
        }
    };
    counters::request(response.status().as_u16(), began.elapsed());
    if last && response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| body.keep(open)))
}

fn report(refusal: &Refusal, id: &str, visitor: &Visitor, method: &hyper::Method, uri: &Uri, trace: &Trace) {
    let (code, text, visitor) = (refusal.error.code, &refusal.error.message, visitor.address);
    if refusal.location.is_some() {
        return tracing::debug!(id, %visitor, %method, %uri, "sent to https");
    }
    counters::refusal(code);
    match refusal.fault {
        Fault::Us => tracing::error!(id, %visitor, %method, %uri, %code, %trace, "{text}"),
        Fault::Agent | Fault::Service | Fault::Route => {
            tracing::info!(id, %visitor, %method, %uri, %code, %trace, "{text}")
        }
        Fault::Visitor => tracing::debug!(id, %visitor, %method, %uri, %code, %trace, "{text}"),
    }
}

impl Front {
    async fn answer(
        &self,
        visitor: &Arc<Visitor>,
        request: Request<Incoming>,
        trace: &mut Trace,
    ) -> Result<Response<ResponseBody>, Refusal> {
        let mut request = request;
        let wanted = headers::wanted_upgrade(request.version(), request.headers());
        let changing = wanted.is_some().then(|| hyper::upgrade::on(&mut request));
        let (mut parts, incoming) = request.into_parts();
        canonical::reduce(&parts.method, &mut parts.uri, parts.version, &mut parts.headers)?;
        let tunnel = match self.route(visitor, &parts.headers, &parts.uri)? {
            Route::Tunnel(tunnel) => tunnel,
            Route::Api(api) => {
                headers::clean_request(&mut parts.headers);
                parts.extensions.insert(visitor.address);
                return Ok(self.ask_api(api, Request::from_parts(parts, incoming)).await);
            }
        };
        // Tunnels of agents carry no modules; the column is the same for whatever does.
        Column::default().judge(visitor.address.ip(), trace)?;
        let host = parts
            .headers
            .get(header::HOST)
            .cloned()
            .ok_or_else(|| Refusal::invalid("The request has no Host header."))?;
        headers::clean_request(&mut parts.headers);
        if parts.version == Version::HTTP_2 {
            join_cookies(&mut parts.headers);
        }
        if let Some(protocol) = wanted {
            headers::restore_upgrade(&mut parts.headers, protocol);
        }
        visitor.introduce(&mut parts.headers, &host);
        parts.version = Version::HTTP_11;
        let (body, progress) = RequestBody::of(incoming);
        let request = Request::from_parts(parts, body);
        let (mut response, upstream) = exchange(&tunnel, visitor, request, progress, self.limits.answer).await?;
        *response.version_mut() = Version::HTTP_11;
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            let Some(changing) = changing else {
                let message = "The local service changed to another protocol without being asked to.";
                return Err(Refusal::new(Fault::Service, Error::new(Code::UpstreamInvalid, message)));
            };
            let protocol = response.headers().get(header::UPGRADE).cloned();
            let (parts, incoming) = response.into_parts();
            upgrade::join(changing, incoming, upstream, visitor.busy.begin());
            let mut response = Response::from_parts(parts, ResponseBody::full(bytes::Bytes::new()));
            headers::clean_response(response.headers_mut());
            if let Some(protocol) = protocol {
                headers::restore_upgrade(response.headers_mut(), protocol);
            }
            return Ok(response);
        }
        headers::clean_response(response.headers_mut());
        Ok(response.map(|incoming| ResponseBody::answer(AnswerBody::new(incoming, upstream, tunnel))))
    }

    fn route(&self, visitor: &Visitor, headers: &HeaderMap, uri: &Uri) -> Result<Route<'_>, Refusal> {
        let host = canonical::host(headers)?;
        let api = self.api.as_ref().filter(|api| api.name.as_str() == host);
        match (api, visitor.scheme) {
            (Some(api), Scheme::Https) => return Ok(Route::Api(api)),
            (Some(_), Scheme::Http) => return Err(self.to_https(&host, uri)),
            (None, _) => {}
        }
        // One connection may ask for several names: a certificate is no secret between tunnels, and the name
        // in the TLS handshake decides about nothing else. Edges with modules of the connection will.
        match self.registry.find(&host, visitor.scheme) {
            Found::Tunnel(tunnel) => Ok(Route::Tunnel(tunnel)),
            Found::Offline => Err(Refusal::offline(&host)),
            Found::HttpsOnly => Err(self.to_https(&host, uri)),
            Found::Unknown => Err(Refusal::unknown_host(&host)),
        }
    }

    fn to_https(&self, host: &str, uri: &Uri) -> Refusal {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        // A path such as `//other.test` stays a path, since the host stands before it.
        let location = match self.https_port {
            443 => format!("https://{host}{path}"),
            port => format!("https://{host}:{port}{path}"),
        };
        let mut refusal = Refusal::new(Fault::Route, Code::HttpsOnly);
        refusal.location = HeaderValue::try_from(location).ok();
        refusal
    }

    async fn ask_api(&self, api: &ApiHost, request: Request<Incoming>) -> Response<ResponseBody> {
        let Ok(response) = api.service.clone().oneshot(request).await;
        response.map(|body| ResponseBody::api(body.boxed_unsync()))
    }
}

/// Where a request goes.
enum Route<'a> {
    Tunnel(Arc<Tunnel>),
    Api(&'a ApiHost),
}

/// HTTP/2 may send cookies one by one; HTTP/1.1 has one header for all of them.
fn join_cookies(headers: &mut HeaderMap) {
    let cookies: Vec<&[u8]> = headers.get_all(header::COOKIE).iter().map(HeaderValue::as_bytes).collect();
    if cookies.len() > 1
        && let Ok(joined) = HeaderValue::from_bytes(&cookies.join(&b"; "[..]))
    {
        headers.insert(header::COOKIE, joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_sent_one_by_one_become_one_header() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=1"));
        headers.append(header::COOKIE, HeaderValue::from_static("b=2"));
        join_cookies(&mut headers);
        assert_eq!(headers.get_all(header::COOKIE).iter().collect::<Vec<_>>(), ["a=1; b=2"]);
    }
}
