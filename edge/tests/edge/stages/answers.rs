//! Modules that answer or change requests in place of the backend: maintenance, redirect, rewrite and error pages.

use crate::kit::{
    Http1Response, ScriptedOrigin, World,
    edges::{address, below, https, to},
    ports, visitor,
};
use jiff::Timestamp;
use postern_api::{
    module::{ErrorPages, Maintenance, RateLimit, Redirect, RedirectRule, Rewrite, UserAgentFilter},
    published::Settings,
};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

const HOST: &str = "shop.localhost";
const BROWSER: &str = "Accept: text/html\r\n";

async fn world(settings: Settings) -> (World, ScriptedOrigin) {
    let (world, origin) = (World::start().await, ScriptedOrigin::with_text("hello").await);
    publish(&world, &origin, settings).await;
    (world, origin)
}

async fn publish(world: &World, origin: &ScriptedOrigin, settings: Settings) {
    world.backends([("bkdsc_1", address(origin.address))]).await;
    world.https_edge(https(&[HOST], &[below("/", settings)])).await;
}

/// `GET` with these header lines.
async fn get(world: &World, path: &str, headers: &str) -> Http1Response {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {HOST}\r\n{headers}\r\n");
    visitor::https(world, HOST).await.request(&request).await
}

fn redirect(path: &str, to: &str, status_code: u16) -> Redirect {
    let rule = RedirectRule { host: String::new(), path: path.to_owned(), to: to.to_owned(), status_code };
    Redirect { enabled: true, rules: vec![rule] }
}

fn pages(list: &[(&str, &str)], upstream: bool) -> ErrorPages {
    let pages = list.iter().map(|(status, page)| ((*status).to_owned(), (*page).to_owned())).collect();
    ErrorPages { enabled: true, pages, upstream }
}

#[tokio::test]
async fn maintenance_ends_at_its_time_without_a_call() {
    let now = Arc::new(AtomicI64::new(1_900_000_000));
    let clock = now.clone();
    let world = World::with(|settings| {
        settings.clock = Arc::new(move || Timestamp::from_second(clock.load(Ordering::SeqCst)).unwrap());
    })
    .await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let until = Timestamp::from_second(1_900_000_060).map(postern_api::Timestamp::new).ok();
    let module = Maintenance { until, body: "<h1>soon</h1>".to_owned(), ..Maintenance::default() };
    publish(&world, &origin, Settings { maintenance: Some(module), ..to("bkdsc_1") }).await;
    let response = get(&world, "/", "").await;
    assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_3029"));
    assert_eq!((response.text().as_str(), response.header("retry-after")), ("<h1>soon</h1>", Some("60")));
    assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"));
    now.store(1_900_000_060, Ordering::SeqCst);
    assert_eq!(get(&world, "/", "").await.text(), "hello");
}

#[tokio::test]
async fn maintenance_lets_its_networks_pass_and_has_the_servers_page_without_a_body() {
    let module = Maintenance { allow: vec!["192.0.2.0/24".to_owned()], status_code: 500, ..Maintenance::default() };
    let (world, origin) = world(Settings { maintenance: Some(module.clone()), ..to("bkdsc_1") }).await;
    let response = get(&world, "/", BROWSER).await;
    assert_eq!((response.status, response.header("retry-after")), (500, Some("300")));
    assert!(response.text().contains("under maintenance"), "{}", response.text());
    assert!(origin.requests().is_empty());
    let module = Maintenance { allow: vec!["127.0.0.0/8".to_owned()], ..module };
    publish(&world, &origin, Settings { maintenance: Some(module), ..to("bkdsc_1") }).await;
    assert_eq!(get(&world, "/", BROWSER).await.text(), "hello");
}

#[tokio::test]
async fn redirects_go_where_their_rule_says_and_other_requests_to_the_backend() {
    let settings = |redirect: Redirect| Settings { redirect: Some(redirect), ..to("bkdsc_1") };
    let (world, origin) = world(settings(redirect("/old/(.*)", "/new/${1}?${req.query}", 308))).await;
    for (path, location) in [
        ("/old/a%20b?x=1", "/new/a%20b?x=1"),
        ("/old/a", "/new/a"),
        ("/old//evil.test", "/new/evil.test"),
        ("/x/../old/%2e", "/new/"),
    ] {
        let response = get(&world, path, "").await;
        assert_eq!((response.status, response.header("location")), (308, Some(location)), "{path}");
    }
    assert_eq!(get(&world, "/new/a", "").await.text(), "hello");
    publish(&world, &origin, settings(redirect("", "https://www.${req.host}${req.path}", 301))).await;
    let response = get(&world, "//evil.test/x", "").await;
    assert_eq!(response.header("location"), Some("https://www.shop.localhost//evil.test/x"));
    assert_eq!(origin.requests().len(), 1);
}

#[tokio::test]
async fn the_backend_gets_another_path_and_host_and_the_query_stays() {
    let rewrite = Rewrite {
        enabled: true,
        strip_prefix: "/api".to_owned(),
        add_prefix: "/v1".to_owned(),
        host: "app.internal:8080".to_owned(),
        ..Rewrite::default()
    };
    let (world, origin) = world(Settings { rewrite: Some(rewrite), ..to("bkdsc_1") }).await;
    for path in ["/api/a%2Fb?x=//y", "/api", "/other", "/x/../api/z"] {
        assert_eq!(get(&world, path, "").await.text(), "hello", "{path}");
    }
    let texts = origin.request_texts();
    for (text, line) in texts.iter().zip(["/v1/a%2Fb?x=//y", "/v1", "/other", "/v1/z"]) {
        assert!(text.starts_with(&format!("GET {line} HTTP/1.1\r\n")), "{text}");
        let text = text.to_ascii_lowercase();
        assert!(text.contains("\r\nhost: app.internal:8080\r\n"), "{text}");
        assert!(text.contains("\r\nx-original-host: shop.localhost\r\n"), "{text}");
        assert!(text.contains("\r\nx-forwarded-host: shop.localhost\r\n"), "{text}");
    }
    assert_eq!(texts.len(), 4);
}

#[tokio::test]
async fn a_rewrite_evades_no_route_and_makes_no_ambiguous_path() {
    let rewrite = Rewrite {
        enabled: true,
        path: "/public/(.)-(.)/(.*)".to_owned(),
        to: "/safe/${1}${2}/${3}".to_owned(),
        ..Rewrite::default()
    };
    let deny_all = UserAgentFilter { enabled: true, allow: Vec::new(), deny: vec![".*".to_owned()] };
    let (world, origin) = (World::start().await, ScriptedOrigin::with_text("hello").await);
    world.backends([("bkdsc_1", address(origin.address))]).await;
    let open = below("/public", Settings { rewrite: Some(rewrite), ..to("bkdsc_1") });
    let closed = below("/public/admin", Settings { user_agent_filter: Some(deny_all), ..to("bkdsc_1") });
    world.https_edge(https(&[HOST], &[open, closed])).await;
    assert_eq!(get(&world, "/public/a-b/c", "").await.text(), "hello");
    for (path, status) in [
        ("/public/.-./c", 400),
        ("/public/%2e-./c", 400),
        ("/public/admin", 403),
        ("/public/a-b/../admin", 403),
        ("/public/a-b/%2e%2e/%61dmin", 403),
        ("/public/a-b/../../x", 404),
    ] {
        assert_eq!(get(&world, path, "").await.status, status, "{path}");
    }
    let texts = origin.request_texts();
    assert_eq!(texts.len(), 1);
    assert!(texts[0].starts_with("GET /safe/ab/c HTTP/1.1\r\n"), "{}", texts[0]);
}

#[tokio::test]
async fn browsers_get_own_pages_for_errors_of_the_edge_and_programs_do_not() {
    let own =
        pages(&[("429", "limited ${error.code}"), ("5xx", "<p>${res.status} ${req.id} ${error.message}</p>")], false);
    let settings = Settings { error_pages: Some(own), ..to("bkdsc_1") };
    let (world, _origin) = world(settings.clone()).await;
    world.backends([("bkdsc_1", address(ports::unused_address()))]).await;
    let response = get(&world, "/", BROWSER).await;
    let id = response.header("postern-request-id").unwrap();
    assert!(response.text().starts_with(&format!("<p>502 {id} ")), "{}", response.text());
    assert_eq!(response.header("content-security-policy"), None, "that of the server's page does not fit");
    let program = get(&world, "/", "").await;
    assert_eq!((program.status, program.header("content-type")), (502, Some("application/json")));
    let limit = RateLimit { enabled: true, requests: 1, interval: 86_400, burst: 0, key: "everyone".to_owned() };
    let limited = Settings { rate_limit: Some(limit), ..settings };
    world.https_edge(https(&[HOST], &[below("/", limited)])).await;
    get(&world, "/", BROWSER).await;
    let response = get(&world, "/", BROWSER).await;
    assert_eq!((response.status, response.text().as_str()), (429, "limited ERR_POSTERN_3028"));
    assert!(response.header("retry-after").is_some() && response.header("ratelimit").is_some());
}

#[tokio::test]
async fn errors_of_the_backend_get_own_pages_only_where_that_is_set() {
    let origin = ScriptedOrigin::responding(|_| {
        "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\nETag: \"x\"\r\nX-Own: kept\r\nContent-Type: text/plain\r\n\r\nbody".to_owned()
    })
    .await;
    let world = World::start().await;
    let with =
        |upstream| Settings { error_pages: Some(pages(&[("404", "<p>${res.status}</p>")], upstream)), ..to("bkdsc_1") };
    publish(&world, &origin, with(false)).await;
    assert_eq!(get(&world, "/", BROWSER).await.text(), "body");
    publish(&world, &origin, with(true)).await;
    let response = get(&world, "/", BROWSER).await;
    assert_eq!((response.status, response.text().as_str()), (404, "<p>404</p>"));
    assert_eq!((response.header("etag"), response.header("x-own")), (None, Some("kept")));
    assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(get(&world, "/", "Accept: application/json\r\n").await.text(), "body");
}

#[tokio::test]
async fn stages_run_in_the_documented_order() {
    let (world, origin) = (World::start().await, ScriptedOrigin::with_text("hello").await);
    let limit = RateLimit { enabled: true, requests: 1, interval: 86_400, burst: 0, key: "everyone".to_owned() };
    let deny = UserAgentFilter { enabled: true, allow: Vec::new(), deny: vec![".*".to_owned()] };
    let mut settings = Settings {
        rate_limit: Some(limit),
        maintenance: Some(Maintenance::default()),
        user_agent_filter: Some(deny),
        redirect: Some(redirect("", "/elsewhere", 302)),
        ..to("bkdsc_1")
    };
    publish(&world, &origin, settings.clone()).await;
    assert_eq!(get(&world, "/", "").await.code(), "ERR_POSTERN_3029", "the first request is within the limit");
    assert_eq!(get(&world, "/", "").await.code(), "ERR_POSTERN_3028", "the limit comes before the maintenance");
    settings.rate_limit = None;
    publish(&world, &origin, settings.clone()).await;
    assert_eq!(get(&world, "/", "").await.code(), "ERR_POSTERN_3029", "the maintenance before the filter");
    settings.maintenance = None;
    publish(&world, &origin, settings.clone()).await;
    assert_eq!(get(&world, "/", "").await.code(), "ERR_POSTERN_3211", "the filter before the redirect");
    settings.user_agent_filter = None;
    publish(&world, &origin, settings).await;
    assert_eq!(get(&world, "/", "").await.status, 302, "the redirect before the backend");
    assert!(origin.requests().is_empty());
}
