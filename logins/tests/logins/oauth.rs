//! OAuth, by the example of the provider with the most to ask for.

use crate::kit::{
    World,
    browser::{Browser, code},
    github::Github,
    only_github,
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
async fn who_is_on_the_list_comes_in_and_local_services_are_told_who_it_is() {
    let github = Github::start().await;
    let world = World::new(only_github(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({"email_addresses": ["ANN@example.com"]}), 0));
    let mut browser = Browser::default();
    assert!(browser.visits(&world, &realm).await.is_err_and(|error| error.is_none()));

    let sent = browser.begins(&world, &realm, "/a?b=c").await.expect("sent");
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
    github.agree("one");
    let back = browser.returns(&world, &format!("code=one&state={}", sent.state)).await.expect("in");
    assert_eq!(back, "https://shop.test:4443/a?b=c");

    let known = browser.visits(&world, &realm).await.expect("known");
    let told: Vec<_> =
        known.headers().iter().map(|(name, value)| (name.as_str(), value.to_str().expect("text"))).collect();
    assert_eq!(
        told,
        [
            ("postern-auth-user-id", "7"),
            ("postern-auth-user-name", "Ann"),
            ("postern-auth-user-email", "ann@example.com"),
            ("postern-auth-github-user-id", "7"),
            ("postern-auth-oauth-access-token", "token-of-one"),
        ]
    );
    let verifier = github.knows.lock().expect("known").forms[0]["code_verifier"].clone();
    assert_eq!(verifier.len(), 43);
    assert!(!sent.url.as_str().contains(&verifier), "only its digest went through the browser");
}

#[tokio::test]
async fn who_is_not_on_a_list_or_has_no_verified_address_stays_out() {
    let github = Github::start().await;
    let world = World::new(only_github(github.endpoints.clone()));
    let by_address = world.oauth("edghtsrt_1", module(json!({"email_domains": ["example.com"]}), 0));
    let by_team = world.oauth("edghtsrt_2", module(json!({"teams": ["acme/core"], "organizations": ["umbrella"]}), 0));
    let mut browser = Browser::default();

    github.agree("stranger");
    assert_eq!(code(browser.logs_in(&world, &by_team, "stranger").await), Code::LoginNotAllowed);

    github.change(|knows| knows.emails = json!([{"email": "ann@example.com", "primary": true, "verified": false}]));
    github.agree("unverified");
    assert_eq!(code(browser.logs_in(&world, &by_address, "unverified").await), Code::EmailUnverified);

    // What the profile shows is nobody's word.
    github.change(|knows| knows.emails = json!([{"email": "ann@other.test", "primary": true, "verified": true}]));
    github.agree("elsewhere");
    assert_eq!(code(browser.logs_in(&world, &by_address, "elsewhere").await), Code::LoginNotAllowed);
    assert!(world.books.sessions().is_empty());
}

#[tokio::test]
async fn a_member_on_the_second_page_is_found_and_nobody_beyond_it() {
    let github = Github::start().await;
    let world = World::new(only_github(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({"teams": ["acme/core"]}), 0));
    let many =
        |own: usize| (0..300).map(|n| if n == own { team("acme", "core", 1) } else { team("x", "y", 2) }).collect();
    github.change(|knows| knows.teams = many(150));
    github.agree("one");
    Browser::default().logs_in(&world, &realm, "one").await.expect("in");
    github.change(|knows| knows.teams = many(250));
    github.agree("two");
    assert_eq!(code(Browser::default().logs_in(&world, &realm, "two").await), Code::LoginNotAllowed);
}

#[tokio::test]
async fn a_removed_member_loses_access_within_the_interval() {
    let github = Github::start().await;
    let world = World::new(only_github(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({"teams": ["acme/core"]}), 300));
    github.change(|knows| knows.teams = vec![team("acme", "core", 1)]);
    github.agree("one");
    let mut browser = Browser::default();
    browser.logs_in(&world, &realm, "one").await.expect("in");
    github.change(|knows| knows.asked.clear());

    github.change(|knows| knows.teams.clear());
    world.later(299);
    assert!(browser.visits(&world, &realm).await.is_ok(), "not yet due");
    assert!(github.knows.lock().expect("known").asked.is_empty());
    world.later(1);
    let error = browser.visits(&world, &realm).await.err().flatten().expect("refused");
    assert_eq!(error.code, Code::LoginNotAllowed);
    assert!(world.books.sessions().is_empty(), "the session has ended");
    assert!(browser.visits(&world, &realm).await.is_err_and(|error| error.is_none()));
}

#[tokio::test]
async fn somebody_is_asked_for_again_once_for_all_requests() {
    let github = Github::start().await;
    let world = Arc::new(World::new(only_github(github.endpoints.clone())));
    let realm = world.oauth("edghtsrt_1", module(json!({}), 180));
    github.agree("one");
    let mut browser = Browser::default();
    browser.logs_in(&world, &realm, "one").await.expect("in");
    github.change(|knows| {
        knows.asked.clear();
        knows.user = json!({"id": 7, "login": "ann", "name": "Ann Other"});
    });
    world.later(180);
    let visits = (0..20).map(|_| {
        let (world, realm, browser) = (world.clone(), realm.clone(), browser.clone());
        tokio::spawn(async move {
            let known = browser.visits(&world, &realm).await.expect("known");
            known.session().person.name.clone()
        })
    });
    for visit in futures::future::join_all(visits).await {
        assert_eq!(visit.expect("answered"), "Ann Other");
    }
    let asked = github.knows.lock().expect("known").asked.clone();
    assert_eq!(asked.iter().filter(|what| *what == "/user").count(), 1, "{asked:?}");
    assert_eq!(world.books.renewals.load(Relaxed), 1);
}

#[tokio::test]
async fn while_the_provider_is_down_nobody_is_let_in_unseen_and_nobody_is_logged_out() {
    let github = Github::start().await;
    let world = World::new(only_github(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({}), 180));
    github.agree("one");
    let mut browser = Browser::default();
    browser.logs_in(&world, &realm, "one").await.expect("in");
    world.later(180);
    github.change(|knows| knows.down = true);
    let error = browser.visits(&world, &realm).await.err().flatten().expect("refused");
    assert_eq!((error.code, error.status()), (Code::IssuerUnreachable, 502));
    github.change(|knows| knows.down = false);
    assert!(browser.visits(&world, &realm).await.is_ok());

    // A token that was taken back is another matter.
    github.change(|knows| knows.revoked.push("one".to_owned()));
    world.later(180);
    assert!(browser.visits(&world, &realm).await.is_err_and(|error| error.is_none()));
    assert!(world.books.sessions().is_empty());
}

#[tokio::test]
async fn other_rules_judge_those_who_are_in_already() {
    let github = Github::start().await;
    let world = World::new(only_github(github.endpoints.clone()));
    let everybody = world.oauth("edghtsrt_1", module(json!({}), 0));
    github.agree("one");
    let mut browser = Browser::default();
    browser.logs_in(&world, &everybody, "one").await.expect("in");
    let wider =
        world.oauth("edghtsrt_1", module(json!({"email_addresses": ["ann@example.com", "bob@example.com"]}), 0));
    assert!(browser.visits(&world, &wider).await.is_ok());
    let narrower = world.oauth("edghtsrt_1", module(json!({"email_addresses": ["bob@example.com"]}), 0));
    let error = browser.visits(&world, &narrower).await.err().flatten().expect("refused");
    assert_eq!(error.code, Code::LoginNotAllowed);
}

#[tokio::test]
async fn codes_states_and_secrets_are_taken_once_and_from_the_right_browser() {
    let github = Github::start().await;
    let world = World::new(only_github(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({}), 0));
    let (mut victim, mut attacker) = (Browser::default(), Browser::default());

    // A state of somebody else: what would log the victim in as the attacker.
    let sent = attacker.begins(&world, &realm, "/").await.expect("sent");
    github.agree("attackers");
    let answer = format!("code=attackers&state={}", sent.state);
    assert_eq!(code(victim.returns(&world, &answer).await), Code::LoginForeign);
    assert_eq!(code(attacker.returns(&world, &answer).await), Code::LoginUnknown, "the attempt is used up");

    // A code that was used, with a fresh state.
    github.agree("one");
    victim.logs_in(&world, &realm, "one").await.expect("in");
    assert_eq!(code(Browser::default().logs_in(&world, &realm, "one").await), Code::CodeRefused);

    // No state, a guessed one, two of them, an old one, and a provider that says no.
    let mut browser = Browser::default();
    for answer in ["code=x", "code=x&state=guessed", "code=x&state="] {
        assert_eq!(code(browser.returns(&world, answer).await), Code::LoginUnknown, "{answer}");
    }
    let sent = browser.begins(&world, &realm, "/").await.expect("sent");
    let twice = format!("code=x&state={0}&state={0}", sent.state);
    assert_eq!(code(browser.returns(&world, &twice).await), Code::QueryRepeated);
    world.later(601);
    assert_eq!(code(browser.returns(&world, &format!("code=x&state={}", sent.state)).await), Code::LoginUnknown);
    let sent = browser.begins(&world, &realm, "/").await.expect("sent");
    let error = browser.returns(&world, &format!("error=access_denied<b>&state={}", sent.state)).await.expect_err("no");
    assert_eq!(error.code, Code::LoginRefused);
    assert!(!error.message.contains('<'), "{error}");
}
