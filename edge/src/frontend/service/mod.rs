//! One request: made canonical, routed, cleaned, judged, sent to whoever serves it, and answered.

use crate::{
    access::Access,
    frontend::{
        VisitorConnection,
        error_pages::{self, Manners},
        target::{Target, may_ask},
        upgrade,
    },
    http::{self, RequestBody, RequestLimiter, canonical, headers, leaves_http, too_many_fields},
    limits::Limits,
    modules::{Column, Judged, Visit, WebsocketHandshake},
    refusal::{Fault, Refusal},
    routing::{HttpsEndpoint, Route, Routing},
    settings::ApiHost,
    telemetry::{
        Asked, Record, Trace,
        metrics::{self, Kind},
    },
    tls::challenges::Challenges,
    tunnels::{Registry, Tunnel},
    upstream::{self, AnswerBody, Answered, Candidates, Carrier, For, ResponseBody, exchange},
};
use hyper::{
    HeaderMap, Method, Request, Response, StatusCode, Uri, Version,
    body::Incoming,
    header::{self, HeaderValue},
    upgrade::OnUpgrade,
};
use postern_api::{Code, Error};
use postern_logins::{IdentityHeaders, Logins, Realm};
use postern_tunnel::{StreamKind, message::Scheme};
use std::{borrow::Cow, convert::Infallible, sync::Arc, time::Duration};
use tower::ServiceExt;

/// When to try again if there is too much to do.
const PAUSE: Duration = Duration::from_secs(1);

/// What all requests share.
pub(crate) struct Front {
    pub(crate) registry: Arc<Registry>,
    pub(crate) routing: Arc<Routing>,
    pub(crate) access: Arc<Access>,
    pub(crate) logins: Arc<Logins>,
    /// Names that only logins may use, where the cleaning of every request does not know them anyway.
    pub(crate) claims: Option<Arc<IdentityHeaders>>,
    pub(crate) api: Option<ApiHost>,
    pub(crate) challenges: Challenges,
    pub(crate) limits: Limits,
    /// What keeps the server from taking on more than it can do.
    pub(crate) turns: RequestLimiter,
    /// Where plain requests are sent when a name is published over HTTPS only.
    pub(crate) https_port: u16,
}

/// Answers one request. Whatever goes wrong becomes an answer, too.
pub(crate) async fn handle(
    front: Arc<Front>,
    visitor: Arc<VisitorConnection>,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, Infallible> {
    let record = Record::begin(&front.access.telemetry);
    let mut open = visitor.busy.begin();
    let manners = Manners::of(request.headers());
    let turned_away = match (&visitor.door, front.turns.take()) {
        (None, Some(turn)) => {
            open.hold(turn);
            None
        }
        (None, None) => Some(too_much()),
        (Some(door), _) => {
            // What was asked for already is answered before the connection ends.
            door.leave.cancel();
            Some(door.full.refusal())
        }
    };
    if let Some(refusal) = turned_away {
        let response = turn_away(&refusal, &visitor, &request, &record);
        return Ok(response.map(|body| body.keep(open).counted(record)));
    }
    let (method, uri, version) = (request.method().clone(), request.uri().clone(), request.version());
    let host = request.headers().get(header::HOST).cloned();
    let last = leaves_http(&request);
    let mut trace = Trace::begin();
    let outcome = front.answer(&visitor, request, &mut trace, &record).await;
    // Of who sends such things nobody knows what else they mean.
    let invalid = outcome.as_ref().is_err_and(|refusal| refusal.error.code == Code::RequestInvalid);
    let (mut response, refusal) = match outcome {
        Ok(response) => {
            tracing::debug!(visitor = %visitor.visitor.address, %method, %uri, status = response.status().as_u16(), %trace, "answered");
            (response, None)
        }
        Err(refusal) => {
            let id = trace.id().to_owned();
            report(&refusal, &id, &visitor, &method, &uri, &trace);
            (error_pages::answer(&refusal, manners, &id), Some(refusal))
        }
    };
    let status = response.status().as_u16();
    metrics::request(trace.kind(), status, record.elapsed());
    record.arrived(&trace);
    record.ended(status, &trace, refusal.as_ref());
    record.tell(asked(&visitor, &method, &uri, version, host.as_ref()), status, &mut trace, refusal.as_ref());
    let over = (invalid || response.status() == StatusCode::MISDIRECTED_REQUEST) && version < Version::HTTP_2;
    if over || last && response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| body.keep(open).counted(record)))
}

/// What was asked, as it is written down.
fn asked<'a>(
    visitor: &VisitorConnection,
    method: &'a Method,
    uri: &'a Uri,
    version: Version,
    host: Option<&'a HeaderValue>,
) -> Asked<'a> {
    Asked {
        visitor: visitor.visitor.address,
        scheme: if visitor.visitor.is_tls() { "https" } else { "http" },
        protocol: protocol_name(version),
        // HTTP/2 names it in the address, HTTP/1.1 in a header.
        host: uri.host().or_else(|| host?.to_str().ok()).unwrap_or_default(),
        method: method.as_str(),
        path: uri.path(),
    }
}

fn protocol_name(version: Version) -> &'static str {
    match version {
        Version::HTTP_2 => "HTTP/2",
        Version::HTTP_10 => "HTTP/1.0",
        _ => "HTTP/1.1",
    }
}

/// While too many requests are being served.
fn too_much() -> Refusal {
    let message = "The server serves as many requests as it can at the moment. Try again in a moment.";
    Refusal::new(Fault::Us, Error::new(Code::EdgeBusy, message)).retry_after(PAUSE)
}

/// The answer to a request that is not looked at any further. It costs next to nothing, since at such times there is
/// nothing to spare: it stands in the access log, for which nobody waits, and not in the server's own.
fn turn_away(
    refusal: &Refusal,
    visitor: &VisitorConnection,
    request: &Request<Incoming>,
    record: &Record,
) -> Response<ResponseBody> {
    let (mut trace, status) = (Trace::default(), refusal.status());
    metrics::refusal(None, refusal.error.code);
    metrics::request(trace.kind(), status, record.elapsed());
    record.arrived(&trace);
    record.ended(status, &trace, Some(refusal));
    let host = request.headers().get(header::HOST);
    record.tell(
        asked(visitor, request.method(), request.uri(), request.version(), host),
        status,
        &mut trace,
        Some(refusal),
    );
    let mut response = error_pages::answer(refusal, Manners::of(request.headers()), trace.id());
    if request.version() < Version::HTTP_2 {
        // A body that nobody reads would stand between this answer and the next request.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn report(refusal: &Refusal, id: &str, visitor: &VisitorConnection, method: &Method, uri: &Uri, trace: &Trace) {
    let (code, text, visitor) = (refusal.error.code, &refusal.error.message, visitor.visitor.address);
    if refusal.location.is_some() {
        return tracing::debug!(id, %visitor, %method, %uri, "sent to https");
    }
    metrics::refusal(trace.refused_by(), code);
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
        visitor: &Arc<VisitorConnection>,
        request: Request<Incoming>,
        trace: &mut Trace,
        record: &Arc<Record>,
    ) -> Result<Response<ResponseBody>, Refusal> {
        let mut request = request;
        let wanted = headers::wanted_upgrade(request.version(), request.headers());
        let changing = wanted.is_some().then(|| hyper::upgrade::on(&mut request));
        let (mut parts, incoming) = request.into_parts();
        if parts.headers.len() > self.limits.headers {
            return Err(too_many_fields(self.limits.headers));
        }
        canonical::reduce(&parts.method, &mut parts.uri, parts.version, &mut parts.headers)?;
        // A proof is for everybody to see: the authority may come from anywhere.
        if visitor.visitor.scheme == Scheme::Http
            && let Some(text) = self.challenges.text_at(parts.uri.path())
        {
            return Ok(proof(text));
        }
        let target = self.find(visitor, &parts.headers, &parts.uri);
        match &target {
            Ok(Target::Edge(edge)) => trace.at_edge(Kind::HttpsEdge, &edge.tally),
            Ok(Target::Tunnel(tunnel)) => trace.at_tunnel(tunnel.upstream.tally()),
            Ok(Target::Api(_)) => trace.at(Kind::Api),
            Ok(Target::Logins) => trace.at(Kind::Logins),
            Err(_) => {}
        }
        // Who may not come in learns nothing of what there is. The management API has restrictions of its own.
        if !matches!(target, Ok(Target::Api(_))) {
            self.access.restrictions.visitor(visitor.visitor.address.ip(), trace)?;
        }
        let target = target?;
        may_ask(visitor, &target)?;
        let mut identity: &[_] = &[];
        let way = match target {
            Target::Tunnel(tunnel) => {
                let asks = tunnel.stages.as_ref().is_some_and(|stages| stages.handshake.is_some());
                if let Some(admission) = visitor.admission.as_ref().filter(|_| asks) {
                    identity = admission.identity().headers();
                }
                if let Some(realm) = tunnel.stages.as_ref().and_then(|stages| stages.column.realm())
                    && parts.uri.path().starts_with(postern_logins::PREFIX)
                {
                    return self.log_in(&parts, visitor, |_| Some(realm.clone())).await;
                }
                Way::Tunnel(tunnel)
            }
            Target::Edge(edge) => {
                // Once an edge asks for no certificates any more, they prove nothing either.
                if let (Some(_), Some(admission)) = (&edge.handshake, &visitor.admission) {
                    identity = admission.identity().headers();
                }
                if !edge.realms.is_empty() && parts.uri.path().starts_with(postern_logins::PREFIX) {
                    let guarded = |path: &str| edge.route(&normalised_path(path)?)?.column.realm().cloned();
                    return self.log_in(&parts, visitor, guarded).await;
                }
                let route = route_of(&edge, &parts.uri)?;
                Way::Route(edge, route)
            }
            Target::Logins => return self.at_login_host(&parts, incoming, visitor).await,
            Target::Api(api) => {
                headers::clean_request(&mut parts.headers);
                parts.extensions.insert(visitor.visitor.address);
                return Ok(self.ask_api(api, Request::from_parts(parts, incoming)).await);
            }
        };
        let host = parts
            .headers
            .get(header::HOST)
            .cloned()
            .ok_or_else(|| Refusal::invalid("The request has no Host header."))?;
        headers::clean_request(&mut parts.headers);
        if let Some(claims) = &self.claims {
            claims.strip(&mut parts.headers);
        }
        if parts.version == Version::HTTP_2 {
            join_cookies(&mut parts.headers);
        }
        if let Some(protocol) = wanted {
            headers::restore_upgrade(&mut parts.headers, protocol);
        }
        visitor.visitor.introduce(&mut parts.headers, &host);
        parts.headers.extend(identity.iter().cloned());
        let (body, progress) = RequestBody::of(incoming, &parts.headers, &self.limits);
        let mut body = body.counted(record).without(self.claims.as_ref());
        if let Way::Route(_, route) = &way {
            trace.on_route(&route.tally);
            trace.leads_to(route.backend_id());
        }
        let mut passed = None;
        if let Some(column) = way.column() {
            let mut visit = Visit { visitor: &visitor.visitor, parts: &mut parts, body: &mut body, trace };
            passed = match column.request(&mut visit).await? {
                Judged::Passed(passed) => Some((column, passed)),
                Judged::Answered(answer) => return Ok(*answer),
            };
        }
        // Sessions are between the visitor and this endpoint, whatever the route.
        for realm in way.realms() {
            Logins::strip(realm, &mut parts.headers);
        }
        let candidates = match &way {
            Way::Tunnel(tunnel) => upstream::only(tunnel.upstream.clone()),
            Way::Route(_, route) => self.registry.backends.candidates(route.backend())?,
        };
        parts.version = Version::HTTP_11;
        let mut whom = For {
            kind: StreamKind::Http,
            visitor: visitor.visitor.address,
            tls: visitor.visitor.is_tls(),
            reached: visitor.visitor.reached,
        };
        let outcome = if let Some(websocket) = passed.as_mut().and_then(|(_, passed)| passed.websocket.take()) {
            whom.kind = StreamKind::Tcp;
            self.convert(candidates, whom, websocket, visitor, changing, (trace, record)).await
        } else {
            let request = Request::from_parts(parts, body);
            exchange(candidates, whom, request, progress, self.limits.answer, trace).await.and_then(|answered| {
                if let Answered::Origin { origin, .. } = &answered {
                    origin.mark_served(trace);
                }
                conclude(answered, visitor, changing, record)
            })
        };
        match (passed, outcome) {
            (Some((column, passed)), Ok(response)) => Ok(column.answer(passed, response, trace)),
            (Some((column, passed)), Err(refusal)) => {
                column.failure(passed, &refusal);
                Err(refusal)
            }
            (None, outcome) => outcome,
        }
    }

    /// Takes a WebSocket connection once the backend has taken it.
    async fn convert(
        &self,
        candidates: Candidates,
        whom: For,
        websocket: WebsocketHandshake,
        visitor: &Arc<VisitorConnection>,
        changing: Option<OnUpgrade>,
        (trace, record): (&mut Trace, &Arc<Record>),
    ) -> Result<Response<ResponseBody>, Refusal> {
        let Some(changing) = changing else {
            return Err(Refusal::new(Fault::Visitor, Code::WebsocketExpected));
        };
        let opened = tokio::time::timeout(self.limits.answer, upstream::open(candidates, whom, true)).await;
        let backend = opened.map_err(|_| {
            let message = "The backend of this address did not take the connection in time.";
            Refusal::new(Fault::Service, Error::new(Code::UpstreamTimeout, message))
        })?;
        let (backend, origin) = backend?;
        origin.mark_served(trace);
        upgrade::convert(visitor.clone(), changing, backend, record.clone());
        Ok(websocket.answer())
    }

    async fn ask_api(&self, api: &ApiHost, request: Request<Incoming>) -> Response<ResponseBody> {
        let Ok(response) = api.service.clone().oneshot(request).await;
        response.map(ResponseBody::boxed)
    }
}

/// What an ACME authority reads.
fn proof(text: String) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::full(text.into()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// What serves a request.
enum Way {
    Tunnel(Arc<Tunnel>),
    Route(Arc<HttpsEndpoint>, Arc<Route>),
}

impl Way {
    /// The stages on it; tunnels of agents mostly have none.
    fn column(&self) -> Option<&Column> {
        match self {
            Way::Tunnel(tunnel) => tunnel.stages.as_ref().map(|stages| &*stages.column),
            Way::Route(_, route) => Some(&route.column),
        }
    }

    /// Who may log in at any of the endpoint's routes.
    fn realms(&self) -> &[Arc<Realm>] {
        match self {
            Way::Tunnel(_) => self.column().and_then(Column::realm).map_or(&[], std::slice::from_ref),
            Way::Route(edge, _) => &edge.realms,
        }
    }
}

/// The route of a request.
fn route_of(edge: &HttpsEndpoint, uri: &Uri) -> Result<Arc<Route>, Refusal> {
    if edge.unreadable {
        return Err(Refusal::new(Fault::Us, Code::ModuleUnreadable));
    }
    let path = normalised_path(uri.path())
        .ok_or_else(|| Refusal::invalid("The path of the request cannot be read in one way only."))?;
    edge.route(&path).cloned().ok_or_else(|| {
        let message = "No route of this edge serves the path. Check the address.";
        Refusal::new(Fault::Route, Error::new(Code::PathUnknown, message))
    })
}

/// The path by which routes are found.
fn normalised_path(path: &str) -> Option<Cow<'_, str>> {
    // The asterisk of OPTIONS asks about the server as a whole.
    http::normalised(if path == "*" { "/" } else { path })
}

/// Makes what was answered ready for the visitor; after a change of protocol both sides are joined.
fn conclude(
    answered: Answered,
    visitor: &Arc<VisitorConnection>,
    changing: Option<OnUpgrade>,
    record: &Arc<Record>,
) -> Result<Response<ResponseBody>, Refusal> {
    let (mut response, carrier, origin) = match answered {
        Answered::Fixed(fixed) => return Ok(fixed.answer()),
        Answered::Origin { response, carrier, origin } => (response, carrier, origin),
    };
    *response.version_mut() = Version::HTTP_11;
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        let (Some(changing), Carrier::Own(upstream)) = (changing, carrier) else {
            let message = "The local service changed to another protocol without being asked to.";
            return Err(Refusal::new(Fault::Service, Error::new(Code::UpstreamInvalid, message)));
        };
        let protocol = response.headers().get(header::UPGRADE).cloned();
        let (parts, incoming) = response.into_parts();
        upgrade::join(visitor.clone(), changing, incoming, upstream, record.clone());
        let mut response = Response::from_parts(parts, ResponseBody::full(bytes::Bytes::new()));
        headers::clean_response(response.headers_mut());
        if let Some(protocol) = protocol {
            headers::restore_upgrade(response.headers_mut(), protocol);
        }
        return Ok(response);
    }
    headers::clean_response(response.headers_mut());
    Ok(response.map(|incoming| ResponseBody::answer(AnswerBody::new(incoming, carrier, origin))))
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
