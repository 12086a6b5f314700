//! Sessions: their duration, their end, and the cookies they need.

use crate::kit::{
    HOST, World,
    browser::{Browser, location},
    github::Github,
    github_at,
};
use http::{HeaderMap, HeaderValue, Method, header};
use postern_logins::{AuthOutcome, Logins};
use serde_json::{Value, json};

fn module(options: Value) -> Value {
    let mut module = json!({
        "provider": {"github": {"client_id": "app", "client_secret": "secret"}},
        "cookie_prefix": "postern.",
    });
    module.as_object_mut().expect("an object").extend(options.as_object().expect("an object").clone());
    module
}

async fn logged_in(options: Value) -> (World, std::sync::Arc<postern_logins::Realm>, Browser) {
    logged_in_at(0, options).await
}

/// A login at this millisecond of a second.
async fn logged_in_at(millisecond: i64, options: Value) -> (World, std::sync::Arc<postern_logins::Realm>, Browser) {
    let github = Github::start().await;
    let world = World::new(github_at(github.endpoints.clone()));
    world.advance_ms(millisecond);
    let realm = world.oauth("edghtsrt_1", module(options));
    github.issue_code("one");
    let mut browser = Browser::default();
    browser.headers.push(("user-agent", "Browser/1".to_owned()));
    browser.log_in(&world, &realm, "one").await.expect("in");
    (world, realm, browser)
}

#[tokio::test]
async fn a_session_ends_after_inactivity_and_requests_extend_it() {
    let (world, realm, browser) = logged_in(json!({"inactivity_timeout": 60})).await;
    for _ in 0..5 {
        world.advance(59);
        assert!(browser.authenticate(&world, &realm).await.is_ok());
    }
    world.advance(60);
    assert!(browser.authenticate(&world, &realm).await.is_err());
    world.logins.flush().await;
    assert!(world.store.sessions().is_empty(), "it is removed, too");
}

#[tokio::test]
async fn inactivity_is_counted_in_milliseconds() {
    let (world, realm, browser) = logged_in_at(900, json!({"inactivity_timeout": 2})).await;
    for _ in 0..5 {
        world.advance_ms(1_200);
        assert!(browser.authenticate(&world, &realm).await.is_ok(), "1.2 s are less than 2 s");
    }
    world.advance_ms(1_999);
    assert!(browser.authenticate(&world, &realm).await.is_ok());
    world.advance_ms(2_000);
    assert!(browser.authenticate(&world, &realm).await.is_err());
}

#[tokio::test]
async fn a_session_ends_at_its_maximum_age_even_in_use() {
    let (world, realm, browser) = logged_in(json!({"maximum_duration": 100})).await;
    for _ in 0..9 {
        world.advance(11);
        assert!(browser.authenticate(&world, &realm).await.is_ok());
    }
    world.advance(1);
    assert!(browser.authenticate(&world, &realm).await.is_err());
}

#[tokio::test]
async fn without_limits_a_session_lasts() {
    let (world, realm, browser) = logged_in(json!({})).await;
    world.advance(400 * 24 * 3600);
    assert!(browser.authenticate(&world, &realm).await.is_ok());
}

#[tokio::test]
async fn the_last_request_is_stored_by_a_flush() {
    let (world, realm, browser) = logged_in(json!({})).await;
    let began = world.store.sessions()[0].last_active;
    world.advance(10);
    browser.authenticate(&world, &realm).await.expect("known");
    assert_eq!(world.store.sessions()[0].last_active, began, "requests do not write it");
    world.logins.flush().await;
    let kept = &world.store.sessions()[0];
    assert_eq!(kept.last_active.seconds(), began.seconds() + 10);
    assert_eq!((kept.user_agent.as_str(), kept.address.as_str()), ("Browser/1", "127.0.0.1"));
}

#[tokio::test]
async fn a_session_is_for_one_host_one_route_and_one_client() {
    let (world, realm, browser) = logged_in(json!({})).await;
    let elsewhere = world.logins.authenticate(&realm, &Method::GET, &browser.request_headers(), "other.test").await;
    assert!(matches!(elsewhere, AuthOutcome::Unauthenticated));
    let other = world.oauth("edghtsrt_2", module(json!({})));
    assert!(browser.authenticate(&world, &other).await.is_err());
    let another = module(json!({"provider": {"github": {"client_id": "other", "client_secret": "secret"}}}));
    let replaced = world.oauth("edghtsrt_1", another);
    assert!(browser.authenticate(&world, &replaced).await.is_err());
}

#[tokio::test]
async fn a_login_at_a_second_route_gives_the_browser_another_secret_and_keeps_the_first_one() {
    let github = Github::start().await;
    let world = World::new(github_at(github.endpoints.clone()));
    let first = world.oauth("edghtsrt_1", module(json!({})));
    let second = world.oauth("edghtsrt_2", module(json!({})));
    let mut browser = Browser::default();
    github.issue_code("one");
    browser.log_in(&world, &first, "one").await.expect("in");
    let stolen = browser.clone();
    github.issue_code("two");
    browser.log_in(&world, &second, "two").await.expect("in");
    assert!(browser.authenticate(&world, &first).await.is_ok() && browser.authenticate(&world, &second).await.is_ok());
    assert!(stolen.authenticate(&world, &first).await.is_err(), "the former secret is no longer valid");
}

#[tokio::test]
async fn a_second_login_at_a_route_ends_the_former_session() {
    let github = Github::start().await;
    let world = World::new(github_at(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({})));
    let mut browser = Browser::default();
    github.issue_code("one");
    browser.log_in(&world, &realm, "one").await.expect("in");
    let stolen = browser.clone();
    github.issue_code("two");
    browser.log_in(&world, &realm, "two").await.expect("in again");
    assert_eq!(world.store.sessions().len(), 1);
    assert!(browser.authenticate(&world, &realm).await.is_ok() && stolen.authenticate(&world, &realm).await.is_err());
}

#[tokio::test]
async fn a_login_at_a_second_route_does_not_revive_an_expired_session() {
    let github = Github::start().await;
    let world = World::new(github_at(github.endpoints.clone()));
    let brief = world.oauth("edghtsrt_1", module(json!({"inactivity_timeout": 60})));
    let second = world.oauth("edghtsrt_2", module(json!({})));
    let mut browser = Browser::default();
    github.issue_code("one");
    browser.log_in(&world, &brief, "one").await.expect("in");
    world.advance(60);
    github.issue_code("two");
    browser.log_in(&world, &second, "two").await.expect("in");
    let left: Vec<_> = world.store.sessions().iter().map(|session| session.route.clone()).collect();
    assert_eq!(left, ["edghtsrt_2"]);
}

#[tokio::test]
async fn logging_out_ends_all_sessions_of_the_browser_at_the_host() {
    let (world, realm, mut browser) = logged_in(json!({})).await;
    let headers = {
        let mut headers = browser.request_headers();
        headers.insert("sec-fetch-site", HeaderValue::from_static("cross-site"));
        headers
    };
    let origin = world.logins.origin_of(HOST);
    let request = crate::kit::browser::login_request(&origin, "/.postern/logout", None, &headers);
    assert!(world.logins.at_endpoint(request, |_| Some(realm.clone())).await.is_err(), "not for another site");
    assert!(browser.authenticate(&world, &realm).await.is_ok());

    let headers = browser.request_headers();
    let request = crate::kit::browser::login_request(&origin, "/.postern/logout", None, &headers);
    let response = world.logins.at_endpoint(request, |_| Some(realm.clone())).await.expect("a page");
    assert_eq!(response.status(), 200);
    assert!(world.store.sessions().is_empty());
    assert!(browser.authenticate(&world, &realm).await.is_err());

    let request =
        crate::kit::browser::login_request(&origin, "/.postern/logout", Some("redirect_path=//evil.test"), &headers);
    let response = world.logins.at_endpoint(request, |_| Some(realm.clone())).await.expect("a page");
    assert_eq!(response.status(), 200, "no redirect to another host");
    let request = crate::kit::browser::login_request(&origin, "/.postern/logout", Some("redirect_path=/bye"), &headers);
    let response = world.logins.at_endpoint(request, |_| Some(realm.clone())).await.expect("a redirect");
    assert_eq!(location(&response), "https://shop.test:4443/bye");
    browser.cookies.clear();
}

#[tokio::test]
async fn options_requests_pass_where_the_module_allows_it() {
    let (world, realm, _) = logged_in(json!({"options_passthrough": true})).await;
    let none = HeaderMap::new();
    assert!(matches!(world.logins.authenticate(&realm, &Method::OPTIONS, &none, HOST).await, AuthOutcome::Bypassed));
    assert!(matches!(world.logins.authenticate(&realm, &Method::GET, &none, HOST).await, AuthOutcome::Unauthenticated));
    let strict = world.oauth("edghtsrt_1", module(json!({})));
    assert!(matches!(
        world.logins.authenticate(&strict, &Method::OPTIONS, &none, HOST).await,
        AuthOutcome::Unauthenticated
    ));
}

#[test]
fn browsers_are_redirected_and_programs_get_a_status() {
    let table = [
        (None, None, true),
        (Some("text/html,application/xhtml+xml,*/*;q=0.8"), Some("navigate"), true),
        (Some("*/*"), None, true),
        (Some("application/json, text/html"), None, true),
        (Some("application/json"), None, false),
        (Some("application/problem+json, */*"), None, false),
        (Some("*/*"), Some("cors"), false),
        (Some("text/html"), Some("cors"), false),
    ];
    for (accept, mode, sent) in table {
        let mut headers = HeaderMap::new();
        if let Some(accept) = accept {
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
        }
        if let Some(mode) = mode {
            headers.insert("sec-fetch-mode", HeaderValue::from_static(mode));
        }
        assert_eq!(Logins::is_browsing(&headers), sent, "{accept:?} {mode:?}");
    }
}
