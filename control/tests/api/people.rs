//! People who have logged in at edges, and their sessions: stored, shown, published and ended.

use crate::kit::{BASE_URL, Caller, World, ids};
use http::StatusCode;
use postern_api::{
    Code, Secret, Timestamp,
    published::{LoginSession, Person, SessionKey, Tokens},
};
use serde_json::{Value, json};
use std::sync::Arc;

const UNKNOWN_USER: &str = "/app/users/au_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
const UNKNOWN_SESSION: &str = "/app/sessions/as_0ujtsYcgvSTl8PAuAdqWYSMnLOv";

fn at(second: i64) -> Timestamp {
    Timestamp::new(jiff::Timestamp::from_second(1_700_000_000 + second).expect("a moment"))
}

fn key(number: u8) -> SessionKey {
    SessionKey([number; 32])
}

/// A new login session, as the edge reports it.
fn login(who: &str, number: u8, second: i64) -> LoginSession {
    LoginSession {
        id: String::new(),
        user: String::new(),
        key: key(number),
        host: "shop.test".to_owned(),
        public_url: "https://shop.test:4443".to_owned(),
        route: "edghtsrt_0ujtsYcgvSTl8PAuAdqWYSMnLOv".to_owned(),
        edge: String::new(),
        realm: "realm".to_owned(),
        rules: "rules".to_owned(),
        person: Person {
            provider: "oidc".to_owned(),
            provider_url: "https://id.test".to_owned(),
            id: who.to_owned(),
            username: format!("{who}.name"),
            email: format!("{who}@example.test"),
            name: format!("The {who}"),
            told: [("user-groups".to_owned(), "planted-group".to_owned())].into(),
        },
        tokens: Some(Tokens { access: Secret::new("planted-access"), refresh: None }),
        provider_session: "planted-sid".to_owned(),
        user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0".to_owned(),
        address: "192.0.2.7".to_owned(),
        created_at: at(second),
        last_active: at(second),
        checked_at: at(second),
        expires_at: None,
    }
}

/// Begins a session; gives it as it is published.
async fn begun(world: &World, session: LoginSession) -> Arc<LoginSession> {
    let key = session.key;
    world.control.logins().begin(session, Vec::new()).await.expect("it begins");
    published(world, key).expect("it is published")
}

fn published(world: &World, key: SessionKey) -> Option<Arc<LoginSession>> {
    world.control.published().borrow().logins.get(&key).cloned()
}

async fn sessions(operator: &Caller) -> Vec<String> {
    ids(&operator.get("/app/sessions").await.is(StatusCode::OK), "application_sessions")
}

async fn users(operator: &Caller) -> Vec<String> {
    ids(&operator.get("/app/users").await.is(StatusCode::OK), "application_users")
}

pub(crate) async fn listed_read_and_ended(world: &World) {
    let operator = world.operator().await;
    let edge = operator.id("/edges/https", &json!({"hostports": ["*.shop.test:443", "shop.test:443"]})).await;
    let route =
        operator.id(&format!("/edges/https/{edge}/routes"), &json!({"match": "/", "match_type": "path_prefix"})).await;
    let lasting = LoginSession { expires_at: Some(at(3600)), ..login("ada", 1, 0) };
    let session = begun(world, LoginSession { edge: edge.clone(), route: route.clone(), ..lasting }).await;
    let below = LoginSession { host: "a.shop.test".to_owned(), edge: edge.clone(), ..login("bob", 2, 10) };
    let below = begun(world, below).await;
    let of_a_tunnel = begun(world, login("ada", 3, 20)).await;

    let shown = operator.get(&format!("/app/sessions/{}", session.id)).await.is(StatusCode::OK);
    let endpoints = operator.get("/endpoints").await.is(StatusCode::OK);
    let endpoint = |host: &str| {
        let found = endpoints["endpoints"].as_array().expect("endpoints").iter().find(|one| one["host"] == host);
        let found = found.unwrap_or_else(|| panic!("no {host} in {endpoints}"));
        json!({"id": found["id"], "uri": found["uri"]})
    };
    assert_eq!(
        shown,
        json!({
            "id": session.id,
            "uri": format!("{BASE_URL}/app/sessions/{}", session.id),
            "public_url": "https://shop.test:4443",
            "browser_session": {
                "user_agent": {
                    "raw": session.user_agent, "browser_name": "Firefox", "browser_version": "128.0",
                    "device_type": "pc", "os_name": "Linux", "os_version": "",
                },
                "ip_address": "192.0.2.7",
                "location": null,
            },
            "application_user": {"id": session.user, "uri": format!("{BASE_URL}/app/users/{}", session.user)},
            "created_at": "2023-11-14T22:13:20Z",
            "last_active": "2023-11-14T22:13:20Z",
            "expires_at": "2023-11-14T23:13:20Z",
            "endpoint": endpoint("shop.test"),
            "edge": {"id": edge, "uri": format!("{BASE_URL}/edges/https/{edge}")},
            "route": {"id": route, "uri": format!("{BASE_URL}/edges/https/{edge}/routes/{route}")},
        })
    );
    let shown = operator.get(&format!("/app/sessions/{}", below.id)).await.is(StatusCode::OK);
    assert_eq!((&shown["endpoint"], &shown["expires_at"]), (&endpoint("*.shop.test"), &json!("")));
    let shown = operator.get(&format!("/app/sessions/{}", of_a_tunnel.id)).await.is(StatusCode::OK);
    assert_eq!((&shown["endpoint"], &shown["edge"], &shown["route"]), (&Value::Null, &Value::Null, &Value::Null));

    let shown = operator.get(&format!("/app/users/{}", session.user)).await.is(StatusCode::OK);
    assert_eq!(
        shown,
        json!({
            "id": session.user,
            "uri": format!("{BASE_URL}/app/users/{}", session.user),
            "identity_provider": {"name": "oidc", "url": "https://id.test"},
            "provider_user_id": "ada",
            "username": "ada.name",
            "email": "ada@example.test",
            "name": "The ada",
            "created_at": "2023-11-14T22:13:20Z",
            "last_active": "2023-11-14T22:13:40Z",
            "last_login": "2023-11-14T22:13:40Z",
        })
    );
    assert_eq!(sessions(&operator).await, [&of_a_tunnel.id, &below.id, &session.id].map(Clone::clone));
    assert_eq!(users(&operator).await, [&below.user, &session.user].map(Clone::clone));
    for (place, member) in [("/app/sessions", "application_sessions"), ("/app/users", "application_users")] {
        let first = operator.get(&format!("{place}?limit=1")).await.is(StatusCode::OK);
        let newest = ids(&first, member).remove(0);
        assert_eq!(first["next_page_uri"], format!("{BASE_URL}{place}?before_id={newest}&limit=1"));
        let rest = operator.get(&format!("{place}?before_id={newest}")).await.is(StatusCode::OK);
        assert!(!ids(&rest, member).contains(&newest) && rest["next_page_uri"].is_null(), "{rest}");
    }

    operator.delete(&format!("/app/sessions/{}", below.id)).await.is(StatusCode::NO_CONTENT);
    assert_eq!(published(world, key(2)), None, "the edge knows when the response is there");
    operator.get(&format!("/app/sessions/{}", below.id)).await.refused(Code::NotFound);
    operator.get(&format!("/app/users/{}", below.user)).await.is(StatusCode::OK);
    operator.delete(&format!("/app/users/{}", session.user)).await.is(StatusCode::NO_CONTENT);
    assert_eq!((published(world, key(1)), published(world, key(3))), (None, None));
    assert_eq!((sessions(&operator).await, users(&operator).await), (Vec::new(), vec![below.user.clone()]));
}

#[tokio::test]
async fn people_and_their_sessions_are_listed_read_and_ended() {
    listed_read_and_ended(&World::start().await).await;
}

#[tokio::test]
async fn they_are_for_administrators_only_and_cannot_be_created_or_changed() {
    let world = World::start().await;
    let (operator, stranger) = (world.operator().await, world.stranger().await);
    let session = begun(&world, login("ada", 1, 0)).await;
    let (one, user) = (format!("/app/sessions/{}", session.id), format!("/app/users/{}", session.user));
    for place in ["/app/sessions", "/app/users", &one, &user, UNKNOWN_USER] {
        stranger.get(place).await.refused(Code::AdminNeeded);
        operator.post(place, &json!({})).await.refused(Code::MethodNotAllowed);
        operator.patch(place, &json!({})).await.refused(Code::MethodNotAllowed);
    }
    for place in [&one, &user] {
        stranger.delete(place).await.refused(Code::AdminNeeded);
    }
    for place in [UNKNOWN_USER, UNKNOWN_SESSION] {
        operator.get(place).await.refused(Code::NotFound);
        operator.delete(place).await.refused(Code::NotFound);
    }
    operator.get("/app/users/as_0ujtsYcgvSTl8PAuAdqWYSMnLOv").await.refused(Code::IdShape);
    operator.delete("/app/sessions").await.refused(Code::MethodNotAllowed);
    operator.delete(&format!("{one}?x=1")).await.refused(Code::QueryUnknown);
    assert!(published(&world, key(1)).is_some());
}

#[tokio::test]
async fn a_person_is_the_same_at_every_login_regardless_of_the_name() {
    let world = World::start().await;
    let operator = world.operator().await;
    let first = begun(&world, login("ada", 1, 0)).await;
    let mut renamed = login("ada", 2, 60);
    renamed.person.email = "lovelace@example.test".to_owned();
    let second = begun(&world, renamed).await;
    assert_eq!(first.user, second.user);
    let mut elsewhere = login("ada", 3, 60);
    elsewhere.person.provider_url = "https://other.test".to_owned();
    assert_ne!(begun(&world, elsewhere).await.user, first.user, "another provider's ada is another person");
    let shown = operator.get(&format!("/app/users/{}", first.user)).await.is(StatusCode::OK);
    assert_eq!(shown["email"], "lovelace@example.test");
    assert_eq!((&shown["created_at"], &shown["last_login"]), (&json!(at(0)), &json!(at(60))));

    // A hundred concurrent logins are one person.
    let logins = world.control.logins();
    let crowd = (10..60).map(|number| logins.begin(login("eve", number, 70), Vec::new()));
    for begun in futures::future::join_all(crowd).await {
        begun.expect("it begins");
    }
    assert_eq!(users(&operator).await.len(), 3);
    assert_eq!(sessions(&operator).await.len(), 53);
}

#[tokio::test]
async fn another_login_of_the_browser_gives_its_sessions_another_key() {
    let world = World::start().await;
    let first = begun(&world, login("ada", 1, 0)).await;
    let gone = "as_0ujtsYcgvSTl8PAuAdqWYSMnLOv".to_owned();
    let renamed = vec![(first.id.clone(), key(8)), (gone, key(9))];
    world.control.logins().begin(login("ada", 2, 30), renamed).await.expect("it begins");
    assert_eq!(published(&world, key(1)), None);
    let moved = published(&world, key(8)).expect("it has another key");
    assert_eq!((&moved.id, moved.last_active, moved.created_at), (&first.id, at(30), at(0)));
    assert!(published(&world, key(2)).is_some() && published(&world, key(9)).is_none());

    // The provider's new description is stored; key and start time stay.
    let mut asked = LoginSession { checked_at: at(90), created_at: at(90), ..LoginSession::clone(&first) };
    asked.person.name = "Countess".to_owned();
    world.control.logins().renew(asked.clone()).await.expect("it goes on");
    let renewed = published(&world, key(8)).expect("the same key");
    assert_eq!((renewed.checked_at, renewed.created_at), (at(90), at(0)));
    assert_eq!(renewed.person.name, "Countess");
    let shown = world.operator().await.get(&format!("/app/users/{}", first.user)).await.is(StatusCode::OK);
    assert_eq!(shown["name"], "Countess");
    world.control.logins().end(std::slice::from_ref(&first.id)).await.expect("it ends");
    world.control.logins().end(std::slice::from_ref(&first.id)).await.expect("there is nothing more to end");
    let late = world.control.logins().renew(asked).await.expect_err("it has ended");
    assert_eq!(late.code, Code::LoginNeeded);
    assert_eq!(published(&world, key(8)), None, "it stays deleted");
}

#[tokio::test]
async fn sessions_and_their_last_use_survive_a_restart() {
    let world = World::start().await;
    let operator = world.operator().await;
    let session = begun(&world, login("ada", 1, 0)).await;
    let other = begun(&world, login("ada", 2, 1)).await;
    let before = world.control.published().borrow().revision;
    let used = [(session.id.clone(), at(500)), (other.id.clone(), at(400)), ("as_gone".to_owned(), at(900))];
    world.control.logins().record_uses(&used).await.expect("noted");
    let last_active =
        async |operator: &Caller, place: String| operator.get(&place).await.is(StatusCode::OK)["last_active"].clone();
    assert_eq!(last_active(&operator, format!("/app/sessions/{}", session.id)).await, json!(at(500)));
    assert_eq!(last_active(&operator, format!("/app/users/{}", session.user)).await, json!(at(500)));
    assert_eq!(world.control.published().borrow().revision, before, "nothing is published for that");

    let World { control, live, folder, .. } = world;
    drop((control, operator));
    let control = crate::published::reopened(folder.path(), live).await;
    let kept = control.published().borrow().logins.get(&key(1)).cloned().expect("it is still there");
    assert_eq!(*kept, LoginSession { last_active: at(500), ..LoginSession::clone(&session) });
    assert_eq!(control.published().borrow().logins.size(), 2);
}

#[tokio::test]
async fn a_person_with_a_thousand_sessions_loses_the_oldest_and_can_end_all_at_once() {
    let world = World::start().await;
    let operator = world.operator().await;
    let logins = world.control.logins();
    for number in 0..1002_u32 {
        let mut session = login("ada", 0, i64::from(number));
        session.key.0[..4].copy_from_slice(&number.to_be_bytes());
        logins.begin(session, Vec::new()).await.expect("it begins");
    }
    let oldest = |number: u32| {
        let mut oldest = key(0);
        oldest.0[..4].copy_from_slice(&number.to_be_bytes());
        published(&world, oldest)
    };
    assert_eq!(world.control.published().borrow().logins.size(), 1000);
    assert!(oldest(1).is_none() && oldest(2).is_some());
    let user = users(&operator).await.remove(0);
    operator.delete(&format!("/app/users/{user}")).await.is(StatusCode::NO_CONTENT);
    assert!(world.control.published().borrow().logins.is_empty());
    assert!(sessions(&operator).await.is_empty() && users(&operator).await.is_empty());
}

#[tokio::test]
async fn nothing_of_a_person_or_a_session_is_readable_in_the_store() {
    let world = World::start().await;
    begun(&world, login("ada", 1, 0)).await;
    for entry in std::fs::read_dir(world.folder.path()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("readable");
        for secret in ["planted-", "ada@example.test", "192.0.2.7", "Firefox"] {
            let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!found, "`{secret}` stands in {}", path.display());
        }
    }
    let printed = format!("{:?}", world.control.published().borrow());
    assert!(!printed.contains("planted-access"), "{printed}");
}
