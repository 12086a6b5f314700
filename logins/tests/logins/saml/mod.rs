//! Logins with SAML: an identity provider of our own that says anything, and a clock to turn.

mod hostile;
mod idp;
mod logout;
mod people;
mod unsolicited;

use crate::kit::{
    HOST, World,
    browser::{Browser, asked, location},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::read::DeflateDecoder;
use http::{HeaderMap, Method};
use idp::{Answer, login};
use postern_api::{
    Error,
    host::HostName,
    published::{HttpsEdge, Settings},
};
use postern_logins::{Asked, Operators, Origin, Realm, Reply};
use serde_json::Value;
use std::{io::Read, sync::Arc};
use url::{Url, form_urlencoded::Serializer};

/// A route with SAML, and a browser in front of it.
struct Scene {
    world: World,
    realm: Arc<Realm>,
    browser: Browser,
}

/// What went to the identity provider.
struct Sent {
    url: Url,
    xml: String,
    /// The id of the message.
    id: String,
    state: String,
}

impl Scene {
    fn new(changes: &Value) -> Self {
        let world = World::new(Operators::default());
        let names = ["*.any.test", HOST].map(|name| HostName::parse(name).expect("a name")).to_vec();
        let edge = HttpsEdge { id: "edghts_1".to_owned(), names, settings: Settings::default(), routes: Vec::new() };
        world.logins.follow([(edge.id.clone(), Arc::new(edge))].into_iter().collect());
        let realm = world.logins.realm("edghtsrt_1", "edghts_1", &login(changes)).expect("a realm");
        Scene { world, realm, browser: Browser::default() }
    }

    /// The module changes.
    fn change(&mut self, changes: &Value) {
        self.realm = self.world.logins.realm("edghtsrt_1", "edghts_1", &login(changes)).expect("a realm");
    }

    fn now(&self) -> i64 {
        self.world.now()
    }

    /// Asks for a page, and is sent to the identity provider.
    async fn begins(&mut self) -> Result<Sent, Error> {
        let (origin, headers) = (Origin::new(HOST, 4443), self.browser.sends());
        let reply = self.world.logins.begin(&self.realm, asked(&origin, "/a", None, &headers), "/a?b=c", false).await?;
        self.browser.keep(&reply);
        Ok(sent(location(&reply)))
    }

    /// Brings what the identity provider says to the login host.
    async fn brings(&self, part: &str, fields: &[(&str, &str)]) -> Result<Reply, Error> {
        let form = Serializer::new(String::new()).extend_pairs(fields).finish();
        self.at_login_host(Method::POST, &format!("/saml/edghtsrt_1{part}"), None, form).await
    }

    async fn at_login_host(
        &self,
        method: Method,
        path: &str,
        query: Option<&str>,
        form: String,
    ) -> Result<Reply, Error> {
        let (origin, headers) = (Origin::new("login.test", 4443), HeaderMap::new());
        let asked = Asked { method: &method, ..asked(&origin, path, query, &headers) };
        self.world.logins.at_login_host(asked, &form.into()).await
    }

    /// Brings a response.
    async fn responds(&self, xml: &str, state: &str) -> Result<Reply, Error> {
        let mut fields = vec![("RelayState", state)];
        let encoded = STANDARD.encode(xml);
        fields.push(("SAMLResponse", &encoded));
        self.brings("/acs", &fields).await
    }

    /// Goes on to the endpoint, where the session begins; where it leads then.
    async fn goes_on(&mut self, reply: &Reply) -> Result<String, Error> {
        assert_eq!(reply.status(), 303);
        let onward = location(reply).to_owned();
        let target = onward.strip_prefix("https://shop.test:4443").expect("the endpoint");
        let reply = self.browser.asks(&self.world, target).await?;
        Ok(location(&reply).to_owned())
    }

    /// Asks to be logged out.
    async fn log_out(&mut self, target: &str) -> Result<Reply, Error> {
        let (origin, headers) = (Origin::new(HOST, 4443), self.browser.sends());
        let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
        let asked = asked(&origin, path, query, &headers);
        let reply = self.world.logins.at_endpoint(asked, |_| Some(self.realm.clone())).await?;
        self.browser.keep(&reply);
        Ok(reply)
    }

    /// The whole way in.
    async fn logs_in(&mut self, change: impl FnOnce(&mut Answer)) -> Result<String, Error> {
        let sent = self.begins().await?;
        let mut answer = Answer::fine(Some(&sent.id), self.now());
        change(&mut answer);
        let reply = self.responds(&answer.xml(), &sent.state).await?;
        self.goes_on(&reply).await
    }
}

/// What a redirect takes along.
fn sent(address: &str) -> Sent {
    let url = Url::parse(address).expect("an address");
    let find = |wanted: &str| url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned());
    let message = find("SAMLRequest").or_else(|| find("SAMLResponse")).expect("a message");
    let mut xml = String::new();
    let deflated = STANDARD.decode(message).expect("Base64");
    DeflateDecoder::new(deflated.as_slice()).read_to_string(&mut xml).expect("a message");
    let id = xml.split(" ID=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an id").to_owned();
    let state = find("RelayState").unwrap_or_default();
    Sent { url, xml, id, state }
}
