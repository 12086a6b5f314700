//! Publishing: the edge has the newest configuration before the caller has the response.

use crate::kit::{World, ids, open};
use http::StatusCode;
use postern_api::{
    Code, Country,
    ip_rules::{IpVerdict, Locate, Location},
    published::{Backend, ChangeCursor, Changed, TcpEdge},
    resource::RestrictionType,
    token::Token,
};
use postern_test_kit::until;
use serde_json::json;
use std::{net::IpAddr, sync::Arc};

fn edge(world: &World) -> Arc<TcpEdge> {
    let snapshot = world.control.published().borrow().clone();
    assert_eq!(snapshot.tcp_edges.size(), 1);
    snapshot.tcp_edges.values().next().expect("one").clone()
}

fn lets_in(edge: &TcpEdge, address: &str) -> bool {
    let address: IpAddr = address.parse().expect("an address");
    edge.settings.ip_restriction.as_ref().is_none_or(|rules| rules.allows(address))
}

#[tokio::test]
async fn each_change_is_published_before_its_response() {
    let world = World::start().await;
    let operator = world.operator().await;
    let group = operator.group().await;
    let labels = || match &*world.control.published().borrow().backends[&group] {
        Backend::TunnelGroup(group) => group.labels.clone(),
        other => panic!("no group: {other:?}"),
    };
    assert_eq!(labels()["app"], "shop");
    operator.patch(&format!("/backends/tunnel_group/{group}"), &json!({"labels": {"a": "b"}})).await.is(StatusCode::OK);
    assert_eq!(labels()["a"], "b");

    let id = operator
        .id("/edges/tcp", &json!({"hostports": ["tunnels.test:24002", "127.0.0.1:24001", "127.0.0.1:24002"]}))
        .await;
    let item = format!("/edges/tcp/{id}");
    let published = edge(&world);
    assert_eq!((published.id.as_str(), published.ports.as_slice()), (id.as_str(), &[24001, 24002][..]));
    assert!(published.settings.backend.is_none() && published.settings.ip_restriction.is_none());

    let backend = format!("{item}/backend");
    operator.put(&backend, &json!({"backend_id": group})).await.is(StatusCode::OK);
    assert_eq!(edge(&world).settings.backend.as_deref(), Some(group.as_str()));
    operator.put(&backend, &json!({"backend_id": group, "enabled": false})).await.is(StatusCode::OK);
    assert_eq!(edge(&world).settings.backend, None, "a disabled module is absent");
    operator.patch(&item, &json!({"backend": {"backend_id": group}})).await.is(StatusCode::OK);
    assert_eq!(edge(&world).settings.backend.as_deref(), Some(group.as_str()));
    operator.delete(&backend).await.is(StatusCode::NO_CONTENT);
    assert_eq!(edge(&world).settings.backend, None);
    operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    assert!(world.control.published().borrow().tcp_edges.is_empty());
}

#[tokio::test]
async fn rules_are_resolved_and_a_deleted_policy_has_none() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (office, blocked) = (operator.policy().await, operator.policy().await);
    let item = format!(
        "/edges/tcp/{}",
        operator.id("/edges/tcp", &json!({"ip_restriction": {"ip_policy_ids": [office, blocked]}})).await
    );
    assert!(!lets_in(&edge(&world), "10.1.2.3"), "policies without rules admit no address");
    let rule = operator.rule(&office, "10.0.0.0/8", "allow").await;
    assert!(lets_in(&edge(&world), "10.1.2.3") && !lets_in(&edge(&world), "11.1.2.3"));
    operator.rule(&blocked, "10.1.0.0/16", "deny").await;
    assert!(!lets_in(&edge(&world), "10.1.2.3") && lets_in(&edge(&world), "10.2.2.3"));
    operator.patch(&format!("/ip_policy_rules/{rule}"), &json!({"cidr": "11.0.0.0/8"})).await.is(StatusCode::OK);
    assert!(!lets_in(&edge(&world), "10.2.2.3") && lets_in(&edge(&world), "11.1.2.3"));
    operator.delete(&format!("/ip_policies/{blocked}")).await.is(StatusCode::NO_CONTENT);
    assert!(lets_in(&edge(&world), "11.1.2.3"));
    operator.delete(&format!("/ip_policies/{office}")).await.is(StatusCode::NO_CONTENT);
    assert!(!lets_in(&edge(&world), "11.1.2.3"), "a deleted policy counts as one without rules");
    let off = json!({"ip_restriction": {"enabled": false, "ip_policy_ids": [office]}});
    operator.patch(&item, &off).await.is(StatusCode::OK);
    assert!(edge(&world).settings.ip_restriction.is_none() && lets_in(&edge(&world), "203.0.113.9"));
    operator.delete(&format!("{item}/ip_restriction")).await.is(StatusCode::NO_CONTENT);
    assert!(edge(&world).settings.ip_restriction.is_none());
}

#[tokio::test]
async fn rules_for_countries_are_published_and_taken_out() {
    struct InGermany;
    impl Locate for InGermany {
        fn locate(&self, _: IpAddr) -> Location {
            Country::from_database("DE").map_or(Location::Unlisted, Location::In)
        }
    }
    let world = World::start().await;
    let operator = world.operator().await;
    let policy = operator.policy().await;
    operator.id("/edges/tcp", &json!({"ip_restriction": {"ip_policy_ids": [policy]}})).await;
    let passes = || {
        let rules = edge(&world).settings.ip_restriction.clone().expect("rules");
        matches!(rules.judge([10, 0, 0, 1].into(), &InGermany), IpVerdict::Allowed(_))
    };
    let rule = |action: &str, country: &str| json!({"ip_policy_id": policy, "action": action, "country": country});
    let allows = operator.id("/ip_policy_rules", &rule("allow", "DE")).await;
    assert!(passes() && !lets_in(&edge(&world), "10.0.0.1"), "without a database no rule for a country allows");
    operator.patch(&format!("/ip_policy_rules/{allows}"), &json!({"country": "FR"})).await.is(StatusCode::OK);
    assert!(!passes());
    operator.patch(&format!("/ip_policy_rules/{allows}"), &json!({"cidr": "10.0.0.0/8"})).await.is(StatusCode::OK);
    assert!(passes());
    let denies = operator.id("/ip_policy_rules", &rule("deny", "US")).await;
    assert!(passes() && !lets_in(&edge(&world), "10.0.0.1"), "without a database the address may be in that country");
    operator.delete(&format!("/ip_policy_rules/{denies}")).await.is(StatusCode::NO_CONTENT);
    assert!(passes() && lets_in(&edge(&world), "10.0.0.1"));
}

#[tokio::test]
async fn restrictions_are_published_with_the_rules_of_their_policies() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (office, blocked) = (operator.policy().await, operator.policy().await);
    operator.rule(&office, "10.0.0.0/8", "allow").await;
    let body = json!({"type": "agent", "ip_policy_ids": [office, blocked, office]});
    let made = operator.made("/ip_restrictions", &body).await;
    assert_eq!((&made["enforced"], &made["type"]), (&json!(false), &json!("agent")));
    let named = |record: &serde_json::Value| ids(record, "ip_policies");
    assert_eq!(named(&made), [office.clone(), blocked.clone()], "each once, in their order");
    let item = format!("/ip_restrictions/{}", made["id"].as_str().expect("an id"));
    let now = || {
        let all = world.control.published().borrow().ip_restrictions.clone();
        assert_eq!(all.len(), 1);
        all[0].clone()
    };
    let passes = |address: &str| now().rules.allows(address.parse().expect("an address"));
    assert_eq!((now().id.as_str(), now().guards, now().enforced), (&item[17..], RestrictionType::Agent, false));
    assert!(passes("10.1.2.3") && !passes("11.1.2.3"));
    operator.rule(&blocked, "10.1.0.0/16", "deny").await;
    assert!(!passes("10.1.2.3") && passes("10.2.2.3"));
    operator.patch(&item, &json!({"enforced": true})).await.is(StatusCode::OK);
    assert!(now().enforced);

    operator.patch(&item, &json!({"type": "api"})).await.refused(Code::FieldUnknown);
    operator.delete(&format!("/ip_policies/{blocked}")).await.is(StatusCode::NO_CONTENT);
    assert!(passes("10.1.2.3"), "a deleted policy counts as one without rules");
    let still = operator.patch(&item, &json!({"ip_policy_ids": [blocked, office]})).await.is(StatusCode::OK);
    assert_eq!(named(&still), [blocked.clone(), office.clone()], "one that is named already never stands in the way");
    operator.patch(&item, &json!({"ip_policy_ids": [office]})).await.is(StatusCode::OK);
    operator.patch(&item, &json!({"ip_policy_ids": [blocked]})).await.refused(Code::PolicyUnknown);
    operator.delete(&format!("/ip_policies/{office}")).await.is(StatusCode::NO_CONTENT);
    assert!(!passes("10.2.2.3"), "without rules no address is admitted");
    operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    assert!(world.control.published().borrow().ip_restrictions.is_empty());
}

#[tokio::test]
async fn credentials_are_published_as_hash_and_acl() {
    let world = World::start().await;
    let operator = world.operator().await;
    let made = operator.made("/credentials", &json!({"acl": ["bind:a.test"]})).await;
    let token = Token::parse(made["token"].as_str().expect("a token")).expect("its shape");
    let snapshot = world.control.published().borrow().clone();
    let published = &snapshot.credentials[token.ksuid()];
    assert!(published.hash.verifies(&token) && published.id == made["id"] && !published.acl.is_unrestricted());
    let item = format!("/credentials/{}", published.id);
    operator.patch(&item, &json!({"acl": []})).await.is(StatusCode::OK);
    assert!(world.control.published().borrow().credentials[token.ksuid()].acl.is_unrestricted());
    operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    assert!(!world.control.published().borrow().credentials.contains_key(token.ksuid()));
}

#[tokio::test]
async fn changes_without_effect_on_the_edge_do_not_wake_it() {
    let world = World::start().await;
    let operator = world.operator().await;
    let mut published = world.control.published();
    published.mark_unchanged();
    operator.policy().await;
    operator.made("/users", &json!({"name": "x"})).await;
    assert!(!published.has_changed().expect("open"));
    let before = published.borrow().clone();
    operator.made("/credentials", &json!({})).await;
    assert!(published.has_changed().expect("open"));
    let (before, now) = (&before.tcp_edges, published.borrow().tcp_edges.clone());
    let same = before.iter().all(|(id, edge)| now.get(id).is_some_and(|now| Arc::ptr_eq(edge, now)));
    assert!(same, "what did not change is not copied");
}

#[tokio::test]
async fn after_a_restart_everything_is_published_at_once() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (group, policy) = (operator.group().await, operator.policy().await);
    operator.rule(&policy, "10.0.0.0/8", "allow").await;
    let body = json!({
        "hostports": ["tunnels.test:24001"],
        "backend": {"backend_id": group},
        "ip_restriction": {"ip_policy_ids": [policy]},
    });
    operator.made("/edges/tcp", &body).await;
    operator.made("/credentials", &json!({})).await;
    let before = world.control.published().borrow().clone();
    let World { control, live, folder, .. } = world;
    drop((control, operator));
    let after = reopened(folder.path(), live).await;
    let after = after.published().borrow().clone();
    assert_eq!((&after.tcp_edges, &after.backends), (&before.tcp_edges, &before.backends));
    assert_eq!(after.credentials, before.credentials);
}

/// Opens a folder as soon as its lock is released.
pub(crate) async fn reopened(folder: &std::path::Path, live: Arc<crate::kit::Tunnels>) -> postern_control::Control {
    let lock = std::fs::File::open(folder.join("postern.lock")).expect("a lock");
    until("the lock is released", || lock.try_lock().is_ok()).await;
    drop(lock);
    open(folder, live).await
}

#[tokio::test]
async fn each_configuration_lists_its_changes() {
    let world = World::start().await;
    let operator = world.operator().await;
    let published = world.control.published();
    let changed = |since: &ChangeCursor| since.until(&published.borrow().cursor).expect("the cursors are in order");
    let start = published.borrow().cursor.clone();
    let group = operator.group().await;
    let backend = json!({"backend_id": group});
    let tcp = operator.id("/edges/tcp", &json!({"backend": backend})).await;
    let https = operator.id("/edges/https", &json!({"hostports": ["shop.test:443"]})).await;
    let all = changed(&start);
    assert_eq!(
        (all.backends, all.tcp_edges, all.https_edges),
        ([group.clone()].into(), [tcp.clone()].into(), [https.clone()].into())
    );
    assert!(all.tls_edges.is_empty() && !all.credentials);

    let cursor = published.borrow().cursor.clone();
    let route = json!({"match": "/", "match_type": "path_prefix", "backend": backend});
    let route = operator.id(&format!("/edges/https/{https}/routes"), &route).await;
    assert_eq!(changed(&cursor), Changed { https_edges: [https.clone()].into(), ..Changed::default() });
    assert_eq!(published.borrow().https_edges[&https].routes[0].id, route);

    let cursor = published.borrow().cursor.clone();
    operator.delete(&format!("/edges/tcp/{tcp}")).await.is(StatusCode::NO_CONTENT);
    operator.id("/credentials", &json!({})).await;
    let expected = Changed { tcp_edges: [tcp.clone()].into(), credentials: true, ..Changed::default() };
    assert_eq!(changed(&cursor), expected);
    assert!(!published.borrow().tcp_edges.contains_key(&tcp));
    operator.id("/ip_policies", &json!({})).await;
    assert_eq!(changed(&cursor), expected, "changes without effect on the edge");
}
