//! Views of live state: sessions, tunnels, endpoints.

use crate::kit::{BASE_URL, Caller, World, ids, path};
use axum::body::Body;
use http::StatusCode;
use postern_api::{AnyId, Code, Timestamp, id::ksuid, resource::NodeName};
use postern_control::{LiveAddress, LiveSession, LiveTunnel};
use postern_test_kit::eventually;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Later than the creation of any edge of a test.
const LATER: i64 = 2_000_000_000;

fn session(second: i64, credential: &str) -> LiveSession {
    LiveSession {
        id: format!("ts_{}", ksuid(second, rand::random())),
        credential: credential.to_owned(),
        agent_version: "0.1.0".to_owned(),
        os: "linux/x86_64".to_owned(),
        instance: String::new(),
        host_name: "web-1".to_owned(),
        account: "ada".to_owned(),
        address: "::ffff:192.0.2.7".parse().expect("an address"),
        transport: "postern/1".to_owned(),
        metadata: "of a test".to_owned(),
        remote_management: true,
        started_at: moment(second),
        node: None,
    }
}

fn tunnel(second: i64, session: &LiveSession, address: Option<(&'static str, &str, u16)>) -> LiveTunnel {
    LiveTunnel {
        id: format!("tn_{}", ksuid(second, rand::random())),
        session: session.id.clone(),
        credential: session.credential.clone(),
        name: "shop".to_owned(),
        address: address.map(|(scheme, host, port)| LiveAddress { scheme, host: host.to_owned(), port }),
        labels: if address.is_none() { [("app".to_owned(), "shop".to_owned())].into() } else { Default::default() },
        forwards_to: "http://localhost:8080".to_owned(),
        metadata: "of a test".to_owned(),
        started_at: moment(second),
        node: None,
    }
}

fn moment(second: i64) -> Timestamp {
    Timestamp::new(jiff::Timestamp::from_second(second).expect("a moment"))
}

impl World {
    fn connects(&self, session: &LiveSession) {
        self.live.sessions.lock().expect("unpoisoned").push(session.clone());
    }
    fn opens(&self, tunnel: &LiveTunnel) {
        self.live.tunnels.lock().expect("unpoisoned").push(tunnel.clone());
    }
}

fn members(record: &Value) -> BTreeSet<&str> {
    record.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[tokio::test]
async fn views_are_listed_and_read() {
    listed_and_read(&World::start().await).await;
}

/// The suite for every view.
pub(crate) async fn listed_and_read(world: &World) {
    let operator = world.operator().await;
    let session = session(LATER, &operator.id("/credentials", &json!({})).await);
    world.connects(&session);
    world.opens(&tunnel(LATER, &session, Some(("http", "shop.test", 80))));
    for place in ["/agents", "/tunnel_sessions", "/tunnels", "/endpoints", "/nodes"] {
        let list = operator.get(place).await.is(StatusCode::OK);
        let records = list[&place[1..]].as_array().expect("a list");
        assert_eq!(records.len(), 1, "{place}");
        assert_eq!(operator.get(&path(&records[0]["uri"])).await.is(StatusCode::OK), records[0]);
    }
    for command in ["restart", "stop"] {
        operator
            .post(&format!("/tunnel_sessions/{}/{command}", session.id), &json!({}))
            .await
            .is(StatusCode::NO_CONTENT);
    }
    forgets_an_agent(world, &operator, &session).await;
}

/// An agent that is away is listed once it was recorded, and can be forgotten.
async fn forgets_an_agent(world: &World, operator: &Caller, session: &LiveSession) {
    let _recording = world.control.run_event_tasks();
    let away = eventually("the agent is recorded", async || {
        world.live.sessions.lock().expect("unpoisoned").clear();
        let list = operator.get("/agents").await.is(StatusCode::OK);
        let agent = list["agents"].get(0).cloned();
        if agent.is_none() {
            world.connects(session);
        }
        agent
    })
    .await;
    assert_eq!((&away["state"], &away["host_name"]), (&json!("away"), &json!("web-1")), "{away}");
    let item = path(&away["uri"]);
    operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    operator.delete(&item).await.refused(Code::NotFound);
    operator.get(&item).await.refused(Code::NotFound);
}

#[tokio::test]
async fn a_server_alone_is_the_only_node() {
    let world = World::start().await;
    let operator = world.operator().await;
    let list = operator.get("/nodes").await.is(StatusCode::OK);
    let node = &list["nodes"][0];
    for (member, value) in [("answering", json!(true)), ("link", json!("own")), ("state", json!("serving"))] {
        assert_eq!(node[member], value, "{node}");
    }
    assert!(node["revision"].as_u64().is_some_and(|revision| revision > 0) && node["address"] == "", "{node}");
    let unknown = format!("/nodes/nd_{}", "0".repeat(27));
    operator.get(&unknown).await.refused(Code::NotFound);
    operator.get("/nodes/ts_000000000000000000000000000").await.refused(Code::IdShape);
    world.stranger().await.get("/nodes").await.refused(Code::AdminNeeded);
}

#[tokio::test]
async fn a_session_describes_its_agent() {
    let world = World::start().await;
    let operator = world.operator().await;
    let credential = operator.id("/credentials", &json!({})).await;
    let session = session(LATER, &credential);
    world.connects(&session);
    let read = operator.get(&format!("/tunnel_sessions/{}", session.id)).await.is(StatusCode::OK);
    let agent = operator.get("/agents").await.is(StatusCode::OK)["agents"][0].clone();
    let expected = json!({
        "id": session.id,
        "uri": format!("{BASE_URL}/tunnel_sessions/{}", session.id),
        "account": "ada",
        "agent": {"id": agent["id"], "uri": agent["uri"]},
        "host_name": "web-1",
        "agent_version": "0.1.0",
        "credential": {"id": credential, "uri": format!("{BASE_URL}/credentials/{credential}")},
        "ip": "192.0.2.7",
        "metadata": "of a test",
        "os": "linux/x86_64",
        "region": "local",
        "started_at": "2033-05-18T03:33:20Z",
        "transport": "postern/1",
    });
    assert_eq!(read, expected);
    let list = operator.get("/tunnel_sessions").await.is(StatusCode::OK);
    let whole =
        json!({"tunnel_sessions": [expected], "uri": format!("{BASE_URL}/tunnel_sessions"), "next_page_uri": null});
    assert_eq!(list, whole);
    world.live.sessions.lock().expect("unpoisoned").clear();
    operator.get(&format!("/tunnel_sessions/{}", session.id)).await.refused(Code::NotFound);
}

/// A session with a tunnel at an address and one with labels.
struct Tunnels {
    _world: World,
    operator: Caller,
    /// The owner of the session's credential.
    owner: String,
    session: LiveSession,
    published: LiveTunnel,
    labelled: LiveTunnel,
}

impl Tunnels {
    async fn start() -> Tunnels {
        let world = World::start().await;
        let operator = world.operator().await;
        let made = operator.made("/credentials", &json!({})).await;
        let session = session(LATER, made["id"].as_str().expect("an id"));
        let published = tunnel(LATER, &session, Some(("https", "shop.test", 443)));
        let labelled = tunnel(LATER + 1, &session, None);
        world.opens(&published);
        world.opens(&labelled);
        let owner = made["owner_id"].as_str().expect("an owner").to_owned();
        Tunnels { _world: world, operator, owner, session, published, labelled }
    }

    /// The id of the endpoint of the published tunnel.
    fn endpoint(&self) -> String {
        format!("ep_{}", &self.published.id[3..])
    }

    fn own_session(&self) -> Value {
        json!({"id": self.session.id, "uri": format!("{BASE_URL}/tunnel_sessions/{}", self.session.id)})
    }
}

#[tokio::test]
async fn a_tunnel_with_an_address_describes_it_and_its_endpoint() {
    let tunnels = Tunnels::start().await;
    let (published, endpoint) = (&tunnels.published, tunnels.endpoint());
    let (own_session, own_endpoint) =
        (tunnels.own_session(), json!({"id": endpoint, "uri": format!("{BASE_URL}/endpoints/{endpoint}")}));
    let read = tunnels.operator.get(&format!("/tunnels/{}", published.id)).await.is(StatusCode::OK);
    let expected = json!({
        "id": published.id,
        "uri": format!("{BASE_URL}/tunnels/{}", published.id),
        "public_url": "https://shop.test",
        "started_at": "2033-05-18T03:33:20Z",
        "metadata": "of a test",
        "proto": "https",
        "region": "local",
        "tunnel_session": own_session,
        "endpoint": own_endpoint,
        "labels": {},
        "backends": [],
        "forwards_to": "http://localhost:8080",
    });
    assert_eq!(read, expected);
}

#[tokio::test]
async fn a_labelled_tunnel_has_backends_and_is_no_endpoint() {
    let tunnels = Tunnels::start().await;
    let operator = &tunnels.operator;
    let group = operator.group().await;
    operator.id("/backends/tunnel_group", &json!({"labels": {"app": "other"}})).await;
    let read = operator.get(&format!("/tunnels/{}", tunnels.labelled.id)).await.is(StatusCode::OK);
    assert_eq!((&read["public_url"], &read["proto"], &read["endpoint"]), (&json!(""), &json!(""), &Value::Null));
    assert_eq!(read["labels"], json!({"app": "shop"}));
    assert_eq!(read["backends"], json!([{"id": group, "uri": format!("{BASE_URL}/backends/tunnel_group/{group}")}]));
    let all = operator.get("/endpoints").await.is(StatusCode::OK);
    assert_eq!(ids(&all, "endpoints"), [tunnels.endpoint()]);
}

#[tokio::test]
async fn the_endpoint_of_a_tunnel_is_described() {
    let tunnels = Tunnels::start().await;
    let (published, endpoint, owner) = (&tunnels.published, tunnels.endpoint(), &tunnels.owner);
    let own_session = tunnels.own_session();
    let read = tunnels.operator.get(&format!("/endpoints/{endpoint}")).await.is(StatusCode::OK);
    let expected = json!({
        "id": endpoint,
        "uri": format!("{BASE_URL}/endpoints/{endpoint}"),
        "created_at": "2033-05-18T03:33:20Z",
        "updated_at": "2033-05-18T03:33:20Z",
        "type": "ephemeral",
        "public_url": "https://shop.test",
        "url": "https://shop.test",
        "proto": "https",
        "scheme": "https",
        "hostport": "shop.test:443",
        "host": "shop.test",
        "port": 443,
        "region": "local",
        "name": "shop",
        "description": "",
        "metadata": "of a test",
        "principal": {"id": owner, "uri": format!("{BASE_URL}/users/{owner}")},
        "bindings": ["public"],
        "domain": null,
        "tcp_addr": null,
        "tunnel": {"id": published.id, "uri": format!("{BASE_URL}/tunnels/{}", published.id)},
        "tunnel_session": own_session,
        "edge": null,
        "upstream_url": "http://localhost:8080",
        "upstream_protocol": "",
        "traffic_policy": "",
        "pooling_enabled": false,
    });
    assert_eq!(read, expected);
}

#[tokio::test]
async fn each_name_and_port_of_an_edge_is_an_endpoint() {
    let world = World::start().await;
    let operator = world.operator().await;
    let texts = |hostports: Value| json!({"hostports": hostports, "description": "an edge", "metadata": "{}"});
    let https = operator.made("/edges/https", &texts(json!(["a.test:443", "a.test:4443", "b.test:443"]))).await;
    operator.made("/edges/tls", &texts(json!(["*.c.test:4443"]))).await;
    operator.made("/edges/tcp", &texts(json!(["tunnels.test:24001", "127.0.0.1:24001", "127.0.0.1:24002"]))).await;
    operator.made("/edges/tls", &texts(json!([]))).await;

    let all = operator.get("/endpoints").await.is(StatusCode::OK);
    let endpoints = all["endpoints"].as_array().expect("a list");
    let urls: BTreeSet<&str> =
        endpoints.iter().map(|found| found["public_url"].as_str().expect("an address")).collect();
    let expected = [
        "https://a.test:4443",
        "https://b.test:4443",
        "tcp://tunnels.test:24001",
        "tcp://tunnels.test:24002",
        "tls://*.c.test:4443",
    ];
    assert_eq!((urls, endpoints.len()), (expected.into(), 5));
    for found in endpoints {
        let read = operator.get(&path(&found["uri"])).await.is(StatusCode::OK);
        assert_eq!(&read, found, "found again by its id");
        assert_eq!(
            (&found["type"], &found["description"], &found["metadata"]),
            (&json!("edge"), &json!("an edge"), &json!("{}"))
        );
        assert_eq!(members(found).len(), 27);
        assert!(found["tunnel"].is_null() && found["principal"].is_null());
    }
    let of_a = endpoints.iter().find(|found| found["host"] == "a.test").expect("an endpoint");
    assert_eq!(of_a["edge"], json!({"id": https["id"], "uri": https["uri"]}));
    assert_eq!((&of_a["hostport"], &of_a["port"]), (&json!("a.test:4443"), &json!(4443)));
    assert_eq!(of_a["created_at"], https["created_at"]);

    // An address of an edge keeps its id, and a removed address disappears.
    let edge = path(&https["uri"]);
    operator.patch(&edge, &json!({"hostports": ["z.test:443", "a.test:443"]})).await.is(StatusCode::OK);
    operator.get(&path(&of_a["uri"])).await.is(StatusCode::OK);
    operator.patch(&edge, &json!({"hostports": ["z.test:443"]})).await.is(StatusCode::OK);
    operator.get(&path(&of_a["uri"])).await.refused(Code::NotFound);
}

/// Reads a view page by page.
async fn paged(operator: &Caller, place: &str, member: &str, limit: usize) -> Vec<String> {
    let (mut all, mut next) = (Vec::new(), format!("{place}?limit={limit}"));
    loop {
        let page = operator.get(&next).await.is(StatusCode::OK);
        let part = ids(&page, member);
        assert!(part.len() <= limit && !part.is_empty());
        let last = part.last().cloned().expect("a record");
        all.extend(part);
        if page["next_page_uri"].is_null() {
            return all;
        }
        next = path(&page["next_page_uri"]);
        assert_eq!(next, format!("{place}?before_id={last}&limit={limit}"));
    }
}

#[tokio::test]
async fn views_come_in_pages_newest_first() {
    let world = World::start().await;
    let operator = world.operator().await;
    for number in 0..7 {
        let hosts: Vec<String> = (0..number % 4).map(|host| format!("h{host}-{number}.test:443")).collect();
        operator.made("/edges/https", &json!({"hostports": hosts})).await;
        operator.made("/edges/tcp", &json!({"hostports": [format!("tunnels.test:{}", 24100 + number)]})).await;
        // Older than the edges, as old as some, and newer.
        let second = [1_500_000_000, postern_api::clock::now().as_second(), LATER][number % 3];
        let session = session(second, "cr_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        world.connects(&session);
        world.opens(&tunnel(second, &session, Some(("tcp", "tunnels.test", 25000 + number as u16))));
        world.opens(&tunnel(second, &session, None));
    }
    for (place, count) in [("/tunnel_sessions", 7), ("/tunnels", 14), ("/endpoints", 7 + 7 + 9)] {
        let member = &place[1..];
        let all = ids(&operator.get(place).await.is(StatusCode::OK), member);
        assert_eq!(all.len(), count, "{place}");
        assert!(all.is_sorted_by(|newer, older| newer > older), "{all:?}");
        for limit in [1, 2, 3, 5, count - 1, count] {
            assert_eq!(paged(&operator, place, member, limit).await, all, "{place} by {limit}");
        }
        operator.get(&format!("{place}?limit=0")).await.refused(Code::LimitInvalid);
        operator.get(&format!("{place}?page=1")).await.refused(Code::QueryUnknown);
        operator.get(&format!("{place}?before_id=xyz")).await.refused(Code::IdShape);
    }
}

#[tokio::test]
async fn views_cannot_be_changed_and_unknown_ids_are_not_found() {
    let world = World::start().await;
    let operator = world.operator().await;
    for (place, prefix) in [("/tunnel_sessions", "ts"), ("/tunnels", "tn"), ("/endpoints", "ep")] {
        let item = format!("{place}/{prefix}_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        operator.get(&item).await.refused(Code::NotFound);
        operator.get(&format!("{place}/ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv")).await.refused(Code::IdShape);
        operator.get(&format!("{item}?x=1")).await.refused(Code::QueryUnknown);
        operator.post(place, &json!({})).await.refused(Code::MethodNotAllowed);
        operator.patch(&item, &json!({})).await.refused(Code::MethodNotAllowed);
        operator.delete(&item).await.refused(Code::MethodNotAllowed);
        world.caller("nonsense").get(place).await.refused(Code::KeyShape);
        world.stranger().await.get(place).await.is(StatusCode::OK);
    }
}

#[tokio::test]
async fn the_owner_of_a_session_and_administrators_can_send_commands() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let own = session(LATER, &stranger.id("/credentials", &json!({})).await);
    let others = session(LATER, &operator.id("/credentials", &json!({})).await);
    let closed = LiveSession { remote_management: false, ..session(LATER, &others.credential) };
    [&own, &others, &closed].into_iter().for_each(|session| world.connects(session));
    let place = |session: &LiveSession, command: &str| format!("/tunnel_sessions/{}/{command}", session.id);
    for command in ["restart", "stop", "update"] {
        stranger.post(&place(&others, command), &json!({})).await.refused(Code::AdminNeeded);
        operator.post(&place(&closed, command), &json!({})).await.refused(Code::RemoteRefused);
        operator.post(&place(&own, command), &json!({"colour": "red"})).await.refused(Code::FieldUnknown);
        operator.get(&place(&own, command)).await.refused(Code::MethodNotAllowed);
        let unknown = format!("/tunnel_sessions/ts_0ujtsYcgvSTl8PAuAdqWYSMnLOv/{command}");
        operator.post(&unknown, &json!({})).await.refused(Code::NotFound);
        operator.post(&format!("/tunnel_sessions/x/{command}"), &json!({})).await.refused(Code::IdShape);
    }
    stranger.post(&place(&own, "update"), &json!({})).await.refused(Code::RemoteUpdate);
    stranger.post(&place(&own, "restart"), &json!({"id": own.id})).await.is(StatusCode::NO_CONTENT);
    stranger.post(&place(&own, "stop"), &json!({})).await.is(StatusCode::NO_CONTENT);
    stranger.post(&place(&own, "stop"), &json!({})).await.refused(Code::NotFound);
    // Some clients send no body at all.
    let silent = |command: &str| operator.request("POST", &place(&others, command)).body(Body::empty());
    operator.send(silent("update").expect("a request")).await.refused(Code::RemoteUpdate);
    operator.send(silent("restart").expect("a request")).await.is(StatusCode::NO_CONTENT);
    let untyped = operator.request("POST", &place(&others, "restart")).body(Body::from("{}")).expect("a request");
    operator.send(untyped).await.refused(Code::ContentTypeMissing);
    operator.post(&place(&others, "stop"), &json!({})).await.is(StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn nodes_that_do_not_answer_are_named() {
    let world = World::start().await;
    let operator = world.operator().await;
    let node = |name: &str| NodeName { id: AnyId::from_text(format!("nd_{name}")), name: name.to_owned() };
    let live =
        LiveSession { node: Some(node("silent")), ..session(LATER, &operator.id("/credentials", &json!({})).await) };
    world.connects(&live);
    world.opens(&LiveTunnel { node: Some(node("lively")), ..tunnel(LATER, &live, Some(("https", "a.test", 443))) });
    let edge = operator.id("/edges/https", &json!({ "hostports": ["b.test:443"] })).await;
    let lists = ["/tunnel_sessions", "/tunnels", "/endpoints", "/traffic", "/status", &format!("/traffic/{edge}")];
    for list in lists {
        let complete = operator.get(list).await.is(StatusCode::OK);
        assert!(!members(&complete).contains("nodes_missing"), "{complete}");
    }
    world.live.missing.lock().expect("unpoisoned").push(node("silent"));
    for list in lists {
        let partial = operator.get(list).await.is(StatusCode::OK);
        assert_eq!(partial["nodes_missing"], json!([{ "id": "nd_silent", "name": "silent" }]), "{list}");
    }
    let found = operator.get(&format!("/tunnel_sessions/{}", live.id)).await.is(StatusCode::OK);
    assert_eq!(found["node"], json!({ "id": "nd_silent", "name": "silent" }));
    assert_eq!(operator.get("/tunnels").await.is(StatusCode::OK)["tunnels"][0]["node"]["name"], "lively");
    for command in ["restart", "stop"] {
        let path = format!("/tunnel_sessions/{}/{command}", live.id);
        operator.post(&path, &json!({})).await.refused(Code::RemoteUncertain);
    }
}
