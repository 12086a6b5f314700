//! A fake GitHub: codes become tokens once, and tokens identify a user.

use axum::{
    Form, Json, Router,
    extract::{Query, State},
    http::{HeaderMap, StatusCode, header},
    response::IntoResponse,
    routing::{get, post},
};
use postern_logins::OAuthEndpoints;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

/// Its data, which tests change while it runs.
#[derive(Default)]
pub(crate) struct GithubState {
    /// Tokens by authorization code; each code works once.
    pub(crate) codes: HashMap<String, String>,
    pub(crate) user: Value,
    pub(crate) emails: Value,
    pub(crate) organizations: Vec<Value>,
    pub(crate) teams: Vec<Value>,
    /// Tokens that are no longer accepted.
    pub(crate) revoked: Vec<String>,
    /// Paths of the requests, in order.
    pub(crate) requests: Vec<String>,
    pub(crate) forms: Vec<HashMap<String, String>>,
    pub(crate) down: bool,
}

#[derive(Clone)]
pub(crate) struct Github {
    pub(crate) state: Arc<Mutex<GithubState>>,
    pub(crate) endpoints: OAuthEndpoints,
}

type Shared = State<Arc<Mutex<GithubState>>>;

impl Github {
    pub(crate) async fn start() -> Self {
        let state = Arc::new(Mutex::new(GithubState {
            user: json!({"id": 7, "login": "ann", "name": "Ann", "email": "shown@example.com"}),
            emails: json!([
                {"email": "old@example.com", "primary": false, "verified": true},
                {"email": "ann@example.com", "primary": true, "verified": true},
            ]),
            ..GithubState::default()
        }));
        let router = Router::new()
            .route("/login/oauth/access_token", post(token))
            .route("/user", get(user))
            .route("/user/emails", get(emails))
            .route("/user/orgs", get(organizations))
            .route("/user/teams", get(teams))
            .with_state(state.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let endpoints = OAuthEndpoints {
            authorization: format!("{base}/login/oauth/authorize"),
            token: format!("{base}/login/oauth/access_token"),
            user: format!("{base}/user"),
            emails: format!("{base}/user/emails"),
            organizations: format!("{base}/user/orgs"),
            teams: format!("{base}/user/teams"),
        };
        Github { state, endpoints }
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut GithubState)) {
        change(&mut self.state.lock().expect("known"));
    }

    /// Issues an authorization code, as if the user had consented.
    pub(crate) fn issue_code(&self, code: &str) {
        self.change(|state| drop(state.codes.insert(code.to_owned(), format!("token-of-{code}"))));
    }
}

async fn token(State(state): Shared, Form(form): Form<HashMap<String, String>>) -> impl IntoResponse {
    let mut state = state.lock().expect("known");
    state.forms.push(form.clone());
    let valid =
        form.get("client_id").is_some_and(|id| id == "app") && form.get("client_secret").is_some_and(|s| s == "secret");
    if !valid {
        return Json(json!({"error": "incorrect_client_credentials"}));
    }
    if form.get("grant_type").is_some_and(|grant| grant == "refresh_token") {
        return Json(json!({"error": "bad_refresh_token"}));
    }
    // Like GitHub: status 200 with an error in the body.
    match form.get("code").and_then(|code| state.codes.remove(code)) {
        Some(token) => Json(json!({"access_token": token, "token_type": "bearer", "scope": "read:org"})),
        None => Json(json!({"error": "bad_verification_code"})),
    }
}

fn allowed(state: &mut GithubState, headers: &HeaderMap, what: String) -> Result<(), StatusCode> {
    state.requests.push(what);
    if state.down {
        return Err(StatusCode::BAD_GATEWAY);
    }
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match token.strip_prefix("Bearer token-of-") {
        Some(code) if !state.revoked.contains(&code.to_owned()) => Ok(()),
        _ => Err(StatusCode::UNAUTHORIZED),
    }
}

async fn user(State(state): Shared, headers: HeaderMap) -> Result<Json<Value>, StatusCode> {
    let mut state = state.lock().expect("known");
    allowed(&mut state, &headers, "/user".to_owned())?;
    Ok(Json(state.user.clone()))
}

async fn emails(State(state): Shared, headers: HeaderMap) -> Result<Json<Value>, StatusCode> {
    let mut state = state.lock().expect("known");
    allowed(&mut state, &headers, "/user/emails".to_owned())?;
    Ok(Json(state.emails.clone()))
}

fn page(all: &[Value], query: &HashMap<String, String>) -> Json<Value> {
    let number = |name: &str| query.get(name).and_then(|text| text.parse::<usize>().ok()).expect("a number");
    let (size, page) = (number("per_page"), number("page"));
    Json(all.iter().skip(size * (page - 1)).take(size).cloned().collect())
}

async fn organizations(
    State(state): Shared,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Result<Json<Value>, StatusCode> {
    let mut state = state.lock().expect("known");
    allowed(&mut state, &headers, "/user/orgs".to_owned())?;
    Ok(page(&state.organizations, &query))
}

async fn teams(
    State(state): Shared,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Result<Json<Value>, StatusCode> {
    let mut state = state.lock().expect("known");
    allowed(&mut state, &headers, "/user/teams".to_owned())?;
    Ok(page(&state.teams, &query))
}
