//! A management API for each test, and callers that use its router.

use crate::description_check::OperationLog;
use axum::body::Body;
use futures::{FutureExt, future::BoxFuture};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use postern_api::{
    AnyId, Code, Role,
    host::HostName,
    resource::{NodeName, RecentRequest, RequestFilter, newest_requests},
    traffic::{Counts, History, Traffic, TrafficInterval, TrafficQuery, TrafficRange, TrafficSeries, TrafficSum},
};
use postern_control::{
    CommandOutcome, Control, ControlSettings, Gathered, LiveRefusal, LiveSession, LiveState, LiveTunnel, NameHold,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Arc, Mutex},
};
use tower::ServiceExt;

pub(crate) const BASE_URL: &str = "https://api.tunnels.test:4443";

/// One management API with its data folder, which is deleted with it.
pub(crate) struct World {
    pub(crate) control: Control,
    pub(crate) live: Arc<Tunnels>,
    pub(crate) folder: tempfile::TempDir,
    /// Operations that were called, with the statuses of their responses.
    pub(crate) operation_log: OperationLog,
}

/// Live state that a test sets.
#[derive(Default)]
pub(crate) struct Tunnels {
    pub(crate) ports: Mutex<BTreeSet<u16>>,
    pub(crate) hosts: Mutex<BTreeSet<HostName>>,
    pub(crate) labelled: Mutex<Vec<(AnyId, BTreeMap<String, String>)>>,
    pub(crate) sessions: Mutex<Vec<LiveSession>>,
    pub(crate) tunnels: Mutex<Vec<LiveTunnel>>,
    /// Refusals, with the id of the edge.
    pub(crate) refused: Mutex<Vec<(String, LiveRefusal)>>,
    /// Last requests.
    pub(crate) requests: Mutex<Vec<RecentRequest>>,
    /// Traffic of edges, routes and tunnels.
    pub(crate) traffic: Mutex<Vec<Traffic>>,
    /// Nodes that do not answer.
    pub(crate) missing: Mutex<Vec<NodeName>>,
    /// Holds on names, in order.
    pub(crate) name_holds: Mutex<Vec<NameHold>>,
}

impl LiveState for Tunnels {
    fn tunnels_with(&self, labels: &BTreeMap<String, String>) -> Vec<AnyId> {
        let labelled = self.labelled.lock().expect("unpoisoned");
        let fits = |own: &BTreeMap<String, String>| labels.iter().all(|(key, value)| own.get(key) == Some(value));
        labelled.iter().filter(|(_, own)| fits(own)).map(|(id, _)| id.clone()).collect()
    }
    fn port_in_use(&self, port: u16) -> bool {
        self.ports.lock().expect("unpoisoned").contains(&port)
    }
    fn host_in_use(&self, host: &HostName) -> bool {
        self.hosts.lock().expect("unpoisoned").contains(host)
    }
    fn hold_names(&self, hold: NameHold) -> Box<dyn Send> {
        self.name_holds.lock().expect("unpoisoned").push(hold);
        Box::new(())
    }
    fn https_port(&self) -> u16 {
        4443
    }
    fn region(&self) -> String {
        "local".to_owned()
    }
    fn sessions(&self) -> Vec<LiveSession> {
        self.sessions.lock().expect("unpoisoned").clone()
    }
    fn tunnels(&self) -> Vec<LiveTunnel> {
        self.tunnels.lock().expect("unpoisoned").clone()
    }
    fn refused(&self, edge: &str) -> Vec<LiveRefusal> {
        let refused = self.refused.lock().expect("unpoisoned");
        refused.iter().filter(|(of, _)| of == edge).map(|(_, refusal)| refusal.clone()).collect()
    }
    fn requests<'a>(&'a self, id: &'a str, filter: RequestFilter) -> BoxFuture<'a, Gathered<Vec<RecentRequest>>> {
        let reached = |one: &&RecentRequest| {
            id.is_empty() || [&one.edge_id, &one.route_id, &one.tunnel_id].into_iter().any(|of| of == id)
        };
        let requests = self.requests.lock().expect("unpoisoned");
        let found = requests.iter().filter(reached).filter(|one| filter.accepts(one)).cloned().collect();
        std::future::ready((newest_requests(found, filter.limit), self.missing_nodes())).boxed()
    }
    fn traffic(&self) -> BoxFuture<'_, Gathered<Vec<Traffic>>> {
        std::future::ready((self.traffic.lock().expect("unpoisoned").clone(), self.missing_nodes())).boxed()
    }
    fn traffic_of<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Gathered<Option<Traffic>>> {
        let found = self.traffic.lock().expect("unpoisoned").iter().find(|one| one.id == id).cloned();
        std::future::ready((found, self.missing_nodes())).boxed()
    }
    fn traffic_in_all(&self) -> BoxFuture<'_, Gathered<(Counts, History)>> {
        let requests = self.traffic.lock().expect("unpoisoned").iter().map(|one| one.total.requests).sum();
        let all = (Counts { requests, ..Counts::default() }, History::default());
        std::future::ready((all, self.missing_nodes())).boxed()
    }
    fn traffic_series<'a>(&'a self, id: Option<&'a str>, range: TrafficRange) -> BoxFuture<'a, TrafficSeries> {
        let empty = TrafficSeries::empty(range, postern_api::clock::now());
        let traffic = self.traffic.lock().expect("unpoisoned");
        let fits = traffic.iter().filter(|one| id.is_none_or(|id| one.id == id));
        let requests = fits.map(|one| one.total.requests).sum();
        let total = TrafficInterval { requests, succeeded: requests, ..empty.total.clone() };
        let intervals = (requests > 0).then(|| total.clone()).into_iter().collect();
        std::future::ready(TrafficSeries { total, intervals, nodes_missing: self.missing_nodes(), ..empty }).boxed()
    }
    fn traffic_sums(&self, queries: Vec<TrafficQuery>) -> BoxFuture<'_, Gathered<Vec<TrafficSum>>> {
        let traffic = self.traffic.lock().expect("unpoisoned");
        let of = |query: &TrafficQuery| {
            let found = traffic.iter().filter(|one| one.id == query.id || query.id.is_empty());
            let requests = found.map(|one| one.total.requests).sum();
            TrafficSum { requests, ..TrafficSum::default() }
        };
        std::future::ready((queries.iter().map(of).collect(), self.missing_nodes())).boxed()
    }
    fn missing_nodes(&self) -> Vec<NodeName> {
        self.missing.lock().expect("unpoisoned").clone()
    }
    fn restart<'a>(&'a self, session: &'a str) -> BoxFuture<'a, CommandOutcome> {
        let found = self.sessions.lock().expect("unpoisoned").iter().find(|live| live.id == session).cloned();
        std::future::ready(self.outcome(found)).boxed()
    }
    fn stop<'a>(&'a self, session: &'a str) -> BoxFuture<'a, CommandOutcome> {
        let mut sessions = self.sessions.lock().expect("unpoisoned");
        let place = sessions.iter().position(|live| live.id == session);
        let found = place.map(|place| sessions.remove(place));
        std::future::ready(self.outcome(found)).boxed()
    }
}

impl Tunnels {
    fn outcome(&self, found: Option<LiveSession>) -> CommandOutcome {
        match found {
            Some(live) if live.node.as_ref().is_some_and(|node| self.missing_nodes().contains(node)) => {
                CommandOutcome::Uncertain
            }
            Some(_) => CommandOutcome::Done,
            None => CommandOutcome::NoSession,
        }
    }
}

impl World {
    pub(crate) async fn start() -> Self {
        World::start_with(|_| ()).await
    }

    /// Starts with changed settings.
    pub(crate) async fn start_with(change: impl FnOnce(&mut ControlSettings)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let live = Arc::new(Tunnels::default());
        let mut settings = settings(folder.path());
        change(&mut settings);
        let control = Control::open(settings, live.clone()).await.expect("the control side opens");
        World { control, live, folder, operation_log: OperationLog::default() }
    }

    /// The API; every response is validated against the description.
    pub(crate) fn router(&self) -> axum::Router {
        self.operation_log.wrap(self.control.router())
    }

    /// The administrator with the first key.
    pub(crate) async fn operator(&self) -> Caller {
        self.control.ensure_first_key().await.expect("a key");
        let key = std::fs::read_to_string(self.folder.path().join("admin.key")).expect("the first key");
        self.caller(key.trim())
    }

    /// A new user who is not an administrator.
    pub(crate) async fn stranger(&self) -> Caller {
        let key = self.control.create_api_key("stranger", Role::Editor).await.expect("a key");
        self.caller(key.reveal())
    }

    pub(crate) fn caller(&self, key: &str) -> Caller {
        Caller { router: self.router(), key: key.to_owned() }
    }
}

pub(crate) async fn open(folder: &Path, live: Arc<Tunnels>) -> Control {
    Control::open(settings(folder), live).await.expect("the control side opens")
}

fn settings(folder: &Path) -> ControlSettings {
    ControlSettings {
        base_url: BASE_URL.to_owned(),
        domain: HostName::parse("tunnels.test").expect("a name"),
        login_host: HostName::parse("login.tunnels.test").expect("a name"),
        // Nothing is looked up outside this machine.
        dns_resolver: Some(([127, 0, 0, 1], 1).into()),
        ..ControlSettings::new(folder)
    }
}

/// A caller with a key.
#[derive(Clone)]
pub(crate) struct Caller {
    router: axum::Router,
    pub(crate) key: String,
}

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct ApiResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Caller {
    /// A request with all required headers, to be changed before it is sent.
    pub(crate) fn request(&self, method: &str, path: &str) -> http::request::Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", format!("Bearer {}", self.key))
            .header("service-version", "2")
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> ApiResponse {
        let response = self.router.clone().oneshot(request).await.expect("the router is infallible");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        let text = String::from_utf8(bytes.to_vec()).expect("text");
        ApiResponse { status: parts.status, headers: parts.headers, text }
    }

    pub(crate) async fn with_body(&self, method: &str, path: &str, body: &Value) -> ApiResponse {
        let request = self.request(method, path).header("content-type", "application/json");
        self.send(request.body(Body::from(body.to_string())).expect("a request")).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> ApiResponse {
        self.with_body("POST", path, body).await
    }
    pub(crate) async fn patch(&self, path: &str, body: &Value) -> ApiResponse {
        self.with_body("PATCH", path, body).await
    }
    pub(crate) async fn put(&self, path: &str, body: &Value) -> ApiResponse {
        self.with_body("PUT", path, body).await
    }
    pub(crate) async fn get(&self, path: &str) -> ApiResponse {
        self.send(self.request("GET", path).body(Body::empty()).expect("a request")).await
    }
    pub(crate) async fn delete(&self, path: &str) -> ApiResponse {
        self.send(self.request("DELETE", path).body(Body::empty()).expect("a request")).await
    }

    /// Creates a record and gives it.
    pub(crate) async fn made(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).await.is(StatusCode::CREATED)
    }
    /// Creates a record and gives its id.
    pub(crate) async fn id(&self, path: &str, body: &Value) -> String {
        self.made(path, body).await["id"].as_str().expect("an id").to_owned()
    }
    pub(crate) async fn policy(&self) -> String {
        self.id("/ip_policies", &json!({})).await
    }
    pub(crate) async fn rule(&self, policy: &str, cidr: &str, action: &str) -> String {
        self.id("/ip_policy_rules", &json!({"ip_policy_id": policy, "cidr": cidr, "action": action})).await
    }
    pub(crate) async fn group(&self) -> String {
        self.id("/backends/tunnel_group", &json!({"labels": {"app": "shop"}})).await
    }
}

impl ApiResponse {
    /// Checks the status and gives the body.
    #[track_caller]
    pub(crate) fn is(&self, status: StatusCode) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        if self.text.is_empty() { Value::Null } else { self.json() }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.headers["content-type"], "application/json", "{}", self.text);
        serde_json::from_str(&self.text).expect("JSON")
    }

    /// Checks that it is a complete error with this code.
    #[track_caller]
    pub(crate) fn refused(&self, code: Code) -> Value {
        let body = self.json();
        assert_eq!(body["error_code"], code.to_string(), "{}", self.text);
        assert_eq!(self.status.as_u16(), code.status(), "{}", self.text);
        assert_eq!(body["status_code"], code.status(), "{}", self.text);
        assert!(body["msg"].as_str().is_some_and(|sentence| sentence.len() > 10), "{}", self.text);
        let operation = body["details"]["operation_id"].as_str().expect("an operation id");
        assert!(operation.starts_with("op_"), "{operation}");
        assert_eq!(self.headers["postern-operation-id"], operation);
        body
    }
}

/// The first array in the body of a list.
pub(crate) fn ids(list: &Value, member: &str) -> Vec<String> {
    let records = list[member].as_array().unwrap_or_else(|| panic!("no `{member}` in {list}"));
    records.iter().map(|record| record["id"].as_str().expect("an id").to_owned()).collect()
}

/// Path of an absolute URI of this server.
pub(crate) fn path(uri: &Value) -> String {
    let uri = uri.as_str().expect("an address");
    uri.strip_prefix(BASE_URL).unwrap_or_else(|| panic!("`{uri}` does not begin with the base address")).to_owned()
}
