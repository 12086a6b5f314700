//! Certificates: the server's own authority, or the operator's chain for its names.

use postern_tests::{Origin, World};
use rcgen::{CertificateParams, KeyPair};
use rustix::process::Signal;

#[tokio::test]
async fn every_served_name_and_the_server_itself_have_a_valid_certificate() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    agent.https_at("custom", "custom.example.test", &origin).await;
    agent.https_at("wild", "*.wild.example.test", &origin).await;
    let visitor = world.visitor();
    for name in
        ["localhost", "127.0.0.1", "any.localhost", "a.b.localhost", "custom.example.test", "x.wild.example.test"]
    {
        visitor.tls(name, &[b"http/1.1"]).await.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert!(visitor.tls("bank.example.test", &[b"http/1.1"]).await.is_err(), "no certificate for names of others");
}

#[tokio::test]
async fn the_authority_stays_the_same_over_restarts() {
    let world = World::start().await;
    let before = std::fs::read(world.server.authority()).unwrap();
    let visitor = world.visitor();
    let world = world.kill_and_restart_server().await;
    assert_eq!(std::fs::read(world.server.authority()).unwrap(), before);
    visitor.tls("localhost", &[b"http/1.1"]).await.expect("still trusted");
}

#[tokio::test]
async fn a_given_chain_is_served_for_its_names_and_wildcards() {
    let folder = tempfile::tempdir().unwrap();
    let key = KeyPair::generate().unwrap();
    let names = vec!["*.shop.test".to_owned(), "shop.test".to_owned()];
    let given = CertificateParams::new(names).unwrap().self_signed(&key).unwrap();
    let (chain, private) = (folder.path().join("chain.pem"), folder.path().join("key.pem"));
    std::fs::write(&chain, given.pem()).unwrap();
    std::fs::write(&private, key.serialize_pem()).unwrap();
    let flags = ["--certificate", &chain.to_string_lossy(), "--certificate-key", &private.to_string_lossy()];
    let world = World::with(|setup| setup.flags(&flags)).await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    agent.https_at("shop", "a.shop.test", &origin).await;

    let trusting = reqwest::Certificate::from_pem(given.pem().as_bytes()).unwrap();
    let visitor = world.visitor().with(|client| client.tls_certs_only([trusting]));
    let port = world.server.addresses.https.port();
    assert_eq!(visitor.get(&format!("https://a.shop.test:{port}/")).await.text(), "hello");
    assert!(world.visitor().tls("a.shop.test", &[]).await.is_err(), "the authority's certificate is not used here");
    world.visitor().tls("other.localhost", &[]).await.expect("elsewhere it is");
}

#[tokio::test]
async fn a_renewed_chain_is_served_after_sighup() {
    let folder = tempfile::tempdir().unwrap();
    let (chain, private) = (folder.path().join("chain.pem"), folder.path().join("key.pem"));
    let renew = || {
        let key = KeyPair::generate().unwrap();
        let given = CertificateParams::new(vec!["shop.test".to_owned()]).unwrap().self_signed(&key).unwrap();
        std::fs::write(&chain, given.pem()).unwrap();
        std::fs::write(&private, key.serialize_pem()).unwrap();
        reqwest::Certificate::from_pem(given.pem().as_bytes()).unwrap()
    };
    let former = renew();
    let flags = ["--certificate", &chain.to_string_lossy(), "--certificate-key", &private.to_string_lossy()];
    let world = World::with(|setup| setup.flags(&flags)).await;
    let (origin, agent) = (Origin::start("hello").await, world.agent().await);
    agent.https_at("shop", "shop.test", &origin).await;
    let url = format!("https://shop.test:{}/", world.server.addresses.https.port());
    let before = world.visitor().with(|client| client.tls_certs_only([former.clone()]));
    assert_eq!(before.get(&url).await.text(), "hello");

    let renewed = renew();
    world.server.process.signal(Signal::HUP);
    world.server.process.wait_for_log("changed=\"certificate\"").await;
    let visitor = world.visitor().with(|client| client.tls_certs_only([renewed]));
    assert_eq!(visitor.get(&url).await.text(), "hello");
    let stale = world.visitor().with(|client| client.tls_certs_only([former]));
    assert!(stale.http.get(&url).send().await.is_err(), "the former certificate is not served any more");
    assert_eq!(before.get(&url).await.text(), "hello", "an open connection goes on");
}

#[tokio::test]
async fn a_key_that_does_not_fit_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let given = CertificateParams::new(vec!["shop.test".to_owned()]).unwrap().self_signed(&one).unwrap();
    let (chain, private) = (folder.path().join("chain.pem"), folder.path().join("key.pem"));
    std::fs::write(&chain, given.pem()).unwrap();
    std::fs::write(&private, two.serialize_pem()).unwrap();
    let flags = ["--certificate", &chain.to_string_lossy(), "--certificate-key", &private.to_string_lossy()];
    let ended =
        postern_tests::ServerSetup::new(folder.path().join("server")).flags(&flags).spawn().wait_with_output().await;
    assert!(!ended.status.success() && ended.stderr.contains("does not belong"), "{ended:?}");
    std::fs::write(&private, "nothing").unwrap();
    let ended =
        postern_tests::ServerSetup::new(folder.path().join("server")).flags(&flags).spawn().wait_with_output().await;
    assert!(!ended.status.success() && ended.stderr.contains("key.pem"), "{ended:?}");
}
