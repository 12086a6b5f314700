//! Search in lists.

use crate::kit::{Caller, World, path};
use http::StatusCode;
use postern_api::Code;
use serde_json::{Value, json};

async fn found(caller: &Caller, query: &str) -> Vec<String> {
    let list = caller.get(query).await.is(StatusCode::OK);
    let records = list.as_object().expect("an object").values().find_map(Value::as_array).expect("a list");
    records.iter().map(|record| record["description"].as_str().expect("a text").to_owned()).collect()
}

#[tokio::test]
async fn records_are_found_by_all_words_in_any_member() {
    let world = World::start().await;
    let operator = world.operator().await;
    for (description, metadata) in [("Head Office", "berlin"), ("Back office", ""), ("Café", "")] {
        operator.id("/ip_policies", &json!({ "description": description, "metadata": metadata })).await;
    }
    assert_eq!(found(&operator, "/ip_policies?search=office").await, ["Back office", "Head Office"]);
    assert_eq!(found(&operator, "/ip_policies?search=OFFICE+head").await, ["Head Office"]);
    assert_eq!(found(&operator, "/ip_policies?search=berlin").await, ["Head Office"]);
    assert_eq!(found(&operator, "/ip_policies?search=CAF%C3%89").await, ["Café"]);
    assert_eq!(found(&operator, "/ip_policies?search=nowhere").await, [""; 0]);
    assert_eq!(found(&operator, "/ip_policies?search=").await.len(), 3, "nothing in particular");
    assert_eq!(found(&operator, "/ip_policies?search=http").await, [""; 0], "every record has an address");
    operator.get("/tunnels?search=x").await.refused(Code::QueryUnknown);
}

#[tokio::test]
async fn rules_are_found_by_their_policy_page_by_page() {
    let world = World::start().await;
    let operator = world.operator().await;
    let mut policies = Vec::new();
    for _ in 0..2 {
        policies.push(operator.id("/ip_policies", &json!({})).await);
    }
    for number in 0..6 {
        let policy = &policies[number % 2];
        let rule = json!({ "ip_policy_id": policy, "cidr": format!("10.0.0.{number}"), "action": "allow" });
        operator.id("/ip_policy_rules", &rule).await;
    }
    let mut next = Some(format!("/ip_policy_rules?limit=2&search={}", policies[1]));
    let mut cidrs = Vec::new();
    while let Some(page) = next {
        let list = operator.get(&page).await.is(StatusCode::OK);
        let rules = list["ip_policy_rules"].as_array().expect("a list");
        assert!(!rules.is_empty() && rules.len() <= 2, "{list}");
        cidrs.extend(rules.iter().map(|rule| rule["cidr"].as_str().expect("a text").to_owned()));
        next = list["next_page_uri"].as_str().map(|_| path(&list["next_page_uri"]));
    }
    assert_eq!(cidrs, ["10.0.0.5/32", "10.0.0.3/32", "10.0.0.1/32"]);
}

#[tokio::test]
async fn secrets_and_records_of_others_are_not_searched() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let made = operator.made("/credentials", &json!({ "description": "mine" })).await;
    let token = made["token"].as_str().expect("a token");
    assert_eq!(found(&operator, &format!("/credentials?search={token}")).await, [""; 0]);
    assert_eq!(found(&operator, "/credentials?search=mine").await, ["mine"]);
    assert_eq!(found(&stranger, "/credentials?search=mine").await, [""; 0]);
}

#[tokio::test]
async fn every_change_is_found_by_the_next_search() {
    let world = World::start().await;
    let operator = world.operator().await;
    let search = async |word: &str| found(&operator, &format!("/edges/https?search={word}")).await;
    assert_eq!(search("shop").await, [""; 0], "from here on the edges are indexed");
    let edge = operator.made("/edges/https", &json!({"description": "The shop"})).await;
    let item = format!("/edges/https/{}", edge["id"].as_str().expect("an id"));
    assert_eq!(search("shop").await, ["The shop"]);

    operator.patch(&item, &json!({"description": "The store"})).await.is(StatusCode::OK);
    assert_eq!(search("shop").await, [""; 0]);
    assert_eq!(search("store").await, ["The store"]);

    let termination = format!("{item}/tls_termination");
    operator.put(&termination, &json!({"min_version": "1.3"})).await.is(StatusCode::OK);
    assert_eq!(search("1.3").await, ["The store"], "modules are searched with their owner");
    operator.delete(&termination).await.is(StatusCode::NO_CONTENT);
    assert_eq!(search("1.3").await, [""; 0]);

    let route = json!({"match": "/", "match_type": "path_prefix"});
    let route = operator.made(&format!("{item}/routes"), &route).await;
    let route = route["id"].as_str().expect("an id");
    assert_eq!(search(route).await, ["The store"], "and routes by their ids");
    let route_item = format!("{item}/routes/{route}");
    operator.patch(&route_item, &json!({"description": "checkout"})).await.is(StatusCode::OK);
    assert_eq!(search("checkout").await, ["The store"], "and by what routes show");
    operator.put(&format!("{route_item}/user_agent_filter"), &json!({"deny": ["curl/9"]})).await.is(StatusCode::OK);
    assert_eq!(search("curl/9").await, ["The store"], "with their modules");
    operator.delete(&route_item).await.is(StatusCode::NO_CONTENT);
    assert_eq!(search(route).await, [""; 0]);

    operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    assert_eq!(search("store").await, [""; 0]);
}
