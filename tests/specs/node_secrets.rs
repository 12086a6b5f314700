//! What a shared store holds: secrets only sealed, and a format that older servers refuse by name.

use base64::{Engine, prelude::BASE64_STANDARD};
use postern_tests::cluster::Cluster;
use rcgen::{CertificateParams, KeyPair};
use serde_json::{Value, json};

/// The keys below a prefix with their values.
async fn entries(cluster: &Cluster, prefix: &str) -> Vec<(String, Vec<u8>)> {
    let found: Value = serde_json::from_str(&cluster.etcd.entries(prefix).await).unwrap();
    let decoded = |entry: &Value, member: &str| BASE64_STANDARD.decode(entry[member].as_str().unwrap_or("")).unwrap();
    let entries = found["kvs"].as_array().expect("entries").iter();
    entries.map(|entry| (String::from_utf8(decoded(entry, "key")).unwrap(), decoded(entry, "value"))).collect()
}

/// A secret as it is, and in the forms in which it could be written down.
fn forms(secret: &[u8]) -> [Vec<u8>; 3] {
    let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    [secret.to_vec(), BASE64_STANDARD.encode(secret).into_bytes(), hex.into_bytes()]
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[tokio::test]
async fn the_store_holds_no_secret_in_plain_text() {
    let cluster = Cluster::start(2).await;
    cluster.until_linked().await;
    let operator = cluster.operator(0);
    let backend = operator.post("/backends/http_response", json!({ "body": "plainly stored" })).await.ok().text("id");
    let edge = json!({ "hostports": ["shop.localhost:443"] });
    let edge = operator.post("/edges/https", edge).await.ok().text("id");
    let route = async |path: &str| {
        let route = json!({ "match": path, "match_type": "path_prefix", "backend": { "backend_id": backend } });
        operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id")
    };
    let modules = [
        ("webhook_verification", json!({ "provider": "github", "secret": "planted-webhook-secret" })),
        ("basic_auth", json!({ "users": [{ "username": "ada", "password": "planted-password" }] })),
        (
            "oidc",
            json!({ "issuer": "https://id.test", "client_id": "shop", "client_secret": "planted-client-secret", "scopes": ["openid"] }),
        ),
    ];
    for (module, body) in modules {
        let id = route(&format!("/{module}")).await;
        operator.put(&format!("/edges/https/{edge}/routes/{id}/{module}"), body).await.ok();
    }
    let (_, authtoken) = operator.credential(&[]).await;
    let api_key = operator.post("/api_keys", json!({})).await.ok().text("token");
    let key = KeyPair::generate().unwrap();
    let given = CertificateParams::new(vec!["given.test".to_owned()]).unwrap().self_signed(&key).unwrap();
    let private_key = key.serialize_pem();
    let upload = json!({ "certificate_pem": given.pem(), "private_key_pem": private_key });
    operator.post("/tls_certificates", upload).await.ok();

    let after_prefix = |token: &str| token.split_once('_').expect("two parts").1.to_owned();
    let mut secrets = vec![
        "planted-webhook-secret".to_owned(),
        "planted-password".to_owned(),
        "planted-client-secret".to_owned(),
        after_prefix(&authtoken),
        after_prefix(&api_key),
        after_prefix(cluster.key()),
        "PRIVATE KEY".to_owned(),
    ];
    secrets.extend(private_key.lines().filter(|line| !line.starts_with('-')).map(str::to_owned));
    // The last one is the key that seals the others.
    let seal_key = std::fs::read(cluster.nodes[0].folder().join("seal.key")).unwrap();
    let der = key.serialize_der();
    let secrets = secrets.iter().map(|secret| secret.as_bytes()).chain([&der[..], &seal_key]);
    let needles: Vec<Vec<u8>> = secrets.flat_map(forms).collect();

    let stored = entries(&cluster, "/team/").await;
    let names: Vec<&str> = stored.iter().map(|(key, _)| key.as_str()).collect();
    for expected in ["/team/cluster/authority", "/team/cluster/node-authority", "/team/cluster/identity"] {
        assert!(names.contains(&expected), "{names:?}");
    }
    assert!(stored.iter().any(|(_, value)| contains(value, b"plainly stored")), "the search finds what is there");
    for (key, value) in &stored {
        for needle in &needles {
            assert!(!contains(value, needle), "{key} holds {:?}", String::from_utf8_lossy(needle));
            assert!(!contains(key.as_bytes(), needle), "{key}");
        }
    }
}

#[tokio::test]
async fn a_store_that_a_newer_version_wrote_is_refused_by_name() {
    let mut cluster = Cluster::start(1).await;
    let stored = entries(&cluster, "/team/cluster/identity").await;
    let mut identity: Value = serde_json::from_slice(&stored[0].1).unwrap();
    assert_eq!(identity["format"], 1);
    // What a newer version has added beside the known fields does no harm; another format does.
    identity["of_tomorrow"] = json!(true);
    cluster.etcd.put("/team/cluster/identity", identity.to_string().as_bytes()).await;
    let again = cluster.kill(0);
    cluster.nodes[0] = again.clone().start().await;
    cluster.nodes[0].process.terminate();
    cluster.nodes[0].process.wait_for_exit().await;
    identity["format"] = json!(2);
    cluster.etcd.put("/team/cluster/identity", identity.to_string().as_bytes()).await;
    let ended = again.spawn().wait_with_output().await;
    assert!(!ended.status.success(), "{ended:?}");
    let said = &ended.stderr;
    assert!(said.contains("newer version") && said.contains(&cluster.store()), "{said}");
}
