//! A control side of its own for each test, and callers that speak to its router.

use crate::described::Visits;
use axum::body::Body;
use futures::{FutureExt, future::BoxFuture};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use postern_api::{
    AnyId, Code,
    host::HostName,
    traffic::{Counts, History, Traffic},
};
use postern_control::{Control, Live, LiveRefusal, LiveSession, LiveTunnel, Settings, Wanted};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Arc, Mutex},
};
use tower::ServiceExt;

pub(crate) const BASE_URL: &str = "https://api.tunnels.test:4443";

/// One server's control side in a folder that goes with it.
pub(crate) struct World {
    pub(crate) control: Control,
    pub(crate) live: Arc<Tunnels>,
    pub(crate) folder: tempfile::TempDir,
    /// Which operations were called, and what they answered.
    pub(crate) visits: Visits,
}

/// Tunnels that are up, as a test says.
#[derive(Default)]
pub(crate) struct Tunnels {
    pub(crate) ports: Mutex<BTreeSet<u16>>,
    pub(crate) hosts: Mutex<BTreeSet<HostName>>,
    pub(crate) labelled: Mutex<Vec<(AnyId, BTreeMap<String, String>)>>,
    pub(crate) sessions: Mutex<Vec<LiveSession>>,
    pub(crate) tunnels: Mutex<Vec<LiveTunnel>>,
    /// What edges have turned away, with the id of the edge.
    pub(crate) refused: Mutex<Vec<(String, LiveRefusal)>>,
    /// What passed edges, routes and tunnels.
    pub(crate) traffic: Mutex<Vec<Traffic>>,
    /// What agents were to be kept from, in order.
    pub(crate) kept_free: Mutex<Vec<Wanted>>,
}

impl Live for Tunnels {
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
    fn keep_free(&self, wanted: Wanted) -> Box<dyn Send> {
        self.kept_free.lock().expect("unpoisoned").push(wanted);
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
    fn traffic(&self) -> Vec<Traffic> {
        self.traffic.lock().expect("unpoisoned").clone()
    }
    fn traffic_of(&self, id: &str) -> Option<Traffic> {
        self.traffic().into_iter().find(|one| one.id == id)
    }
    fn traffic_in_all(&self) -> (Counts, History) {
        let requests = self.traffic().iter().map(|one| one.total.requests).sum();
        (Counts { requests, ..Counts::default() }, History::default())
    }
    fn restart(&self, session: &str) -> bool {
        self.sessions.lock().expect("unpoisoned").iter().any(|live| live.id == session)
    }
    fn stop<'a>(&'a self, session: &'a str) -> BoxFuture<'a, bool> {
        let mut sessions = self.sessions.lock().expect("unpoisoned");
        let before = sessions.len();
        sessions.retain(|live| live.id != session);
        std::future::ready(sessions.len() < before).boxed()
    }
}

impl World {
    pub(crate) async fn start() -> Self {
        World::start_with(|_| ()).await
    }

    /// With other settings.
    pub(crate) async fn start_with(change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let live = Arc::new(Tunnels::default());
        let mut settings = settings(folder.path());
        change(&mut settings);
        let control = Control::open(settings, live.clone()).await.expect("the control side opens");
        World { control, live, folder, visits: Visits::default() }
    }

    /// The API, every answer of which is held against its description.
    pub(crate) fn router(&self) -> axum::Router {
        self.visits.watch(self.control.router())
    }

    /// The administrator, with the first key.
    pub(crate) async fn operator(&self) -> Caller {
        self.control.ensure_first_key().await.expect("a key");
        let key = std::fs::read_to_string(self.folder.path().join("admin.key")).expect("the first key");
        self.caller(key.trim())
    }

    /// A new user without rights over others.
    pub(crate) async fn stranger(&self) -> Caller {
        let key = self.control.create_api_key("stranger", false).await.expect("a key");
        self.caller(key.reveal())
    }

    pub(crate) fn caller(&self, key: &str) -> Caller {
        Caller { router: self.router(), key: key.to_owned() }
    }
}

pub(crate) async fn open(folder: &Path, live: Arc<Tunnels>) -> Control {
    Control::open(settings(folder), live).await.expect("the control side opens")
}

fn settings(folder: &Path) -> Settings {
    Settings {
        base_url: BASE_URL.to_owned(),
        domain: HostName::parse("tunnels.test").expect("a name"),
        login_host: HostName::parse("login.tunnels.test").expect("a name"),
        ..Settings::new(folder)
    }
}

/// Somebody with a key.
#[derive(Clone)]
pub(crate) struct Caller {
    router: axum::Router,
    pub(crate) key: String,
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Caller {
    /// A request with everything a call needs, to be changed before it is sent.
    pub(crate) fn request(&self, method: &str, path: &str) -> http::request::Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", format!("Bearer {}", self.key))
            .header("service-version", "2")
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.expect("the router always answers");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        let text = String::from_utf8(bytes.to_vec()).expect("text");
        Answer { status: parts.status, headers: parts.headers, text }
    }

    pub(crate) async fn with_body(&self, method: &str, path: &str, body: &Value) -> Answer {
        let request = self.request(method, path).header("content-type", "application/json");
        self.send(request.body(Body::from(body.to_string())).expect("a request")).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.with_body("POST", path, body).await
    }
    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.with_body("PATCH", path, body).await
    }
    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.with_body("PUT", path, body).await
    }
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(self.request("GET", path).body(Body::empty()).expect("a request")).await
    }
    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(self.request("DELETE", path).body(Body::empty()).expect("a request")).await
    }

    /// Makes something and gives its record.
    pub(crate) async fn made(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).await.is(StatusCode::CREATED)
    }
    /// Makes something and gives its id.
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

impl Answer {
    /// The body, after checking the status.
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

    /// Checks that it is an error with this code, whole as the API promises it.
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

/// The first member of a list's body that is a list.
pub(crate) fn ids(list: &Value, member: &str) -> Vec<String> {
    let records = list[member].as_array().unwrap_or_else(|| panic!("no `{member}` in {list}"));
    records.iter().map(|record| record["id"].as_str().expect("an id").to_owned()).collect()
}

/// The path of an absolute address on this server.
pub(crate) fn path(uri: &Value) -> String {
    let uri = uri.as_str().expect("an address");
    uri.strip_prefix(BASE_URL).unwrap_or_else(|| panic!("`{uri}` does not begin with the base address")).to_owned()
}
