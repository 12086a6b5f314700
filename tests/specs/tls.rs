//! TLS on the HTTPS port, as OpenSSL and testssl.sh see it.

use postern_tests::{
    World,
    openssl::{self, OpensslOutput, trusting},
    process::Process,
};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, PKCS_ECDSA_P384_SHA384, PKCS_ED25519,
    PKCS_RSA_SHA256, SignatureAlgorithm,
};
use serde_json::{Value, json};
use std::{path::Path, time::Duration};

/// Creates an edge that responds by itself. Returns its id.
async fn edge(world: &World, host: &str) -> String {
    let operator = world.operator();
    let backend = json!({ "status_code": 200, "body": "hello" });
    let backend = operator.post("/backends/http_response", backend).await.ok().text("id");
    let edge = operator.post("/edges/https", json!({ "hostports": [format!("{host}:443")] })).await.ok().text("id");
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
    operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
    edge
}

/// Sends a request, trusting the server's own authority.
async fn connect(world: &World, host: &str, more: &[&str]) -> OpensslOutput {
    let trusting = trusting(&world.server.authority());
    let arguments: Vec<&str> = trusting.iter().map(String::as_str).chain(more.iter().copied()).collect();
    openssl::connect(world.server.addresses.https, host, &arguments).await
}

#[tokio::test]
async fn sessions_continue_until_an_edge_changes_its_rules() {
    let world = World::start().await;
    let edge = edge(&world, "shop.localhost").await;
    let termination = format!("/edges/https/{edge}/tls_termination");
    for version in ["-tls1_2", "-tls1_3"] {
        let file = world.path(&format!("session{version}"));
        let file = file.to_str().unwrap();
        let first = connect(&world, "shop.localhost", &[version, "-sess_out", file]).await;
        assert!(!first.is_resumed() && first.response_body() == Some("hello"), "{}", first.text());
        let second = connect(&world, "shop.localhost", &[version, "-sess_in", file]).await;
        assert!(second.is_resumed() && second.response_body() == Some("hello"), "{}", second.text());
        if version == "-tls1_3" {
            let body = json!({ "enabled": true, "min_version": "1.3" });
            world.operator().put(&termination, body).await.ok();
            let third = connect(&world, "shop.localhost", &[version, "-sess_in", file]).await;
            assert!(!third.is_resumed() && third.response_body() == Some("hello"), "{}", third.text());
        }
    }
    let old = connect(&world, "shop.localhost", &["-tls1_2"]).await;
    assert!(old.has_alert("protocol version"), "{}", old.text());
    world.operator().delete(&termination).await.ok();
    assert_eq!(connect(&world, "shop.localhost", &["-tls1_2"]).await.response_body(), Some("hello"));
    for version in ["-tls1", "-tls1_1"] {
        let output = connect(&world, "shop.localhost", &[version, "-cipher", "DEFAULT:@SECLEVEL=0"]).await;
        assert!(output.response_body().is_none(), "{}", output.text());
    }
}

#[tokio::test]
async fn uploaded_certificates_of_every_key_type_are_served_at_once() {
    let world = World::start().await;
    let operator = world.operator();
    let host = "a.shop.localhost";
    edge(&world, host).await;
    assert_eq!(connect(&world, host, &[]).await.response_body(), Some("hello"), "the server's own authority");
    let kinds: [(&str, &'static SignatureAlgorithm); 3] =
        [("RSA", &PKCS_RSA_SHA256), ("P-384", &PKCS_ECDSA_P384_SHA384), ("ED25519", &PKCS_ED25519)];
    for (kind, algorithm) in kinds {
        let key = KeyPair::generate_for(algorithm).unwrap();
        let mut params = CertificateParams::new(vec!["*.shop.localhost".to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, format!("uploaded {kind}"));
        let made = params.self_signed(&key).unwrap();
        let body = json!({ "certificate_pem": made.pem(), "private_key_pem": key.serialize_pem() });
        let id = operator.post("/tls_certificates", body).await.ok().text("id");
        let file = world.path("uploaded.pem");
        std::fs::write(&file, made.pem()).unwrap();
        let trusting = ["-CAfile", file.to_str().unwrap(), "-verify_return_error"];
        for version in ["-tls1_2", "-tls1_3"] {
            let arguments = [&trusting[..], &[version, "-verify_hostname", host]].concat();
            let output = openssl::connect(world.server.addresses.https, host, &arguments).await;
            assert!(output.text().contains(&format!("uploaded {kind}")), "{}", output.text());
            assert_eq!(output.response_body(), Some("hello"), "{kind} {version}: {}", output.text());
        }
        operator.delete(&format!("/tls_certificates/{id}")).await.ok();
        assert_eq!(connect(&world, host, &[]).await.response_body(), Some("hello"), "and the authority's again");
    }
}

#[tokio::test]
async fn mutual_tls_admits_visitors_with_a_certificate_of_a_listed_authority() {
    let world = World::start().await;
    let operator = world.operator();
    let edge = edge(&world, "inner.localhost").await;
    let (key, mut params) = (KeyPair::generate().unwrap(), CertificateParams::new(Vec::new()).unwrap());
    params.distinguished_name.push(DnType::CommonName, "people");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = params.self_signed(&key).unwrap();
    let issuer = Issuer::new(params, key);
    let certify = |name: &str, issuer: Option<&Issuer<'_, KeyPair>>| {
        let (key, mut params) = (KeyPair::generate().unwrap(), CertificateParams::new(Vec::new()).unwrap());
        params.distinguished_name.push(DnType::CommonName, name);
        let made = match issuer {
            Some(issuer) => params.signed_by(&key, issuer).unwrap(),
            None => params.self_signed(&key).unwrap(),
        };
        let file = world.path(name);
        std::fs::write(&file, format!("{}{}", made.pem(), key.serialize_pem())).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (ada, eve) = (certify("ada", Some(&issuer)), certify("eve", None));
    let authority =
        operator.post("/certificate_authorities", json!({ "ca_pem": authority.pem() })).await.ok().text("id");
    let module = json!({ "enabled": true, "certificate_authority_ids": [authority] });
    let path = format!("/edges/https/{edge}/mutual_tls");
    operator.put(&path, module).await.ok();
    for version in ["-tls1_2", "-tls1_3"] {
        let output = connect(&world, "inner.localhost", &[version, "-cert", &ada, "-key", &ada]).await;
        assert_eq!(output.response_body(), Some("hello"), "{version}: {}", output.text());
        let output = connect(&world, "inner.localhost", &[version, "-cert", &eve, "-key", &eve]).await;
        assert!(output.has_alert("unknown ca"), "{version}: {}", output.text());
        let output = connect(&world, "inner.localhost", &[version]).await;
        let words = if version == "-tls1_2" { "handshake failure" } else { "certificate required" };
        assert!(output.has_alert(words) || output.has_alert("certificate required"), "{version}: {}", output.text());
    }
    operator.delete(&path).await.ok();
    assert_eq!(connect(&world, "inner.localhost", &[]).await.response_body(), Some("hello"));
}

/// Runs testssl.sh for versions, ciphers, defaults and known weaknesses. Its findings about pages, and about the missing
/// revocation address in a certificate of the server's own authority, do not concern TLS. Its resumption check leaves before
/// TLS 1.3 tickets arrive and then warns; a specification above resumes sessions of both versions.
#[tokio::test]
async fn testssl_finds_nothing_above_low() {
    let world = World::start().await;
    edge(&world, "shop.localhost").await;
    let port = world.server.addresses.https.port();
    let (report, authority) = (world.path("report.json"), world.server.authority());
    let address = format!("https://shop.localhost:{port}");
    let arguments = [
        "--quiet",
        "--color",
        "0",
        "--warnings",
        "off",
        "--ip",
        "127.0.0.1",
        "--protocols",
        "--std",
        "--pfs",
        "--server-preference",
        "--server-defaults",
        "--vulnerable",
        "--add-ca",
        authority.to_str().unwrap(),
        "--jsonfile",
        report.to_str().unwrap(),
        &address,
    ];
    let program =
        ["testssl", "testssl.sh"].into_iter().map(|name| Path::new("/usr/bin").join(name)).find(|path| path.exists());
    let program = program.expect("testssl.sh is installed");
    let ended = Process::start(&program, &arguments, &[]).wait_within(Duration::from_secs(900)).await;
    let text = std::fs::read(&report).unwrap_or_else(|error| panic!("no report ({error}): {}", ended.output()));
    let findings: Vec<Value> = serde_json::from_slice(&text).expect("a list of findings");
    let said = |id: &str| findings.iter().find(|finding| finding["id"] == id).map(|finding| finding["finding"].clone());
    for (id, words) in
        [("TLS1_2", "offered"), ("TLS1_3", "offered with final"), ("TLS1_1", "not offered"), ("SSLv3", "not offered")]
    {
        assert_eq!(said(id), Some(json!(words)), "{id}: {}", ended.output());
    }
    for looked_at in ["heartbleed", "ROBOT", "cipherlist_NULL", "cert_chain_of_trust", "cipher_order"] {
        assert!(said(looked_at).is_some(), "`{looked_at}` was not looked at: {}", ended.output());
    }
    let above_low: Vec<&Value> = findings
        .iter()
        .filter(|finding| !matches!(finding["severity"].as_str(), Some("OK" | "INFO" | "LOW" | "DEBUG")))
        .filter(|finding| {
            let beside = ["cert_revocation", "engine_problem", "sessionresumption_ticket"];
            !beside.contains(&finding["id"].as_str().unwrap_or_default())
        })
        .collect();
    assert!(above_low.is_empty(), "{above_low:#?}");
}
