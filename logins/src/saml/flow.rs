//! What is answered at the addresses of a service provider: its metadata, and the ends of logins and logouts.

use super::{PREFIX, Saml, person, response, rules, service_provider::Message};
use crate::{
    asked::{Asked, method, parameter},
    attempts::{self, Attempt, Stage},
    logins::{Logins, Reply},
    origin::Origin,
    pages,
    realm::{Provider, Realm},
    reply::{expired, page, private, redirect},
    return_path::ReturnPath,
};
use bytes::Bytes;
use http::{HeaderValue, Method, Response, header};
use postern_api::{Code, Error, host::HostName, published::LoginSession};
use std::sync::Arc;
use url::Url;

/// The longest address that an identity provider may send somebody to.
const LONGEST_STATE: usize = 2048;

impl Logins {
    /// Answers at an address of a service provider; `None` if it is none.
    pub(crate) async fn at_service_provider(&self, asked: Asked<'_>, form: &Bytes) -> Option<Result<Reply, Error>> {
        let rest = asked.path.strip_prefix(PREFIX)?;
        let (route, part) = rest.split_once('/').map_or((rest, ""), |(route, part)| (route, part));
        let realm = self.realm_of(route)?;
        let Provider::Saml(saml) = &realm.provider else { return None };
        Some(match part {
            "" if rest == route => method(asked, &[Method::GET]).map(|()| metadata(saml)),
            "acs" => method(asked, &[Method::POST]).and_then(|()| self.consume(saml, &realm, asked, form)),
            "slo" => match method(asked, &[Method::GET, Method::POST]) {
                Ok(()) => self.single_logout(saml, &realm, asked, form).await,
                Err(error) => Err(error),
            },
            _ => Err(Code::LoginAddressUnknown.into()),
        })
    }

    /// Takes a response, and sends the browser to the endpoint, where the session begins.
    fn consume(&self, saml: &Saml, realm: &Realm, asked: Asked<'_>, form: &Bytes) -> Result<Reply, Error> {
        let form = text(form)?;
        let idp = saml.idp.as_ref().map_err(Clone::clone)?;
        let field = parameter(form, "SAMLResponse")?.ok_or_else(|| response::unreadable("has no `SAMLResponse`"))?;
        let state = parameter(form, "RelayState")?.unwrap_or_default();
        let told = response::read(response::decode(&field)?)?;
        let now = self.now();
        let begun = match self.attempts.take(&state, now) {
            Some(Attempt { route, origin, back, browser, stage: Stage::Response { request }, .. })
                if *route == *realm.route =>
            {
                Some((origin, back, browser, request))
            }
            Some(_) => return Err(expired()),
            None if told.in_response_to.is_some() => return Err(expired()),
            None => None,
        };
        if begun.is_none() {
            unsolicited(saml, rules::issued(&told)?, self.saml.began)?;
        }
        let request = begun.as_ref().map(|(.., request)| request.as_str());
        let expected = rules::Expected { idp: &idp.entity, entity: &saml.entity, acs: &saml.acs, request, now };
        rules::judge(&told, &expected)?;
        saml.provider.judge(&told, request, now, &mut |id, until| {
            self.saml.replays.see(&realm.route, id, until, now.as_second())
        })?;
        let known = Stage::Known(Box::new(person::known(&told, &idp.entity, &saml.authorized_groups)?));
        let (id, origin, back, browser) = match begun {
            // Its name is the one that the browser's cookie belongs to.
            Some((origin, back, browser, _)) => (state, origin, back, browser),
            None => {
                let (origin, back) = self.landing(realm, &state)?;
                (attempts::token(), origin, back, None)
            }
        };
        self.attempts.keep(&id, Attempt::new(&realm.route, origin.clone(), back, browser, known, now));
        redirect(asked.method, &format!("{}?state={id}", origin.with(&format!("{}callback", crate::PREFIX))))
    }

    /// Where somebody goes who came from the identity provider without having been sent there.
    fn landing(&self, realm: &Realm, state: &str) -> Result<(Origin, ReturnPath), Error> {
        let names = self.saml.names(&realm.edge);
        if state.is_empty() {
            let front = names.iter().find(|name| name.wildcard_parent().is_none()).ok_or_else(|| {
                let sentence = "The identity provider must say where you want to go: this login has no host of its own. \
                                Who runs it must send an address as `RelayState`.";
                Error::new(Code::RelayStateForeign, sentence)
            })?;
            return Ok((self.origin_of(front.as_str()), ReturnPath::root()));
        }
        let refused = |code, why: &str| {
            let sentence = format!(
                "The identity provider wants to send you somewhere (`RelayState`), but {why}. Who runs it must send \
                 an address of this endpoint, or nothing."
            );
            Error::new(code, sentence)
        };
        let url = Url::parse(state).ok().filter(|_| state.len() <= LONGEST_STATE);
        let url = url.ok_or_else(|| refused(Code::RelayStateUnreadable, "that is no address"))?;
        let host = url.host_str().and_then(|host| HostName::parse(host).ok());
        let host = host.filter(|host| host.wildcard_parent().is_none() && names.iter().any(|name| name.covers(host)));
        let host = host.ok_or_else(|| refused(Code::RelayStateForeign, "that is an address of another host"))?;
        let origin = self.origin_of(host.as_str());
        if url.origin().ascii_serialization() != origin.to_string()
            || !url.username().is_empty()
            || url.password().is_some()
        {
            return Err(refused(Code::RelayStateScheme, "that is not how this endpoint is reached"));
        }
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        Ok((origin, ReturnPath::of_request(&path)))
    }

    /// Takes a message of a logout: one that the identity provider began, or the answer to one that began here.
    async fn single_logout(&self, saml: &Saml, realm: &Realm, asked: Asked<'_>, form: &Bytes) -> Result<Reply, Error> {
        let posted = asked.method == Method::POST;
        let sent = if posted { text(form)? } else { asked.query.unwrap_or_default() };
        let state = parameter(sent, "RelayState")?;
        let (request, answer) = (parameter(sent, "SAMLRequest")?, parameter(sent, "SAMLResponse")?);
        let now = self.now();
        let mut see = |id: &str, until| self.saml.replays.see(&realm.route, id, until, now.as_second());
        let of = |field: &'_ String| if posted { Ok(field.clone()) } else { Err(()) };
        match (&request, &answer) {
            (Some(field), None) => {
                let posted = of(field);
                let message = posted.as_ref().map_or(Message::Redirect(sent), |field| Message::Post(field));
                let farewell = saml.provider.farewell(message, state.as_deref(), now, &mut see)?;
                let sessions = self.sessions();
                let meant = |session: &&Arc<LoginSession>| {
                    *session.route == *realm.route
                        && session.realm == realm.digest
                        && session.person.id == farewell.name_id
                        && (farewell.sessions.is_empty() || farewell.sessions.contains(&session.provider_session))
                };
                let ids: Vec<String> = sessions.values().filter(meant).map(|session| session.id.clone()).collect();
                if !ids.is_empty() {
                    self.ledger.end(ids).await?;
                }
                match farewell.answer {
                    Some(address) => redirect(asked.method, &address),
                    None => Ok(page(pages::logged_out(None))),
                }
            }
            (None, Some(field)) => {
                let attempt = self.attempts.take(&state.unwrap_or_default(), now).ok_or_else(expired)?;
                let Stage::Farewell { request, to_a_page } = attempt.stage else { return Err(expired()) };
                if *attempt.route != *realm.route {
                    return Err(expired());
                }
                let posted = of(field);
                let message = posted.as_ref().map_or(Message::Redirect(sent), |field| Message::Post(field));
                saml.provider.logged_out(message, &request, now, &mut see)?;
                if to_a_page {
                    return redirect(asked.method, &attempt.origin.with(attempt.back.as_str()));
                }
                let again = attempt.origin.with(&format!("{}login", crate::PREFIX));
                Ok(page(pages::logged_out(Some(&again))))
            }
            _ => Err(response::unreadable("has neither or both of `SAMLRequest` and `SAMLResponse`")),
        }
    }

    /// Tells the identity provider that somebody has logged out, if it wants to be told.
    pub(crate) fn say_farewell(
        &self,
        realm: &Realm,
        session: &LoginSession,
        asked: Asked<'_>,
        back: Option<&ReturnPath>,
    ) -> Option<Reply> {
        let Provider::Saml(saml) = &realm.provider else { return None };
        let state = attempts::token();
        // The session here is over in any case.
        let sent = saml.provider.ask_to_log_out(&session.person.id, &session.provider_session, &state).ok()??;
        let stage = Stage::Farewell { request: sent.id, to_a_page: back.is_some() };
        let back = back.cloned().unwrap_or_else(ReturnPath::root);
        let attempt = Attempt::new(&realm.route, asked.origin.clone(), back, None, stage, self.now());
        self.attempts.keep(&state, attempt);
        redirect(&Method::POST, &sent.address).ok()
    }
}

/// Whether somebody may come from the identity provider without having been sent there.
fn unsolicited(saml: &Saml, issued: i64, began: i64) -> Result<(), Error> {
    if !saml.allow_idp_initiated {
        let sentence = "Logins may not begin at the identity provider here. Open the page you want to see instead.";
        return Err(Error::new(Code::SamlUnsolicited, sentence));
    }
    // What was used before the server started again is not remembered.
    if issued < began {
        let sentence = "The answer of the identity provider is older than this server's memory. Log in again.";
        return Err(Error::new(Code::SamlReplayed, sentence));
    }
    Ok(())
}

fn text(form: &Bytes) -> Result<&str, Error> {
    std::str::from_utf8(form).map_err(|_| response::unreadable("is no form"))
}

fn metadata(saml: &Saml) -> Reply {
    let mut reply = Response::new(Bytes::from(saml.provider.metadata()));
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/samlmetadata+xml"));
    private(reply)
}
