//! OAuth 2.0, with GitHub as the example because it has the most endpoints.

use crate::kit::{
    World,
    browser::{Browser, code},
    github::Github,
    github_at,
};
use postern_api::Code;
use serde_json::{Value, json};
use std::sync::{Arc, atomic::Ordering::Relaxed};

fn module(lists: Value, interval: u32) -> Value {
    let mut github = json!({"client_id": "app", "client_secret": "secret", "scopes": ["user:email"]});
    github.as_object_mut().expect("an object").extend(lists.as_object().expect("an object").clone());
    json!({"provider": {"github": github}, "auth_check_interval": interval, "cookie_prefix": "postern."})
}

fn team(organization: &str, slug: &str, id: u64) -> Value {
    json!({"id": id, "slug": slug, "organization": {"login": organization}})
}

#[tokio::test]
async fn a_listed_user_is_admitted_and_local_services_receive_the_identity() {
    let github = Github::start().await;
    let world = World::new(github_at(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({"email_addresses": ["ANN@example.com"]}), 0));
    let mut browser = Browser::default();
    assert!(browser.authenticate(&world, &realm).await.is_err_and(|error| error.is_none()));

    let sent = browser.begin(&world, &realm, "/a?b=c").await.expect("sent");
    assert!(sent.url.as_str().starts_with(&github.endpoints.authorization));
    for (name, value) in [
        ("client_id", "app"),
        ("redirect_uri", "https://login.test:4443/oauth2/callback"),
        ("response_type", "code"),
        ("scope", "user:email read:user read:org"),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(sent.parameter(name).as_deref(), Some(value));
    }
    github.issue_code("one");
    let back = browser.return_from_provider(&world, &format!("code=one&state={}", sent.state)).await.expect("in");
    assert_eq!(back, "https://shop.test:4443/a?b=c");

    let known = browser.authenticate(&world, &realm).await.expect("known");
    let headers: Vec<_> =
        known.headers().iter().map(|(name, value)| (name.as_str(), value.to_str().expect("text"))).collect();
    assert_eq!(
        headers,
        [
            ("postern-auth-user-id", "7"),
            ("postern-auth-user-name", "Ann"),
            ("postern-auth-user-email", "ann@example.com"),
            ("postern-auth-github-user-id", "7"),
            ("postern-auth-oauth-access-token", "token-of-one"),
        ]
    );
    let verifier = github.state.lock().expect("known").forms[0]["code_verifier"].clone();
    assert_eq!(verifier.len(), 43);
    assert!(!sent.url.as_str().contains(&verifier), "only its digest went through the browser");
}

#[tokio::test]
async fn users_without_a_listing_or_a_verified_address_are_refused() {
    let github = Github::start().await;
    let world = World::new(github_at(github.endpoints.clone()));
    let by_address = world.oauth("edghtsrt_1", module(json!({"email_domains": ["example.com"]}), 0));
    let by_team = world.oauth("edghtsrt_2", module(json!({"teams": ["acme/core"], "organizations": ["umbrella"]}), 0));
    let mut browser = Browser::default();

    github.issue_code("stranger");
    assert_eq!(code(browser.log_in(&world, &by_team, "stranger").await), Code::LoginNotAllowed);

    github.change(|state| state.emails = json!([{"email": "ann@example.com", "primary": true, "verified": false}]));
    github.issue_code("unverified");
    assert_eq!(code(browser.log_in(&world, &by_address, "unverified").await), Code::EmailUnverified);

    // The address of the profile does not count.
    github.change(|state| state.emails = json!([{"email": "ann@other.test", "primary": true, "verified": true}]));
    github.issue_code("elsewhere");
    assert_eq!(code(browser.log_in(&world, &by_address, "elsewhere").await), Code::LoginNotAllowed);
    assert!(world.store.sessions().is_empty());
}

#[tokio::test]
async fn a_member_on_the_second_page_is_found_but_not_beyond_it() {
    let github = Github::start().await;
    let world = World::new(github_at(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({"teams": ["acme/core"]}), 0));
    let many =
        |own: usize| (0..300).map(|n| if n == own { team("acme", "core", 1) } else { team("x", "y", 2) }).collect();
    github.change(|state| state.teams = many(150));
    github.issue_code("one");
    Browser::default().log_in(&world, &realm, "one").await.expect("in");
    github.change(|state| state.teams = many(250));
    github.issue_code("two");
    assert_eq!(code(Browser::default().log_in(&world, &realm, "two").await), Code::LoginNotAllowed);
}

#[tokio::test]
async fn a_removed_member_loses_access_within_the_interval() {
    let github = Github::start().await;
    let world = World::new(github_at(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({"teams": ["acme/core"]}), 300));
    github.change(|state| state.teams = vec![team("acme", "core", 1)]);
    github.issue_code("one");
    let mut browser = Browser::default();
    browser.log_in(&world, &realm, "one").await.expect("in");
    github.change(|state| state.requests.clear());

    github.change(|state| state.teams.clear());
    world.advance(299);
    assert!(browser.authenticate(&world, &realm).await.is_ok(), "not yet due");
    assert!(github.state.lock().expect("known").requests.is_empty());
    world.advance(1);
    let error = browser.authenticate(&world, &realm).await.err().flatten().expect("refused");
    assert_eq!(error.code, Code::LoginNotAllowed);
    assert!(world.store.sessions().is_empty(), "the session has ended");
    assert!(browser.authenticate(&world, &realm).await.is_err_and(|error| error.is_none()));
}

#[tokio::test]
async fn concurrent_requests_share_one_recheck() {
    let github = Github::start().await;
    let world = Arc::new(World::new(github_at(github.endpoints.clone())));
    let realm = world.oauth("edghtsrt_1", module(json!({}), 180));
    github.issue_code("one");
    let mut browser = Browser::default();
    browser.log_in(&world, &realm, "one").await.expect("in");
    github.change(|state| {
        state.requests.clear();
        state.user = json!({"id": 7, "login": "ann", "name": "Ann Other"});
    });
    world.advance(180);
    let visits = (0..20).map(|_| {
        let (world, realm, browser) = (world.clone(), realm.clone(), browser.clone());
        tokio::spawn(async move {
            let known = browser.authenticate(&world, &realm).await.expect("known");
            known.session().person.name.clone()
        })
    });
    for visit in futures::future::join_all(visits).await {
        assert_eq!(visit.expect("answered"), "Ann Other");
    }
    let requests = github.state.lock().expect("known").requests.clone();
    assert_eq!(requests.iter().filter(|path| *path == "/user").count(), 1, "{requests:?}");
    assert_eq!(world.store.renewals.load(Relaxed), 1);
}

#[tokio::test]
async fn while_the_provider_is_down_requests_are_refused_but_sessions_stay() {
    let github = Github::start().await;
    let world = World::new(github_at(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({}), 180));
    github.issue_code("one");
    let mut browser = Browser::default();
    browser.log_in(&world, &realm, "one").await.expect("in");
    world.advance(180);
    github.change(|state| state.down = true);
    let error = browser.authenticate(&world, &realm).await.err().flatten().expect("refused");
    assert_eq!((error.code, error.status()), (Code::IssuerUnreachable, 502));
    github.change(|state| state.down = false);
    assert!(browser.authenticate(&world, &realm).await.is_ok());

    // A revoked token, however, ends the session.
    github.change(|state| state.revoked.push("one".to_owned()));
    world.advance(180);
    assert!(browser.authenticate(&world, &realm).await.is_err_and(|error| error.is_none()));
    assert!(world.store.sessions().is_empty());
}

#[tokio::test]
async fn changed_rules_apply_to_existing_sessions() {
    let github = Github::start().await;
    let world = World::new(github_at(github.endpoints.clone()));
    let unrestricted = world.oauth("edghtsrt_1", module(json!({}), 0));
    github.issue_code("one");
    let mut browser = Browser::default();
    browser.log_in(&world, &unrestricted, "one").await.expect("in");
    let wider =
        world.oauth("edghtsrt_1", module(json!({"email_addresses": ["ann@example.com", "bob@example.com"]}), 0));
    assert!(browser.authenticate(&world, &wider).await.is_ok());
    let narrower = world.oauth("edghtsrt_1", module(json!({"email_addresses": ["bob@example.com"]}), 0));
    let error = browser.authenticate(&world, &narrower).await.err().flatten().expect("refused");
    assert_eq!(error.code, Code::LoginNotAllowed);
}

#[tokio::test]
async fn codes_states_and_secrets_are_accepted_once_and_from_the_right_browser() {
    let github = Github::start().await;
    let world = World::new(github_at(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({}), 0));
    let (mut victim, mut attacker) = (Browser::default(), Browser::default());

    // The state of another browser, which would log the victim in as the attacker.
    let sent = attacker.begin(&world, &realm, "/").await.expect("sent");
    github.issue_code("attackers");
    let answer = format!("code=attackers&state={}", sent.state);
    assert_eq!(code(victim.return_from_provider(&world, &answer).await), Code::LoginForeign);
    assert_eq!(
        code(attacker.return_from_provider(&world, &answer).await),
        Code::LoginUnknown,
        "the attempt is used up"
    );

    // A used code with a fresh state.
    github.issue_code("one");
    victim.log_in(&world, &realm, "one").await.expect("in");
    assert_eq!(code(Browser::default().log_in(&world, &realm, "one").await), Code::CodeRefused);

    // No state, a guessed one, two of them, an expired one, and an error response of the provider.
    let mut browser = Browser::default();
    for answer in ["code=x", "code=x&state=guessed", "code=x&state="] {
        assert_eq!(code(browser.return_from_provider(&world, answer).await), Code::LoginUnknown, "{answer}");
    }
    let sent = browser.begin(&world, &realm, "/").await.expect("sent");
    let twice = format!("code=x&state={0}&state={0}", sent.state);
    assert_eq!(code(browser.return_from_provider(&world, &twice).await), Code::QueryRepeated);
    world.advance(601);
    assert_eq!(
        code(browser.return_from_provider(&world, &format!("code=x&state={}", sent.state)).await),
        Code::LoginUnknown
    );
    let sent = browser.begin(&world, &realm, "/").await.expect("sent");
    let error = browser
        .return_from_provider(&world, &format!("error=access_denied<b>&state={}", sent.state))
        .await
        .expect_err("no");
    assert_eq!(error.code, Code::LoginRefused);
    assert!(!error.message.contains('<'), "{error}");
}
