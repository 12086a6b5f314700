//! Everything about logins that the edge asks for, in one place.

use crate::{
    Clock, PREFIX,
    asked::{method, parameter},
    attempts::{self, Attempt, Attempts, Stage, digest},
    code_grant::Grant,
    cookies,
    identity::IdentityHeaders,
    ledger::Ledger,
    oauth::{Again, Operators},
    origin::Origin,
    pages,
    realm::{Provider, Realm, hex},
    reply::{add_cookie, expired, page, redirect, refused_by_provider},
    return_path::ReturnPath,
    saml::Memory,
    seen::{Known, Seen},
    sessions,
    web::Web,
};
use arc_swap::ArcSwap;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Response, header};
use jiff::Timestamp;
use postern_api::{
    Code, Error, Timestamp as Moment,
    published::{HttpsEdge, Listed, Login, LoginSession, LoginSessions, SessionKey},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

pub use crate::asked::Asked;

/// What the edge sends to the visitor as it is.
pub type Reply = Response<Bytes>;

/// How often what was seen of sessions is written down.
const WRITE_DOWN: Duration = Duration::from_secs(30);
/// The name of a browser is cut here.
const LONGEST_AGENT: usize = 256;
/// Logins that one browser may have begun and not finished: their cookies would fill its requests.
const MOST_BEGUN: usize = 6;

/// What logins must be told.
pub struct Settings {
    /// The one host of all login addresses.
    pub login_host: Origin,
    /// How local services are told who it is.
    pub headers: IdentityHeaders,
    /// Tells the time.
    pub clock: Clock,
    /// The way to identity providers.
    pub web: Web,
    /// What the operator decided about OAuth providers.
    pub operators: Operators,
}

/// What a realm says of a request.
pub enum Admission {
    /// It needs no login.
    Through,
    /// Somebody who has logged in.
    Known(Arc<Known>),
    /// Nobody who is known.
    Unknown,
    /// Somebody who is known, and may not come in any more.
    Refused(Error),
}

/// Everybody who has logged in, as it was published last.
#[derive(Default)]
struct Published {
    sessions: LoginSessions,
    /// Goes up with each of them: what was found in the same one need not be looked for again.
    edition: u64,
}

/// All logins of a server.
pub struct Logins {
    settings: Settings,
    pub(crate) ledger: Arc<dyn Ledger>,
    published: ArcSwap<Published>,
    seen: Seen,
    pub(crate) attempts: Attempts,
    pub(crate) saml: Memory,
    /// Realms in use, by route.
    realms: Mutex<HashMap<Arc<str>, Weak<Realm>>>,
}

impl Logins {
    /// Begins with nobody logged in.
    pub fn new(settings: Settings, ledger: Arc<dyn Ledger>) -> Self {
        let saml = Memory::new((settings.clock)());
        Logins {
            settings,
            ledger,
            published: ArcSwap::default(),
            seen: Seen::default(),
            attempts: Attempts::default(),
            saml,
            realms: Mutex::default(),
        }
    }

    /// Takes the sessions that are published from now on.
    pub fn publish(&self, sessions: LoginSessions) {
        self.published.rcu(|former| Published { sessions: sessions.clone(), edition: former.edition + 1 });
    }

    /// Everybody who has logged in, as of now.
    pub(crate) fn sessions(&self) -> LoginSessions {
        self.published.load().sessions.clone()
    }

    /// Takes the edges from now on: logins that begin at an identity provider may lead to their names alone.
    pub fn follow(&self, edges: Listed<HttpsEdge>) {
        self.saml.follow(edges);
    }

    /// The origin of a host name at which this server serves HTTPS.
    pub fn origin_of(&self, host: &str) -> Origin {
        self.settings.login_host.sibling(host)
    }

    /// The one host of all login addresses.
    pub fn login_host(&self) -> &Origin {
        &self.settings.login_host
    }

    /// How local services are told who it is.
    pub fn headers(&self) -> &IdentityHeaders {
        &self.settings.headers
    }

    /// Makes the login of a route ready.
    ///
    /// # Errors
    /// If the module cannot be put to work.
    pub fn realm(&self, route: &str, edge: &str, login: &Login) -> Result<Arc<Realm>, Error> {
        let realm = Arc::new(Realm::new(route, edge, login, &self.settings)?);
        self.realms().insert(realm.route.clone(), Arc::downgrade(&realm));
        Ok(realm)
    }

    pub(crate) fn realm_of(&self, route: &str) -> Option<Arc<Realm>> {
        self.realms().get(route)?.upgrade()
    }

    fn realms(&self) -> MutexGuard<'_, HashMap<Arc<str>, Weak<Realm>>> {
        self.realms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn realms_of_edge(&self, edge: &str) -> Vec<Arc<Realm>> {
        self.realms().values().filter_map(Weak::upgrade).filter(|realm| *realm.edge == *edge).collect()
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.settings.clock)()
    }

    /// Who sent a request to a host.
    pub async fn admit(&self, realm: &Realm, method: &Method, headers: &HeaderMap, host: &str) -> Admission {
        if realm.options.options_passthrough && method == Method::OPTIONS {
            return Admission::Through;
        }
        let now = self.now().as_second();
        match self.known(realm, headers, host, now) {
            Some(known) if realm.is_due(known.session(), now) => self.check(realm, &known).await,
            Some(known) => Admission::Known(known),
            None => Admission::Unknown,
        }
    }

    /// Asks the provider for somebody again, for all requests of the session at once.
    async fn check(&self, realm: &Realm, known: &Known) -> Admission {
        let _turn = known.checking.lock().await;
        let now = self.now();
        let Some(session) = self.sessions().get(&known.session().key).cloned() else { return Admission::Unknown };
        if !realm.is_due(&session, now.as_second()) {
            return Admission::Known(self.see(realm, &session));
        }
        let again = match &realm.provider {
            Provider::OAuth(oauth) => oauth.check(&self.settings.web, &session).await,
            Provider::Oidc(_) => return Admission::Known(self.see(realm, &session)),
            Provider::Saml(saml) => saml.still(&session.person).map(|()| {
                let LoginSession { person, tokens, .. } = (*session).clone();
                Again::Stays(Box::new((person, tokens)))
            }),
        };
        let kept = match again {
            Ok(Again::Stays(told)) => {
                let (person, tokens) = *told;
                let (checked_at, rules) = (Moment::new(now), realm.rules.clone());
                let last = self.seen.last(&session.key).and_then(|last| Timestamp::from_second(last).ok());
                let last_active = last.map_or(session.last_active, Moment::new);
                let renewed = LoginSession { person, tokens, checked_at, rules, last_active, ..(*session).clone() };
                self.ledger.renew(renewed.clone()).await.map(|()| Admission::Known(self.see(realm, &Arc::new(renewed))))
            }
            Ok(Again::Unknown) => self.ledger.end(vec![session.id.clone()]).await.map(|()| Admission::Unknown),
            Err(error) if error.status() == 403 => {
                self.ledger.end(vec![session.id.clone()]).await.map(|()| Admission::Refused(error))
            }
            Err(error) => Err(error),
        };
        kept.unwrap_or_else(Admission::Refused)
    }

    fn see(&self, realm: &Realm, session: &Arc<LoginSession>) -> Arc<Known> {
        self.seen.get(session, |session| self.settings.headers.of(&session.person, realm.tokens(session)))
    }

    fn known(&self, realm: &Realm, headers: &HeaderMap, host: &str, now: i64) -> Option<Arc<Known>> {
        let published = self.published.load();
        cookies::values(headers, &realm.cookies.session).find_map(|secret| {
            let known = self.recognize(realm, secret, &published)?;
            realm.lasts(known.session(), host, known.last(), now).then(|| {
                known.touch(now);
                known
            })
        })
    }

    /// Whose secret this is, among those who have logged in here.
    fn recognize(&self, realm: &Realm, secret: &cookies::Secret, published: &Published) -> Option<Arc<Known>> {
        let key = match realm.recognized.get(secret) {
            Some((known, edition)) if edition == published.edition => return Some(known),
            Some((known, _)) => known.session().key,
            None => sessions::key(secret, &realm.route),
        };
        let session = published.sessions.get(&key).filter(|session| realm.has(session))?;
        let known = self.see(realm, session);
        realm.recognized.keep(secret, known.clone(), published.edition);
        Some(known)
    }

    /// Takes our cookies out of a request: they are nothing local services may see.
    pub fn strip(realm: &Realm, headers: &mut HeaderMap) {
        cookies::strip(headers, &realm.cookies);
    }

    /// Whether a visitor who is not known is sent to the provider; others are told with a status.
    pub fn is_browsing(headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or_default();
        if text(header::HeaderName::from_static("sec-fetch-mode")).eq_ignore_ascii_case("cors") {
            return false;
        }
        let accept = text(header::ACCEPT).to_ascii_lowercase();
        !accept.contains("json") || accept.contains("text/html") || accept.contains("application/xhtml+xml")
    }

    /// Sends a visitor to the provider, to come back to what they asked for. `again`: even if the provider knows them.
    ///
    /// # Errors
    /// If the provider cannot be reached.
    pub async fn begin(&self, realm: &Realm, asked: Asked<'_>, back: &str, again: bool) -> Result<Reply, Error> {
        let back = ReturnPath::of_request(back);
        let (secret, state) = (attempts::token(), attempts::token());
        let (mut url, stage) = match &realm.provider {
            Provider::Oidc(oidc) => {
                oidc.begin(&self.settings.web, &self.settings.clock, &self.callback(), again).await?
            }
            Provider::OAuth(oauth) => oauth.begin(&self.callback(), again),
            Provider::Saml(saml) => saml.begin(&state, again)?,
        };
        let (origin, browser) = (asked.origin.clone(), Some(digest(&[&secret])));
        self.attempts.keep(&state, Attempt::new(&realm.route, origin, back, browser, stage, self.now()));
        if !matches!(realm.provider, Provider::Saml(_)) {
            url.query_pairs_mut().append_pair("state", &state);
        }
        let mut reply = redirect(asked.method, url.as_str())?;
        let begun: Vec<_> = cookies::names(asked.headers, &realm.cookies.nonce).collect();
        for name in begun.iter().take(begun.len().saturating_sub(MOST_BEGUN - 1)) {
            add_cookie(&mut reply, &cookies::clear(name));
        }
        add_cookie(&mut reply, &cookies::set(&nonce_name(realm, &state), &secret, Some(600)));
        Ok(reply)
    }

    fn callback(&self) -> String {
        self.settings.login_host.with("/oauth2/callback")
    }

    /// Answers at the login host. `form` is the body of a POST.
    ///
    /// # Errors
    /// If the address is not one of a login, or the login is not known.
    pub async fn at_login_host(&self, asked: Asked<'_>, form: &Bytes) -> Result<Reply, Error> {
        match asked.path {
            "/oauth2/callback" => {
                method(asked, &[Method::GET])?;
                let query = asked.query.unwrap_or_default();
                let state = parameter(query, "state")?.unwrap_or_default();
                let origin = self.attempts.origin(&state, self.now()).ok_or_else(expired)?;
                redirect(asked.method, &format!("{}?{query}", origin.with(&format!("{PREFIX}callback"))))
            }
            _ => self.at_service_provider(asked, form).await.unwrap_or_else(|| Err(Code::LoginAddressUnknown.into())),
        }
    }

    /// Answers at an endpoint's own login addresses. `find` names the realm that guards a path.
    ///
    /// # Errors
    /// If the address is none of them, or the login fails.
    pub async fn at_endpoint(
        &self,
        asked: Asked<'_>,
        find: impl Fn(&str) -> Option<Arc<Realm>>,
    ) -> Result<Reply, Error> {
        let query = asked.query.unwrap_or_default();
        let wished = || Ok::<_, Error>(parameter(query, "redirect_path")?.and_then(|path| ReturnPath::parse(&path)));
        match asked.path.strip_prefix(PREFIX) {
            Some("callback") => {
                method(asked, &[Method::GET])?;
                self.finish(asked, query).await
            }
            Some("login") => {
                method(asked, &[Method::GET])?;
                let back = wished()?.unwrap_or_else(ReturnPath::root);
                let path = back.as_str().split(['?', '#']).next().unwrap_or("/");
                let realm = find(path).or_else(|| find("/")).ok_or(Code::LoginAddressUnknown)?;
                self.begin(&realm, asked, back.as_str(), true).await
            }
            Some("logout") => {
                method(asked, &[Method::GET, Method::POST])?;
                let back = wished()?;
                let path = back.as_ref().map_or("/", |back| back.as_str());
                let realm = find(path).or_else(|| find("/")).ok_or(Code::LoginAddressUnknown)?;
                self.log_out(asked, &realm, back).await
            }
            _ => Err(Code::LoginAddressUnknown.into()),
        }
    }

    async fn finish(&self, asked: Asked<'_>, query: &str) -> Result<Reply, Error> {
        let state = parameter(query, "state")?.unwrap_or_default();
        let now = self.now();
        let attempt = self.attempts.take(&state, now).ok_or_else(expired)?;
        let realm = self.realm_of(&attempt.route).ok_or_else(expired)?;
        let nonce_cookie = nonce_name(&realm, &state);
        let own = cookies::values(asked.headers, &nonce_cookie).map(|secret| digest(&[secret]));
        if attempt.origin.host() != asked.origin.host() || !attempt.belongs_to(own) {
            let sentence = "This login began in another browser or at another address. Log in again, and let the browser keep cookies.";
            return Err(Error::new(Code::LoginForeign, sentence));
        }
        if let Some(why) = parameter(query, "error")? {
            return Err(refused_by_provider(&why));
        }
        let known = match attempt.stage {
            Stage::Code { verifier, nonce } => {
                let code = parameter(query, "code")?.ok_or_else(|| refused_by_provider("no code"))?;
                let named = parameter(query, "iss")?;
                let callback = self.callback();
                let grant = Grant { code: &code, verifier: &verifier, callback: &callback };
                match &realm.provider {
                    Provider::Oidc(oidc) => {
                        let (web, clock) = (&self.settings.web, &self.settings.clock);
                        oidc.finish(web, clock, grant, &nonce, named.as_deref()).await?
                    }
                    Provider::OAuth(oauth) => oauth.finish(&self.settings.web, grant).await?,
                    Provider::Saml(_) => return Err(expired()),
                }
            }
            Stage::Known(known) => {
                if let Provider::Saml(saml) = &realm.provider {
                    // The module may have changed since the identity provider's answer came.
                    saml.still(&known.person)?;
                }
                *known
            }
            Stage::Response { .. } | Stage::Farewell { .. } => return Err(expired()),
        };
        let secret = attempts::token();
        let moment = Moment::new(now);
        let lasting = i64::from(realm.options.maximum_duration);
        let expires = (lasting > 0).then(|| now.checked_add(jiff::SignedDuration::from_secs(lasting)).ok()).flatten();
        let agent = asked.headers.get(header::USER_AGENT).map(|agent| String::from_utf8_lossy(agent.as_bytes()));
        let session = LoginSession {
            id: String::new(),
            user: String::new(),
            key: sessions::key(secret.as_bytes(), &realm.route),
            host: asked.origin.host().to_owned(),
            public_url: asked.origin.to_string(),
            route: realm.route.to_string(),
            edge: realm.edge.to_string(),
            realm: realm.digest.clone(),
            rules: realm.rules.clone(),
            person: known.person,
            tokens: known.tokens,
            provider_session: known.provider_session,
            user_agent: agent
                .unwrap_or_default()
                .chars()
                .filter(|letter| !letter.is_control())
                .take(LONGEST_AGENT)
                .collect(),
            address: asked.address.to_canonical().to_string(),
            created_at: moment,
            last_active: moment,
            checked_at: moment,
            expires_at: expires.map(Moment::new),
        };
        let (renamed, replaced) = self.others(&realm, asked, &secret);
        self.ledger.begin(session, renamed).await?;
        if !replaced.is_empty()
            && let Err(error) = self.ledger.end(replaced).await
        {
            tracing::warn!(%error, "sessions that were replaced could not be ended");
        }
        let mut reply = redirect(&Method::POST, &asked.origin.with(attempt.back.as_str()))?;
        add_cookie(&mut reply, &cookies::clear(&nonce_cookie));
        add_cookie(&mut reply, &cookies::set(&realm.cookies.session, &secret, None));
        Ok(reply)
    }

    /// A login gives the browser another secret, so that nobody can have planted it; what the browser has logged in to
    /// at the other routes of this host moves along. What it had here before, and what is over, ends: the second list.
    fn others(&self, realm: &Realm, asked: Asked<'_>, secret: &str) -> (Vec<(String, SessionKey)>, Vec<String>) {
        let (published, now, host) = (self.sessions(), self.now().as_second(), asked.origin.host());
        let (mut renamed, mut replaced) = (Vec::new(), Vec::new());
        for other in self.realms_of_edge(&realm.edge) {
            if other.cookies.session != realm.cookies.session {
                continue;
            }
            for former in cookies::values(asked.headers, &realm.cookies.session) {
                let session = published.get(&sessions::key(former, &other.route));
                let Some(session) = session.filter(|session| session.host == host) else { continue };
                if other.route == realm.route || !other.takes(session, host, self.last(session), now) {
                    replaced.push(session.id.clone());
                } else {
                    renamed.push((session.id.clone(), sessions::key(secret.as_bytes(), &other.route)));
                    break;
                }
            }
        }
        (renamed, replaced)
    }

    /// Seconds since 1970 of a session's last request.
    fn last(&self, session: &LoginSession) -> i64 {
        self.seen.last(&session.key).unwrap_or(i64::MIN).max(session.last_active.seconds())
    }

    async fn log_out(&self, asked: Asked<'_>, realm: &Realm, back: Option<ReturnPath>) -> Result<Reply, Error> {
        let foreign = asked.headers.get("sec-fetch-site").is_some_and(|site| site.as_bytes() == b"cross-site");
        if foreign {
            let sentence = "Another site asked to log you out. Open the address yourself if you want to.";
            return Err(Error::new(Code::LoginForeign, sentence));
        }
        let published = self.sessions();
        let (mut ids, mut own) = (Vec::new(), None);
        let mut names = vec![realm.cookies.session.clone()];
        for other in self.realms_of_edge(&realm.edge) {
            for secret in cookies::values(asked.headers, &other.cookies.session) {
                let session = published.get(&sessions::key(secret, &other.route));
                if let Some(session) = session.filter(|session| session.host == asked.origin.host()) {
                    ids.push(session.id.clone());
                    own = own.or((other.route == realm.route).then_some(session));
                }
            }
            if !names.contains(&other.cookies.session) {
                names.push(other.cookies.session.clone());
            }
        }
        if !ids.is_empty() {
            self.ledger.end(ids).await?;
        }
        let farewell = own.and_then(|session| self.say_farewell(realm, session, asked, back.as_ref()));
        let mut reply = match (farewell, back) {
            (Some(reply), _) => reply,
            (None, Some(back)) => redirect(&Method::POST, &asked.origin.with(back.as_str()))?,
            (None, None) => page(pages::logged_out(Some(&format!("{PREFIX}login")))),
        };
        for name in names {
            add_cookie(&mut reply, &cookies::clear(&name));
        }
        Ok(reply)
    }

    /// Writes down what was seen of sessions, and ends those that are over, until the future is dropped.
    pub async fn keep(&self) {
        let mut pause = tokio::time::interval(WRITE_DOWN);
        pause.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            pause.tick().await;
            self.write_down().await;
        }
    }

    /// Does so once: what the server does before it goes.
    pub async fn write_down(&self) {
        let now = self.now().as_second();
        self.saml.tidy(now);
        self.realms().retain(|_, realm| realm.strong_count() > 0);
        let published = self.sessions();
        let there =
            |known: &Known| published.get(&known.session().key).is_some_and(|now| Arc::ptr_eq(now, known.session()));
        let realms: Vec<_> = self.realms().values().filter_map(Weak::upgrade).collect();
        realms.iter().for_each(|realm| realm.recognized.retain(there));
        let over = published.values().filter(|session| self.is_over(session, now));
        let over: Vec<String> = over.map(|session| session.id.clone()).collect();
        let used = self.seen.used(|key| published.get(key).cloned());
        let ended = if over.is_empty() { Ok(()) } else { self.ledger.end(over).await };
        let written = if used.is_empty() { Ok(()) } else { self.ledger.used(used).await };
        if let Err(error) = ended.and(written) {
            tracing::warn!(%error, "what was seen of sessions could not be written down");
        }
    }

    /// Whether nobody can use a session any more. Without its route nobody knows, so it stays for a day.
    fn is_over(&self, session: &LoginSession, now: i64) -> bool {
        let last = self.last(session);
        match self.realm_of(&session.route) {
            Some(realm) => !realm.takes(session, &session.host, last, now),
            None => now - last > 24 * 3600,
        }
    }
}

/// The cookie that ties an attempt to its browser.
fn nonce_name(realm: &Realm, state: &str) -> String {
    format!("{}{}", realm.cookies.nonce, hex(&digest(&["cookie", state])[..8]))
}
