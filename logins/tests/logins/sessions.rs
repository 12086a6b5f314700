//! Sessions: how long they last, who ends them, and what a browser must bring.

use crate::kit::{
    HOST, World,
    browser::{Browser, location},
    github::Github,
    only_github,
};
use http::{HeaderMap, HeaderValue, Method, header};
use postern_logins::{Admission, Logins};
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
    let github = Github::start().await;
    let world = World::new(only_github(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(options));
    github.agree("one");
    let mut browser = Browser::default();
    browser.headers.push(("user-agent", "Browser/1".to_owned()));
    browser.logs_in(&world, &realm, "one").await.expect("in");
    (world, realm, browser)
}

#[tokio::test]
async fn a_session_ends_by_inactivity_and_a_request_keeps_it() {
    let (world, realm, browser) = logged_in(json!({"inactivity_timeout": 60})).await;
    for _ in 0..5 {
        world.later(59);
        assert!(browser.visits(&world, &realm).await.is_ok());
    }
    world.later(60);
    assert!(browser.visits(&world, &realm).await.is_err());
    world.logins.write_down().await;
    assert!(world.books.sessions().is_empty(), "it is forgotten, too");
}

#[tokio::test]
async fn a_session_ends_by_its_age_however_busy_it_is() {
    let (world, realm, browser) = logged_in(json!({"maximum_duration": 100})).await;
    for _ in 0..9 {
        world.later(11);
        assert!(browser.visits(&world, &realm).await.is_ok());
    }
    world.later(1);
    assert!(browser.visits(&world, &realm).await.is_err());
}

#[tokio::test]
async fn without_limits_a_session_lasts() {
    let (world, realm, browser) = logged_in(json!({})).await;
    world.later(400 * 24 * 3600);
    assert!(browser.visits(&world, &realm).await.is_ok());
}

#[tokio::test]
async fn the_last_request_is_written_down_now_and_then() {
    let (world, realm, browser) = logged_in(json!({})).await;
    let began = world.books.sessions()[0].last_active;
    world.later(10);
    browser.visits(&world, &realm).await.expect("known");
    assert_eq!(world.books.sessions()[0].last_active, began, "nobody waits for it");
    world.logins.write_down().await;
    let kept = &world.books.sessions()[0];
    assert_eq!(kept.last_active.seconds(), began.seconds() + 10);
    assert_eq!((kept.user_agent.as_str(), kept.address.as_str()), ("Browser/1", "127.0.0.1"));
}

#[tokio::test]
async fn a_session_is_for_one_host_one_route_and_one_app() {
    let (world, realm, browser) = logged_in(json!({})).await;
    let elsewhere = world.logins.admit(&realm, &Method::GET, &browser.sends(), "other.test").await;
    assert!(matches!(elsewhere, Admission::Unknown));
    let other = world.oauth("edghtsrt_2", module(json!({})));
    assert!(browser.visits(&world, &other).await.is_err());
    let another = module(json!({"provider": {"github": {"client_id": "other", "client_secret": "secret"}}}));
    let replaced = world.oauth("edghtsrt_1", another);
    assert!(browser.visits(&world, &replaced).await.is_err());
}

#[tokio::test]
async fn a_login_at_a_second_route_gives_the_browser_another_secret_and_keeps_the_first_one() {
    let github = Github::start().await;
    let world = World::new(only_github(github.endpoints.clone()));
    let first = world.oauth("edghtsrt_1", module(json!({})));
    let second = world.oauth("edghtsrt_2", module(json!({})));
    let mut browser = Browser::default();
    github.agree("one");
    browser.logs_in(&world, &first, "one").await.expect("in");
    let stolen = browser.clone();
    github.agree("two");
    browser.logs_in(&world, &second, "two").await.expect("in");
    assert!(browser.visits(&world, &first).await.is_ok() && browser.visits(&world, &second).await.is_ok());
    assert!(stolen.visits(&world, &first).await.is_err(), "the secret of before opens nothing any more");
}

#[tokio::test]
async fn a_second_login_at_a_route_ends_the_session_of_before() {
    let github = Github::start().await;
    let world = World::new(only_github(github.endpoints.clone()));
    let realm = world.oauth("edghtsrt_1", module(json!({})));
    let mut browser = Browser::default();
    github.agree("one");
    browser.logs_in(&world, &realm, "one").await.expect("in");
    let stolen = browser.clone();
    github.agree("two");
    browser.logs_in(&world, &realm, "two").await.expect("in again");
    assert_eq!(world.books.sessions().len(), 1);
    assert!(browser.visits(&world, &realm).await.is_ok() && stolen.visits(&world, &realm).await.is_err());
}

#[tokio::test]
async fn a_login_at_a_second_route_brings_no_session_back_that_is_over() {
    let github = Github::start().await;
    let world = World::new(only_github(github.endpoints.clone()));
    let brief = world.oauth("edghtsrt_1", module(json!({"inactivity_timeout": 60})));
    let second = world.oauth("edghtsrt_2", module(json!({})));
    let mut browser = Browser::default();
    github.agree("one");
    browser.logs_in(&world, &brief, "one").await.expect("in");
    world.later(60);
    github.agree("two");
    browser.logs_in(&world, &second, "two").await.expect("in");
    let left: Vec<_> = world.books.sessions().iter().map(|session| session.route.clone()).collect();
    assert_eq!(left, ["edghtsrt_2"]);
}

#[tokio::test]
async fn logging_out_ends_all_sessions_of_the_browser_at_the_host() {
    let (world, realm, mut browser) = logged_in(json!({})).await;
    let headers = {
        let mut headers = browser.sends();
        headers.insert("sec-fetch-site", HeaderValue::from_static("cross-site"));
        headers
    };
    let origin = world.logins.origin_of(HOST);
    let asked = crate::kit::browser::asked(&origin, "/.postern/logout", None, &headers);
    assert!(world.logins.at_endpoint(asked, |_| Some(realm.clone())).await.is_err(), "not for another site");
    assert!(browser.visits(&world, &realm).await.is_ok());

    let headers = browser.sends();
    let asked = crate::kit::browser::asked(&origin, "/.postern/logout", None, &headers);
    let reply = world.logins.at_endpoint(asked, |_| Some(realm.clone())).await.expect("a page");
    assert_eq!(reply.status(), 200);
    assert!(world.books.sessions().is_empty());
    assert!(browser.visits(&world, &realm).await.is_err());

    let asked = crate::kit::browser::asked(&origin, "/.postern/logout", Some("redirect_path=//evil.test"), &headers);
    let reply = world.logins.at_endpoint(asked, |_| Some(realm.clone())).await.expect("a page");
    assert_eq!(reply.status(), 200, "nobody is sent to another host");
    let asked = crate::kit::browser::asked(&origin, "/.postern/logout", Some("redirect_path=/bye"), &headers);
    let reply = world.logins.at_endpoint(asked, |_| Some(realm.clone())).await.expect("a redirect");
    assert_eq!(location(&reply), "https://shop.test:4443/bye");
    browser.cookies.clear();
}

#[tokio::test]
async fn options_pass_where_they_may() {
    let (world, realm, _) = logged_in(json!({"options_passthrough": true})).await;
    let none = HeaderMap::new();
    assert!(matches!(world.logins.admit(&realm, &Method::OPTIONS, &none, HOST).await, Admission::Through));
    assert!(matches!(world.logins.admit(&realm, &Method::GET, &none, HOST).await, Admission::Unknown));
    let strict = world.oauth("edghtsrt_1", module(json!({})));
    assert!(matches!(world.logins.admit(&strict, &Method::OPTIONS, &none, HOST).await, Admission::Unknown));
}

#[test]
fn programs_are_told_and_browsers_are_sent() {
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
