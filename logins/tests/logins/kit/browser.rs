//! A browser: stores the cookies of one host, sends requests, and follows redirects.

use super::{HOST, World};
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use postern_api::{Code, Error};
use postern_logins::{ActiveSession, AuthOutcome, LoginRequest, LoginResponse, Origin, Realm};
use std::{collections::BTreeMap, net::Ipv4Addr, sync::Arc};
use url::Url;

#[derive(Clone, Default)]
pub(crate) struct Browser {
    pub(crate) cookies: BTreeMap<String, String>,
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// The redirect to the provider.
pub(crate) struct AuthorizationRequest {
    pub(crate) url: Url,
    pub(crate) state: String,
}

impl AuthorizationRequest {
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        self.url.query_pairs().find(|(found, _)| found == name).map(|(_, value)| value.into_owned())
    }
}

impl Browser {
    pub(crate) fn request_headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !cookies.is_empty() {
            headers.insert(header::COOKIE, HeaderValue::try_from(cookies.join("; ")).expect("cookies"));
        }
        for (name, value) in &self.headers {
            headers.append(HeaderName::from_static(name), HeaderValue::try_from(value).expect("a value"));
        }
        headers
    }

    pub(crate) fn store_cookies(&mut self, response: &LoginResponse) {
        for line in response.headers().get_all(header::SET_COOKIE) {
            let line = line.to_str().expect("text");
            assert!(line.contains("; Secure; HttpOnly; SameSite=Lax") && !line.contains("Domain"), "{line}");
            let (name, rest) = line.split_once('=').expect("a cookie");
            let value = rest.split(';').next().unwrap_or_default();
            if line.contains("Max-Age=0;") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// Requests a page of a route; `Err(None)` if the browser has no valid session.
    pub(crate) async fn authenticate(&self, world: &World, realm: &Realm) -> Result<Arc<ActiveSession>, Option<Error>> {
        match world.logins.authenticate(realm, &Method::GET, &self.request_headers(), HOST).await {
            AuthOutcome::Authenticated(known) => Ok(known),
            AuthOutcome::Denied(error) => Err(Some(error)),
            AuthOutcome::Unauthenticated => Err(None),
            AuthOutcome::Bypassed => panic!("a GET never bypasses the login"),
        }
    }

    /// Follows the redirect to the provider.
    pub(crate) async fn begin(
        &mut self,
        world: &World,
        realm: &Realm,
        path: &str,
    ) -> Result<AuthorizationRequest, Error> {
        let (origin, headers) = (Origin::new(HOST, 4443), self.request_headers());
        let request = login_request(&origin, path, None, &headers);
        let response = world.logins.begin(realm, request, path, false).await?;
        assert_eq!(response.status(), 302);
        self.store_cookies(&response);
        let url = Url::parse(location(&response)).expect("an address");
        let state = url.query_pairs().find(|(name, _)| name == "state").expect("a state").1.into_owned();
        Ok(AuthorizationRequest { url, state })
    }

    /// Comes back from the provider through the login host; returns the page to which the login leads.
    pub(crate) async fn return_from_provider(&mut self, world: &World, answer: &str) -> Result<String, Error> {
        let headers = HeaderMap::new();
        let login_host = Origin::new("login.test", 4443);
        let request = login_request(&login_host, "/oauth2/callback", Some(answer), &headers);
        let response = world.logins.at_login_host(request, &bytes::Bytes::new()).await?;
        let callback_url = location(&response);
        assert_eq!(callback_url, format!("https://{HOST}:4443/.postern/callback?{answer}"));
        let response = self.get(world, &callback_url["https://shop.test:4443".len()..]).await?;
        Ok(location(&response).to_owned())
    }

    /// Requests a login endpoint of the host.
    pub(crate) async fn get(&mut self, world: &World, target: &str) -> Result<LoginResponse, Error> {
        let (origin, headers) = (Origin::new(HOST, 4443), self.request_headers());
        let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
        let response = world.logins.at_endpoint(login_request(&origin, path, query, &headers), |_| None).await;
        if let Ok(response) = &response {
            self.store_cookies(response);
        }
        response
    }

    /// A whole login with an authorization code.
    pub(crate) async fn log_in(&mut self, world: &World, realm: &Realm, code: &str) -> Result<(), Error> {
        let sent = self.begin(world, realm, "/a?b=c").await?;
        let back = self.return_from_provider(world, &format!("code={code}&state={}", sent.state)).await?;
        assert_eq!(back, "https://shop.test:4443/a?b=c");
        Ok(())
    }
}

pub(crate) fn login_request<'a>(
    origin: &'a Origin,
    path: &'a str,
    query: Option<&'a str>,
    headers: &'a HeaderMap,
) -> LoginRequest<'a> {
    LoginRequest { origin, method: &Method::GET, path, query, headers, address: Ipv4Addr::LOCALHOST.into() }
}

pub(crate) fn location(response: &LoginResponse) -> &str {
    response.headers()[header::LOCATION].to_str().expect("text")
}

pub(crate) fn code<T>(outcome: Result<T, Error>) -> Code {
    match outcome {
        Ok(_) => panic!("it should have been refused"),
        Err(error) => error.code,
    }
}
