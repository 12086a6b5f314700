//! A browser: keeps the cookies of one host, asks, and follows what it is told.

use super::{HOST, World};
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use postern_api::{Code, Error};
use postern_logins::{Admission, Asked, Known, Origin, Realm, Reply};
use std::{collections::BTreeMap, net::Ipv4Addr, sync::Arc};
use url::Url;

#[derive(Clone, Default)]
pub(crate) struct Browser {
    pub(crate) cookies: BTreeMap<String, String>,
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// What the provider was asked in the visitor's address.
pub(crate) struct Sent {
    pub(crate) url: Url,
    pub(crate) state: String,
}

impl Sent {
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        self.url.query_pairs().find(|(found, _)| found == name).map(|(_, value)| value.into_owned())
    }
}

impl Browser {
    pub(crate) fn sends(&self) -> HeaderMap {
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

    pub(crate) fn keep(&mut self, reply: &Reply) {
        for line in reply.headers().get_all(header::SET_COOKIE) {
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

    /// Asks for a page of a route; somebody who is known comes in.
    pub(crate) async fn visits(&self, world: &World, realm: &Realm) -> Result<Arc<Known>, Option<Error>> {
        match world.logins.admit(realm, &Method::GET, &self.sends(), HOST).await {
            Admission::Known(known) => Ok(known),
            Admission::Refused(error) => Err(Some(error)),
            Admission::Unknown => Err(None),
            Admission::Through => panic!("a GET never goes through"),
        }
    }

    /// Is sent to the provider.
    pub(crate) async fn begins(&mut self, world: &World, realm: &Realm, path: &str) -> Result<Sent, Error> {
        let (origin, headers) = (Origin::new(HOST, 4443), self.sends());
        let asked = asked(&origin, path, None, &headers);
        let reply = world.logins.begin(realm, asked, path, false).await?;
        assert_eq!(reply.status(), 302);
        self.keep(&reply);
        let url = Url::parse(location(&reply)).expect("an address");
        let state = url.query_pairs().find(|(name, _)| name == "state").expect("a state").1.into_owned();
        Ok(Sent { url, state })
    }

    /// Comes back from the provider, by way of the login host.
    pub(crate) async fn returns(&mut self, world: &World, answer: &str) -> Result<String, Error> {
        let headers = HeaderMap::new();
        let login_host = Origin::new("login.test", 4443);
        let asked = asked(&login_host, "/oauth2/callback", Some(answer), &headers);
        let reply = world.logins.at_login_host(asked, &bytes::Bytes::new()).await?;
        let onward = location(&reply);
        assert_eq!(onward, format!("https://{HOST}:4443/.postern/callback?{answer}"));
        let reply = self.asks(world, &onward["https://shop.test:4443".len()..]).await?;
        Ok(location(&reply).to_owned())
    }

    /// Asks for one of the endpoint's own login addresses.
    pub(crate) async fn asks(&mut self, world: &World, target: &str) -> Result<Reply, Error> {
        let (origin, headers) = (Origin::new(HOST, 4443), self.sends());
        let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
        let reply = world.logins.at_endpoint(asked(&origin, path, query, &headers), |_| None).await;
        if let Ok(reply) = &reply {
            self.keep(reply);
        }
        reply
    }

    /// The whole way, for somebody the provider knows by a code.
    pub(crate) async fn logs_in(&mut self, world: &World, realm: &Realm, code: &str) -> Result<(), Error> {
        let sent = self.begins(world, realm, "/a?b=c").await?;
        let back = self.returns(world, &format!("code={code}&state={}", sent.state)).await?;
        assert_eq!(back, "https://shop.test:4443/a?b=c");
        Ok(())
    }
}

pub(crate) fn asked<'a>(
    origin: &'a Origin,
    path: &'a str,
    query: Option<&'a str>,
    headers: &'a HeaderMap,
) -> Asked<'a> {
    Asked { origin, method: &Method::GET, path, query, headers, address: Ipv4Addr::LOCALHOST.into() }
}

pub(crate) fn location(reply: &Reply) -> &str {
    reply.headers()[header::LOCATION].to_str().expect("text")
}

pub(crate) fn code<T>(outcome: Result<T, Error>) -> Code {
    match outcome {
        Ok(_) => panic!("it should have been refused"),
        Err(error) => error.code,
    }
}
