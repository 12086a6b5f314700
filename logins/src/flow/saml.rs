//! The HTTP endpoints of SAML service providers: metadata, assertion consumer service and single logout.

use crate::{
    crypto::random_token,
    login_attempts::{AttemptStage, LoginAttempt},
    login_nodes::secret_of,
    login_request::{LOGIN_PATH_PREFIX, LoginRequest, check_method, parameter},
    login_response::{LoginResponse, expired, page, private, redirect},
    logins::Logins,
    origin::Origin,
    pages,
    realm::{Provider, Realm},
    return_path::ReturnPath,
    saml::{LogoutMessage, LogoutRequest, SAML_PATH_PREFIX, Saml, malformed, replayed},
};
use bytes::Bytes;
use http::{HeaderValue, Method, Response, header};
use postern_api::{Code, Error, host::HostName, published::LoginSession};
use std::sync::Arc;
use url::Url;

/// Maximum length of the URL in the relay state of an unsolicited response.
const MAX_RELAY_STATE_BYTES: usize = 2048;

impl Logins {
    /// Responds at an endpoint of a service provider; `None` if the path is not one.
    pub(super) async fn at_service_provider(
        &self,
        request: LoginRequest<'_>,
        form: &Bytes,
    ) -> Option<Result<LoginResponse, Error>> {
        let rest = request.path.strip_prefix(SAML_PATH_PREFIX)?;
        let (route, endpoint) = rest.split_once('/').map_or((rest, ""), |(route, endpoint)| (route, endpoint));
        let realm = self.realm_of(route)?;
        let Provider::Saml(saml) = &realm.provider else { return None };
        Some(match endpoint {
            "" if rest == route => check_method(request, &[Method::GET]).map(|()| metadata(saml)),
            "acs" => match check_method(request, &[Method::POST]) {
                Ok(()) => self.consume_assertion(saml, &realm, request, form).await,
                Err(error) => Err(error),
            },
            "slo" => match check_method(request, &[Method::GET, Method::POST]) {
                Ok(()) => self.single_logout(saml, &realm, request, form).await,
                Err(error) => Err(error),
            },
            _ => Err(Code::LoginAddressUnknown.into()),
        })
    }

    /// Verifies a response, and redirects the browser to the endpoint where the session starts.
    async fn consume_assertion(
        &self,
        saml: &Saml,
        realm: &Realm,
        request: LoginRequest<'_>,
        form: &Bytes,
    ) -> Result<LoginResponse, Error> {
        let form = text(form)?;
        saml.check_idp_metadata()?;
        let field = parameter(form, "SAMLResponse")?.ok_or_else(|| malformed("has no `SAMLResponse`"))?;
        let state = parameter(form, "RelayState")?.unwrap_or_default();
        let response = Saml::parse_response(&field)?;
        let now = self.now();
        let attempt = match self.take_attempt(&state, now).await {
            Some(LoginAttempt {
                route,
                origin,
                back,
                browser,
                stage: AttemptStage::SamlResponse { request_id },
                ..
            }) if *route == *realm.route => Some((origin, back, browser, request_id)),
            Some(_) => return Err(expired()),
            None if response.in_response_to.is_some() => return Err(expired()),
            None => None,
        };
        if attempt.is_none() {
            saml.check_unsolicited(&response, &self.saml)?;
        }
        let request_id = attempt.as_ref().map(|(.., request_id)| request_id.as_str());
        let (identity, ids) = saml.verify_response(&response, request_id, &realm.route, now, &self.saml)?;
        if !self.store.spend(ids).await? {
            return Err(replayed());
        }
        let (secret, origin, back, browser) = match attempt {
            // The browser's nonce cookie is named after this secret.
            Some((origin, back, browser, _)) => (secret_of(&state).to_owned(), origin, back, browser),
            None => {
                let (origin, back) = self.relay_state_target(realm, &state)?;
                (random_token(), origin, back, None)
            }
        };
        let id = self.state_of(&secret);
        let stage = AttemptStage::Identified(Box::new(identity));
        let attempt = LoginAttempt::new(&realm.route, origin.clone(), back, browser, stage, now);
        self.insert_attempt(&id, attempt).await;
        redirect(request.method, &format!("{}?state={id}", origin.with(&format!("{LOGIN_PATH_PREFIX}callback"))))
    }

    /// The page to which an unsolicited response leads: the URL in its relay state, if that belongs to the edge.
    fn relay_state_target(&self, realm: &Realm, state: &str) -> Result<(Origin, ReturnPath), Error> {
        let names = self.saml.names(&realm.edge);
        if state.is_empty() {
            let first = names.iter().find(|name| name.wildcard_parent().is_none()).ok_or_else(|| {
                let message = "The identity provider must send the URL you want to open: this login has no host of its \
                               own. Its administrator must configure a URL as `RelayState`.";
                Error::new(Code::RelayStateForeign, message)
            })?;
            return Ok((self.origin_of(first.as_str()), ReturnPath::root()));
        }
        let refused = |code, reason: &str| {
            let message = format!(
                "The identity provider sent a target (`RelayState`) that {reason}. Its administrator must configure a \
                 URL of this endpoint, or none."
            );
            Error::new(code, message)
        };
        let url = Url::parse(state).ok().filter(|_| state.len() <= MAX_RELAY_STATE_BYTES);
        let url = url.ok_or_else(|| refused(Code::RelayStateUnreadable, "is not a URL"))?;
        let host = url.host_str().and_then(|host| HostName::parse(host).ok());
        let host = host.filter(|host| host.wildcard_parent().is_none() && names.iter().any(|name| name.covers(host)));
        let host = host.ok_or_else(|| refused(Code::RelayStateForeign, "belongs to another host"))?;
        let origin = self.origin_of(host.as_str());
        if url.origin().ascii_serialization() != origin.to_string()
            || !url.username().is_empty()
            || url.password().is_some()
        {
            return Err(refused(Code::RelayStateScheme, "has another scheme, port or user than this endpoint"));
        }
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        Ok((origin, ReturnPath::from_request(&path)))
    }

    /// Handles a logout message: a request of the identity provider, or its response to a request of this server.
    async fn single_logout(
        &self,
        saml: &Saml,
        realm: &Realm,
        request: LoginRequest<'_>,
        form: &Bytes,
    ) -> Result<LoginResponse, Error> {
        let posted = request.method == Method::POST;
        let parameters = if posted { text(form)? } else { request.query.unwrap_or_default() };
        let state = parameter(parameters, "RelayState")?;
        let (logout_request, logout_response) =
            (parameter(parameters, "SAMLRequest")?, parameter(parameters, "SAMLResponse")?);
        let message = |field| if posted { LogoutMessage::Post(field) } else { LogoutMessage::Redirect(parameters) };
        match (&logout_request, &logout_response) {
            (Some(field), None) => {
                let (route, now) = (&realm.route, self.now());
                let logout = saml.receive_logout_request(message(field), state.as_deref(), route, now, &self.saml)?;
                self.end_sessions_of(realm, &logout).await?;
                match logout.response_url {
                    Some(url) => redirect(request.method, &url),
                    None => Ok(page(pages::logged_out(None))),
                }
            }
            (None, Some(field)) => {
                self.finish_logout(saml, realm, request, message(field), &state.unwrap_or_default()).await
            }
            _ => Err(malformed("has neither or both of `SAMLRequest` and `SAMLResponse`")),
        }
    }

    /// Ends the sessions that a logout request of the identity provider names.
    async fn end_sessions_of(&self, realm: &Realm, logout: &LogoutRequest) -> Result<(), Error> {
        let sessions = self.sessions();
        let is_named = |session: &&Arc<LoginSession>| {
            *session.route == *realm.route
                && session.realm == realm.digest
                && session.person.id == logout.name_id
                && (logout.sessions.is_empty() || logout.sessions.contains(&session.provider_session))
        };
        let ids: Vec<String> = sessions.values().filter(is_named).map(|session| session.id.clone()).collect();
        if ids.is_empty() { Ok(()) } else { self.store.end(ids).await }
    }

    /// Handles the identity provider's response to a logout request of this server.
    async fn finish_logout(
        &self,
        saml: &Saml,
        realm: &Realm,
        request: LoginRequest<'_>,
        message: LogoutMessage<'_>,
        state: &str,
    ) -> Result<LoginResponse, Error> {
        let now = self.now();
        let attempt = self.take_attempt(state, now).await.ok_or_else(expired)?;
        let AttemptStage::SamlLogout { request_id, has_return_path } = attempt.stage else { return Err(expired()) };
        if *attempt.route != *realm.route {
            return Err(expired());
        }
        saml.verify_logout_response(message, &request_id, &realm.route, now, &self.saml)?;
        if has_return_path {
            return redirect(request.method, &attempt.origin.with(attempt.back.as_str()));
        }
        let login_url = attempt.origin.with(&format!("{LOGIN_PATH_PREFIX}login"));
        Ok(page(pages::logged_out(Some(&login_url))))
    }

    /// Redirects to the logout of the identity provider, if the realm has one that supports it.
    pub(super) async fn saml_logout(
        &self,
        realm: &Realm,
        session: &LoginSession,
        request: LoginRequest<'_>,
        back: Option<&ReturnPath>,
    ) -> Option<LoginResponse> {
        let Provider::Saml(saml) = &realm.provider else { return None };
        let state = self.state_of(&random_token());
        // Errors are ignored: the session here has ended in any case.
        let (url, stage) = saml.logout_request(session, &state, back.is_some()).ok()??;
        let back = back.cloned().unwrap_or_else(ReturnPath::root);
        let attempt = LoginAttempt::new(&realm.route, request.origin.clone(), back, None, stage, self.now());
        self.insert_attempt(&state, attempt).await;
        redirect(&Method::POST, &url).ok()
    }
}

fn text(form: &Bytes) -> Result<&str, Error> {
    std::str::from_utf8(form).map_err(|_| malformed("is not a form"))
}

fn metadata(saml: &Saml) -> LoginResponse {
    let mut response = Response::new(Bytes::from(saml.metadata()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/samlmetadata+xml"));
    private(response)
}
