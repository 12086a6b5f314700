//! A stand-in for GitHub: codes become tokens once, and tokens say who somebody is.

use axum::{
    Form, Json, Router,
    extract::{Query, State},
    http::{HeaderMap, StatusCode, header},
    response::IntoResponse,
    routing::{get, post},
};
use postern_logins::Endpoints;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

/// What it knows; tests change it while it runs.
#[derive(Default)]
pub(crate) struct Knows {
    /// What comes of a code: each works once.
    pub(crate) codes: HashMap<String, String>,
    pub(crate) user: Value,
    pub(crate) emails: Value,
    pub(crate) organizations: Vec<Value>,
    pub(crate) teams: Vec<Value>,
    /// Tokens that are no longer taken.
    pub(crate) revoked: Vec<String>,
    /// What was asked, in order.
    pub(crate) asked: Vec<String>,
    pub(crate) forms: Vec<HashMap<String, String>>,
    pub(crate) down: bool,
}

#[derive(Clone)]
pub(crate) struct Github {
    pub(crate) knows: Arc<Mutex<Knows>>,
    pub(crate) endpoints: Endpoints,
}

type Shared = State<Arc<Mutex<Knows>>>;

impl Github {
    pub(crate) async fn start() -> Self {
        let knows = Arc::new(Mutex::new(Knows {
            user: json!({"id": 7, "login": "ann", "name": "Ann", "email": "shown@example.com"}),
            emails: json!([
                {"email": "old@example.com", "primary": false, "verified": true},
                {"email": "ann@example.com", "primary": true, "verified": true},
            ]),
            ..Knows::default()
        }));
        let router = Router::new()
            .route("/login/oauth/access_token", post(token))
            .route("/user", get(user))
            .route("/user/emails", get(emails))
            .route("/user/orgs", get(organizations))
            .route("/user/teams", get(teams))
            .with_state(knows.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let endpoints = Endpoints {
            authorization: format!("{base}/login/oauth/authorize"),
            token: format!("{base}/login/oauth/access_token"),
            user: format!("{base}/user"),
            emails: format!("{base}/user/emails"),
            organizations: format!("{base}/user/orgs"),
            teams: format!("{base}/user/teams"),
        };
        Github { knows, endpoints }
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Knows)) {
        change(&mut self.knows.lock().expect("known"));
    }

    /// Somebody agreed; this is what they bring back.
    pub(crate) fn agree(&self, code: &str) {
        self.change(|knows| drop(knows.codes.insert(code.to_owned(), format!("token-of-{code}"))));
    }
}

async fn token(State(knows): Shared, Form(form): Form<HashMap<String, String>>) -> impl IntoResponse {
    let mut knows = knows.lock().expect("known");
    knows.forms.push(form.clone());
    let right =
        form.get("client_id").is_some_and(|id| id == "app") && form.get("client_secret").is_some_and(|s| s == "secret");
    if !right {
        return Json(json!({"error": "incorrect_client_credentials"}));
    }
    if form.get("grant_type").is_some_and(|grant| grant == "refresh_token") {
        return Json(json!({"error": "bad_refresh_token"}));
    }
    // As the real one does: status 200, and the refusal in the body.
    match form.get("code").and_then(|code| knows.codes.remove(code)) {
        Some(token) => Json(json!({"access_token": token, "token_type": "bearer", "scope": "read:org"})),
        None => Json(json!({"error": "bad_verification_code"})),
    }
}

fn allowed(knows: &mut Knows, headers: &HeaderMap, what: String) -> Result<(), StatusCode> {
    knows.asked.push(what);
    if knows.down {
        return Err(StatusCode::BAD_GATEWAY);
    }
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match token.strip_prefix("Bearer token-of-") {
        Some(code) if !knows.revoked.contains(&code.to_owned()) => Ok(()),
        _ => Err(StatusCode::UNAUTHORIZED),
    }
}

async fn user(State(knows): Shared, headers: HeaderMap) -> Result<Json<Value>, StatusCode> {
    let mut knows = knows.lock().expect("known");
    allowed(&mut knows, &headers, "/user".to_owned())?;
    Ok(Json(knows.user.clone()))
}

async fn emails(State(knows): Shared, headers: HeaderMap) -> Result<Json<Value>, StatusCode> {
    let mut knows = knows.lock().expect("known");
    allowed(&mut knows, &headers, "/user/emails".to_owned())?;
    Ok(Json(knows.emails.clone()))
}

fn page(all: &[Value], query: &HashMap<String, String>) -> Json<Value> {
    let number = |name: &str| query.get(name).and_then(|text| text.parse::<usize>().ok()).expect("a number");
    let (size, page) = (number("per_page"), number("page"));
    Json(all.iter().skip(size * (page - 1)).take(size).cloned().collect())
}

async fn organizations(
    State(knows): Shared,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Result<Json<Value>, StatusCode> {
    let mut knows = knows.lock().expect("known");
    allowed(&mut knows, &headers, "/user/orgs".to_owned())?;
    Ok(page(&knows.organizations, &query))
}

async fn teams(
    State(knows): Shared,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Result<Json<Value>, StatusCode> {
    let mut knows = knows.lock().expect("known");
    allowed(&mut knows, &headers, "/user/teams".to_owned())?;
    Ok(page(&knows.teams, &query))
}
