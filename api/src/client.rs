//! Typed client of the management API: `client.all::<IpPolicy>().create(&body)`.
//!
//! Every failure is an [`Error`] with the server's code, or with
//! [`Code::ServerUnreachable`] if there is no response.

mod views;

pub use views::{ViewPage, Views};

use crate::{
    AnyId, Code, Error, Id, Result, Secret, WARNING_HEADER,
    module::{Hosts, Module, module_path},
    resource::{Nested, Record, Resource, collection},
};
use reqwest::{Method, StatusCode};
use serde::{Serialize, de::DeserializeOwned};
use std::{marker::PhantomData, time::Duration};

/// Time limit of one call.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Client of one server's management API. Cheap to clone.
///
/// ```no_run
/// use postern_api::client::Client;
/// use postern_api::resource::{IpPolicy, IpPolicyCreate, Tunnel};
/// use postern_api::{Code, Secret};
///
/// # async fn example() -> postern_api::Result<()> {
/// let client = Client::new("http://localhost:4041", Secret::new("api key"))?;
/// let body = IpPolicyCreate { description: Some("office".to_owned()), ..Default::default() };
/// let policy = client.all::<IpPolicy>().create(&body).await?;
/// for tunnel in client.views::<Tunnel>().list().await? {
///     println!("{}", tunnel.public_url);
/// }
/// match client.all::<IpPolicy>().delete(&policy.id).await {
///     Err(error) if error.code == Code::NotFound => println!("deleted already"),
///     result => result?,
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base_url: String,
    key: Secret,
}

/// Operations on the resources of one kind.
#[derive(Debug)]
pub struct All<'a, R> {
    client: &'a Client,
    parent: Option<AnyId>,
    kind: PhantomData<fn() -> R>,
}

/// One page of a list, newest first.
#[derive(Clone, Debug)]
pub struct Page<R: Resource> {
    /// Records of this page.
    pub records: Vec<Record<R>>,
    /// Absolute URL of the next page, if any.
    pub next_page_uri: Option<String>,
}

impl Client {
    /// A client for the API at `base_url`, authenticated by an API key.
    ///
    /// # Errors
    /// [`Code::Internal`] if the HTTP client cannot be set up.
    pub fn new(base_url: &str, key: Secret) -> Result<Self> {
        let http = reqwest::Client::builder()
            .timeout(CALL_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Error::new(Code::Internal, format!("The HTTP client could not be set up: {error}.")))?;
        Ok(Client::with_http(http, base_url, key))
    }

    /// A client with a custom HTTP client, for example one that trusts a private certificate authority.
    pub fn with_http(http: reqwest::Client, base_url: &str, key: Secret) -> Self {
        Client { http, base_url: base_url.trim_end_matches('/').to_owned(), key }
    }

    /// Base URL of the API.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Operations on one kind.
    pub fn all<R: Resource>(&self) -> All<'_, R> {
        All { client: self, parent: None, kind: PhantomData }
    }

    /// Operations on a kind nested in `parent`. Nested kinds have no list: read the parent's record.
    pub fn within<R: Nested>(&self, parent: &Id<R::Parent>) -> All<'_, R> {
        All { client: self, parent: Some(parent.any()), kind: PhantomData }
    }

    /// Calls any path with JSON, without types. Returns `None` for a response without a body.
    ///
    /// # Errors
    /// The server's error, [`Code::ServerUnreachable`] or [`Code::ServerUntrusted`] if there is no response, or
    /// [`Code::Internal`] if the response is not as expected.
    pub async fn json(
        &self,
        method: Method,
        path: &str,
        body: Option<&serde_json::Value>,
    ) -> Result<Option<serde_json::Value>> {
        self.json_and_warning(method, path, body).await.map(|(body, _)| body)
    }

    /// Calls any path like [`Client::json`], and also returns what the server warns of: a stored module may not work with
    /// the server's present settings.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn json_and_warning(
        &self,
        method: Method,
        path: &str,
        body: Option<&serde_json::Value>,
    ) -> Result<(Option<serde_json::Value>, Option<String>)> {
        let url = self.url(path);
        let response = self.execute(method, &url, body).await?;
        let warning = response.headers().get(WARNING_HEADER);
        let warning = warning.and_then(|warning| warning.to_str().ok()).map(str::to_owned);
        let body = read_body(&url, response).await?;
        if body.is_empty() {
            return Ok((None, warning));
        }
        let body = serde_json::from_slice(&body).map_err(|error| unexpected(&url, &error))?;
        Ok((Some(body), warning))
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    async fn call<T: DeserializeOwned>(&self, method: Method, url: &str, body: Option<&impl Serialize>) -> Result<T> {
        let body = self.send(method, url, body).await?;
        serde_json::from_slice(&body).map_err(|error| unexpected(url, &error))
    }

    async fn send(&self, method: Method, url: &str, body: Option<&impl Serialize>) -> Result<Vec<u8>> {
        read_body(url, self.execute(method, url, body).await?).await
    }

    async fn execute(&self, method: Method, url: &str, body: Option<&impl Serialize>) -> Result<reqwest::Response> {
        let request = self.request(method, url, body)?;
        self.http.execute(request).await.map_err(|error| no_response(url, &error))
    }

    /// One page of a list and the URL of the next.
    async fn page_at<T: DeserializeOwned>(&self, url: &str, member: &str) -> Result<(Vec<T>, Option<String>)> {
        let mut body: serde_json::Map<String, serde_json::Value> = self.call(Method::GET, url, None::<&()>).await?;
        let unexpected = |error: serde_json::Error| unexpected(url, &error);
        let mut take = |name: &str| body.remove(name).unwrap_or_default();
        let records = serde_json::from_value(take(member)).map_err(unexpected)?;
        Ok((records, serde_json::from_value(take("next_page_uri")).map_err(unexpected)?))
    }

    /// Only the query of a page's URL is used, so that the key is never sent to another server.
    fn own(&self, path: &str, uri: &str) -> String {
        let query = uri.split_once('?').map_or("", |(_, query)| query);
        self.url(&format!("{path}?{query}"))
    }

    /// Builds a request without sending it.
    fn request(&self, method: Method, url: &str, body: Option<&impl Serialize>) -> Result<reqwest::Request> {
        let mut request = self.http.request(method, url).bearer_auth(self.key.reveal()).header("Service-Version", "2");
        if let Some(body) = body {
            request = request.json(body);
        }
        request.build().map_err(|error| {
            Error::new(Code::ConfigInvalid, format!("`{url}` is not an address to call: {}.", error.without_url()))
        })
    }
}

impl<R: Resource> All<'_, R> {
    /// Creates a resource.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn create(&self, body: &R::Create) -> Result<Record<R>> {
        self.client.call(Method::POST, &self.collection(), Some(body)).await
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn get(&self, id: &Id<R>) -> Result<Record<R>> {
        self.client.call(Method::GET, &self.item(id), None::<&()>).await
    }

    /// Reads the first page, with at most `limit` records (1 to 100).
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn page(&self, limit: usize) -> Result<Page<R>> {
        self.page_at(&format!("{}?limit={limit}", self.collection())).await
    }

    /// Reads the page after `page`, if there is one.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn next(&self, page: &Page<R>) -> Result<Option<Page<R>>> {
        match &page.next_page_uri {
            Some(uri) => self.page_at(&self.own(uri)).await.map(Some),
            None => Ok(None),
        }
    }

    /// Reads all resources, page by page, newest first.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn list(&self) -> Result<Vec<Record<R>>> {
        let mut page = self.page(100).await?;
        let mut records = std::mem::take(&mut page.records);
        while let Some(mut next) = self.next(&page).await? {
            records.append(&mut next.records);
            page = next;
        }
        Ok(records)
    }

    /// Changes a resource. Absent fields are unchanged.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn update(&self, id: &Id<R>, body: &R::Update) -> Result<Record<R>> {
        self.client.call(Method::PATCH, &self.item(id), Some(body)).await
    }

    /// Deletes a resource.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn delete(&self, id: &Id<R>) -> Result<()> {
        self.client.send(Method::DELETE, &self.item(id), None::<&()>).await.map(|_| ())
    }

    /// Sets a module, replacing its whole configuration.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn put_module<M: Module>(&self, owner: &Id<R>, module: &M) -> Result<M::View>
    where
        R: Hosts<M>,
    {
        self.client.call(Method::PUT, &self.module_url::<M>(owner), Some(module)).await
    }

    /// Reads a module.
    ///
    /// # Errors
    /// [`Code::ModuleUnset`] if the module is not set; otherwise those of [`json`](Client::json).
    pub async fn module<M: Module>(&self, owner: &Id<R>) -> Result<M::View>
    where
        R: Hosts<M>,
    {
        self.client.call(Method::GET, &self.module_url::<M>(owner), None::<&()>).await
    }

    /// Removes a module. Not an error if it is not set.
    ///
    /// # Errors
    /// Those of [`Client::json`].
    pub async fn delete_module<M: Module>(&self, owner: &Id<R>) -> Result<()>
    where
        R: Hosts<M>,
    {
        self.client.send(Method::DELETE, &self.module_url::<M>(owner), None::<&()>).await.map(|_| ())
    }

    fn collection(&self) -> String {
        self.client.url(&collection::<R>(self.parent.as_ref()))
    }

    fn item(&self, id: &Id<R>) -> String {
        format!("{}/{id}", self.collection())
    }

    fn module_url<M: Module>(&self, owner: &Id<R>) -> String
    where
        R: Hosts<M>,
    {
        self.client.url(&module_path::<R, M>(self.parent.as_ref(), owner))
    }

    async fn page_at(&self, url: &str) -> Result<Page<R>> {
        let (records, next_page_uri) = self.client.page_at(url, R::LIST).await?;
        Ok(Page { records, next_page_uri })
    }

    fn own(&self, uri: &str) -> String {
        self.client.own(&collection::<R>(self.parent.as_ref()), uri)
    }
}

fn unexpected(url: &str, error: &serde_json::Error) -> Error {
    Error::new(Code::Internal, format!("The server sent an unexpected response: {error}.")).with("url", url)
}

/// The body of a response, or the error that it is.
async fn read_body(url: &str, response: reqwest::Response) -> Result<Vec<u8>> {
    let status = response.status();
    let body = response.bytes().await.map_err(|error| no_response(url, &error))?;
    if status.is_success() { Ok(body.into()) } else { Err(refusal(status, &body)) }
}

fn no_response(url: &str, error: &reqwest::Error) -> Error {
    let mut reason = String::new();
    let mut source: Option<&(dyn std::error::Error + 'static)> = std::error::Error::source(error);
    while let Some(inner) = source {
        reason = inner.to_string();
        source = inner.source();
    }
    if reason.is_empty() {
        reason = if error.is_timeout() { "it took too long".to_owned() } else { "the connection ended".to_owned() };
    }
    let untrusted = reason.contains("certificate") || reason.contains("Certificate");
    let code = if untrusted { Code::ServerUntrusted } else { Code::ServerUnreachable };
    Error::new(
        code,
        format!("No response from `{url}`: {reason}. Check that the server runs and that the address is right."),
    )
}

fn refusal(status: StatusCode, body: &[u8]) -> Error {
    serde_json::from_slice(body).unwrap_or_else(|_| {
        let text: String = String::from_utf8_lossy(body).chars().take(200).collect();
        Error::new(Code::Internal, format!("The server responded with {status}: {text}"))
            .with("status_code", status.as_u16())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::{IpPolicy, IpPolicyCreate};

    fn client() -> Client {
        Client::new("http://localhost:4041/", Secret::new("planted-key")).expect("a client")
    }

    #[test]
    fn requests_carry_key_version_and_json() {
        let client = client();
        let body = IpPolicyCreate { description: Some("office".into()), ..Default::default() };
        let request = client.request(Method::POST, &client.url(IpPolicy::PATH), Some(&body)).expect("a request");
        assert_eq!(request.url().as_str(), "http://localhost:4041/ip_policies");
        assert_eq!(request.headers()["authorization"], "Bearer planted-key");
        assert_eq!(request.headers()["service-version"], "2");
        assert_eq!(request.headers()["content-type"], "application/json");
        assert!(!format!("{client:?}").contains("planted-key"), "the key is never printed");
    }

    #[test]
    fn the_key_never_follows_a_page_to_another_host() {
        let client = client();
        let own = client.all::<IpPolicy>().own("https://elsewhere.test/x?before_id=y&limit=2");
        assert_eq!(own, "http://localhost:4041/ip_policies?before_id=y&limit=2");
    }

    #[test]
    fn errors_keep_their_code_and_other_responses_are_quoted() {
        let body = Error::new(Code::HostportTaken, "Taken.").with("operation_id", "op_1").body().to_string();
        let error = refusal(StatusCode::BAD_REQUEST, body.as_bytes());
        assert_eq!((error.code, error.details["operation_id"].as_str()), (Code::HostportTaken, "op_1"));
        assert!(refusal(StatusCode::BAD_GATEWAY, b"<html>").message.contains("502"));
    }

    #[tokio::test]
    async fn an_unreachable_server_is_reported() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        drop(listener);
        let client = Client::new(&format!("http://{address}"), Secret::new("k")).expect("a client");
        let error = client.all::<IpPolicy>().list().await.expect_err("nothing listens");
        assert_eq!(error.code, Code::ServerUnreachable);
        assert!(!error.message.contains("\"k\""));
    }
}
