//! A real edge on loopback, real agents in this process, and arbitrary visitors.

pub(crate) mod access_log;
pub(crate) mod agent;
pub(crate) mod client_certificates;
pub(crate) mod cluster;
pub(crate) mod edges;
pub(crate) mod frames;
pub(crate) mod h2c;
pub(crate) mod strict_origin;
pub(crate) mod visitor;

use postern_api::{
    acl::{Acl, AclRule},
    host::HostName,
    id::ksuid,
    published::{ChangeCursor, Changed, Credential, Listed, Published},
    token::Token,
};
use postern_edge::{Certificates, Edge, Live, Settings};
pub(crate) use postern_test_kit::{
    WAIT_TIMEOUT, eventually,
    http1::{Http1Client, Http1Response},
    in_time, ports,
    scripted_origin::ScriptedOrigin,
    until,
};
use postern_test_kit::{
    certificates::{CertificateAuthority, certified_key},
    tls,
};
use rustls::{pki_types::CertificateDer, sign::CertifiedKey};
use std::{
    collections::{BTreeSet, HashMap},
    net::IpAddr,
    sync::{Arc, Mutex},
};
use tokio::sync::watch;

/// An edge and what tests need to know about it.
pub(crate) struct World {
    pub(crate) edge: Edge,
    pub(crate) publish: watch::Sender<Arc<Published>>,
    reached: watch::Receiver<i64>,
    pub(crate) token: Token,
    pub(crate) authority: CertificateDer<'static>,
}

impl World {
    pub(crate) async fn start() -> World {
        World::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> World {
        let issuer = CertificateIssuer::new();
        let authority = issuer.authority.certificate().clone();
        let token = Token::generate(&ksuid(1_700_000_000, rand::random()));
        let mut published = Published::default();
        published.credentials.insert_mut(token.ksuid().to_owned(), credential(&token, &[]));
        let (publish, published) = watch::channel(Arc::new(published));
        let (applied, reached) = watch::channel(0);
        let mut settings = Settings::loopback(HostName::parse("localhost").unwrap());
        change(&mut settings);
        let edge = Edge::start(settings, Arc::new(issuer), published, applied).await.expect("the edge starts");
        World { edge, publish, reached, token, authority }
    }

    pub(crate) fn live(&self) -> Arc<Live> {
        self.edge.live()
    }

    /// Changes the published configuration.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Published)) {
        let mut published = Published::clone(&self.publish.borrow());
        let before = published.clone();
        change(&mut published);
        published.revision += 1;
        // Every other configuration lists its changes; the edge must handle both forms.
        published.cursor = match published.revision % 2 {
            0 => before.cursor.then(changed(&before, &published)),
            _ => ChangeCursor::default(),
        };
        self.publish.send_replace(Arc::new(published));
    }

    /// Waits until everything published is applied.
    pub(crate) async fn applied(&self) {
        let wanted = self.publish.borrow().revision;
        let mut reached = self.reached.clone();
        let waiting = reached.wait_for(|revision| *revision >= wanted);
        in_time(waiting).await.expect("the edge runs");
    }

    /// One more credential, with these ACL rules.
    pub(crate) fn credential(&self, rules: &[&str]) -> Token {
        let token = Token::generate(&ksuid(1_700_000_001, rand::random()));
        self.change(|published| {
            published.credentials.insert_mut(token.ksuid().to_owned(), credential(&token, rules));
        });
        token
    }
}

/// The differences to the former configuration.
fn changed(before: &Published, now: &Published) -> Changed {
    fn edges<T>(before: &Listed<T>, now: &Listed<T>) -> BTreeSet<String> {
        let same = |id: &String| before.get(id).zip(now.get(id)).is_some_and(|(one, other)| Arc::ptr_eq(one, other));
        before.keys().chain(now.keys()).filter(|id| !same(id)).cloned().collect()
    }
    let same = |id: &String| {
        before.backends.get(id).zip(now.backends.get(id)).is_some_and(|(one, other)| Arc::ptr_eq(one, other))
    };
    Changed {
        https_edges: edges(&before.https_edges, &now.https_edges),
        tls_edges: edges(&before.tls_edges, &now.tls_edges),
        tcp_edges: edges(&before.tcp_edges, &now.tcp_edges),
        backends: before.backends.keys().chain(now.backends.keys()).filter(|id| !same(id)).cloned().collect(),
        credentials: before.credentials != now.credentials,
    }
}

pub(crate) fn credential(token: &Token, rules: &[&str]) -> Credential {
    let rules = rules.iter().map(|rule| AclRule::parse(rule).unwrap()).collect();
    Credential {
        id: format!("cr_{}", token.ksuid()),
        hash: token.hash(),
        acl: Acl::new(rules),
        owner: "usr_1".to_owned(),
    }
}

/// Issues a certificate for any name.
struct CertificateIssuer {
    authority: CertificateAuthority,
    issued: Mutex<HashMap<String, Arc<CertifiedKey>>>,
}

impl CertificateIssuer {
    fn new() -> Self {
        CertificateIssuer { authority: CertificateAuthority::root("authority of the edge"), issued: Mutex::default() }
    }

    fn issue(&self, name: &str) -> Arc<CertifiedKey> {
        let issued = self.authority.issue(&rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap());
        certified_key(issued.chain, &issued.key)
    }
}

impl Certificates for CertificateIssuer {
    fn resolve(&self, name: Option<&HostName>, local: IpAddr) -> Option<Arc<CertifiedKey>> {
        let name = name.map_or_else(|| local.to_string(), ToString::to_string);
        let mut issued = self.issued.lock().unwrap();
        Some(issued.entry(name.clone()).or_insert_with(|| self.issue(&name)).clone())
    }
}

/// A TLS connector that trusts the world's authority and offers these protocols.
pub(crate) fn connector(world: &World, protocols: &[&[u8]]) -> tokio_rustls::TlsConnector {
    tls::connector([&world.authority], protocols)
}
