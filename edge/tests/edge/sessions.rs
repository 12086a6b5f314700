//! Agent sessions: authentication, ownership of names, and responses when an agent is gone.

use crate::kit::{
    ScriptedOrigin, World,
    agent::{Agent, hello},
    until, visitor,
};
use postern_api::{Code, Secret, published::Map, token::Token};
use postern_tunnel::{ConnectError, EndReason, message::Scheme};
use std::sync::atomic::Ordering;

fn refused(outcome: Result<Agent, ConnectError>) -> Code {
    match outcome {
        Err(ConnectError::Refused(error)) => error.code,
        Err(other) => panic!("not refused but broken: {other}"),
        Ok(_) => panic!("welcomed"),
    }
}

#[tokio::test]
async fn only_a_known_authtoken_is_accepted() {
    let world = World::start().await;
    let api_key = Token::generate(&postern_api::id::ksuid(1_700_000_002, [1; 16]));
    world.change(|published| {
        published.api_keys.insert_mut(api_key.ksuid().to_owned(), api_key.hash());
    });
    let stranger = Token::generate(world.token.ksuid());
    assert_eq!(refused(Agent::connect_as(&world, &stranger, "x").await), Code::TokenUnknown);
    assert_eq!(refused(Agent::connect_as(&world, &api_key, "x").await), Code::TokenIsApiKey);
    let mut nameless = hello(&world.token, "x");
    nameless.token = Secret::new("");
    assert_eq!(refused(Agent::greet(&world, nameless).await), Code::TokenMissing);
    assert!(world.live().sessions().is_empty());
    let agent = Agent::connect(&world, "x").await;
    until("the session is listed", || world.live().sessions().len() == 1).await;
    let session = world.live().sessions().remove(0);
    assert_eq!((session.instance.as_str(), session.os.as_str()), ("x", "test"));
    assert!(session.id.starts_with("ts_") && session.credential.starts_with("cr_"));
    agent.session.goodbye().await;
    until("the session is gone", || world.live().sessions().is_empty()).await;
}

#[tokio::test]
async fn the_same_agent_takes_over_at_once() {
    let world = World::start().await;
    let (old, new) = (ScriptedOrigin::with_text("old").await, ScriptedOrigin::with_text("new").await);
    let first = Agent::connect(&world, "one").await;
    first.http(Some("shop"), old.address).await.unwrap();
    first.tcp(None, old.address).await.unwrap();
    let port = world.live().tunnels().iter().find_map(|tunnel| tunnel.port).unwrap();
    assert_eq!(visitor::get(&world, "shop.localhost", "/").await.text(), "old");
    let second = Agent::connect(&world, "one").await;
    let end = first.ended().await;
    assert!(matches!(&end.reason, EndReason::Ended(error) if error.code == Code::SessionReplaced), "{end:?}");
    second.http(Some("shop"), new.address).await.unwrap();
    assert_eq!(second.tcp(Some(port), new.address).await.unwrap().port, Some(port), "the port is free at once");
    assert_eq!(visitor::get(&world, "shop.localhost", "/").await.text(), "new");
    assert_eq!(world.live().sessions().len(), 1);
}

#[tokio::test]
async fn another_agent_cannot_take_a_live_name() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("one").await;
    let one = Agent::connect(&world, "one").await;
    let two = Agent::connect(&world, "two").await;
    one.http(Some("shop"), origin.address).await.unwrap();
    for name in ["shop", "SHOP", "shop.localhost", "Shop.LocalHost."] {
        assert_eq!(two.http(Some(name), origin.address).await.unwrap_err().code, Code::NameTaken, "{name}");
    }
    let plain = two.http_on(Scheme::Http, Some("shop"), None, origin.address).await;
    assert_eq!(plain.unwrap_err().code, Code::NameTaken, "nor its other listener");
    assert!(one.http_on(Scheme::Http, Some("shop"), None, origin.address).await.is_ok());
    assert_eq!(one.http(Some("shop"), origin.address).await.unwrap_err().code, Code::NameTaken);
    assert_eq!(one.http(Some("no good"), origin.address).await.unwrap_err().code, Code::NameInvalid);
    assert_eq!(visitor::get(&world, "shop.localhost", "/").await.text(), "one");
}

#[tokio::test]
async fn one_of_two_agents_that_race_for_a_name_gets_it() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("x").await;
    let one = Agent::connect(&world, "one").await;
    let two = Agent::connect(&world, "two").await;
    for round in 0..20 {
        let name = format!("race-{round}");
        let (a, b) = tokio::join!(one.http(Some(&name), origin.address), two.http(Some(&name), origin.address));
        assert!(a.is_ok() != b.is_ok(), "exactly one wins {name}");
        assert_eq!(a.and(b).unwrap_err().code, Code::NameTaken);
    }
    assert_eq!(world.live().tunnels().len(), 20);
}

#[tokio::test]
async fn the_name_of_a_lost_agent_gives_503_and_of_a_stopped_tunnel_404() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("x").await;
    let one = Agent::connect(&world, "one").await;
    one.http(Some("gone"), origin.address).await.unwrap();
    let stopped = one.http(Some("stopped"), origin.address).await.unwrap();
    assert_eq!(visitor::get(&world, "stopped.localhost", "/").await.status, 200);
    one.session.unbind(stopped.number);
    until("one tunnel is left", || world.live().tunnels().len() == 1).await;
    assert_eq!(visitor::get(&world, "stopped.localhost", "/").await.code(), "ERR_POSTERN_3200");
    one.vanish().await;
    until("the session is gone", || world.live().sessions().is_empty()).await;
    let response = visitor::get(&world, "gone.localhost", "/").await;
    assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_3201"));
    assert!(response.header("retry-after").is_some());
    let back = Agent::connect(&world, "one").await;
    let bound = back.http_on(Scheme::Https, None, Some("gone.localhost"), origin.address).await.unwrap();
    assert_eq!(bound.host.as_deref(), Some("gone.localhost"), "its previous name wins over a new one");
    assert_eq!(visitor::get(&world, "gone.localhost", "/").await.status, 200);
    back.session.goodbye().await;
    until("the session is gone", || world.live().sessions().is_empty()).await;
    assert_eq!(visitor::get(&world, "gone.localhost", "/").await.status, 404, "it left on purpose");
}

#[tokio::test]
async fn deleting_a_credential_ends_its_sessions_and_unpublishes_its_names() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("x").await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("shop"), origin.address).await.unwrap();
    world.change(|published| published.credentials = Map::default());
    let end = agent.ended().await;
    assert!(matches!(&end.reason, EndReason::Ended(error) if error.code == Code::CredentialDeleted), "{end:?}");
    assert_eq!(visitor::get(&world, "shop.localhost", "/").await.status, 404);
    assert_eq!(refused(Agent::connect_as(&world, &world.token, "one").await), Code::TokenUnknown);
}

#[tokio::test]
async fn a_wildcard_serves_what_no_other_name_does() {
    let world = World::start().await;
    let (wide, narrow) = (ScriptedOrigin::with_text("wide").await, ScriptedOrigin::with_text("narrow").await);
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("*.shop.test"), wide.address).await.unwrap();
    agent.http(Some("a.shop.test"), narrow.address).await.unwrap();
    for (host, text) in [("a.shop.test", "narrow"), ("b.shop.test", "wide"), ("a.b.shop.test", "wide")] {
        assert_eq!(visitor::get(&world, host, "/").await.text(), text, "{host}");
    }
    assert_eq!(visitor::get(&world, "shop.test", "/").await.status, 404);
}

#[tokio::test]
async fn a_credential_binds_what_its_rules_permit() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("x").await;
    let token = world.credential(&["bind:*.team.test", "bind:app=*"]);
    let agent = Agent::connect_as(&world, &token, "one").await.expect("welcome");
    let code =
        |outcome: Result<postern_tunnel::message::Bound, postern_api::Error>| outcome.map_err(|error| error.code);
    assert!(agent.http(Some("a.team.test"), origin.address).await.is_ok());
    assert_eq!(code(agent.http(Some("team.test"), origin.address).await), Err(Code::NameNotPermitted));
    assert_eq!(code(agent.http(Some("shop"), origin.address).await), Err(Code::NameNotPermitted));
    let chosen = agent.http(None, origin.address).await.unwrap().host.unwrap();
    assert!(chosen.ends_with(".team.test"), "a generated name lies where the rules permit: {chosen}");
    assert_eq!(code(agent.tcp(None, origin.address).await), Err(Code::RandomAddressNotPermitted));
    assert!(agent.labels(&[("app", "x")], origin.address).await.is_ok());
    assert_eq!(code(agent.labels(&[("zone", "x")], origin.address).await), Err(Code::LabelNotPermitted));
}

#[tokio::test]
async fn stopping_a_tunnel_ends_its_open_connections() {
    let world = World::with(|settings| settings.limits.stop_grace = std::time::Duration::from_millis(50)).await;
    let origin = ScriptedOrigin::echo().await;
    let agent = Agent::connect(&world, "one").await;
    let bound = agent.tcp(None, origin.address).await.unwrap();
    let mut visitor = crate::tcp::connect(bound.port.unwrap()).await;
    visitor.send(b"ping").await;
    assert_eq!(visitor.read_exactly(4).await, b"ping");
    agent.session.unbind(bound.number);
    assert!(visitor.rest().await.is_empty(), "the connection ends by itself");
    assert!(!world.live().port_in_use(bound.port.unwrap()));
    let late = tokio::net::TcpStream::connect(("127.0.0.1", bound.port.unwrap())).await;
    assert!(late.is_err(), "nothing listens there any more");
}

#[tokio::test]
async fn a_second_session_of_an_agent_has_few_connections_until_visitors_need_more() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let dialled = |agent: &Agent| agent.dialled.load(Ordering::SeqCst);
    let first = Agent::connect(&world, "one").await;
    until("the first session has sixteen idle connections", || dialled(&first) == 17).await;
    let mut second = hello(&world.token, "two");
    second.at = vec!["another node".into()];
    let second = Agent::greet(&world, second).await.map_err(|error| error.to_string()).unwrap();
    until("the second has two", || dialled(&second) == 3).await;
    second.http(Some("shop"), origin.address).await.unwrap();
    for _ in 0..5 {
        assert_eq!(visitor::get(&world, "shop.localhost", "/").await.text(), "hello");
    }
    assert!(dialled(&second) <= 13, "one busy, two warm, eight spare");
}
