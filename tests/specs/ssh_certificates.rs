//! SSH certificates with OpenSSH: a server with a host certificate, and a client that trusts only the authority.

use postern_tests::{
    Operator, World,
    openssh::{KeyPair, Sshd, login},
};
use serde_json::{Value, json};

const HOST: &str = "tunnel.example.test";

/// Creates an SSH certificate authority. Returns its id and its public key.
struct Authority {
    id: String,
    public: String,
}

async fn authority(operator: &Operator, body: Value) -> Authority {
    let made = operator.post("/ssh_certificate_authorities", body).await.ok();
    Authority { id: made.text("id"), public: made.text("public_key") }
}

/// Certifies a key with the members of `more`.
async fn certify(operator: &Operator, path: &str, authority: &Authority, key: &KeyPair, more: Value) {
    let mut body = json!({ "ssh_certificate_authority_id": authority.id, "public_key": key.public() });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    key.certify(&operator.post(path, body).await.ok().text("certificate"));
}

async fn certify_host(operator: &Operator, authority: &Authority, key: &KeyPair, more: Value) {
    certify(operator, "/ssh_host_certificates", authority, key, more).await;
}

async fn certify_user(operator: &Operator, authority: &Authority, key: &KeyPair, more: Value) {
    certify(operator, "/ssh_user_certificates", authority, key, more).await;
}

#[tokio::test]
async fn certificates_of_every_kind_of_authority_are_accepted_on_both_sides() {
    let (world, login) = (World::start().await, login().await);
    let operator = world.operator();
    for (number, (body, kind)) in [
        (json!({}), "ed25519"),
        (json!({ "private_key_type": "ed25519" }), "rsa"),
        (json!({ "private_key_type": "ecdsa" }), "ecdsa"),
        (json!({ "private_key_type": "ecdsa", "elliptic_curve": "nistp384" }), "ed25519"),
        (json!({ "private_key_type": "ecdsa", "elliptic_curve": "nistp521" }), "ecdsa"),
        (json!({ "private_key_type": "rsa", "key_size": 2048 }), "rsa"),
        (json!({ "private_key_type": "rsa" }), "ed25519"),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = world.path(&format!("ssh-{number}"));
        std::fs::create_dir(&folder).unwrap();
        let signing = authority(&operator, body).await;
        let (host, user) =
            (KeyPair::generate(&folder, "host", kind).await, KeyPair::generate(&folder, "user", kind).await);
        certify_host(&operator, &signing, &host, json!({ "principals": [HOST, "192.0.2.7"] })).await;
        certify_user(&operator, &signing, &user, json!({ "principals": [login] })).await;
        let sshd = Sshd::start(&folder, &host, &signing.public).await;
        sshd.log_in(&user, &login, HOST, &signing.public).await.assert_admitted();
        sshd.log_in(&user, &login, "192.0.2.7", &signing.public).await.assert_admitted();
        let other = sshd.log_in(&user, &login, "other.example.test", &signing.public).await;
        other.assert_host_refused("name is not a listed principal");
    }
}

#[tokio::test]
async fn a_host_certificate_is_refused_outside_its_validity_and_from_another_authority() {
    let (world, login) = (World::start().await, login().await);
    let operator = world.operator();
    let (signing, stranger) = (authority(&operator, json!({})).await, authority(&operator, json!({})).await);
    let user = KeyPair::generate(world.folder(), "user", "ed25519").await;
    certify_user(&operator, &signing, &user, json!({ "principals": [login] })).await;
    for (name, after, until, reason) in [
        ("expired", "2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z", "expired"),
        ("early", "2900-01-01T00:00:00Z", "2900-01-02T00:00:00Z", "not yet valid"),
    ] {
        let host = KeyPair::generate(world.folder(), name, "ed25519").await;
        let time = json!({ "principals": [HOST], "valid_after": after, "valid_until": until });
        certify_host(&operator, &signing, &host, time).await;
        let sshd = Sshd::start(world.folder(), &host, &signing.public).await;
        sshd.log_in(&user, &login, HOST, &signing.public).await.assert_host_refused(reason);
    }
    let host = KeyPair::generate(world.folder(), "host", "ed25519").await;
    certify_host(&operator, &signing, &host, json!({ "principals": [HOST] })).await;
    let sshd = Sshd::start(world.folder(), &host, &signing.public).await;
    sshd.log_in(&user, &login, HOST, &stranger.public).await.assert_unknown_host();
    sshd.log_in(&user, &login, HOST, &signing.public).await.assert_admitted();
}

#[tokio::test]
async fn a_user_certificate_admits_its_principals_within_its_validity_and_options() {
    let (world, login) = (World::start().await, login().await);
    let operator = world.operator();
    let (signing, stranger) = (authority(&operator, json!({})).await, authority(&operator, json!({})).await);
    let host = KeyPair::generate(world.folder(), "host", "ed25519").await;
    // Without principals it is one for all hosts.
    certify_host(&operator, &signing, &host, json!({})).await;
    let sshd = Sshd::start(world.folder(), &host, &signing.public).await;
    let user = KeyPair::generate(world.folder(), "user", "ed25519").await;

    certify_user(&operator, &signing, &user, json!({ "principals": ["another-principal", login] })).await;
    sshd.log_in(&user, &login, "any.example.test", &signing.public).await.assert_admitted();

    let past =
        json!({ "principals": [login], "valid_after": "2020-01-01T00:00:00Z", "valid_until": "2020-01-02T00:00:00Z" });
    for refused in [
        json!({}),
        json!({ "principals": ["another-user"] }),
        past,
        json!({ "principals": [login], "critical_options": { "source-address": "192.0.2.0/24" } }),
        json!({ "principals": [login], "critical_options": { "unheard-of@example.test": "" } }),
    ] {
        certify_user(&operator, &signing, &user, refused).await;
        sshd.log_in(&user, &login, HOST, &signing.public).await.assert_denied();
    }
    certify_user(&operator, &stranger, &user, json!({ "principals": [login] })).await;
    sshd.log_in(&user, &login, HOST, &signing.public).await.assert_denied();

    let bounded = json!({ "source-address": "127.0.0.0/8,192.0.2.0/24", "force-command": "echo let in" });
    let options = json!({ "principals": [login], "critical_options": bounded, "extensions": {} });
    certify_user(&operator, &signing, &user, options).await;
    sshd.log_in(&user, &login, HOST, &signing.public).await.assert_admitted();
}

#[tokio::test]
async fn an_authority_still_signs_after_a_restart() {
    let (world, login) = (World::start().await, login().await);
    let signing = authority(&world.operator(), json!({ "private_key_type": "rsa", "key_size": 2048 })).await;
    let world = world.kill_and_restart_server().await;
    let operator = world.operator();
    let (host, user) = (
        KeyPair::generate(world.folder(), "host", "ed25519").await,
        KeyPair::generate(world.folder(), "user", "ed25519").await,
    );
    certify_host(&operator, &signing, &host, json!({ "principals": [HOST] })).await;
    certify_user(&operator, &signing, &user, json!({ "principals": [login] })).await;
    let sshd = Sshd::start(world.folder(), &host, &signing.public).await;
    sshd.log_in(&user, &login, HOST, &signing.public).await.assert_admitted();
}
