//! The end of a login at the host the visitor came from: the session starts.

use super::begin::nonce_cookie;
use crate::{
    code_grant::AuthorizationCode,
    cookies,
    crypto::{digest, random_token},
    login_attempts::{AttemptStage, LoginAttempt, VerifiedIdentity},
    login_request::{LoginRequest, parameter},
    login_response::{LoginResponse, add_cookie, expired, redirect, refused_by_provider},
    logins::Logins,
    realm::{Provider, Realm},
    return_path::ReturnPath,
    session_key::session_key,
    settings::LoginSettings,
};
use http::{HeaderMap, Method, header};
use jiff::Timestamp as Instant;
use postern_api::{
    Code, Error, Timestamp,
    published::{LoginSession, SessionKey},
};
use std::sync::Arc;

/// Characters of a `User-Agent` that a session stores.
const MAX_USER_AGENT_CHARS: usize = 256;

impl Logins {
    /// Finishes a login attempt and starts the session.
    pub(super) async fn finish(&self, request: LoginRequest<'_>, query: &str) -> Result<LoginResponse, Error> {
        let state = parameter(query, "state")?.unwrap_or_default();
        let now = self.now();
        let attempt = self.take_attempt(&state, now).await.ok_or_else(expired)?;
        let realm = self.realm_of(&attempt.route).ok_or_else(expired)?;
        let nonce_cookie = nonce_cookie(&realm, &state);
        check_browser(&attempt, request, &nonce_cookie)?;
        if let Some(reason) = parameter(query, "error")? {
            return Err(refused_by_provider(&reason));
        }
        let LoginAttempt { stage, back, .. } = attempt;
        let identity = self.verify_identity(&realm, stage, query).await?;
        let secret = random_token();
        let session = new_session(&realm, request, &secret, identity, now);
        self.store_session(&realm, request, &secret, session).await?;
        self.session_response(&realm, request, &back, &nonce_cookie, &secret)
    }

    /// Learns from the provider who has logged in.
    async fn verify_identity(
        &self,
        realm: &Realm,
        stage: AttemptStage,
        query: &str,
    ) -> Result<VerifiedIdentity, Error> {
        match stage {
            AttemptStage::AuthorizationCode { verifier, nonce } => {
                let code = parameter(query, "code")?.ok_or_else(|| refused_by_provider("no code"))?;
                let issuer = parameter(query, "iss")?;
                let redirect_uri = self.callback_url();
                let code = AuthorizationCode { code: &code, verifier: &verifier, redirect_uri: &redirect_uri };
                let LoginSettings { http_client, clock, .. } = &self.settings;
                match &realm.provider {
                    Provider::Oidc(oidc) => oidc.finish(http_client, clock, code, &nonce, issuer.as_deref()).await,
                    Provider::OAuth(oauth) => oauth.finish(http_client, code).await,
                    Provider::Saml(_) => Err(expired()),
                }
            }
            AttemptStage::Identified(identity) => {
                if let Provider::Saml(saml) = &realm.provider {
                    // The module may have changed since the identity provider's response arrived.
                    saml.recheck(&identity.person)?;
                }
                Ok(*identity)
            }
            AttemptStage::SamlResponse { .. } | AttemptStage::SamlLogout { .. } => Err(expired()),
        }
    }

    /// Stores a new session and ends those it replaces.
    async fn store_session(
        &self,
        realm: &Realm,
        request: LoginRequest<'_>,
        secret: &str,
        session: LoginSession,
    ) -> Result<(), Error> {
        let (rekeyed, replaced) = self.former_sessions(realm, request, secret);
        // The session's first request may come within the second that its stored time is rounded down to.
        self.active_session(realm, &Arc::new(session.clone())).touch(self.now().as_millisecond());
        self.store.create(session, rekeyed).await?;
        if !replaced.is_empty()
            && let Err(error) = self.store.end(replaced).await
        {
            tracing::warn!(%error, "replaced sessions could not be ended");
        }
        Ok(())
    }

    /// The browser's sessions from before a login. The new login changes the browser's secret, so that no attacker can
    /// have planted it: sessions at other routes of this host move to new keys (the first list); the session at this
    /// route and expired ones end (the second list).
    fn former_sessions(
        &self,
        realm: &Realm,
        request: LoginRequest<'_>,
        secret: &str,
    ) -> (Vec<(String, SessionKey)>, Vec<String>) {
        let (published, now, host) = (self.sessions(), self.now().as_millisecond(), request.origin.host());
        let (mut rekeyed, mut replaced) = (Vec::new(), Vec::new());
        for other in self.realms_of_edge(&realm.edge) {
            if other.cookies.session != realm.cookies.session {
                continue;
            }
            for former in cookies::secrets(request.headers, &realm.cookies.session) {
                let session = published.get(&session_key(former, &other.route));
                let Some(session) = session.filter(|session| session.host == host) else { continue };
                if other.route == realm.route || !other.accepts(session, host, self.last_request(session), now) {
                    replaced.push(session.id.clone());
                } else {
                    rekeyed.push((session.id.clone(), session_key(secret.as_bytes(), &other.route)));
                    break;
                }
            }
        }
        (rekeyed, replaced)
    }

    /// Redirects to the page the visitor asked for and sets the session cookie.
    fn session_response(
        &self,
        realm: &Realm,
        request: LoginRequest<'_>,
        back: &ReturnPath,
        nonce_cookie: &str,
        secret: &str,
    ) -> Result<LoginResponse, Error> {
        let mut response = redirect(&Method::POST, &request.origin.with(back.as_str()))?;
        add_cookie(&mut response, &cookies::clear(nonce_cookie));
        add_cookie(&mut response, &cookies::set(&realm.cookies.session, secret, None));
        Ok(response)
    }
}

/// Refuses a login attempt that another browser began, or that began at another host.
fn check_browser(attempt: &LoginAttempt, request: LoginRequest<'_>, nonce_cookie: &str) -> Result<(), Error> {
    let mut nonces = cookies::secrets(request.headers, nonce_cookie).map(|secret| digest(&[secret]));
    if attempt.origin.host() != request.origin.host() || !attempt.belongs_to(&mut nonces) {
        let message = "This login began in another browser or at another address. Log in again, and let the browser keep cookies.";
        return Err(Error::new(Code::LoginForeign, message));
    }
    Ok(())
}

/// A session that starts now; the store gives it its id.
fn new_session(
    realm: &Realm,
    request: LoginRequest<'_>,
    secret: &str,
    identity: VerifiedIdentity,
    now: Instant,
) -> LoginSession {
    let created_at = Timestamp::new(now);
    let seconds = i64::from(realm.options.maximum_duration);
    let expires_at = (seconds > 0).then(|| now.checked_add(jiff::SignedDuration::from_secs(seconds)).ok()).flatten();
    LoginSession {
        id: String::new(),
        user: String::new(),
        key: session_key(secret.as_bytes(), &realm.route),
        host: request.origin.host().to_owned(),
        public_url: request.origin.to_string(),
        route: realm.route.to_string(),
        edge: realm.edge.to_string(),
        realm: realm.digest.clone(),
        rules: realm.rules.clone(),
        person: identity.person,
        tokens: identity.tokens,
        provider_session: identity.provider_session,
        user_agent: user_agent(request.headers),
        address: request.address.to_canonical().to_string(),
        created_at,
        last_active: created_at,
        checked_at: created_at,
        expires_at: expires_at.map(Timestamp::new),
    }
}

/// The `User-Agent` of a request, shortened and without control characters.
fn user_agent(headers: &HeaderMap) -> String {
    let agent = headers.get(header::USER_AGENT).map(|agent| String::from_utf8_lossy(agent.as_bytes()));
    agent.unwrap_or_default().chars().filter(|letter| !letter.is_control()).take(MAX_USER_AGENT_CHARS).collect()
}
