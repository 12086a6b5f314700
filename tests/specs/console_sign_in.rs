//! The sign-in to the console: an API key is exchanged for a cookie, which other pages cannot use, and which ends when it should.

use postern_api::Code;
use postern_test_kit::etcd::Etcd;
use postern_tests::{World, cluster::Cluster, eventually, visitor::VisitorResponse};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// A browser at one address of a server, with the cookie that it was given.
struct Browser {
    http: Client,
    base: String,
    cookie: String,
}

impl Browser {
    /// Signs in with a key, as the page does. Returns the attributes of the cookie, too.
    async fn sign_in(http: &Client, base: &str, key: &str) -> (Browser, String) {
        let request = http.post(format!("{base}/console_sessions")).bearer_auth(key).header("Service-Version", "2");
        let response = response(request.header("Origin", base).header("Sec-Fetch-Site", "same-origin")).await;
        assert_eq!(response.status, 201, "{}", response.text());
        let (cookie, attributes) = response.header("set-cookie").split_once("; ").expect("attributes");
        let browser = Browser { http: http.clone(), base: base.to_owned(), cookie: cookie.to_owned() };
        (browser, attributes.to_owned())
    }

    /// At the management port of a server.
    async fn at(api: SocketAddr, key: &str) -> Browser {
        Browser::sign_in(&Client::builder().no_proxy().build().expect("a client"), &format!("http://{api}"), key)
            .await
            .0
    }

    /// A request of the console.
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.bare(method, path).header("Console-Session", "active");
        request.header("Origin", &self.base).header("Sec-Fetch-Site", "same-origin")
    }

    /// A request with the cookie, which may come from any page.
    fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        request.header("Service-Version", "2").header("Cookie", &self.cookie)
    }

    async fn get(&self, path: &str) -> VisitorResponse {
        response(self.request(Method::GET, path)).await
    }
}

async fn response(request: RequestBuilder) -> VisitorResponse {
    VisitorResponse::read(request.send().await.expect("a response")).await
}

fn code(response: &VisitorResponse) -> Code {
    let body: Value = serde_json::from_slice(&response.body).expect("an error");
    body["error_code"].as_str().expect("a code").parse().expect("a known code")
}

#[tokio::test]
async fn the_cookie_of_a_session_is_read_by_no_script_and_sent_by_no_other_site() {
    let world = World::with(|setup| setup.flags(&["--api-host", "api.example.test"])).await;
    let http = Client::builder().no_proxy().build().expect("a client");
    let base = format!("http://{}", world.server.addresses.api);
    let (browser, attributes) = Browser::sign_in(&http, &base, &world.admin_key()).await;
    assert_eq!(attributes, "Path=/; Max-Age=43200; HttpOnly; SameSite=Strict");
    assert!(browser.cookie.starts_with(&format!("postern_console_{}=", world.server.addresses.api.port())));
    assert_eq!(browser.get("/users").await.status, 200);

    let base = format!("https://api.example.test:{}", world.server.addresses.https.port());
    let (public, attributes) = Browser::sign_in(&world.visitor().http, &base, &world.admin_key()).await;
    assert_eq!(attributes, "Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure");
    assert!(public.cookie.starts_with("__Host-postern_console="), "{}", public.cookie);
    assert_eq!(public.get("/users").await.status, 200);
    let token = public.cookie.split_once('=').expect("a pair").1;
    let plain = format!("postern_console_{}={token}", world.server.addresses.https.port());
    let downgraded = Browser { cookie: plain, ..public };
    assert_eq!(code(&downgraded.get("/users").await), Code::ConsoleSessionEnded, "a cookie of HTTPS holds there only");
}

#[tokio::test]
async fn a_page_of_another_origin_changes_nothing_with_the_cookie() {
    let world = World::start().await;
    let browser = Browser::at(world.server.addresses.api, &world.admin_key()).await;
    let form = "application/x-www-form-urlencoded";
    let post = |site: &str, origin: &str, kind: &str| {
        let request = browser.bare(Method::POST, "/ip_policies").header("Sec-Fetch-Site", site);
        request.header("Origin", origin).header("Content-Type", kind).body("{}")
    };
    for request in [
        post("cross-site", "https://evil.test", form),
        post("cross-site", "https://evil.test", "text/plain"),
        post("same-site", "http://127.0.0.1:3000", form),
        post("same-site", "http://127.0.0.1:3000", "application/json").header("Console-Session", "active"),
        post("same-origin", &browser.base, form),
        browser.bare(Method::DELETE, "/console_sessions").header("Sec-Fetch-Site", "same-site"),
        browser.bare(Method::GET, "/api_keys").header("Sec-Fetch-Site", "same-site"),
        browser.bare(Method::GET, "/api_keys"),
    ] {
        let refused = response(request).await;
        assert_eq!((refused.status, code(&refused)), (403, Code::ConsoleOrigin));
    }
    let permission = browser.bare(Method::OPTIONS, "/ip_policies").header("Origin", "https://evil.test");
    let permission = response(permission.header("Access-Control-Request-Headers", "console-session")).await;
    assert!(permission.status >= 400, "a script of another origin may not send the header of the console");
    assert!(permission.headers.keys().all(|name| !name.as_str().starts_with("access-control-")));
    assert_eq!(browser.get("/ip_policies").await.text().matches("ipp_").count(), 0);
    assert_eq!(browser.get("/console_sessions/current").await.status, 200, "still signed in");
}

#[tokio::test]
async fn a_session_survives_a_restart_and_ends_at_once_with_its_key() {
    let world = World::start().await;
    let key = world.operator().post("/api_keys", json!({})).await.ok();
    let browser = Browser::at(world.server.addresses.api, &key.text("token")).await;
    let world = world.kill_and_restart_server().await;
    assert_eq!(browser.get("/users").await.status, 200);
    let key = format!("/api_keys/{}", key.text("id"));
    let made = response(browser.request(Method::POST, "/ip_policies").json(&json!({}))).await;
    assert_eq!(made.status, 201, "{}", made.text());
    world.operator().delete(&key).await.ok();
    let refused = browser.get("/users").await;
    assert_eq!((refused.status, code(&refused)), (401, Code::ConsoleSessionEnded));
}

#[tokio::test]
async fn signing_out_everywhere_ends_all_sessions_of_the_user() {
    let world = World::start().await;
    let (api, key) = (world.server.addresses.api, world.admin_key());
    let (one, other) = (Browser::at(api, &key).await, Browser::at(api, &key).await);
    assert_eq!(response(one.request(Method::DELETE, "/console_sessions/current")).await.status, 204);
    assert_eq!((one.get("/users").await.status, other.get("/users").await.status), (401, 200));
    let again = Browser::at(api, &key).await;
    assert_eq!(response(again.request(Method::DELETE, "/console_sessions")).await.status, 204);
    assert_eq!((again.get("/users").await.status, other.get("/users").await.status), (401, 401));
}

#[tokio::test]
async fn a_restriction_of_the_console_holds_for_its_sessions() {
    let world = World::start().await;
    let operator = world.operator();
    let browser = Browser::at(world.server.addresses.api, &world.admin_key()).await;
    let elsewhere = operator.policy(&[("allow", "203.0.113.0/24")]).await;
    let body = json!({ "type": "dashboard", "enforced": true, "ip_policy_ids": [elsewhere] });
    operator.post("/ip_restrictions", body).await.ok();
    assert_eq!(code(&browser.get("/users").await), Code::ConsoleAddressDenied);
    operator.get("/users").await.ok();
}

#[tokio::test]
async fn tokens_of_sessions_are_in_no_log_and_stored_as_digests() {
    let world = World::with(|setup| setup.flags(&["--log-level", "trace"])).await;
    let browser = Browser::at(world.server.addresses.api, &world.admin_key()).await;
    browser.get("/users").await;
    response(browser.bare(Method::GET, "/users")).await;
    let secret = browser.cookie.rsplit_once('_').expect("a token").1.to_owned();
    world.server.process.terminate();
    world.server.process.wait_for_exit().await;
    let log = format!("{}{}", world.server.process.stdout(), world.server.process.stderr());
    assert!(log.contains("path=/console_sessions") && !log.contains(&secret), "{log}");
    for file in ["server/postern.db", "server/postern.db-wal"] {
        let stored = std::fs::read(world.path(file)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&stored).contains(&secret), "{file} has it");
    }
}

#[tokio::test]
async fn a_session_holds_at_every_node_of_a_cluster_and_ends_at_all() {
    let cluster = Cluster::on(Etcd::single().await, 2, &[]).await;
    let browser = Browser::at(cluster.nodes[0].addresses.api, cluster.key()).await;
    let elsewhere = format!("http://{}", cluster.nodes[1].addresses.api);
    let token = browser.cookie.split_once('=').expect("a pair").1;
    let cookie = format!("postern_console_{}={token}", cluster.nodes[1].addresses.api.port());
    let elsewhere = Browser { http: browser.http.clone(), base: elsewhere, cookie };
    eventually("the other node knows the session", async || {
        (elsewhere.get("/users").await.status == 200).then_some(())
    })
    .await;
    assert_eq!(response(elsewhere.request(Method::DELETE, "/console_sessions")).await.status, 204);
    eventually("the first node knows its end", async || (browser.get("/users").await.status == 401).then_some(()))
        .await;
}
