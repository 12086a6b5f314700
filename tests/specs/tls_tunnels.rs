//! TLS tunnels, routed by the server name in the handshake.

use postern_api::Code;
use postern_tests::{
    Agent, Origin, World,
    certificates::CertificateAuthority,
    eventually,
    scripted_origin::{OriginConnection, ScriptedOrigin},
    tcp::Echo,
    tls::{self, self_signed},
};
use rcgen::{CertificateParams, CertifiedKey, ExtendedKeyUsagePurpose, KeyPair};
use rustls::ClientConfig;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject};
use serde_json::json;
use std::sync::Arc;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

const HOST: &str = "vault.localhost";

/// A local TLS service that sends a greeting and closes.
async fn tls_service(own: &CertifiedKey<KeyPair>) -> ScriptedOrigin {
    let greet = |mut connection: OriginConnection<_>| async move { connection.close_with(b"from the service\n").await };
    ScriptedOrigin::serving_tls(tls::acceptor(own, &[]), greet).await
}

/// The greeting that a visitor receives who trusts this certificate, with an optional client certificate.
async fn read_greeting(
    world: &World,
    name: &str,
    trusted: &[u8],
    own: Option<&(Vec<u8>, String)>,
) -> std::io::Result<String> {
    let builder = ClientConfig::builder_with_provider(tls::provider())
        .with_safe_default_protocol_versions()
        .expect("suites")
        .with_root_certificates(tls::roots(&[CertificateDer::from(trusted.to_vec())]));
    let config = match own {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("a key");
            builder.with_client_auth_cert(vec![CertificateDer::from(certificate.clone())], key).expect("a pair")
        }
    };
    let stream = TcpStream::connect(world.server.addresses.https).await?;
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).await?;
    Ok(line.trim_end().to_owned())
}

fn authority_of(world: &World) -> Vec<u8> {
    CertificateDer::from_pem_file(world.server.authority()).expect("PEM").to_vec()
}

async fn shown(agent: &Agent, name: &str) -> (String, String) {
    let body = agent.get(&format!("/api/tunnels/{name}")).await.ok();
    let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
    (text("proto"), text("public_url"))
}

#[tokio::test]
async fn passed_through_tls_is_terminated_by_the_local_service_only() {
    let world = World::start().await;
    let agent = world.agent().await;
    let own = self_signed(HOST);
    let service = tls_service(&own).await;
    let tunnel = json!({ "name": "vault", "proto": "tls", "addr": service.to_string(), "domain": HOST });
    agent.tunnel(tunnel.clone()).await;
    let port = world.server.addresses.https.port();
    assert_eq!(shown(&agent, "vault").await, ("tls".to_owned(), format!("tls://{HOST}:{port}")));
    assert_eq!(read_greeting(&world, HOST, own.cert.der(), None).await.expect("let in"), "from the service");
    let edge = authority_of(&world);
    assert!(read_greeting(&world, HOST, &edge, None).await.is_err(), "the server shows no certificate for it");

    let origin = Origin::start("hello").await;
    let taken = agent
        .request_tunnel(json!({ "name": "site", "proto": "http", "addr": origin.to_string(), "domain": HOST }))
        .await;
    assert_eq!(taken.code(), Code::NameTaken);
    let site = agent.https("site", &origin).await;
    let visitor = world.visitor();
    let older = visitor.with(|client| client.http1_only());
    let crossed = older.send(older.http.get(site.url("/")).header("host", format!("{HOST}:{port}"))).await;
    assert_eq!(crossed.status, 421, "a connection for another name is refused");

    agent.delete("/api/tunnels/vault").await.ok();
    assert!(read_greeting(&world, HOST, own.cert.der(), None).await.is_err());
    let again =
        agent.tunnel(json!({ "name": "web", "proto": "http", "addr": origin.to_string(), "domain": HOST })).await;
    assert_eq!(visitor.get(&again.url("/")).await.text(), "hello", "the name is free again");
}

#[tokio::test]
async fn ip_rules_apply_before_the_handshake() {
    let world = World::start().await;
    let agent = world.agent().await;
    let own = self_signed(HOST);
    let service = tls_service(&own).await;
    let rules = json!({ "allow_cidrs": ["192.0.2.0/24"] });
    let body = json!({ "name": "vault", "proto": "tls", "addr": service.to_string(), "domain": HOST, "ip_restriction": rules });
    agent.tunnel(body).await;
    assert!(read_greeting(&world, HOST, own.cert.der(), None).await.is_err());
}

#[tokio::test]
async fn the_agent_ends_tls_with_its_own_certificate_and_takes_a_new_one_from_its_files() {
    let world = World::start().await;
    let (_, token) = world.operator().credential(&[]).await;
    let echo = Echo::named("plain inside").await;
    let files = ["own.crt", "own.key"].map(|name| world.path(name));
    let renew = || {
        let own = self_signed(HOST);
        std::fs::write(&files[0], own.cert.pem()).expect("written");
        std::fs::write(&files[1], own.signing_key.serialize_pem()).expect("written");
        own.cert.der().to_vec()
    };
    let first = renew();
    let tunnel = json!({ "proto": "tls", "addr": echo.to_string(), "domain": HOST, "crt": files[0], "key": files[1] });
    let mut agent = world.agent_setup("agent", &token).tunnel("vault", tunnel).start().await;
    agent.wait_for_tunnel("vault").await;
    assert_eq!(read_greeting(&world, HOST, &first, None).await.expect("let in"), "plain inside");
    assert!(read_greeting(&world, HOST, &authority_of(&world), None).await.is_err(), "the server cannot read it");

    let second = renew();
    agent.edit_config(|setup| setup.setting("metadata", "another word"));
    let greeting =
        eventually("the new certificate is shown", async || read_greeting(&world, HOST, &second, None).await.ok());
    assert_eq!(greeting.await, "plain inside");
    assert!(read_greeting(&world, HOST, &first, None).await.is_err());
}

#[tokio::test]
async fn visitors_present_certificates_wherever_tls_is_terminated() {
    let world = World::start().await;
    let agent = world.agent().await;
    let echo = Echo::named("plain inside").await;
    let authority = CertificateAuthority::root("authority of visitors");
    let cas = world.path("cas.pem");
    std::fs::write(&cas, authority.pem()).expect("written");
    let mut leaf = CertificateParams::new(vec!["ada.test".to_owned()]).expect("parameters");
    leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let ada = authority.issue(&leaf);
    let ada = (ada.certificate.der().to_vec(), ada.key.serialize_pem());
    let other = self_signed("eve.test");
    let eve = (other.cert.der().to_vec(), other.signing_key.serialize_pem());

    let own = self_signed(HOST);
    let files = ["own.crt", "own.key"].map(|name| world.path(name));
    std::fs::write(&files[0], own.cert.pem()).expect("written");
    std::fs::write(&files[1], own.signing_key.serialize_pem()).expect("written");
    let body = |name: &str, more: serde_json::Value| {
        let mut body = json!({ "name": name, "proto": "tls", "addr": echo.to_string(), "mutual_tls_cas": cas });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    agent.tunnel(body("at the agent", json!({ "domain": HOST, "crt": files[0], "key": files[1] }))).await;
    agent.tunnel(body("at the server", json!({ "domain": "door.localhost", "terminate_at": "edge" }))).await;
    for (name, trusted) in [(HOST, own.cert.der().to_vec()), ("door.localhost", authority_of(&world))] {
        assert_eq!(read_greeting(&world, name, &trusted, Some(&ada)).await.expect("let in"), "plain inside", "{name}");
        for stranger in [None, Some(&eve)] {
            let received = read_greeting(&world, name, &trusted, stranger).await;
            assert!(received.as_ref().map_or(true, String::is_empty), "{name}: {received:?}");
        }
    }
    let nowhere = agent.request_tunnel(body("passed through", json!({}))).await;
    assert_eq!((nowhere.status, nowhere.code()), (400, Code::ConfigInvalid));
}

#[tokio::test]
async fn a_tls_tunnel_is_one_command() {
    let world = World::start().await;
    let (_, token) = world.operator().credential(&[]).await;
    let own = self_signed(HOST);
    let service = tls_service(&own).await;
    let setup = world.agent_setup("agent", &token).arguments(&["tls", &service.to_string(), "--domain", HOST]);
    let agent = setup.start().await;
    agent.wait_for_tunnel("command_line").await;
    assert_eq!(read_greeting(&world, HOST, own.cert.der(), None).await.expect("let in"), "from the service");
}
