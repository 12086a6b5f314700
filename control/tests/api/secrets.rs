//! Secrets appear in one response at most: not in the data folder, the logs or the output.

use crate::{certificates::tls_certificate, kit::World};
use postern_api::Code;
use serde_json::{Value, json};
use std::{
    io::Write,
    sync::{Arc, Mutex},
};

/// Collects the log of a test.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("unpoisoned").extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn secrets_are_in_one_response_only() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // With a single subscriber, an event that another test's thread reaches first is cached as disabled. A second
    // subscriber makes `tracing` check each time.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let _guard = tracing::subscriber::set_default(subscriber);
    // With a single one, `tracing` caches the interest of the thread that reaches a call site first, which may be
    // the thread of another test.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());

    let world = World::start().await;
    let operator = world.operator().await;
    let mut planted = vec![operator.key.clone()];
    for path in ["/credentials", "/api_keys"] {
        let made = operator.made(path, &json!({"description": "planted"})).await;
        let token = made["token"].as_str().expect("a token").to_owned();
        world.caller(&token).get("/ip_policies").await;
        world.caller(&format!("{token}x")).get("/ip_policies").await;
        let item = format!("{path}/{}", made["id"].as_str().expect("an id"));
        assert_eq!(operator.patch(&item, &json!({"description": "x"})).await.json()["token"], Value::Null);
        planted.push(token);
    }
    let mut planted: Vec<String> =
        planted.iter().map(|token| token.split_once('_').expect("two parts").1.to_owned()).collect();
    let upload = tls_certificate();
    operator.made("/tls_certificates", &upload).await;
    let key = upload["private_key_pem"].as_str().expect("a key");
    planted.extend(key.lines().filter(|line| line.len() > 40).map(str::to_owned));
    let mixed_up = json!({"certificate_pem": key, "private_key_pem": upload["certificate_pem"]});
    operator.post("/tls_certificates", &mixed_up).await.refused(Code::CertificateIsKey);
    planted.push("PRIVATE KEY".to_owned());
    operator.made("/ssh_certificate_authorities", &json!({})).await;

    let printed = format!("{:?} {:?}", world.control, world.control.published().borrow());
    let logged = String::from_utf8(log.0.lock().expect("unpoisoned").clone()).expect("text");
    assert!(logged.contains("management call"), "the log was caught: {logged}");
    let mut places =
        vec![("what is printed".to_owned(), printed.into_bytes()), ("the log".to_owned(), logged.into_bytes())];
    for entry in std::fs::read_dir(world.folder.path()).expect("a folder") {
        let path = entry.expect("an entry").path();
        if !path.ends_with("admin.key") {
            places.push((path.display().to_string(), std::fs::read(&path).expect("readable")));
        }
    }
    assert!(places.len() >= 5, "{places:?}");
    let certificate = upload["certificate_pem"].as_str().and_then(|pem| pem.lines().nth(1)).expect("a line");
    let holds = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(places.iter().any(|(_, bytes)| holds(bytes, certificate)), "what is no secret is found in the store");
    assert!(planted.len() >= 6, "tokens and lines of a key");
    for secret in planted {
        for (place, bytes) in &places {
            assert!(!holds(bytes, &secret), "a secret stands in {place}");
        }
    }
}
