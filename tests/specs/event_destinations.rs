//! Event destinations: audit events arrive signed, in order, and each until it is accepted, also over a restart.

use aws_lc_rs::hmac;
use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::Code;
use postern_tests::{
    Operator, Origin, Receiver, World, certificates::CertificateAuthority, eventually, receiver::ReceivedWebhook, tls,
};
use rcgen::{CertificateParams, CertifiedKey, KeyPair, SanType};
use reqwest::{Method, Url};
use serde_json::{Value, json};
use std::{collections::HashSet, net::Ipv4Addr};

/// Creates a destination; gives its path and its secret.
async fn destination(operator: &Operator, url: &str, filter: Value) -> (String, String) {
    let mut body = json!({ "url": url, "description": "siem" });
    body.as_object_mut().unwrap().extend(filter.as_object().unwrap().clone());
    let created = operator.post("/event_destinations", body).await.ok();
    let secret = created.text("secret");
    assert!(secret.starts_with("whsec_"), "{}", created.text);
    (format!("/event_destinations/{}", created.text("id")), secret)
}

/// The signature that the Standard Webhooks specification prescribes.
fn expected_signature(secret: &str, received: &ReceivedWebhook) -> String {
    let key = BASE64_STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let content =
        format!("{}.{}.{}", received.header("webhook-id"), received.header("webhook-timestamp"), received.body);
    format!("v1,{}", BASE64_STANDARD.encode(hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), content.as_bytes())))
}

/// The whole log from an event on, oldest first, without what a destination is not sent.
async fn log_from(operator: &Operator, first: &str) -> Vec<Value> {
    let mut events =
        operator.get("/audit_events?limit=100").await.ok().body["audit_events"].as_array().unwrap().clone();
    events.reverse();
    let mut events: Vec<Value> = events.into_iter().skip_while(|event| event["id"] != first).collect();
    events.iter_mut().for_each(|event| _ = event.as_object_mut().unwrap().remove("put_back"));
    events.into_iter().map(at_any_node).collect()
}

/// The event with the path of its uri: the rest is the address of the node that says it.
fn at_any_node(mut event: Value) -> Value {
    let uri = Url::parse(event["uri"].as_str().unwrap()).unwrap();
    event["uri"] = json!(uri.path());
    event
}

fn ids(received: &[ReceivedWebhook]) -> Vec<String> {
    received.iter().map(|webhook| webhook.header("webhook-id").to_owned()).collect()
}

/// Waits until no event waits, and the server has stored that.
async fn settled(operator: &Operator, item: &str) {
    eventually("no event waits", async || (operator.get(item).await.ok().body["pending"] == 0).then_some(())).await;
}

/// Makes changes; each is one event.
async fn changes(operator: &Operator, count: usize) {
    for number in 0..count {
        operator.post("/ip_policies", json!({ "description": number.to_string() })).await.ok();
    }
}

#[tokio::test]
async fn events_arrive_signed_and_in_order_and_the_secret_is_shown_once() {
    let world = World::start().await;
    let (operator, receiver) = (world.operator(), Receiver::start().await);
    let (item, secret) = destination(&operator, &receiver.url("/in?tenant=7"), json!({})).await;
    changes(&operator, 20).await;
    operator.post("/users", json!({ "name": "Ada" })).await.ok();

    let received = receiver.wait_for_accepted(22).await;
    let log = log_from(&operator, received[0].header("webhook-id")).await;
    assert_eq!(log[0]["kind"], "event_destination", "its own creation is the first event of a destination");
    assert_eq!(received.iter().map(|webhook| at_any_node(webhook.json())).collect::<Vec<_>>(), log);
    for webhook in &received {
        assert_eq!(webhook.header("webhook-id"), webhook.json()["id"]);
        assert_eq!(webhook.header("webhook-signature"), expected_signature(&secret, webhook));
        assert_eq!((webhook.header("content-type"), webhook.target.as_str()), ("application/json", "/in?tenant=7"));
        let sent: i64 = webhook.header("webhook-timestamp").parse().unwrap();
        assert!((postern_api::clock::now().as_second() - sent).abs() < 60, "{sent}");
    }
    let shown = eventually("the last delivery is shown", async || {
        let shown = operator.get(&item).await.ok().body;
        (shown["pending"] == 0 && shown["last_delivery"]["event_id"] == log[21]["id"]).then_some(shown)
    })
    .await;
    assert_eq!((&shown["last_delivery"]["status_code"], &shown["last_delivery"]["attempts"]), (&json!(204), &json!(1)));

    // A new secret signs at once, and the former one still does.
    let rotated = operator.patch(&item, json!({ "rotate_secret": true })).await.ok().text("secret");
    assert_ne!(rotated, secret);
    let last = receiver.wait_for_accepted(23).await.remove(22);
    let both = format!("{} {}", expected_signature(&rotated, &last), expected_signature(&secret, &last));
    assert_eq!((last.header("webhook-signature"), &last.json()["secrets_changed"]), (both.as_str(), &json!(true)));

    let mut outputs = vec![world.server.process.stderr()];
    outputs.extend(receiver.received().into_iter().map(|webhook| webhook.body));
    for path in [item.as_str(), "/event_destinations", "/audit_events?limit=100"] {
        outputs.push(operator.get(path).await.ok().text);
    }
    for file in std::fs::read_dir(world.server.folder()).unwrap() {
        outputs.push(String::from_utf8_lossy(&std::fs::read(file.unwrap().path()).unwrap_or_default()).into_owned());
    }
    for planted in [&secret, &rotated] {
        let bare = planted.strip_prefix("whsec_").unwrap();
        assert!(outputs.iter().all(|output| !output.contains(bare)), "the secret is not shown again");
    }
}

#[tokio::test]
async fn a_destination_gets_what_its_filters_name() {
    let world = World::start().await;
    let (operator, receiver) = (world.operator(), Receiver::start().await);
    let filter = json!({ "kinds": ["ip_policy", "user"], "operations": ["deleted"] });
    let (item, _) = destination(&operator, &receiver.url("/"), filter).await;
    for path in ["/ip_policies", "/edges/https"] {
        let id = operator.post(path, json!({})).await.ok().text("id");
        operator.delete(&format!("{path}/{id}")).await.ok();
    }
    let received = receiver.wait_for_accepted(1).await;
    assert_eq!(
        (&received[0].json()["kind"], &received[0].json()["operation"]),
        (&json!("ip_policy"), &json!("deleted"))
    );
    settled(&operator, &item).await;
    // Nothing is sent while it is disabled; afterwards, it goes on where it was.
    operator.patch(&item, json!({ "enabled": false, "kinds": ["*"], "operations": [] })).await.ok();
    changes(&operator, 2).await;
    assert_eq!(operator.get(&item).await.ok().body["pending"], 5, "those of the edge count, too");
    operator.patch(&item, json!({ "enabled": true })).await.ok();
    let kinds: Vec<Value> =
        receiver.wait_for_accepted(7).await.iter().map(|webhook| webhook.json()["kind"].clone()).collect();
    let expected = "ip_policy https_edge https_edge event_destination ip_policy ip_policy event_destination";
    assert_eq!(kinds, expected.split(' ').collect::<Vec<_>>());

    for (body, code) in [
        (json!({ "kinds": ["ip_polices"] }), Code::DestinationKindUnknown),
        (json!({ "url": "http://169.254.169.254/" }), Code::DestinationUrlInvalid),
        (json!({ "url": "https://user:planted@siem.test/" }), Code::DestinationUrlInvalid),
    ] {
        let refused = operator.patch(&item, body).await;
        assert_eq!((refused.status, refused.code()), (400, code));
        assert!(!refused.text.contains("planted"), "{}", refused.text);
    }
}

#[tokio::test]
async fn an_event_is_sent_until_it_is_accepted_and_none_overtakes_it() {
    let world = World::start().await;
    let operator = world.operator();
    let (failing, healthy) = (Receiver::start().await, Receiver::start().await);
    failing.respond_with(&[500, 302]);
    let (item, _) = destination(&operator, &failing.url("/"), json!({ "kinds": ["ip_policy"] })).await;
    destination(&operator, &healthy.url("/"), json!({ "kinds": ["ip_policy"] })).await;
    changes(&operator, 3).await;
    // Another destination does not wait for it.
    let expected = ids(&healthy.wait_for_accepted(3).await);
    let shown = eventually("the failure is shown", async || {
        let shown = operator.get(&item).await.ok().body;
        (shown["last_delivery"]["error"] != "" && shown["pending"] == 3).then_some(shown)
    })
    .await;
    assert!(shown["last_delivery"]["next_attempt_at"].is_string(), "{shown}");
    let accepted = ids(&failing.wait_for_accepted(3).await);
    assert_eq!(accepted, expected);
    let all = ids(&failing.received());
    assert_eq!(all[..3], [expected[0].clone(), expected[0].clone(), expected[0].clone()], "the first one thrice");
    assert!(failing.received().iter().all(|webhook| webhook.target == "/"), "a redirect is not followed");

    let address = failing.stop().await;
    changes(&operator, 2).await;
    eventually("the refused connection is shown", async || {
        let shown = operator.get(&item).await.ok().body;
        (shown["last_delivery"]["error"] == "the connection was refused").then_some(())
    })
    .await;
    let again = Receiver::start_at(address).await;
    assert_eq!(ids(&again.wait_for_accepted(2).await), ids(&healthy.wait_for_accepted(5).await)[3..]);
}

#[tokio::test]
async fn events_that_the_log_has_dropped_are_counted() {
    let world = World::with(|setup| setup.flags(&["--audit-retention", "100"])).await;
    let (operator, receiver) = (world.operator(), Receiver::start().await);
    receiver.respond_with(&[500; 100]);
    let (item, _) = destination(&operator, &receiver.url("/"), json!({ "kinds": ["ip_policy"] })).await;
    // The number is enforced every 2,048 commits.
    let mut made = 0;
    let first = operator.post("/ip_policies", json!({})).await.ok().text("id");
    let is_dropped = async || {
        let list = operator.get(&format!("/audit_events?object_id={first}")).await.ok().body;
        list["audit_events"].as_array().unwrap().is_empty()
    };
    while !is_dropped().await {
        assert!(made < 10_000, "the log is never shortened");
        futures::future::join_all((0..16).map(|_| changes(&operator, 16))).await;
        made += 256;
    }
    receiver.respond_with(&[]);
    let settled = eventually("no event waits", async || {
        let shown = operator.get(&item).await.ok().body;
        (shown["pending"] == 0 && shown["skipped"] != 0).then_some(shown)
    })
    .await;
    let accepted: HashSet<String> = receiver
        .received()
        .iter()
        .filter(|webhook| webhook.status < 300)
        .map(|webhook| ids(std::slice::from_ref(webhook)).remove(0))
        .collect();
    assert_eq!(settled["skipped"], made + 1 - accepted.len(), "{settled}");
}

#[tokio::test]
async fn a_killed_server_loses_no_event() {
    let world = World::start().await;
    let operator = world.operator();
    let receiver = Receiver::start().await;
    let (_, secret) = destination(&operator, &receiver.url("/"), json!({ "kinds": ["ip_policy"] })).await;
    changes(&operator, 5).await;
    let before = ids(&receiver.wait_for_accepted(5).await);
    let address = receiver.stop().await;
    changes(&operator, 30).await;
    let world = world.kill_and_restart_server().await;
    let operator = world.operator();
    changes(&operator, 5).await;
    let receiver = Receiver::start_at(address).await;
    let log: Vec<String> = operator.get("/audit_events?kind=ip_policy&limit=100").await.ok().body["audit_events"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|event| event["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(log.len(), 40);
    let received = eventually("every event is accepted", async || {
        let received = receiver.received();
        (ids(&received).last() == log.last()).then_some(received)
    })
    .await;
    // An event that was accepted just before the kill may come again; its id tells.
    let mut seen = HashSet::new();
    let first_time: Vec<String> =
        before.into_iter().chain(ids(&received)).filter(|id| seen.insert(id.clone())).collect();
    assert_eq!(first_time, log);
    assert!(received.iter().all(|webhook| webhook.header("webhook-signature") == expected_signature(&secret, webhook)));
}

#[tokio::test]
async fn the_verification_of_an_edge_accepts_the_events() {
    let world = World::start().await;
    let (operator, visitor) = (world.operator(), world.visitor());
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    agent.labelled("hooks", "app=hooks", origin.address()).await;
    let group = operator.group("app", "hooks").await;
    let port = world.server.addresses.https.port();
    let edge = operator.post("/edges/https", json!({ "hostports": [format!("hooks.localhost:{port}")] })).await.ok();
    let routes = format!("/edges/https/{}/routes", edge.text("id"));
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": group } });
    let module = format!("{routes}/{}/webhook_verification", operator.post(&routes, route).await.ok().text("id"));

    let receiver = Receiver::start().await;
    let (_, secret) = destination(&operator, &receiver.url("/"), json!({ "kinds": ["ip_policy"] })).await;
    changes(&operator, 1).await;
    let webhook = receiver.wait_for_accepted(1).await.remove(0);
    // What the receiver got is sent to the edge as it is.
    let send = async |body: &str| {
        let request = visitor.http.post(format!("https://hooks.localhost:{port}/echo")).body(body.to_owned());
        let names = ["webhook-id", "webhook-timestamp", "webhook-signature", "content-type"];
        let request = names.iter().fold(request, |request, name| request.header(*name, webhook.header(name)));
        visitor.send(request).await
    };
    operator.put(&module, json!({ "provider": "brex", "secret": secret })).await.ok();
    assert_eq!(send(&webhook.body).await.text(), webhook.body, "it reaches the service");
    assert_eq!(send(&webhook.body.replace("ip_policy", "ip_police")).await.status, 403, "a changed one does not");
    let other = format!("whsec_{}", BASE64_STANDARD.encode([7; 32]));
    operator.put(&module, json!({ "provider": "brex", "secret": other })).await.ok();
    assert_eq!(send(&webhook.body).await.refused(), Code::WebhookRefused);
}

#[tokio::test]
async fn refused_calls_are_events_where_the_server_records_them() {
    let world = World::with(|setup| setup.flags(&["--audit-events", "refusals"])).await;
    let (operator, receiver) = (world.operator(), Receiver::start().await);
    destination(&operator, &receiver.url("/"), json!({ "kinds": ["api_refusal"] })).await;
    for _ in 0..200 {
        assert_eq!(world.stranger().get("/users").await.status, 401);
    }
    let viewer = operator.post("/api_keys", json!({ "role": "viewer" })).await.ok();
    let caller = Operator::new(world.server.addresses.api, Some(&viewer.text("token")));
    assert_eq!(caller.call(Method::DELETE, "/users/usr_0ujtsYcgvSTl8PAuAdqWYSMnLOv", Value::Null).await.status, 403);
    let received = receiver.wait_for_accepted(2).await;
    let [unknown, known] = [received[0].json(), received[1].json()];
    let told = |event: &Value| json!([event["operation"], event["object_id"], event["actor_type"], event["address"]]);
    assert_eq!(told(&unknown), json!(["observed", "", null, "127.0.0.1"]));
    let (after, code) = (&unknown["after"], Code::KeyMissing.to_string());
    assert_eq!((&after["calls"], &after["error_code"], &after["path"]), (&json!(1), &json!(code), &json!("/users")));
    assert_eq!(told(&known), json!(["observed", viewer.text("id"), "user", "127.0.0.1"]));
    assert_eq!(known["after"]["error_code"], Code::RoleTooLow.to_string());
    assert_eq!(receiver.received().len(), 2, "however many calls are refused");
    let listed = operator.get("/audit_events?kind=api_refusal&operation=observed").await.ok().body;
    assert_eq!(listed["audit_events"].as_array().unwrap().len(), 2);

    let silent = World::start().await;
    assert_eq!(silent.stranger().get("/users").await.status, 401);
    let listed = silent.operator().get("/audit_events?kind=api_refusal").await.ok().body;
    assert_eq!(listed["audit_events"], json!([]), "by default they are not recorded");
}

#[tokio::test]
async fn a_certificate_that_expires_soon_is_told_once() {
    let world = World::start().await;
    let (operator, receiver) = (world.operator(), Receiver::start().await);
    let (item, _) = destination(&operator, &receiver.url("/"), json!({ "kinds": ["certificate_expiry"] })).await;
    certificate(&operator, "late.test", 40).await;
    let soon = certificate(&operator, "soon.test", 10).await;
    let event = receiver.wait_for_accepted(1).await.remove(0).json();
    assert_eq!((&event["object_id"], &event["actor_type"]), (&json!(soon), &json!("server")));
    let after = &event["after"];
    assert_eq!((&after["days"], &after["names"]), (&json!(14), &json!(["soon.test"])));
    settled(&operator, &item).await;
    let world = world.kill_and_restart_server().await;
    let operator = world.operator();
    let last = certificate(&operator, "last.test", 2).await;
    let event = receiver.wait_for_accepted(2).await.remove(1).json();
    assert_eq!(
        (&event["object_id"], &event["after"]["days"]),
        (&json!(last), &json!(3)),
        "the first one is not repeated"
    );
    let shown = operator.get(&item).await.ok().body;
    assert_eq!(shown["skipped"], 0);
}

#[tokio::test]
async fn a_receiver_over_tls_needs_a_certificate_that_the_server_trusts() {
    let (trusted, other) = (CertificateAuthority::root("of the team"), CertificateAuthority::root("of strangers"));
    let folder = tempfile::tempdir().unwrap();
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, trusted.pem()).unwrap();
    let world = World::with(|setup| setup.environment("SSL_CERT_FILE", &roots.to_string_lossy())).await;
    let operator = world.operator();
    let over_tls = async |authority: &CertificateAuthority| {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.subject_alt_names.push(SanType::IpAddress(Ipv4Addr::LOCALHOST.into()));
        let issued = authority.issue(&params);
        let own = CertifiedKey { cert: issued.certificate, signing_key: issued.key };
        Receiver::start_with_tls(tls::acceptor(&own, &[b"http/1.1"])).await
    };
    let (receiver, stranger) = (over_tls(&trusted).await, over_tls(&other).await);
    let (_, secret) = destination(&operator, &receiver.url("/in"), json!({ "kinds": ["ip_policy"] })).await;
    let (item, _) = destination(&operator, &stranger.url("/in"), json!({ "kinds": ["ip_policy"] })).await;
    changes(&operator, 2).await;
    let received = receiver.wait_for_accepted(2).await;
    assert!(receiver.url("/").starts_with("https://127.0.0.1:"));
    assert!(received.iter().all(|webhook| webhook.header("webhook-signature") == expected_signature(&secret, webhook)));
    let shown = eventually("the failure is shown", async || {
        let shown = operator.get(&item).await.ok().body;
        (shown["last_delivery"]["attempts"].as_u64()? > 0).then_some(shown)
    })
    .await;
    let last = &shown["last_delivery"];
    assert_eq!(last["error"], "the certificate of the receiver is not trusted: UnknownIssuer");
    assert_eq!((&last["status_code"], &shown["pending"]), (&json!(null), &json!(2)));
    assert!(stranger.received().is_empty(), "nothing is sent to it");
}

/// A certificate for a name that ends at the beginning of a day from now; gives its id.
async fn certificate(operator: &Operator, name: &str, days: i64) -> String {
    let day = |days: i64| {
        let day = postern_api::clock::now().to_zoned(jiff::tz::TimeZone::UTC).date() + jiff::Span::new().days(days);
        rcgen::date_time_ymd(i32::from(day.year()), day.month().unsigned_abs(), day.day().unsigned_abs())
    };
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    (params.not_before, params.not_after) = (day(-1), day(days));
    let pem = params.self_signed(&key).unwrap().pem();
    let body = json!({ "certificate_pem": pem, "private_key_pem": key.serialize_pem() });
    operator.post("/tls_certificates", body).await.ok().text("id")
}
