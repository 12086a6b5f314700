//! Secrets appear in one response at most: not in the data folder, the logs or the output.

use crate::{
    certificates::tls_certificate,
    kit::{Caller, World},
};
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

/// Collects everything that is logged on this thread.
fn collect(log: &Log) -> tracing::subscriber::DefaultGuard {
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::set_default(subscriber)
}

/// Creates and uses records with secrets, and returns the secrets.
async fn planted(world: &World, operator: &Caller, upload: &Value) -> Vec<String> {
    let mut tokens = vec![operator.key.clone()];
    for path in ["/credentials", "/api_keys"] {
        let made = operator.made(path, &json!({"description": "planted"})).await;
        let token = made["token"].as_str().expect("a token").to_owned();
        world.caller(&token).get("/ip_policies").await;
        world.caller(&format!("{token}x")).get("/ip_policies").await;
        let item = format!("{path}/{}", made["id"].as_str().expect("an id"));
        assert_eq!(operator.patch(&item, &json!({"description": "x"})).await.json()["token"], Value::Null);
        tokens.push(token);
    }
    let mut planted: Vec<String> =
        tokens.iter().map(|token| token.split_once('_').expect("two parts").1.to_owned()).collect();
    operator.made("/tls_certificates", upload).await;
    let key = upload["private_key_pem"].as_str().expect("a key");
    planted.extend(key.lines().filter(|line| line.len() > 40).map(str::to_owned));
    let mixed_up = json!({"certificate_pem": key, "private_key_pem": upload["certificate_pem"]});
    operator.post("/tls_certificates", &mixed_up).await.refused(Code::CertificateIsKey);
    planted.push("PRIVATE KEY".to_owned());
    operator.made("/ssh_certificate_authorities", &json!({})).await;
    assert!(planted.len() >= 6, "tokens and lines of a key");
    planted
}

/// Everything that a world has written, by place.
fn written(world: &World, log: &Log) -> Vec<(String, Vec<u8>)> {
    let printed = format!("{:?} {:?}", world.control, world.control.published().borrow());
    let logged = String::from_utf8(log.0.lock().expect("unpoisoned").clone()).expect("text");
    assert!(logged.contains("management call"), "the log was collected: {logged}");
    let mut places =
        vec![("what is printed".to_owned(), printed.into_bytes()), ("the log".to_owned(), logged.into_bytes())];
    for entry in std::fs::read_dir(world.folder.path()).expect("a folder") {
        let path = entry.expect("an entry").path();
        if !path.ends_with("admin.key") {
            places.push((path.display().to_string(), std::fs::read(&path).expect("readable")));
        }
    }
    assert!(places.len() >= 5, "{places:?}");
    places
}

#[tokio::test]
async fn secrets_are_in_one_response_only() {
    let log = Log::default();
    let _collecting = collect(&log);
    // With a single subscriber, an event that another test's thread reaches first is cached as disabled. A second
    // subscriber makes `tracing` check each time.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let world = World::start().await;
    let operator = world.operator().await;
    let upload = tls_certificate();
    let planted = planted(&world, &operator, &upload).await;
    let places = written(&world, &log);
    let certificate = upload["certificate_pem"].as_str().and_then(|pem| pem.lines().nth(1)).expect("a line");
    let holds = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(places.iter().any(|(_, bytes)| holds(bytes, certificate)), "what is no secret is found in the store");
    for secret in planted {
        for (place, bytes) in &places {
            assert!(!holds(bytes, &secret), "a secret stands in {place}");
        }
    }
}
