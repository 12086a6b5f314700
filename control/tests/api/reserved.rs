//! Reserved domains and addresses: their forms, their owners, and conflicts.

use crate::{
    certificates::tls_certificate,
    kit::{BASE_URL, Caller, World},
};
use http::StatusCode;
use postern_api::{Code, OwnerId, Timestamp, host::HostName};
use postern_control::{LiveAddress, LiveTunnel, NameHold};
use serde_json::{Value, json};
use std::collections::BTreeMap;

async fn domain(caller: &Caller, name: &str) -> String {
    caller.id("/reserved_domains", &json!({"domain": name})).await
}

fn edge_on(name: &str) -> Value {
    json!({"hostports": [format!("{name}:443")]})
}

#[tokio::test]
async fn a_domain_shows_its_dns_records() {
    let world = World::start().await;
    let operator = world.operator().await;
    let path = "/reserved_domains";
    let custom = operator.made(path, &json!({"domain": "Shop.Example.test", "region": "us"})).await;
    assert_eq!((&custom["domain"], &custom["region"]), (&json!("shop.example.test"), &json!("")));
    assert_eq!(custom["cname_target"], "tunnels.test");
    for null in ["certificate", "certificate_management_policy", "certificate_management_status"] {
        assert_eq!(custom[null], Value::Null, "{null}");
    }
    assert_eq!((&custom["acme_challenge_cname_target"], &custom["resolves_to"]), (&Value::Null, &json!([])));
    let wildcard = operator.made(path, &json!({"name": "*.example.test"})).await;
    assert_eq!((&wildcard["domain"], &wildcard["cname_target"]), (&json!("*.example.test"), &json!("tunnels.test")));
    let target = wildcard["acme_challenge_cname_target"].as_str().expect("a name");
    assert!(target.ends_with(".tunnels.test"), "{target}");
    for (asked, domain) in [
        (json!({"domain": "shop"}), "shop.tunnels.test"),
        (json!({"domain": "", "name": "news"}), "news.tunnels.test"),
        (json!({"domain": "*.deep.tunnels.test"}), "*.deep.tunnels.test"),
    ] {
        let own = operator.made(path, &asked).await;
        assert_eq!((&own["domain"], &own["cname_target"]), (&json!(domain), &Value::Null));
        assert_eq!(own["acme_challenge_cname_target"], Value::Null, "the server's own domain needs no record");
    }
    let chosen = operator.made(path, &json!({})).await;
    let name = chosen["domain"].as_str().and_then(|name| name.strip_suffix(".tunnels.test")).expect("below the domain");
    assert_eq!(name.split('-').count(), 3, "two words and a number: {name}");
}

#[tokio::test]
async fn a_domain_lists_the_dns_records_that_it_needs() {
    dns_records_listed(&World::start().await).await;
}

/// No name server is at the address of the settings.
pub(crate) async fn dns_records_listed(world: &World) {
    let operator = world.operator().await;
    let policy = json!({"authority": "letsencrypt"});
    for (domain, types) in [
        ("listed.example.test", &[("traffic", "listed.example.test", "tunnels.test")][..]),
        ("listed", &[("traffic", "*.tunnels.test", "tunnels.test")]),
        (
            "*.list.test",
            &[("traffic", "*.list.test", "tunnels.test"), ("certificate", "_acme-challenge.list.test", "")],
        ),
        ("listed.localhost", &[]),
    ] {
        let made = operator
            .made("/reserved_domains", &json!({"domain": domain, "certificate_management_policy": policy}))
            .await;
        let path = format!("/reserved_domains/{}/dns_records", made["id"].as_str().expect("an id"));
        let listed = operator.get(&path).await.is(StatusCode::OK);
        let records = listed["dns_records"].as_array().expect("a list");
        assert_eq!(records.len(), types.len(), "{domain}: {listed}");
        for (record, (purpose, name, value)) in records.iter().zip(types) {
            let target = made["acme_challenge_cname_target"].as_str().unwrap_or_default();
            let value = if value.is_empty() { target } else { value };
            assert_eq!(
                (&record["purpose"], &record["type"], &record["name"], &record["values"], &record["ok"]),
                (&json!(purpose), &json!("CNAME"), &json!(name), &json!([value]), &json!(false))
            );
            let why = record["msg"].as_str().expect("a sentence");
            assert!(why.contains("It could not be looked up: the name server 127.0.0.1:1"), "{why}");
        }
    }
    operator.get("/reserved_domains/rd_0ujtsYcgvSTl8PAuAdqWYSMnLOv/dns_records").await.refused(Code::NotFound);
}

#[tokio::test]
async fn invalid_names_have_specific_codes() {
    let world = World::start().await;
    let operator = world.operator().await;
    let name = |name: &str| json!({"domain": name});
    for (body, code) in [
        (name("tunnels.test"), Code::DomainOwn),
        (name("*.tunnels.test"), Code::DomainOwn),
        (name("a.*.test"), Code::NameInvalid),
        (name("a_b.test"), Code::DomainUnderscore),
        (name("a..test"), Code::DomainPartEmpty),
        (name("ab--c.test"), Code::DomainHyphens),
        (name(&format!("{}.test", "a".repeat(64))), Code::DomainPartTooLong),
        (name(&format!("{}test", "a.".repeat(125))), Code::DomainTooLong),
        (json!({"domain": "a.test", "name": "b.test"}), Code::FieldInvalid),
        (json!({"domain": "a.test", "region": "mars"}), Code::FieldInvalid),
        (json!({"domain": "a.test", "certificate_id": "x"}), Code::IdShape),
        (json!({"domain": "a.test", "certificate_id": "cert_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}), Code::CertificateUnknown),
        (json!({"domain": "a.test", "certificate_management_policy": {"authority": "me"}}), Code::FieldInvalid),
        (json!({"domain": "a.test", "owner_id": "usr_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}), Code::OwnerUnknown),
        (json!({"domain": "a.test", "resolves_to": [{"value": ""}]}), Code::FieldInvalid),
        (
            json!({"domain": "a.test", "certificate_id": "cert_0ujtsYcgvSTl8PAuAdqWYSMnLOv",
                "certificate_management_policy": {"authority": "letsencrypt", "private_key_type": "rsa"}}),
            Code::CertificateOrPolicy,
        ),
    ] {
        operator.post("/reserved_domains", &body).await.refused(code);
    }
    for (addr, code) in [
        ("nonsense", Code::HostportInvalid),
        ("elsewhere.test:24001", Code::HostportInvalid),
        ("tunnels.test:443", Code::HostportPort),
    ] {
        operator.post("/reserved_addrs", &json!({"addr": addr})).await.refused(code);
    }
    assert_eq!(operator.get("/reserved_domains").await.json()["reserved_domains"], json!([]), "nothing was made");
}

#[tokio::test]
async fn a_certificate_and_a_policy_replace_each_other_and_can_be_removed() {
    certificates_replaced_and_removed(&World::start().await).await;
}

pub(crate) async fn certificates_replaced_and_removed(world: &World) {
    let operator = world.operator().await;
    let certificate = operator.id("/tls_certificates", &tls_certificate()).await;
    let item = format!("/reserved_domains/{}", domain(&operator, "a.test").await);
    let with = operator.patch(&item, &json!({"certificate_id": certificate})).await.is(StatusCode::OK);
    assert_eq!(
        with["certificate"],
        json!({"id": certificate, "uri": format!("{BASE_URL}/tls_certificates/{certificate}")})
    );
    let in_use = operator.delete(&format!("/tls_certificates/{certificate}")).await;
    in_use.refused(Code::CertificateInUse);
    let with = operator.patch(&item, &json!({"certificate_management_policy": {}})).await.is(StatusCode::OK);
    let policy = json!({"authority": "letsencrypt", "private_key_type": "ecdsa"});
    assert_eq!((&with["certificate"], &with["certificate_management_policy"]), (&Value::Null, &policy));
    let status = &with["certificate_management_status"];
    assert_eq!(status["renews_at"], Value::Null);
    assert_eq!(status["provisioning_job"]["error_code"], Code::CertificateNotIssued.to_string(), "no ACME directory");
    let without = operator.patch(&item, &json!({"certificate_id": certificate})).await.is(StatusCode::OK);
    assert_eq!(without["certificate_management_policy"], Value::Null);
    for _ in 0..2 {
        for part in ["certificate", "certificate_management_policy"] {
            operator.delete(&format!("{item}/{part}")).await.is(StatusCode::NO_CONTENT);
        }
        operator.patch(&item, &json!({"certificate_management_policy": {}})).await.is(StatusCode::OK);
    }
    operator.delete(&format!("{item}/certificate_management_policy")).await.is(StatusCode::NO_CONTENT);
    let bare = operator.get(&item).await.is(StatusCode::OK);
    assert_eq!((&bare["certificate"], &bare["certificate_management_policy"]), (&Value::Null, &Value::Null));
    operator.delete(&format!("/tls_certificates/{certificate}")).await.is(StatusCode::NO_CONTENT);
    let unknown = "/reserved_domains/rd_0ujtsYcgvSTl8PAuAdqWYSMnLOv/certificate";
    operator.delete(unknown).await.refused(Code::NotFound);
}

#[tokio::test]
async fn a_reservation_covers_all_names_below() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let hold = |name: &str| json!({"domain": name});
    let shop = domain(&operator, "shop.test").await;
    operator.post("/reserved_domains", &hold("Shop.test")).await.refused(Code::ReservedAlready);
    for name in ["shop.test", "a.shop.test", "*.shop.test", "b.a.shop.test"] {
        let refused = stranger.post("/reserved_domains", &hold(name)).await.refused(Code::ReservedElsewhere);
        assert_eq!(refused["details"]["id"], shop, "{name}");
    }
    domain(&operator, "a.shop.test").await;
    domain(&operator, "*.shop.test").await;
    let deep = domain(&stranger, "a.b.news.test").await;
    for name in ["b.news.test", "*.b.news.test", "news.test", "*.news.test"] {
        let refused = operator.post("/reserved_domains", &hold(name)).await.refused(Code::ReservedBelow);
        assert_eq!(refused["details"]["id"], deep, "{name}");
    }
    domain(&operator, "c.news.test").await;
    domain(&operator, "xnews.test").await;
    stranger.delete(&format!("/reserved_domains/{deep}")).await.is(StatusCode::NO_CONTENT);
    domain(&operator, "news.test").await;
}

#[tokio::test]
async fn a_reserved_name_can_be_used_by_edges_of_its_owner_only() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let id = domain(&operator, "*.shop.test").await;
    for path in ["/edges/https", "/edges/tls"] {
        for name in ["a.shop.test", "*.shop.test"] {
            let refused = stranger.post(path, &edge_on(name)).await.refused(Code::HostportOfAnother);
            assert_eq!(refused["details"]["id"], id);
        }
        let edge = stranger.id(path, &json!({})).await;
        let item = format!("{path}/{edge}");
        stranger.patch(&item, &edge_on("a.shop.test")).await.refused(Code::HostportOfAnother);
        operator.patch(&item, &edge_on("a.shop.test")).await.is(StatusCode::OK);
        stranger.patch(&item, &json!({"description": "still theirs to change"})).await.is(StatusCode::OK);
        let used = operator.delete(&format!("/reserved_domains/{id}")).await.refused(Code::ReservedInUse);
        assert_eq!(used["details"]["used_by"], edge);
        let closer = domain(&operator, "a.shop.test").await;
        operator.delete(&format!("/reserved_domains/{closer}")).await.refused(Code::ReservedInUse);
        operator.delete(&item).await.is(StatusCode::NO_CONTENT);
        operator.delete(&format!("/reserved_domains/{closer}")).await.is(StatusCode::NO_CONTENT);
    }
    operator.delete(&format!("/reserved_domains/{id}")).await.is(StatusCode::NO_CONTENT);
    stranger.made("/edges/tls", &edge_on("a.shop.test")).await;
}

#[tokio::test]
async fn a_wildcard_can_be_deleted_if_the_edge_below_has_a_more_specific_reservation() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (wide, close) = (domain(&operator, "*.shop.test").await, domain(&operator, "a.shop.test").await);
    operator.made("/edges/https", &edge_on("a.shop.test")).await;
    operator.delete(&format!("/reserved_domains/{wide}")).await.is(StatusCode::NO_CONTENT);
    operator.delete(&format!("/reserved_domains/{close}")).await.refused(Code::ReservedInUse);
}

#[tokio::test]
async fn an_address_is_a_free_port_of_the_range() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let path = "/reserved_addrs";
    let chosen = operator.made(path, &json!({})).await;
    let addr = chosen["addr"].as_str().expect("an address").to_owned();
    let port: u16 = addr.strip_prefix("tunnels.test:").and_then(|port| port.parse().ok()).expect("a port");
    assert!((24000..=24999).contains(&port) && chosen["region"] == "us", "{chosen}");
    let named = operator.made(path, &json!({"addr": "127.0.0.1:24007", "region": "eu"})).await;
    assert_eq!((&named["addr"], &named["region"]), (&json!("tunnels.test:24007"), &json!("eu")));
    let same = json!({"addr": "tunnels.test:24007"});
    operator.post(path, &same).await.refused(Code::ReservedAlready);
    stranger.post(path, &same).await.refused(Code::ReservedElsewhere);
    let edge = json!({"hostports": ["tunnels.test:24007"]});
    stranger.post("/edges/tcp", &edge).await.refused(Code::AddressOfAnother);
    let edge = operator.id("/edges/tcp", &edge).await;
    let item = format!("{path}/{}", named["id"].as_str().expect("an id"));
    let used = operator.delete(&item).await.refused(Code::ReservedInUse);
    assert_eq!(used["details"]["used_by"], edge);
    operator.delete(&format!("/edges/tcp/{edge}")).await.is(StatusCode::NO_CONTENT);
    operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    stranger.made(path, &same).await;
}

#[tokio::test]
async fn picked_addresses_run_out_with_the_range() {
    let world = World::start_with(|settings| settings.tcp_ports = 24000..=24004).await;
    let operator = world.operator().await;
    operator.made("/edges/tcp", &json!({"hostports": ["tunnels.test:24001"]})).await;
    world.live.ports.lock().expect("unpoisoned").insert(24003);
    let mut chosen = Vec::new();
    for _ in 0..3 {
        chosen.push(operator.made("/reserved_addrs", &json!({})).await["addr"].as_str().expect("text").to_owned());
    }
    chosen.sort();
    assert_eq!(chosen, ["tunnels.test:24000", "tunnels.test:24002", "tunnels.test:24004"]);
    operator.post("/reserved_addrs", &json!({})).await.refused(Code::NoPortFree);
}

#[tokio::test]
async fn a_reservation_belongs_to_its_owner_and_is_deleted_with_the_owner() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    for (path, body) in [("/reserved_domains", json!({"domain": "a.test"})), ("/reserved_addrs", json!({}))] {
        let other = stranger.made("/credentials", &json!({})).await["owner_id"].clone();
        let mut for_other = body.clone();
        for_other["owner_id"] = other.clone();
        let made = operator.made(path, &for_other).await;
        assert_eq!(made["owner_id"], other);
        let item = format!("{path}/{}", made["id"].as_str().expect("an id"));
        stranger.delete(&item).await.is(StatusCode::NO_CONTENT);
        let own = operator.made(path, &body).await;
        let mut for_operator = body.clone();
        for_operator["owner_id"] = own["owner_id"].clone();
        stranger.post(path, &for_operator).await.refused(Code::AdminNeeded);
        operator.delete(&format!("{path}/{}", own["id"].as_str().expect("an id"))).await.is(StatusCode::NO_CONTENT);
        let user = operator.id("/users", &json!({"name": "leaves soon"})).await;
        for_other["owner_id"] = json!(user);
        let kept = operator.made(path, &for_other).await;
        operator.delete(&format!("/users/{user}")).await.is(StatusCode::NO_CONTENT);
        operator.get(&format!("{path}/{}", kept["id"].as_str().expect("an id"))).await.refused(Code::NotFound);
        operator.made(path, &body).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_concurrent_callers_gets_a_name() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    for (path, body, codes) in [
        ("/edges/https", edge_on("a.test"), vec![Code::HostportTaken]),
        ("/edges/tls", edge_on("*.b.test"), vec![Code::HostportTaken]),
        ("/reserved_domains", json!({"domain": "c.test"}), vec![Code::ReservedAlready, Code::ReservedElsewhere]),
        (
            "/reserved_addrs",
            json!({"addr": "tunnels.test:24001"}),
            vec![Code::ReservedAlready, Code::ReservedElsewhere],
        ),
    ] {
        let responses =
            (0..30).map(|number| if number % 2 == 0 { &operator } else { &stranger }).map(|who| who.post(path, &body));
        let responses = futures::future::join_all(responses).await;
        let made = responses.iter().filter(|response| response.status == StatusCode::CREATED).count();
        assert_eq!(made, 1, "{path}");
        for response in responses.iter().filter(|response| response.status != StatusCode::CREATED) {
            let code = response.json()["error_code"].clone();
            assert!(codes.iter().any(|expected| code == expected.to_string()), "{}", response.text);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_https_edge_and_a_tls_edge_never_both_get_a_name() {
    let world = World::start().await;
    let operator = world.operator().await;
    for round in 0..20 {
        let body = edge_on(&format!("name-{round}.test"));
        let (https, tls) = tokio::join!(operator.post("/edges/https", &body), operator.post("/edges/tls", &body));
        let (made, refused) = if https.status == StatusCode::CREATED { (https, tls) } else { (tls, https) };
        made.is(StatusCode::CREATED);
        refused.refused(Code::HostportTaken);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_owners_gets_a_name_and_all_names_below() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    for round in 0..20 {
        let (upper, lower) = (format!("shop-{round}.test"), format!("a.shop-{round}.test"));
        let (upper, lower) = (json!({"domain": upper}), json!({"domain": lower}));
        let (one, two) =
            tokio::join!(operator.post("/reserved_domains", &upper), stranger.post("/reserved_domains", &lower));
        match (one.status, two.status) {
            (StatusCode::CREATED, _) => two.refused(Code::ReservedElsewhere),
            (_, StatusCode::CREATED) => one.refused(Code::ReservedBelow),
            other => panic!("{other:?}"),
        };
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reservation_is_never_deleted_while_an_edge_starts_to_use_it() {
    let world = World::start().await;
    let operator = world.operator().await;
    for round in 0..20 {
        let name = format!("shop-{round}.test");
        let item = format!("/reserved_domains/{}", domain(&operator, &format!("*.{name}")).await);
        let body = edge_on(&format!("a.{name}"));
        let (made, deleted) = tokio::join!(operator.post("/edges/https", &body), operator.delete(&item));
        made.is(StatusCode::CREATED);
        if deleted.status != StatusCode::NO_CONTENT {
            deleted.refused(Code::ReservedInUse);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrently_picked_addresses_all_differ() {
    let world = World::start_with(|settings| settings.tcp_ports = 24000..=24029).await;
    let operator = world.operator().await;
    let body = json!({});
    let responses = futures::future::join_all((0..30).map(|_| operator.post("/reserved_addrs", &body))).await;
    let mut chosen: Vec<String> = responses
        .iter()
        .map(|response| response.is(StatusCode::CREATED)["addr"].as_str().expect("text").to_owned())
        .collect();
    chosen.sort();
    chosen.dedup();
    assert_eq!(chosen.len(), 30);
}

/// A live tunnel at an address, with a credential.
fn up(credential: &str, scheme: &'static str, host: &str, port: u16) -> LiveTunnel {
    LiveTunnel {
        id: "tn_0ujtsYcgvSTl8PAuAdqWYSMnLOv".to_owned(),
        session: "ts_0ujtsYcgvSTl8PAuAdqWYSMnLOv".to_owned(),
        credential: credential.to_owned(),
        name: "shop".to_owned(),
        address: Some(LiveAddress { scheme, host: host.to_owned(), port }),
        labels: BTreeMap::new(),
        forwards_to: "http://localhost:80".to_owned(),
        metadata: String::new(),
        started_at: Timestamp::new(jiff::Timestamp::UNIX_EPOCH),
        node: None,
    }
}

#[tokio::test]
async fn names_and_ports_of_another_owners_tunnel_cannot_be_reserved() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let credential = stranger.id("/credentials", &json!({})).await;
    *world.live.tunnels.lock().expect("unpoisoned") =
        vec![up(&credential, "https", "a.shop.test", 4443), up(&credential, "tcp", "tunnels.test", 24005)];
    for name in ["a.shop.test", "shop.test", "*.shop.test"] {
        let body = json!({"domain": name});
        operator.post("/reserved_domains", &body).await.refused(Code::ReservedLive);
    }
    let body = json!({"addr": "tunnels.test:24005"});
    operator.post("/reserved_addrs", &body).await.refused(Code::ReservedLive);
    // The owner of the tunnel may reserve it, and names beside it are free.
    domain(&operator, "b.shop.test").await;
    domain(&operator, "tunnels-of-mine.test").await;
    domain(&stranger, "a.shop.test").await;
    stranger.made("/reserved_addrs", &body).await;
}

#[tokio::test]
async fn names_are_held_while_they_are_assigned_and_published_afterwards() {
    let world = World::start().await;
    let operator = world.operator().await;
    let host = |name: &str| HostName::parse(name).expect("a name");
    let edge = operator.made("/edges/https", &json!({"hostports": ["a.test:443", "a.test:4443"]})).await;
    let item = format!("/edges/https/{}", edge["id"].as_str().expect("an id"));
    operator.patch(&item, &json!({"hostports": ["a.test:443", "b.test:443"]})).await.is(StatusCode::OK);
    operator.patch(&item, &json!({"description": "nothing new"})).await.is(StatusCode::OK);
    operator.made("/edges/tcp", &json!({"hostports": ["tunnels.test:24009"]})).await;
    let reserved = operator.made("/reserved_domains", &json!({"domain": "*.c.test"})).await;
    let address = operator.made("/reserved_addrs", &json!({"addr": "tunnels.test:24010"})).await;
    let owner = OwnerId::parse(reserved["owner_id"].as_str().expect("an owner")).ok();
    let name_holds = world.live.name_holds.lock().expect("unpoisoned").clone();
    let hold = |names: &[&str], ports: &[u16], owner: &Option<OwnerId>| NameHold {
        names: names.iter().map(|name| host(name)).collect(),
        ports: ports.to_vec(),
        owner: owner.clone(),
    };
    assert_eq!(
        name_holds,
        [
            hold(&["a.test"], &[], &None),
            hold(&["b.test"], &[], &None),
            hold(&[], &[24009], &None),
            hold(&["*.c.test"], &[], &owner),
            hold(&[], &[24010], &owner),
        ]
    );
    let names = world.control.published().borrow().names.clone();
    assert_eq!(names.edges.size(), 2);
    assert_eq!(names.edges[&host("b.test")], edge["id"]);
    assert_eq!(names.owner_of(&host("x.c.test")), reserved["owner_id"].as_str());
    assert_eq!(names.addresses[&24010], address["owner_id"]);
    for gone in [format!("/reserved_addrs/{}", address["id"].as_str().expect("an id")), item] {
        operator.delete(&gone).await.is(StatusCode::NO_CONTENT);
    }
    operator
        .delete(&format!("/reserved_domains/{}", reserved["id"].as_str().expect("an id")))
        .await
        .is(StatusCode::NO_CONTENT);
    let names = world.control.published().borrow().names.clone();
    assert!(names.edges.is_empty() && names.domains.is_empty() && names.addresses.is_empty());
}
