//! The HTTP endpoints of logins: those of the login host, and those of every host with a login.

use crate::{
    login_request::{LOGIN_PATH_PREFIX, LoginRequest, check_method, parameter},
    login_response::{LoginResponse, expired, redirect},
    logins::Logins,
    realm::Realm,
    return_path::ReturnPath,
};
use bytes::Bytes;
use http::Method;
use postern_api::{Code, Error};
use std::sync::Arc;

impl Logins {
    /// Responds at the login host. `form` is the body of a POST request.
    ///
    /// # Errors
    /// If the path is not a login endpoint, or the login is unknown.
    pub async fn at_login_host(&self, request: LoginRequest<'_>, form: &Bytes) -> Result<LoginResponse, Error> {
        match request.path {
            "/oauth2/callback" => {
                check_method(request, &[Method::GET])?;
                let query = request.query.unwrap_or_default();
                let state = parameter(query, "state")?.unwrap_or_default();
                let origin = self.attempt_origin(&state, self.now()).await.ok_or_else(expired)?;
                let callback = origin.with(&format!("{LOGIN_PATH_PREFIX}callback"));
                redirect(request.method, &format!("{callback}?{query}"))
            }
            _ => {
                let response = self.at_service_provider(request, form).await;
                response.unwrap_or_else(|| Err(Code::LoginAddressUnknown.into()))
            }
        }
    }

    /// Responds at the login endpoints of a host. `find_realm` returns the realm that guards a path.
    ///
    /// # Errors
    /// If the path is not a login endpoint, or the login fails.
    pub async fn at_endpoint(
        &self,
        request: LoginRequest<'_>,
        find_realm: impl Fn(&str) -> Option<Arc<Realm>>,
    ) -> Result<LoginResponse, Error> {
        let query = request.query.unwrap_or_default();
        let return_path =
            || Ok::<_, Error>(parameter(query, "redirect_path")?.and_then(|path| ReturnPath::parse(&path)));
        match request.path.strip_prefix(LOGIN_PATH_PREFIX) {
            Some("callback") => {
                check_method(request, &[Method::GET])?;
                self.finish(request, query).await
            }
            Some("login") => {
                check_method(request, &[Method::GET])?;
                let back = return_path()?.unwrap_or_else(ReturnPath::root);
                let path = back.as_str().split(['?', '#']).next().unwrap_or("/");
                let realm = find_realm(path).or_else(|| find_realm("/")).ok_or(Code::LoginAddressUnknown)?;
                self.begin(&realm, request, back.as_str(), true).await
            }
            Some("logout") => {
                check_method(request, &[Method::GET, Method::POST])?;
                let back = return_path()?;
                let path = back.as_ref().map_or("/", |back| back.as_str());
                let realm = find_realm(path).or_else(|| find_realm("/")).ok_or(Code::LoginAddressUnknown)?;
                self.log_out(request, &realm, back).await
            }
            _ => Err(Code::LoginAddressUnknown.into()),
        }
    }
}
