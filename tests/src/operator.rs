//! The operator, who has an API key.

use crate::exchange::{exchange, try_exchange};
use postern_api::{Code, Secret, client::Client};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// A client of the management API.
#[derive(Clone, Debug)]
pub struct Operator {
    http: reqwest::Client,
    base: String,
    key: Option<String>,
}

/// A response of the management API.
#[derive(Clone, Debug)]
pub struct ManagementResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body; null if it is empty.
    pub body: Value,
    /// The body as sent.
    pub text: String,
}

impl ManagementResponse {
    /// The error code. Panics if there is none.
    #[track_caller]
    pub fn code(&self) -> Code {
        let code = self.body["error_code"].as_str().unwrap_or_else(|| panic!("no error: {self:?}"));
        code.parse().unwrap_or_else(|()| panic!("an unknown code: {code}"))
    }

    /// A string member of the body. Panics if it is missing.
    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        self.body[name].as_str().unwrap_or_else(|| panic!("no `{name}` in {self:?}")).to_owned()
    }

    /// The body of a successful response. Panics for any other status.
    #[track_caller]
    pub fn ok(self) -> ManagementResponse {
        assert!((200..300).contains(&self.status), "{self:?}");
        self
    }
}

impl Operator {
    /// A client with or without a key.
    pub fn new(api: SocketAddr, key: Option<&str>) -> Operator {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Operator { http, base: format!("http://{api}"), key: key.map(str::to_owned) }
    }

    /// The typed client.
    pub fn client(&self) -> Client {
        let key = Secret::new(self.key.clone().unwrap_or_default());
        Client::with_http(self.http.clone(), &self.base, key)
    }

    /// Calls a path. A null body is not sent.
    pub async fn call(&self, method: Method, path: &str, body: Value) -> ManagementResponse {
        let (status, body, text) = exchange(self.request(method, path), body).await;
        ManagementResponse { status, body, text }
    }

    /// Calls a path of a server that may be killed meanwhile; `None` without a complete response.
    pub async fn try_call(&self, method: Method, path: &str, body: Value) -> Option<ManagementResponse> {
        let (status, body, text) = try_exchange(self.request(method, path), body).await.ok()?;
        Some(ManagementResponse { status, body, text })
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.base) };
        let mut request = self.http.request(method, url).header("Service-Version", "2");
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        request
    }

    /// GET.
    pub async fn get(&self, path: &str) -> ManagementResponse {
        self.call(Method::GET, path, Value::Null).await
    }

    /// POST.
    pub async fn post(&self, path: &str, body: Value) -> ManagementResponse {
        self.call(Method::POST, path, body).await
    }

    /// PUT.
    pub async fn put(&self, path: &str, body: Value) -> ManagementResponse {
        self.call(Method::PUT, path, body).await
    }

    /// PATCH.
    pub async fn patch(&self, path: &str, body: Value) -> ManagementResponse {
        self.call(Method::PATCH, path, body).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> ManagementResponse {
        self.call(Method::DELETE, path, Value::Null).await
    }

    /// Creates a credential with these rules. Returns its id and its token.
    pub async fn credential(&self, acl: &[&str]) -> (String, String) {
        let made = self.post("/credentials", json!({ "description": "of a specification", "acl": acl })).await.ok();
        (made.text("id"), made.text("token"))
    }

    /// Creates an IP policy with rules of `(action, cidr)`. Returns its id.
    pub async fn policy(&self, rules: &[(&str, &str)]) -> String {
        let policy = self.post("/ip_policies", json!({})).await.ok().text("id");
        for (action, cidr) in rules {
            let rule = json!({ "ip_policy_id": policy, "action": action, "cidr": cidr });
            self.post("/ip_policy_rules", rule).await.ok();
        }
        policy
    }

    /// Creates a tunnel-group backend for this label. Returns its id.
    pub async fn group(&self, key: &str, value: &str) -> String {
        self.post("/backends/tunnel_group", json!({ "labels": { key: value } })).await.ok().text("id")
    }
}
