//! The client of the management API. Windows name a path; the key is added here and never reaches them.

use crate::{
    agent_api::{ApiResponse, read_response},
    app_state::AppState,
    error::{DesktopError, Result},
    management_key::ManagementKeys,
};
use postern_api::{Code, Secret, resource::COLLECTIONS};
use reqwest::Method;
use std::{sync::Arc, time::Duration};
use tokio::sync::Mutex;
use url::Url;

/// The largest request body: certificates and metadata of identity providers.
const MAX_REQUEST_BYTES: usize = 1024 * 1024;
/// Longer than the deadline of the edge, which a change waits for.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Sends requests to the management API of the local or remote server.
pub(crate) struct ManagementClient {
    state: Arc<AppState>,
    http: reqwest::Client,
    keys: ManagementKeys,
    /// The key that was used last, so that not every request reads the keychain.
    cached_key: Mutex<Option<Secret>>,
}

impl ManagementClient {
    /// A client with a `http` client that trusts the certificate of the server.
    pub(crate) fn new(state: Arc<AppState>, http: reqwest::Client, keys: ManagementKeys) -> ManagementClient {
        ManagementClient { state, http, keys, cached_key: Mutex::default() }
    }

    /// Sends one request. A response with an error status is not an error.
    ///
    /// # Errors
    ///
    /// Fails for a path outside the collections, a method other than GET, POST, PATCH, PUT and DELETE, a body beyond its
    /// limit, without a key, and if the server does not respond.
    pub(crate) async fn request(&self, method: &str, path: &str, body: Option<String>) -> Result<ApiResponse> {
        let method = allowed_method(method)?;
        if body.as_ref().is_some_and(|body| body.len() > MAX_REQUEST_BYTES) {
            let limit = MAX_REQUEST_BYTES / (1024 * 1024);
            return Err(DesktopError::new(Code::BodyTooLarge, format!("The body is larger than {limit} MiB.")));
        }
        let server = self.state.desktop().server;
        let Some(base) = server.api_address else {
            let reason = server.error.map_or_else(|| "It is starting.".to_owned(), |error| error.message);
            return Err(DesktopError::new(Code::Unavailable, format!("The server is not running. {reason}")));
        };
        let url = collection_url(&base, path)?;
        let mut cached_key = self.cached_key.lock().await;
        let key = match cached_key.take() {
            Some(key) => key,
            None => self.keys.load().await?,
        };
        let response = self.send(&base, method.clone(), url.clone(), body.clone(), &key).await?;
        if response.status != 401 {
            *cached_key = Some(key);
            return Ok(response);
        }
        // The key was deleted, or the server has a new data folder.
        let new_key = self.keys.replace().await?;
        let response = self.send(&base, method, url, body, &new_key).await?;
        *cached_key = Some(new_key);
        Ok(response)
    }

    async fn send(
        &self,
        base: &str,
        method: Method,
        url: Url,
        body: Option<String>,
        key: &Secret,
    ) -> Result<ApiResponse> {
        let unreachable = || {
            DesktopError::new(
                Code::Unavailable,
                format!("The server at {base} does not respond. It is restarted automatically."),
            )
        };
        let mut request = self.http.request(method, url).timeout(REQUEST_TIMEOUT).bearer_auth(key.reveal());
        request = request.header("service-version", "2");
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        let response = request.send().await.map_err(|_| unreachable())?;
        read_response(response, unreachable).await
    }
}

fn allowed_method(method: &str) -> Result<Method> {
    match method {
        "GET" => Ok(Method::GET),
        "POST" => Ok(Method::POST),
        "PATCH" => Ok(Method::PATCH),
        "PUT" => Ok(Method::PUT),
        "DELETE" => Ok(Method::DELETE),
        other => Err(DesktopError::new(
            Code::MethodNotAllowed,
            format!("The management API has no method {other:?}. Use GET, POST, PUT, PATCH or DELETE."),
        )),
    }
}

/// The URL of a path below a collection, checked after the parser resolved all dots and escapes.
fn collection_url(base: &str, path: &str) -> Result<Url> {
    let refused =
        || DesktopError::new(Code::HostRefused, "A window can only request collections of the management API.");
    if !path.starts_with('/') || path.contains(['\\', '#']) || path.chars().any(char::is_control) {
        return Err(refused());
    }
    let server = Url::parse(base).map_err(|_| refused())?;
    let url = Url::parse(&format!("{}{path}", base.trim_end_matches('/'))).map_err(|_| refused())?;
    let same_origin = url.origin() == server.origin() && url.username().is_empty() && url.password().is_none();
    if same_origin && COLLECTIONS.iter().any(|collection| is_below(url.path(), collection)) {
        Ok(url)
    } else {
        Err(refused())
    }
}

fn is_below(path: &str, collection: &str) -> bool {
    path.strip_prefix(collection).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "http://127.0.0.1:4041";

    #[test]
    fn collections_and_paths_below_them_reach_the_server() {
        for path in ["/ip_policies?limit=5", "/edges/https/edghts_1/routes", "/backends/weighted", "/app/users"] {
            assert_eq!(collection_url(BASE, path).unwrap().as_str(), format!("{BASE}{path}"));
        }
    }

    #[test]
    fn no_other_path_can_be_requested() {
        for path in [
            "",
            "/",
            "/metrics",
            "/console/",
            "/ip_policiesx",
            "ip_policies",
            "@evil.example/ip_policies",
            "//evil.example/ip_policies",
            "/ip_policies/../metrics",
            "/ip_policies/%2e%2e/metrics",
            "/ip_policies\\..\\x",
            "/ip_policies\r\nHost: evil",
            "/ip_policies#y",
            "http://evil.example/ip_policies",
        ] {
            assert!(collection_url(BASE, path).is_err(), "{path:?} was allowed");
        }
    }

    #[test]
    fn only_methods_of_the_api_are_sent() {
        assert!(allowed_method("PATCH").is_ok());
        for method in ["CONNECT", "TRACE", "get", ""] {
            assert!(allowed_method(method).is_err(), "{method:?} was allowed");
        }
    }
}
