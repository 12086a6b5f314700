//! Logins in a cluster: begun at one node, finished at another, valid at all, also when the node where they began is dead.

use axum::{Json, Router, routing::any};
use http::header;
use postern_api::Code;
use postern_test_kit::etcd::Etcd;
use postern_tests::{cluster::Cluster, eventually, visitor::VisitorResponse};
use serde_json::json;
use std::{collections::BTreeMap, path::Path};
use url::Url;

const HOST: &str = "shop.localhost";

/// An OAuth provider with the paths of GitHub, which knows one person. Returns the operator's file that leads to it.
async fn provider(folder: &Path) -> String {
    let answer = |body: serde_json::Value| any(async move || Json(body));
    let router = Router::new()
        .route("/token", answer(json!({ "access_token": "token", "token_type": "bearer" })))
        .route("/user", answer(json!({ "id": 7, "login": "ann", "name": "Ann" })))
        .route("/emails", answer(json!([{ "email": "ann@example.com", "primary": true, "verified": true }])));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let endpoints = ["authorization", "token", "user", "emails"].map(|name| format!("    {name}: {base}/{name}\n"));
    let file = folder.join("oauth.yml");
    std::fs::write(&file, format!("github:\n  endpoints:\n{}", endpoints.concat())).expect("the file");
    file.to_string_lossy().into_owned()
}

/// Three linked nodes with an edge whose route requires a login.
async fn shop(folder: &Path) -> Cluster {
    let apps = provider(folder).await;
    let cluster = Cluster::on(Etcd::single().await, 3, &["--oauth-apps", &apps]).await;
    cluster.until_linked().await;
    let operator = cluster.operator(0);
    let backend = operator.post("/backends/http_response", json!({ "body": "welcome" })).await.ok().text("id");
    let edge = operator.post("/edges/https", json!({ "hostports": [format!("{HOST}:443")] })).await.ok().text("id");
    let routes = format!("/edges/https/{edge}/routes");
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
    let route = operator.post(&routes, route).await.ok().text("id");
    let module = json!({ "provider": { "github": { "client_id": "app", "client_secret": "secret" } } });
    operator.put(&format!("{routes}/{route}/oauth"), module).await.ok();
    for node in 0..3 {
        eventually("the node requires a login", async || {
            (cluster.visitor(node).get(&cluster.url(node, HOST)).await.status == 302).then_some(())
        })
        .await;
    }
    cluster
}

/// A browser that stores cookies of the shop and is sent to any node, as by a load balancer.
#[derive(Clone, Default)]
struct Browser(BTreeMap<String, String>);

impl Browser {
    async fn get(&mut self, cluster: &Cluster, node: usize, url: &str) -> VisitorResponse {
        let mut url = Url::parse(url).expect("a URL");
        url.set_port(Some(cluster.nodes[node].addresses.https.port())).expect("a URL with a port");
        let visitor = cluster.visitor(node);
        let cookies: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut request = visitor.http.get(url.clone());
        if url.host_str() == Some(HOST) && !cookies.is_empty() {
            request = request.header(header::COOKIE, cookies.join("; "));
        }
        let response = visitor.send(request).await;
        for line in response.headers.get_all(header::SET_COOKIE) {
            let (name, rest) = line.to_str().expect("text").split_once('=').expect("a cookie");
            if rest.contains("Max-Age=0") {
                self.0.remove(name);
            } else {
                self.0.insert(name.to_owned(), rest.split(';').next().unwrap_or_default().to_owned());
            }
        }
        response
    }

    /// Begins a login at a node. Returns the URL at which the provider sends the browser back.
    async fn begin(&mut self, cluster: &Cluster, node: usize) -> String {
        let sent = self.get(cluster, node, &format!("https://{HOST}/cart?page=2")).await;
        let provider = Url::parse(sent.header("location")).expect("the provider's URL");
        let parameter = |name: &str| {
            let found = provider.query_pairs().find(|(key, _)| key == name);
            found.unwrap_or_else(|| panic!("no {name} in {provider}")).1.into_owned()
        };
        let mut back = Url::parse(&parameter("redirect_uri")).expect("the callback");
        back.query_pairs_mut().append_pair("code", "one").append_pair("state", &parameter("state"));
        back.to_string()
    }
}

#[tokio::test]
async fn a_login_begins_at_one_node_and_ends_at_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let cluster = shop(folder.path()).await;
    let mut browser = Browser::default();
    let back = browser.begin(&cluster, 0).await;
    let callback = browser.get(&cluster, 1, &back).await;
    assert_eq!(callback.status, 302, "{}", callback.text());
    let finish = callback.header("location").to_owned();
    let done = browser.get(&cluster, 2, &finish).await;
    assert_eq!(done.status, 303, "{}", done.text());
    assert!(done.header("location").ends_with("/cart?page=2"), "{}", done.header("location"));
    for node in 0..3 {
        eventually("the session is valid at the node", async || {
            let page = browser.clone().get(&cluster, node, &format!("https://{HOST}/")).await;
            (page.status == 200 && page.text() == "welcome").then_some(())
        })
        .await;
        let again = browser.clone().get(&cluster, node, &finish).await;
        assert_eq!(again.refused(), Code::LoginUnknown, "a second time at node {node}");
    }
    // Another browser cannot finish a login.
    let (mut own, mut foreign) = (Browser::default(), Browser::default());
    let back = own.begin(&cluster, 0).await;
    let finish = foreign.get(&cluster, 1, &back).await.header("location").to_owned();
    assert_eq!(foreign.get(&cluster, 2, &finish).await.refused(), Code::LoginForeign);
}

#[tokio::test]
async fn a_login_survives_the_death_of_the_node_where_it_began() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut cluster = shop(folder.path()).await;
    // At either of the two others may have the copy; a browser that comes to either finishes its login.
    let mut browsers = Vec::new();
    for _ in 0..6 {
        let mut browser = Browser::default();
        let back = browser.begin(&cluster, 0).await;
        browsers.push((browser, back));
    }
    cluster.kill(0);
    for (number, (mut browser, back)) in browsers.into_iter().enumerate() {
        let (second, third) = (1 + number % 2, 2 - number % 2);
        let callback = browser.get(&cluster, second, &back).await;
        assert_eq!(callback.status, 302, "{}", callback.text());
        let done = browser.get(&cluster, third, callback.header("location")).await;
        assert_eq!(done.status, 303, "{}", done.text());
        let again = browser.get(&cluster, second, callback.header("location")).await;
        assert_eq!(again.refused(), Code::LoginUnknown, "a second time");
        for node in 1..3 {
            eventually("the session is valid at the node", async || {
                let page = browser.clone().get(&cluster, node, &format!("https://{HOST}/")).await;
                (page.text() == "welcome").then_some(())
            })
            .await;
        }
    }
}
