//! Access rights, and the refusals without them.

use crate::kit::{Caller, World, ids};
use http::StatusCode;
use postern_api::{Code, token::Token};
use serde_json::{Value, json};

fn text(record: &Value, name: &str) -> String {
    record[name].as_str().unwrap_or_else(|| panic!("no `{name}` in {record}")).to_owned()
}

/// A new bot user with an API key and a credential.
struct Bot {
    id: String,
    item: String,
    key: Value,
    credential: Value,
}

impl Bot {
    async fn made_by(operator: &Caller, body: Value) -> Bot {
        let id = operator.id("/bot_users", &body).await;
        let owned = json!({"owner_id": id});
        let key = operator.made("/api_keys", &owned).await;
        let credential = operator.made("/credentials", &owned).await;
        assert_eq!((text(&key, "owner_id"), text(&credential, "owner_id")), (id.clone(), id.clone()));
        Bot { item: format!("/bot_users/{id}"), id, key, credential }
    }

    fn caller(&self, world: &World) -> Caller {
        world.caller(&text(&self.key, "token"))
    }

    /// Whether the edge accepts the credential; if not, its hash must be published as inactive.
    fn may_tunnel(&self, world: &World) -> bool {
        let token = Token::parse(&text(&self.credential, "token")).expect("a token");
        let published = world.control.published().borrow().clone();
        let accepted = published.credentials.get(token.ksuid()).is_some_and(|known| known.hash.verifies(&token));
        let inactive = published.inactive_credentials.get(token.ksuid()).is_some_and(|hash| hash.verifies(&token));
        assert_ne!(accepted, inactive, "one of both");
        accepted
    }
}

#[tokio::test]
async fn keys_of_an_inactive_bot_do_not_work() {
    let world = World::start().await;
    let operator = world.operator().await;
    let bot = Bot::made_by(&operator, json!({"name": "ci"})).await;
    let caller = bot.caller(&world);
    caller.get("/ip_policies").await.is(StatusCode::OK);
    assert!(bot.may_tunnel(&world));
    for _ in 0..2 {
        operator.patch(&bot.item, &json!({"active": false})).await.is(StatusCode::OK);
        caller.get("/ip_policies").await.refused(Code::CallerInactive);
        caller.post("/credentials", &json!({})).await.refused(Code::CallerInactive);
        assert!(!bot.may_tunnel(&world), "as soon as the response is there");
        for path in ["/api_keys", "/credentials"] {
            let refused = operator.post(path, &json!({"owner_id": bot.id})).await.refused(Code::OwnerInactive);
            assert_eq!(refused["details"]["field"], "owner_id");
        }
        operator.patch(&bot.item, &json!({"name": "ci, resting"})).await.is(StatusCode::OK);
        assert!(!bot.may_tunnel(&world), "another change does not wake it");
        operator.patch(&bot.item, &json!({"active": true})).await.is(StatusCode::OK);
        caller.get("/ip_policies").await.is(StatusCode::OK);
        assert!(bot.may_tunnel(&world));
    }
    // A bot that starts inactive owns nothing, because nothing can be created for it.
    let asleep = operator.id("/bot_users", &json!({"name": "asleep", "active": false})).await;
    operator.post("/api_keys", &json!({"owner_id": asleep})).await.refused(Code::OwnerInactive);
}

#[tokio::test]
async fn deleting_a_bot_deletes_its_keys_and_credentials() {
    let world = World::start().await;
    let operator = world.operator().await;
    let bot = Bot::made_by(&operator, json!({"name": "ci"})).await;
    operator.patch(&bot.item, &json!({"active": false})).await.is(StatusCode::OK);
    operator.delete(&bot.item).await.is(StatusCode::NO_CONTENT);
    bot.caller(&world).get("/ip_policies").await.refused(Code::KeyUnknown);
    let published = world.control.published().borrow().clone();
    assert!(published.credentials.is_empty() && published.inactive_credentials.is_empty());
    for (path, list) in [("/api_keys", "keys"), ("/credentials", "credentials")] {
        let all = operator.get(path).await.is(StatusCode::OK);
        assert!(all[list].as_array().expect("a list").iter().all(|record| record["owner_id"] != bot.id), "{all}");
    }
    operator.post("/credentials", &json!({"owner_id": bot.id})).await.refused(Code::OwnerUnknown);
}

#[tokio::test]
async fn only_administrators_have_access_to_users_and_bots() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let plain = Bot::made_by(&operator, json!({"name": "plain"})).await;
    let chief = Bot::made_by(&operator, json!({"name": "chief", "admin": true})).await;
    for (path, name) in [("/users", "some user"), ("/bot_users", "some bot")] {
        let item = format!("{path}/{}", operator.id(path, &json!({"name": name})).await);
        for caller in [&stranger, &plain.caller(&world)] {
            caller.get(path).await.refused(Code::AdminNeeded);
            caller.post(path, &json!({"name": "mine", "admin": true})).await.refused(Code::AdminNeeded);
            caller.post(path, &json!({"colour": "red"})).await.refused(Code::AdminNeeded);
            caller.get(&item).await.refused(Code::AdminNeeded);
            caller.patch(&item, &json!({"admin": true})).await.refused(Code::AdminNeeded);
            caller.patch(&item, &json!({"colour": "red"})).await.refused(Code::AdminNeeded);
            caller.delete(&item).await.refused(Code::AdminNeeded);
        }
        let chief = chief.caller(&world);
        chief.get(path).await.is(StatusCode::OK);
        chief.patch(&item, &json!({"name": "renamed"})).await.is(StatusCode::OK);
        chief.delete(&item).await.is(StatusCode::NO_CONTENT);
    }
    // Users cannot raise their own rights.
    let own = plain.caller(&world);
    own.patch(&plain.item, &json!({"admin": true})).await.refused(Code::AdminNeeded);
    own.patch(&plain.item, &json!({"active": true})).await.refused(Code::AdminNeeded);
}

#[tokio::test]
async fn changes_of_rights_take_effect_at_once() {
    let world = World::start().await;
    let operator = world.operator().await;
    let bot = Bot::made_by(&operator, json!({"name": "ci"})).await;
    let caller = bot.caller(&world);
    caller.get("/users").await.refused(Code::AdminNeeded);
    operator.patch(&bot.item, &json!({"admin": true})).await.is(StatusCode::OK);
    caller.get("/users").await.is(StatusCode::OK);
    operator.patch(&bot.item, &json!({"admin": false})).await.is(StatusCode::OK);
    caller.get("/users").await.refused(Code::AdminNeeded);
    operator.delete(&format!("/api_keys/{}", text(&bot.key, "id"))).await.is(StatusCode::NO_CONTENT);
    caller.get("/ip_policies").await.refused(Code::KeyUnknown);
}

#[tokio::test]
async fn a_bot_that_is_the_last_administrator_must_stay_one() {
    let world = World::start().await;
    let operator = world.operator().await;
    let bot = Bot::made_by(&operator, json!({"name": "chief", "admin": true})).await;
    let chief = bot.caller(&world);
    let own = ids(&operator.get("/users").await.json(), "users");
    for user in own {
        chief.delete(&format!("/users/{user}")).await.is(StatusCode::NO_CONTENT);
    }
    operator.get("/users").await.refused(Code::KeyUnknown);
    chief.patch(&bot.item, &json!({"active": false})).await.refused(Code::LastAdminKey);
    chief.patch(&bot.item, &json!({"admin": false})).await.refused(Code::LastAdminKey);
    chief.delete(&bot.item).await.refused(Code::LastAdminKey);
    chief.delete(&format!("/api_keys/{}", text(&bot.key, "id"))).await.refused(Code::LastAdminKey);
    chief.get("/users").await.is(StatusCode::OK);
}

#[tokio::test]
async fn lists_show_what_a_caller_may_see() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let bot = Bot::made_by(&operator, json!({"name": "ci"})).await;
    operator.made("/credentials", &json!({})).await;
    let caller = bot.caller(&world);
    for (path, list, own) in [("/api_keys", "keys", &bot.key), ("/credentials", "credentials", &bot.credential)] {
        let mine = caller.get(path).await.is(StatusCode::OK);
        assert_eq!(ids(&mine, list), [text(own, "id")], "{path}");
        assert!(mine[list][0]["token"].is_null() && mine["next_page_uri"].is_null());
        let item = format!("{path}/{}", text(own, "id"));
        caller.get(&item).await.is(StatusCode::OK);
        for refused in [
            stranger.get(&item).await,
            stranger.patch(&item, &json!({"description": "mine"})).await,
            stranger.delete(&item).await,
            stranger.post(path, &json!({"owner_id": bot.id})).await,
        ] {
            let told = refused.refused(Code::AdminNeeded).to_string();
            assert!(!told.contains(&bot.id), "a refusal does not tell whose it is: {told}");
        }
        let theirs = ids(&stranger.get(path).await.is(StatusCode::OK), list);
        assert!(!theirs.contains(&text(own, "id")));
        let all = ids(&operator.get(path).await.is(StatusCode::OK), list);
        assert!(all.contains(&text(own, "id")) && theirs.iter().all(|id| all.contains(id)));
    }
    // Everything else has no owner: every caller has access.
    let policy = operator.policy().await;
    assert_eq!(
        ids(&stranger.get("/ip_policies").await.is(StatusCode::OK), "ip_policies"),
        std::slice::from_ref(&policy)
    );
    stranger.made("/ip_restrictions", &json!({"type": "agent", "ip_policy_ids": [policy]})).await;
    stranger.made("/edges/https", &json!({"hostports": ["stranger.test:443"]})).await;
}

#[tokio::test]
async fn keys_and_authtokens_are_not_interchangeable() {
    let world = World::start().await;
    let operator = world.operator().await;
    let bot = Bot::made_by(&operator, json!({"name": "ci"})).await;
    let (key, token) = (text(&bot.key, "token"), text(&bot.credential, "token"));
    world.caller(&token).get("/ip_policies").await.refused(Code::KeyIsAuthtoken);
    let published = world.control.published().borrow().clone();
    let parsed = Token::parse(&key).expect("a key");
    assert!(!published.credentials.contains_key(parsed.ksuid()), "a key opens no tunnel");
    assert!(published.api_keys[parsed.ksuid()].verifies(&parsed), "but is known for what it is");
    // The same id with another secret is as unknown as another id, for both.
    for secret in [&key, &token] {
        let ksuid = Token::parse(secret).expect("a token").ksuid().to_owned();
        let guessed = Token::generate(&ksuid);
        let told = world.caller(guessed.secret().reveal()).get("/ip_policies").await.refused(Code::KeyUnknown);
        let unknown = Token::generate("0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        let other = world.caller(unknown.secret().reveal()).get("/ip_policies").await.refused(Code::KeyUnknown);
        assert_eq!(told["msg"], other["msg"], "a guess is told nothing");
        assert!(!told.to_string().contains(guessed.secret().reveal()));
    }
}
