//! Alert rules: a threshold of traffic, errors or absence that is reached is one event, and one when that is over.

use postern_api::Code;
use postern_tests::{Agent, Operator, Origin, Receiver, World, eventually};
use serde_json::{Value, json};

/// A service behind an HTTPS edge, and a receiver of all events about alerts.
struct Shop {
    world: World,
    agent: Agent,
    receiver: Receiver,
    edge: String,
    route: String,
    url: String,
    _origin: Origin,
}

impl Shop {
    async fn open() -> Shop {
        let world = World::start().await;
        let operator = world.operator();
        let origin = Origin::start("hello").await;
        let agent = world.agent_with_one_session().await;
        agent.labelled("shop", "app=shop", &origin).await;
        let backend = operator.group("app", "shop").await;
        let hostports = json!({ "hostports": ["shop.example.test:443"] });
        let edge = operator.post("/edges/https", hostports).await.ok().text("id");
        let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
        let route = operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id");
        let url = format!("https://shop.example.test:{}", world.server.addresses.https.port());
        let receiver = Receiver::start().await;
        let kinds = ["alert_firing", "alert_warning", "alert_resolved"];
        operator.post("/event_destinations", json!({ "url": receiver.url("/"), "kinds": kinds })).await.ok();
        Shop { world, agent, receiver, edge, route, url, _origin: origin }
    }

    fn operator(&self) -> Operator {
        self.world.operator()
    }

    /// Visits a path some times.
    async fn visit(&self, path: &str, times: usize) {
        for _ in 0..times {
            self.world.visitor().get(&format!("{}{path}", self.url)).await;
        }
    }

    /// Creates a rule; gives its path.
    async fn rule(&self, body: Value) -> String {
        format!("/alert_rules/{}", self.operator().post("/alert_rules", body).await.ok().text("id"))
    }

    /// The kinds of the events so far, once there are as many as expected.
    async fn events(&self, count: usize) -> Vec<Value> {
        self.receiver.wait_for_accepted(count).await.iter().map(|webhook| webhook.json()).collect()
    }

    /// A rule once it has this value.
    async fn rule_with(&self, rule: &str, value: Value) -> Value {
        eventually(&format!("the value of the rule is {value}"), async || {
            let shown = self.operator().get(rule).await.ok().body;
            (shown["value"] == value).then_some(shown)
        })
        .await
    }
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["kind"].as_str().expect("a kind")).collect()
}

#[tokio::test]
async fn requests_that_reach_a_threshold_are_one_event_also_over_a_restart() {
    let shop = Shop::open().await;
    let body = json!({
        "measure": "requests", "subject_id": shop.edge, "threshold": 5, "window_minutes": 60, "description": "busy",
    });
    let rule = shop.rule(body).await;
    shop.visit("/", 4).await;
    let shown = shop.rule_with(&rule, json!(4)).await;
    assert_eq!((&shown["state"], &shown["state_since"]), (&json!("ok"), &json!(null)), "{shown}");
    shop.visit("/", 2).await;
    let fired = shop.events(1).await.remove(0);
    assert_eq!((&fired["kind"], &fired["operation"]), (&json!("alert_firing"), &json!("observed")));
    assert_eq!((&fired["actor_type"], &fired["object_id"]), (&json!("server"), &json!(rule[13..])));
    let after = &fired["after"];
    assert_eq!((&after["subject_id"], &after["threshold"]), (&json!(shop.edge), &json!(5)));
    assert_eq!(
        (&after["value"], &after["description"], &after["state"]),
        (&json!(6), &json!("busy"), &json!("firing"))
    );
    let shown = shop.operator().get(&rule).await.ok().body;
    assert_eq!((&shown["state"], &shown["state_since"]), (&json!("firing"), &fired["created_at"]));

    // Neither more requests nor a restart make a second event.
    shop.visit("/", 3).await;
    shop.rule_with(&rule, json!(9)).await;
    let shop = Shop { world: shop.world.restart_server(|_| ()).await, ..shop };
    let other = shop.rule(json!({ "measure": "requests", "threshold": 1, "window_minutes": 60 })).await;
    shop.agent.wait_until_online().await;
    shop.visit("/", 1).await;
    let events = shop.events(2).await;
    assert_eq!((kinds(&events), &events[1]["object_id"]), (vec!["alert_firing"; 2], &json!(other[13..])));
    assert_eq!(shop.operator().get(&rule).await.ok().body["state"], "firing");

    // Above all that is there, it is over.
    shop.operator().patch(&rule, json!({ "threshold": 1000 })).await.ok();
    let resolved = shop.events(3).await.remove(2);
    assert_eq!((&resolved["kind"], &resolved["object_id"]), (&json!("alert_resolved"), &json!(rule[13..])));
    assert_eq!(resolved["after"]["previous_state_since"], fired["created_at"]);
    let listed = shop.operator().get("/audit_events?kind=alert_resolved&operation=observed").await.ok().body;
    assert_eq!(listed["audit_events"][0]["id"], resolved["id"]);
}

#[tokio::test]
async fn a_share_of_errors_fires_above_its_minimum_and_ends_with_the_errors() {
    let shop = Shop::open().await;
    let body = json!({
        "measure": "error_share", "subject_id": shop.route, "threshold": 0.5, "minimum_requests": 4, "window_minutes": 60,
    });
    let rule = shop.rule(body).await;
    shop.visit("/status/500", 3).await;
    let shown = shop.rule_with(&rule, json!(0)).await;
    assert_eq!((&shown["state"], &shown["subject_parent_id"]), (&json!("ok"), &json!(shop.edge)), "{shown}");
    shop.visit("/", 1).await;
    let fired = shop.events(1).await.remove(0);
    assert_eq!((&fired["kind"], &fired["after"]["value"]), (&json!("alert_firing"), &json!(0.75)));
    shop.visit("/", 2).await;
    shop.rule_with(&rule, json!(0.5)).await;
    shop.visit("/", 4).await;
    let events = shop.events(2).await;
    assert_eq!(kinds(&events), ["alert_firing", "alert_resolved"]);
    assert_eq!(events[1]["after"]["value"], 0.3);
}

#[tokio::test]
async fn a_quota_warns_before_it_is_used_up() {
    let shop = Shop::open().await;
    let day = shop.rule(json!({ "measure": "requests", "threshold": 10, "period": "day" })).await;
    let month =
        shop.rule(json!({ "measure": "bytes", "subject_id": shop.edge, "threshold": 50, "period": "month" })).await;
    shop.visit("/", 8).await;
    assert_eq!(kinds(&shop.events(2).await), ["alert_warning", "alert_warning"]);
    shop.rule_with(&day, json!(8)).await;
    shop.rule_with(&month, json!(40)).await;
    shop.visit("/", 2).await;
    eventually("both quotas are used up", async || {
        let states = [&day, &month].map(|rule| async { shop.operator().get(rule).await.ok().body["state"].take() });
        let states = futures::future::join_all(states).await;
        (states == ["firing", "firing"]).then_some(())
    })
    .await;
    let events = shop.events(4).await;
    let of = |rule: &str| {
        let own = events.iter().filter(|event| event["object_id"] == rule[13..]).cloned().collect::<Vec<_>>();
        kinds(&own).join(" ")
    };
    assert_eq!((of(&day), of(&month)), ("alert_warning alert_firing".into(), "alert_warning alert_firing".into()));
}

#[tokio::test]
async fn an_agent_that_is_away_is_told_and_its_return_too() {
    let shop = Shop::open().await;
    let (credential, token) = shop.operator().credential(&[]).await;
    let away = json!({ "measure": "agent_away", "subject_id": credential, "threshold": 0.1 });
    let rule = shop.rule(away).await;
    // A credential that was never in use is not away.
    eventually("the rule is evaluated", async || {
        let shown = shop.operator().get(&rule).await.ok().body;
        (shown["value"].is_null() && shown["state"] == "ok").then_some(())
    })
    .await;
    let agent = shop.world.agent_setup("other", &token).start().await;
    shop.rule_with(&rule, json!(0)).await;
    let setup = shop.world.agent_setup("other", &token);
    drop(agent);
    let fired = shop.events(1).await.remove(0);
    assert_eq!((&fired["kind"], &fired["after"]["subject_id"]), (&json!("alert_firing"), &json!(credential)));
    assert!(fired["after"]["value"].as_f64().expect("minutes") >= 0.1, "{fired}");
    let _agent = setup.start().await;
    assert_eq!(kinds(&shop.events(2).await), ["alert_firing", "alert_resolved"]);
}

#[tokio::test]
async fn a_rule_goes_with_what_it_measures_and_mistakes_are_named() {
    let world = World::start().await;
    let operator = world.operator();
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.example.test:443"] })).await.ok().text("id");
    let of_edge = json!({ "measure": "requests", "subject_id": edge, "threshold": 5 });
    let rule = operator.post("/alert_rules", of_edge).await.ok();
    assert_eq!((&rule.body["window_minutes"], &rule.body["period"]), (&json!(5), &json!("rolling")));
    operator.delete(&format!("/edges/https/{edge}")).await.ok();
    assert_eq!(operator.get(&format!("/alert_rules/{}", rule.text("id"))).await.code(), Code::NotFound);
    let (invalid, subject) = (Code::AlertRuleInvalid, Code::AlertSubjectInvalid);
    for (body, code, field) in [
        (json!({ "measure": "requests", "threshold": 0 }), invalid, "threshold"),
        (json!({ "measure": "error_share", "threshold": 5 }), invalid, "threshold"),
        (json!({ "measure": "error_share", "threshold": 0.5, "period": "day" }), invalid, "period"),
        (json!({ "measure": "bytes", "threshold": 5, "window_minutes": 61 }), invalid, "window_minutes"),
        (json!({ "measure": "bytes", "threshold": 5, "minimum_requests": 1 }), invalid, "minimum_requests"),
        (json!({ "measure": "agent_away", "threshold": 5 }), subject, "subject_id"),
        (json!({ "measure": "agent_away", "threshold": 5, "subject_id": edge }), subject, "subject_id"),
        (json!({ "measure": "bytes", "threshold": 5, "subject_id": edge }), Code::AlertSubjectUnknown, "subject_id"),
    ] {
        let refused = operator.post("/alert_rules", body.clone()).await;
        assert_eq!((refused.status, refused.code()), (400, code), "{body}");
        assert_eq!(refused.body["details"]["field"], field, "{body}");
    }
}
