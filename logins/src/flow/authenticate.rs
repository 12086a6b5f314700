//! Authentication of a request by its session cookie.

use crate::{
    cookies,
    last_used::ActiveSession,
    logins::{Logins, PublishedSessions},
    oauth::RecheckOutcome,
    realm::{Provider, Realm},
    session_key::session_key,
};
use http::{HeaderMap, Method};
use jiff::Timestamp as Instant;
use postern_api::{Error, Timestamp, published::LoginSession};
use std::sync::Arc;

/// What a realm decides about a request.
pub enum AuthOutcome {
    /// The request needs no login.
    Bypassed,
    /// The request belongs to a session.
    Authenticated(Arc<ActiveSession>),
    /// The request brings no valid session.
    Unauthenticated,
    /// The session is known, but its person may no longer pass, or could not be checked.
    Denied(Error),
}

impl Logins {
    /// Authenticates a request for a host.
    pub async fn authenticate(&self, realm: &Realm, method: &Method, headers: &HeaderMap, host: &str) -> AuthOutcome {
        if realm.options.options_passthrough && method == Method::OPTIONS {
            return AuthOutcome::Bypassed;
        }
        let now = self.now();
        match self.session_of_request(realm, headers, host, now.as_millisecond()) {
            Some(active) if realm.is_recheck_due(active.session(), now.as_second()) => {
                self.recheck(realm, &active).await
            }
            Some(active) => AuthOutcome::Authenticated(active),
            None => AuthOutcome::Unauthenticated,
        }
    }

    /// Checks the person with the provider again, once for all concurrent requests of the session.
    async fn recheck(&self, realm: &Realm, active: &ActiveSession) -> AuthOutcome {
        let _guard = active.recheck.lock().await;
        let now = self.now();
        let Some(session) = self.sessions().get(&active.session().key).cloned() else {
            return AuthOutcome::Unauthenticated;
        };
        if !realm.is_recheck_due(&session, now.as_second()) {
            return AuthOutcome::Authenticated(self.active_session(realm, &session));
        }
        let checked = match &realm.provider {
            Provider::OAuth(oauth) => oauth.recheck(&self.settings.http_client, &session).await,
            Provider::Oidc(_) => return AuthOutcome::Authenticated(self.active_session(realm, &session)),
            Provider::Saml(saml) => saml.recheck(&session.person).map(|()| {
                let LoginSession { person, tokens, .. } = (*session).clone();
                RecheckOutcome::Valid(Box::new((person, tokens)))
            }),
        };
        let outcome = match checked {
            Ok(RecheckOutcome::Valid(current)) => {
                let (person, tokens) = *current;
                let (checked_at, rules) = (Timestamp::new(now), realm.rules.clone());
                let last = self.last_used.last_request(&session.key);
                let last = last.and_then(|last| Instant::from_millisecond(last).ok());
                let last_active = last.map_or(session.last_active, Timestamp::new);
                let renewed = LoginSession { person, tokens, checked_at, rules, last_active, ..(*session).clone() };
                let stored = self.store.renew(renewed.clone()).await;
                stored.map(|()| AuthOutcome::Authenticated(self.active_session(realm, &Arc::new(renewed))))
            }
            Ok(RecheckOutcome::LoginRequired) => {
                self.store.end(vec![session.id.clone()]).await.map(|()| AuthOutcome::Unauthenticated)
            }
            Err(error) if error.status() == 403 => {
                self.store.end(vec![session.id.clone()]).await.map(|()| AuthOutcome::Denied(error))
            }
            Err(error) => Err(error),
        };
        outcome.unwrap_or_else(AuthOutcome::Denied)
    }

    /// The session of a request's cookies, if it has not expired; `now` is in milliseconds since 1970.
    fn session_of_request(
        &self,
        realm: &Realm,
        headers: &HeaderMap,
        host: &str,
        now: i64,
    ) -> Option<Arc<ActiveSession>> {
        let published = self.published.load();
        cookies::secrets(headers, &realm.cookies.session).find_map(|secret| {
            let active = self.session_of_secret(realm, secret, &published)?;
            realm.is_current(active.session(), host, active.last_request(), now).then(|| {
                active.touch(now);
                active
            })
        })
    }

    /// The published session that a secret belongs to.
    fn session_of_secret(
        &self,
        realm: &Realm,
        secret: &cookies::CookieSecret,
        published: &PublishedSessions,
    ) -> Option<Arc<ActiveSession>> {
        let key = match realm.session_cache.get(secret) {
            Some((active, revision)) if revision == published.revision => return Some(active),
            Some((active, _)) => active.session().key,
            None => session_key(secret, &realm.route),
        };
        let session = published.sessions.get(&key).filter(|session| realm.owns(session))?;
        let active = self.active_session(realm, session);
        realm.session_cache.insert(secret, active.clone(), published.revision);
        Some(active)
    }
}
