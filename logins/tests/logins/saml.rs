//! Logins with SAML: a test identity provider that sends arbitrary messages, and a test clock.

mod hostile;
mod idp;
mod logout;
mod nodes;
mod people;
mod unsolicited;

use crate::kit::{
    HOST, World,
    browser::{Browser, location, login_request},
    session_store::MemoryStore,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::read::DeflateDecoder;
use http::{HeaderMap, Method};
use idp::{IdpResponse, login};
use postern_api::{
    Error,
    host::HostName,
    published::{HttpsEdge, Settings},
};
use postern_logins::{LoginRequest, LoginResponse, OAuthProviders, Origin, Realm};
use serde_json::Value;
use std::{io::Read, sync::Arc};
use url::{Url, form_urlencoded::Serializer};

/// A route with SAML, and a browser in front of it.
struct SamlFixture {
    world: World,
    realm: Arc<Realm>,
    browser: Browser,
}

/// A message to the identity provider.
struct AuthnRequest {
    url: Url,
    xml: String,
    /// The id of the message.
    id: String,
    state: String,
}

impl SamlFixture {
    fn new(changes: &Value) -> Self {
        SamlFixture::on(changes, MemoryStore::default())
    }

    /// A route at a server with this store.
    fn on(changes: &Value, store: MemoryStore) -> Self {
        let world = World::on(OAuthProviders::default(), store);
        let names = ["*.any.test", HOST].map(|name| HostName::parse(name).expect("a name")).to_vec();
        let edge = HttpsEdge { id: "edghts_1".to_owned(), names, settings: Settings::default(), routes: Vec::new() };
        world.logins.publish_edges([(edge.id.clone(), Arc::new(edge))].into_iter().collect());
        let realm = world.logins.realm("edghtsrt_1", "edghts_1", &login(changes)).expect("a realm");
        SamlFixture { world, realm, browser: Browser::default() }
    }

    /// Changes the module.
    fn change(&mut self, changes: &Value) {
        self.realm = self.world.logins.realm("edghtsrt_1", "edghts_1", &login(changes)).expect("a realm");
    }

    fn now(&self) -> i64 {
        self.world.now()
    }

    /// Requests a page and follows the redirect to the identity provider.
    async fn begin(&mut self) -> Result<AuthnRequest, Error> {
        let (origin, headers) = (Origin::new(HOST, 4443), self.browser.request_headers());
        let response =
            self.world.logins.begin(&self.realm, login_request(&origin, "/a", None, &headers), "/a?b=c", false).await?;
        self.browser.store_cookies(&response);
        Ok(parse_redirect(location(&response)))
    }

    /// Posts a form to the login host.
    async fn post(&self, endpoint: &str, fields: &[(&str, &str)]) -> Result<LoginResponse, Error> {
        let form = Serializer::new(String::new()).extend_pairs(fields).finish();
        self.at_login_host(Method::POST, &format!("/saml/edghtsrt_1{endpoint}"), None, form).await
    }

    async fn at_login_host(
        &self,
        method: Method,
        path: &str,
        query: Option<&str>,
        form: String,
    ) -> Result<LoginResponse, Error> {
        let (origin, headers) = (Origin::new("login.test", 4443), HeaderMap::new());
        let request = LoginRequest { method: &method, ..login_request(&origin, path, query, &headers) };
        self.world.logins.at_login_host(request, &form.into()).await
    }

    /// Posts a response to the assertion consumer service.
    async fn post_response(&self, xml: &str, state: &str) -> Result<LoginResponse, Error> {
        let mut fields = vec![("RelayState", state)];
        let encoded = STANDARD.encode(xml);
        fields.push(("SAMLResponse", &encoded));
        self.post("/acs", &fields).await
    }

    /// Follows the redirect to the endpoint, where the session starts; returns the page to which the login leads.
    async fn follow_to_endpoint(&mut self, response: &LoginResponse) -> Result<String, Error> {
        assert_eq!(response.status(), 303);
        let onward = location(response).to_owned();
        let target = onward.strip_prefix("https://shop.test:4443").expect("the endpoint");
        let response = self.browser.get(&self.world, target).await?;
        Ok(location(&response).to_owned())
    }

    /// Requests a logout.
    async fn log_out(&mut self, target: &str) -> Result<LoginResponse, Error> {
        let (origin, headers) = (Origin::new(HOST, 4443), self.browser.request_headers());
        let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
        let request = login_request(&origin, path, query, &headers);
        let response = self.world.logins.at_endpoint(request, |_| Some(self.realm.clone())).await?;
        self.browser.store_cookies(&response);
        Ok(response)
    }

    /// A whole login.
    async fn log_in(&mut self, change: impl FnOnce(&mut IdpResponse)) -> Result<String, Error> {
        let sent = self.begin().await?;
        let mut answer = IdpResponse::valid(Some(&sent.id), self.now());
        change(&mut answer);
        let response = self.post_response(&answer.xml(), &sent.state).await?;
        self.follow_to_endpoint(&response).await
    }
}

/// Decodes the message of a redirect.
fn parse_redirect(address: &str) -> AuthnRequest {
    let url = Url::parse(address).expect("an address");
    let find =
        |parameter: &str| url.query_pairs().find(|(name, _)| name == parameter).map(|(_, value)| value.into_owned());
    let message = find("SAMLRequest").or_else(|| find("SAMLResponse")).expect("a message");
    let mut xml = String::new();
    let deflated = STANDARD.decode(message).expect("Base64");
    DeflateDecoder::new(deflated.as_slice()).read_to_string(&mut xml).expect("a message");
    let id = xml.split(" ID=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an id").to_owned();
    let state = find("RelayState").unwrap_or_default();
    AuthnRequest { url, xml, id, state }
}
