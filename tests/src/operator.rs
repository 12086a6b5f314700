//! The operator: who holds an API key.

use crate::exchange::{exchange, try_exchange};
use postern_api::client::Client;
use postern_api::{Code, Secret};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// Speaks with the management API.
#[derive(Clone, Debug)]
pub struct Operator {
    http: reqwest::Client,
    base: String,
    key: Option<String>,
}

/// An answer of the management API.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body; null if there was none.
    pub body: Value,
    /// The body as it was sent.
    pub text: String,
}

impl Answer {
    /// The error's code. Panics if there is none.
    #[track_caller]
    pub fn code(&self) -> Code {
        let code = self.body["error_code"].as_str().unwrap_or_else(|| panic!("no error: {self:?}"));
        code.parse().unwrap_or_else(|()| panic!("an unknown code: {code}"))
    }

    /// A text member of the body. Panics if it is not there.
    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        self.body[name].as_str().unwrap_or_else(|| panic!("no `{name}` in {self:?}")).to_owned()
    }

    /// The body of an answer that should have been a success.
    #[track_caller]
    pub fn ok(self) -> Answer {
        assert!((200..300).contains(&self.status), "{self:?}");
        self
    }
}

impl Operator {
    /// With a key, or as somebody without one.
    pub fn new(api: SocketAddr, key: Option<&str>) -> Operator {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Operator { http, base: format!("http://{api}"), key: key.map(str::to_owned) }
    }

    /// The typed client, as other programs use it.
    pub fn client(&self) -> Client {
        let key = Secret::new(self.key.clone().unwrap_or_default());
        Client::with_http(self.http.clone(), &self.base, key)
    }

    /// Calls a path. A body of null is no body.
    pub async fn call(&self, method: Method, path: &str, body: Value) -> Answer {
        let (status, body, text) = exchange(self.request(method, path), body).await;
        Answer { status, body, text }
    }

    /// The same where the server may be killed meanwhile: nothing if no whole answer came.
    pub async fn try_call(&self, method: Method, path: &str, body: Value) -> Option<Answer> {
        let (status, body, text) = try_exchange(self.request(method, path), body).await.ok()?;
        Some(Answer { status, body, text })
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
    pub async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, Value::Null).await
    }

    /// POST.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, body).await
    }

    /// PUT.
    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.call(Method::PUT, path, body).await
    }

    /// PATCH.
    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.call(Method::PATCH, path, body).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Answer {
        self.call(Method::DELETE, path, Value::Null).await
    }

    /// A credential with these rules: its id and its token.
    pub async fn credential(&self, acl: &[&str]) -> (String, String) {
        let made = self.post("/credentials", json!({ "description": "of a specification", "acl": acl })).await.ok();
        (made.text("id"), made.text("token"))
    }

    /// An IP policy with these rules, `(action, cidr)` each: its id.
    pub async fn policy(&self, rules: &[(&str, &str)]) -> String {
        let policy = self.post("/ip_policies", json!({})).await.ok().text("id");
        for (action, cidr) in rules {
            let rule = json!({ "ip_policy_id": policy, "action": action, "cidr": cidr });
            self.post("/ip_policy_rules", rule).await.ok();
        }
        policy
    }

    /// A backend of the tunnels with this label: its id.
    pub async fn group(&self, key: &str, value: &str) -> String {
        self.post("/backends/tunnel_group", json!({ "labels": { key: value } })).await.ok().text("id")
    }
}
