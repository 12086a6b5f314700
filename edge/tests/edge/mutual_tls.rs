//! Edges with their own connection rules: client certificates, TLS versions, and changes of both.

use crate::kit::{
    ScriptedOrigin, World,
    client_certificates::{comes_in, connect, issue, issue_with, side, turned_away},
    edges::{address, below, https, response, tls, to},
    visitor,
};
use postern_api::{
    Secret, Timestamp,
    module::{TerminateAt, TlsVersion},
    published::{Certificate, HttpsEdge, Settings, Termination},
};
use postern_test_kit::certificates::CertificateAuthority;
use rcgen::{ExtendedKeyUsagePurpose, date_time_ymd};
use rustls::{
    AlertDescription, HandshakeKind, SupportedProtocolVersion,
    version::{TLS12, TLS13},
};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const BOTH: [&SupportedProtocolVersion; 2] = [&TLS12, &TLS13];
const HOST: &str = "inner.localhost";
const REQUEST: &str = "GET / HTTP/1.1\r\nHost: inner.localhost\r\n\r\n";

fn only_for(authorities: &[&CertificateAuthority]) -> Settings {
    let authorities = authorities.iter().map(|authority| authority.pem().into()).collect();
    Settings { mutual_tls: Some(authorities), ..Settings::default() }
}

fn not_before(oldest: TlsVersion) -> Settings {
    let termination = Termination { at: TerminateAt::Edge, oldest: Some(oldest) };
    Settings { tls_termination: Some(termination), ..Settings::default() }
}

fn edge(host: &str, settings: Settings) -> HttpsEdge {
    HttpsEdge { settings, ..https(&[host], &[below("/", to("bkdsc_1"))]) }
}

/// A world with an origin that echoes the request it received.
async fn world() -> (World, ScriptedOrigin) {
    let world = World::start().await;
    let origin = ScriptedOrigin::responding(|request| {
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{request}", request.len())
    })
    .await;
    world.backends([("bkdsc_1", address(origin.address)), ("bkdhr_1", response(200, "open"))]).await;
    (world, origin)
}

#[tokio::test]
async fn only_certificates_of_the_configured_authorities_are_accepted() {
    let (world, _origin) = world().await;
    let (one, two, stranger) =
        (CertificateAuthority::root("one"), CertificateAuthority::root("two"), CertificateAuthority::root("stranger"));
    let below_two = two.intermediate("below two").intermediate("two below two");
    world.https_edge(edge(HOST, only_for(&[&one, &two]))).await;
    let old = issue_with(&one, "old", |params| {
        (params.not_before, params.not_after) = (date_time_ymd(2000, 1, 1), date_time_ymd(2001, 1, 1));
    });
    let server =
        issue_with(&one, "server", |params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth]);
    for version in BOTH {
        for holder in [issue(&one, "ada"), issue(&two, "bob"), issue(&below_two, "cyd")] {
            let response = comes_in(&world, &side(&world, Some(&holder), version), HOST).await.request(REQUEST).await;
            assert_eq!(response.status, 200, "{version:?}");
        }
        let unknown = issue(&stranger, "eve");
        for (holder, alerts) in [
            (None, &[AlertDescription::CertificateRequired, AlertDescription::HandshakeFailure][..]),
            (Some(&unknown), &[AlertDescription::UnknownCA]),
            (Some(&old), &[AlertDescription::CertificateExpired]),
            (Some(&server), &[AlertDescription::UnsupportedCertificate, AlertDescription::BadCertificate]),
        ] {
            let alert = turned_away(&world, &side(&world, holder, version), HOST).await;
            assert!(alerts.contains(&alert), "{version:?}: {alert:?} is none of {alerts:?}");
        }
    }
    world.https_edge(edge(HOST, only_for(&[]))).await;
    let refused = connect(&world, &side(&world, Some(&issue(&one, "ada")), &TLS13), HOST).await;
    assert!(refused.is_err(), "without an authority no visitor is admitted");
}

#[tokio::test]
async fn the_local_service_receives_the_identity_from_the_edge_alone() {
    let (world, _origin) = world().await;
    let root = CertificateAuthority::root("one");
    let ada = side(&world, Some(&issue(&root, "ada")), &TLS13);
    let claims = "GET / HTTP/1.1\r\nHost: inner.localhost\r\nPostern-Mtls-Subject-Cn: admin\r\npostern_mtls_subject_cn: admin\r\n\r\n";
    for settings in [only_for(&[&root]), Settings::default()] {
        let proved = settings.mutual_tls.is_some();
        world.https_edge(edge(HOST, settings)).await;
        // The second connection resumes the TLS session.
        for _ in 0..2 {
            let received = comes_in(&world, &ada, HOST).await.request(claims).await.text().to_ascii_lowercase();
            assert!(!received.contains("admin"), "{received}");
            for header in [
                "postern-mtls-subject-cn: ada\r\n",
                "postern-mtls-subject-alt-name-dns: ada.test\r\n",
                "postern-mtls-email-addresses: ada@people.test\r\n",
                "postern-mtls-serial-number: abc\r\n",
            ] {
                assert_eq!(received.contains(header), proved, "{header} in {received}");
            }
        }
    }
}

#[tokio::test]
async fn a_connection_to_an_edge_with_rules_serves_that_edge_alone() {
    let (world, origin) = world().await;
    let root = CertificateAuthority::root("one");
    world.https_edge(edge(HOST, only_for(&[&root]))).await;
    world.https_edge(edge("other.localhost", only_for(&[&root]))).await;
    world.https_edge(HttpsEdge { ..https(&["open.localhost"], &[below("/", to("bkdhr_1"))]) }).await;
    let agent = crate::kit::agent::Agent::connect(&world, "one").await;
    agent.http(Some("tunnel.localhost"), origin.address).await.unwrap();
    let ada = side(&world, Some(&issue(&root, "ada")), &TLS13);
    for host in ["other.localhost", "open.localhost", "tunnel.localhost"] {
        let mut visitor = comes_in(&world, &ada, HOST).await;
        assert_eq!(visitor.request(REQUEST).await.status, 200);
        let response = visitor.request(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")).await;
        assert_eq!((response.status, response.code()), (421, "ERR_POSTERN_3013"), "{host}");
        assert_eq!(response.header("connection"), Some("close"), "the visitor's next try is a new connection");
    }
    for from in ["open.localhost", "tunnel.localhost", "nowhere.localhost"] {
        let response = visitor::https(&world, from).await.request(REQUEST).await;
        assert_eq!((response.status, response.code()), (421, "ERR_POSTERN_3013"), "from {from}");
    }
    let mut http2 = visitor::http2(&world, "open.localhost").await;
    let request = hyper::Request::get(format!("https://{HOST}/")).body(Default::default()).unwrap();
    assert_eq!(http2.send_request(request).await.unwrap().status(), 421);
    let request = hyper::Request::get("https://open.localhost/").body(Default::default()).unwrap();
    assert_eq!(http2.send_request(request).await.unwrap().status(), 200, "the connection is as good as before");
}

#[tokio::test]
async fn changed_rules_apply_to_open_connections() {
    let (world, _origin) = world().await;
    let (one, two) = (CertificateAuthority::root("one"), CertificateAuthority::root("two"));
    let (ada, bob) = (side(&world, Some(&issue(&one, "ada")), &TLS13), side(&world, Some(&issue(&two, "bob")), &TLS13));
    world.https_edge(edge(HOST, Settings::default())).await;
    let mut anybody = comes_in(&world, &side(&world, None, &TLS13), HOST).await;
    assert_eq!(anybody.request(REQUEST).await.status, 200);
    world.https_edge(edge(HOST, only_for(&[&one]))).await;
    assert_eq!(anybody.request(REQUEST).await.status, 421);
    let mut standing = comes_in(&world, &ada, HOST).await;
    assert_eq!(standing.request(REQUEST).await.status, 200);

    let routes = [below("/", to("bkdsc_1")), below("/more", to("bkdhr_1"))];
    world.https_edge(HttpsEdge { settings: only_for(&[&one]), ..https(&[HOST], &routes) }).await;
    assert_eq!(standing.request(REQUEST).await.status, 200, "a change of routes changes no rules");

    world.https_edge(edge(HOST, only_for(&[&two]))).await;
    assert_eq!(standing.request(REQUEST).await.status, 421, "certified by an authority that is no longer trusted");
    assert_eq!(turned_away(&world, &ada, HOST).await, AlertDescription::UnknownCA, "and no session is resumed");
    let mut standing = comes_in(&world, &bob, HOST).await;
    assert_eq!(standing.request(REQUEST).await.status, 200);
    world.https_edge(edge(HOST, Settings::default())).await;
    let received = standing.request(REQUEST).await;
    assert_eq!(received.status, 200, "who fulfilled more than is asked for may stay");
    assert!(!received.text().to_ascii_lowercase().contains("postern-mtls"), "{}", received.text());
}

#[tokio::test]
async fn old_tls_versions_are_refused_where_an_edge_requires_it() {
    let (world, origin) = world().await;
    let echo = ScriptedOrigin::echo().await;
    world.backends([("bkdsc_2", address(echo.address))]).await;
    for version in BOTH {
        let old = version.version == TLS12.version;
        world.https_edge(edge(HOST, not_before(TlsVersion::Tls12))).await;
        world
            .tls_edge(tls(
                "raw.localhost",
                Settings { backend: Some("bkdsc_2".into()), ..not_before(TlsVersion::Tls12) },
            ))
            .await;
        let side = side(&world, None, version);
        assert_eq!(comes_in(&world, &side, HOST).await.request(REQUEST).await.status, 200);
        connect(&world, &side, "raw.localhost").await.expect("no TLS is too old yet");
        world.https_edge(edge(HOST, not_before(TlsVersion::Tls13))).await;
        world
            .tls_edge(tls(
                "raw.localhost",
                Settings { backend: Some("bkdsc_2".into()), ..not_before(TlsVersion::Tls13) },
            ))
            .await;
        if old {
            assert_eq!(turned_away(&world, &side, HOST).await, AlertDescription::ProtocolVersion);
            assert_eq!(turned_away(&world, &side, "raw.localhost").await, AlertDescription::ProtocolVersion);
        } else {
            assert_eq!(comes_in(&world, &side, HOST).await.request(REQUEST).await.status, 200);
            connect(&world, &side, "raw.localhost").await.expect("TLS 1.3 is new enough");
        }
    }
    drop(origin);
}

#[tokio::test]
async fn a_tls_edge_requires_certificates_and_keeps_accepted_connections() {
    let (world, _origin) = world().await;
    let echo = ScriptedOrigin::echo().await;
    world.backends([("bkdsc_2", address(echo.address))]).await;
    let (one, two) = (CertificateAuthority::root("one"), CertificateAuthority::root("two"));
    let raw = |authority: &CertificateAuthority| {
        let settings = Settings { backend: Some("bkdsc_2".into()), ..not_before(TlsVersion::Tls12) };
        tls("raw.localhost", Settings { mutual_tls: only_for(&[authority]).mutual_tls, ..settings })
    };
    for version in BOTH {
        world.tls_edge(raw(&one)).await;
        let ada = side(&world, Some(&issue(&one, "ada")), version);
        let mut stream = connect(&world, &ada, "raw.localhost").await.expect("certified");
        let mut received = [0; 5];
        stream.write_all(b"hello").await.unwrap();
        stream.read_exact(&mut received).await.unwrap();
        assert_eq!(&received, b"hello");
        turned_away(&world, &side(&world, None, version), "raw.localhost").await;
        world.tls_edge(raw(&two)).await;
        assert_eq!(turned_away(&world, &ada, "raw.localhost").await, AlertDescription::UnknownCA);
        stream.write_all(b"again").await.unwrap();
        stream.read_exact(&mut received).await.unwrap();
        assert_eq!(&received, b"again", "an open connection goes on");
    }
}

#[tokio::test]
async fn sessions_are_resumed_until_the_rules_change() {
    let (world, _origin) = world().await;
    let root = CertificateAuthority::root("one");
    world.https_edge(edge("open.localhost", Settings::default())).await;
    world.https_edge(edge(HOST, only_for(&[&root]))).await;
    for version in BOTH {
        let ada = side(&world, Some(&issue(&root, "ada")), version);
        for host in [HOST, "open.localhost"] {
            let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
            let mut kinds = Vec::new();
            for _ in 0..2 {
                let mut visitor = comes_in(&world, &ada, host).await;
                assert_eq!(visitor.request(&request).await.status, 200);
                kinds.push(visitor.stream.get_ref().1.handshake_kind());
            }
            assert_eq!(kinds, [Some(HandshakeKind::Full), Some(HandshakeKind::Resumed)], "{host} {version:?}");
        }
        world.https_edge(edge(HOST, Settings::default())).await;
        let mut visitor = comes_in(&world, &ada, HOST).await;
        assert_eq!(visitor.request(REQUEST).await.status, 200);
        assert_eq!(visitor.stream.get_ref().1.handshake_kind(), Some(HandshakeKind::Full), "other rules");
        world.https_edge(edge(HOST, only_for(&[&root]))).await;
        let mut visitor = comes_in(&world, &ada, HOST).await;
        assert_eq!(visitor.request(REQUEST).await.status, 200);
        assert_eq!(visitor.stream.get_ref().1.handshake_kind(), Some(HandshakeKind::Full), "the same words, anew");
    }
}

#[tokio::test]
async fn an_uploaded_certificate_is_shown_from_the_next_handshake_on() {
    let (mut world, _origin) = world().await;
    world.https_edge(edge("a.shop.localhost", Settings::default())).await;
    let key = rcgen::KeyPair::generate().unwrap();
    let names = vec!["*.shop.localhost".to_owned()];
    let made = rcgen::CertificateParams::new(names.clone()).unwrap().self_signed(&key).unwrap();
    let moment = |second| Timestamp::new(jiff::Timestamp::from_second(second).unwrap());
    let certificate = Certificate {
        id: "cert_1".into(),
        chain_pem: made.pem(),
        private_key_pem: Secret::new(key.serialize_pem()),
        names,
        addresses: Vec::new(),
        issued_at: None,
        not_before: moment(0),
        not_after: moment(4_000_000_000),
    };
    let authority = side(&world, None, &TLS13);
    world.authority = made.der().clone();
    let uploaded = side(&world, None, &TLS13);
    let mut standing = comes_in(&world, &authority, "a.shop.localhost").await;
    assert!(connect(&world, &uploaded, "a.shop.localhost").await.is_err(), "it is not there yet");
    world.change(|published| published.certificates = Arc::new(vec![Arc::new(certificate)]));
    world.applied().await;
    connect(&world, &uploaded, "a.shop.localhost").await.expect("the uploaded one");
    assert_eq!(
        standing.request("GET / HTTP/1.1\r\nHost: a.shop.localhost\r\n\r\n").await.status,
        200,
        "open connections stay"
    );
    connect(&world, &authority, "a.b.shop.localhost").await.expect("a wildcard stands for one label");
    world.change(|published| published.certificates = Arc::default());
    world.applied().await;
    connect(&world, &authority, "a.shop.localhost").await.expect("the uploaded one is gone");
}
