//! Certificates and their authorities: views, refusals and secrets.

use crate::kit::{Caller, World};
use http::StatusCode;
use postern_api::Code;
use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose};
use serde_json::{Value, json};

/// A public key whose private key does not exist.
pub(crate) const SSH_KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEoN0ShWoDmOk4MqNCiN/VNbs+d8AJJ+1sbj3ltmGAra";

/// The certificate of an authority.
pub(crate) fn authority_pem() -> String {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "Trust of a test");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.self_signed(&KeyPair::generate().expect("a key")).expect("a certificate").pem()
}

/// The body of an upload: a certificate and its key.
pub(crate) fn tls_certificate() -> Value {
    let key = KeyPair::generate().expect("a key");
    let names = ["shop.example.test", "*.example.test", "192.0.2.7"].map(str::to_owned);
    let mut params = CertificateParams::new(names).expect("names");
    params.distinguished_name.push(DnType::CommonName, "shop.example.test");
    params.distinguished_name.push(DnType::CountryName, "DE");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.not_before = rcgen::date_time_ymd(2026, 1, 2);
    params.not_after = rcgen::date_time_ymd(2036, 1, 2);
    params.serial_number = Some(0x0a_bc_de_u64.into());
    let certificate = params.self_signed(&key).expect("a certificate");
    json!({"certificate_pem": certificate.pem(), "private_key_pem": key.serialize_pem()})
}

async fn ssh_authority(caller: &Caller) -> String {
    caller.id("/ssh_certificate_authorities", &json!({})).await
}

/// A timestamp of a response in seconds since 1970.
fn seconds(moment: &Value) -> i64 {
    moment.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok()).expect("a moment").as_second()
}

#[tokio::test]
async fn all_properties_of_an_uploaded_certificate_are_shown_but_not_its_key() {
    let world = World::start().await;
    let operator = world.operator().await;
    let body = tls_certificate();
    let made = operator.made("/tls_certificates", &body).await;
    assert_eq!(made["certificate_pem"], body["certificate_pem"]);
    assert_eq!(made["subject_common_name"], "shop.example.test");
    let names = json!({"dns_names": ["shop.example.test", "*.example.test"], "ips": ["192.0.2.7"]});
    assert_eq!(made["subject_alternative_names"], names);
    assert_eq!(made["issued_at"], Value::Null);
    assert_eq!(
        (&made["not_before"], &made["not_after"]),
        (&json!("2026-01-02T00:00:00Z"), &json!("2036-01-02T00:00:00Z"))
    );
    assert_eq!(made["key_usages"], json!(["DigitalSignature"]));
    assert_eq!(made["extended_key_usages"], json!(["ServerAuth"]));
    assert_eq!((&made["private_key_type"], &made["serial_number"]), (&json!("ecdsa"), &json!("abcde")));
    assert_eq!((&made["issuer_common_name"], &made["subject_country"]), (&json!("shop.example.test"), &json!("DE")));
    for empty in ["subject_organization", "subject_organizational_unit", "subject_locality", "subject_province"] {
        assert_eq!(made[empty], "", "{empty}");
    }
    let item = format!("/tls_certificates/{}", made["id"].as_str().expect("an id"));
    for response in [operator.get(&item).await, operator.get("/tls_certificates").await] {
        assert!(!response.is(StatusCode::OK).to_string().contains("PRIVATE KEY"), "{}", response.text);
    }
    operator.patch(&item, &json!({"certificate_pem": body["certificate_pem"]})).await.refused(Code::FieldUnknown);
}

#[tokio::test]
async fn invalid_uploads_are_refused_with_their_field_and_without_their_content() {
    let world = World::start().await;
    let operator = world.operator().await;
    let (one, two) = (tls_certificate(), tls_certificate());
    let (chain, key) = (&one["certificate_pem"], &one["private_key_pem"]);
    for (chain, key, code, field) in [
        (&json!(""), key, Code::CertificateMissing, "certificate_pem"),
        (chain, &json!(""), Code::PrivateKeyMissing, "private_key_pem"),
        (chain, &two["private_key_pem"], Code::PrivateKeyMismatch, "private_key_pem"),
        (key, key, Code::CertificateIsKey, "certificate_pem"),
        (chain, chain, Code::KeyIsCertificate, "private_key_pem"),
    ] {
        let response =
            operator.post("/tls_certificates", &json!({"certificate_pem": chain, "private_key_pem": key})).await;
        assert_eq!(response.refused(code)["details"]["field"], field);
        assert!(
            !response.text.contains("BEGIN CERTIFICATE") && !response.text.contains("BEGIN PRIVATE"),
            "{}",
            response.text
        );
    }
    operator.post("/tls_certificates", &json!({"certificate_pem": chain})).await.refused(Code::FieldMissing);
    let leaf = operator.post("/certificate_authorities", &json!({"ca_pem": chain})).await;
    assert_eq!(leaf.refused(Code::NoAuthority)["details"]["field"], "ca_pem");
    let both = format!("{}{}", authority_pem(), authority_pem());
    operator.post("/certificate_authorities", &json!({"ca_pem": both})).await.refused(Code::AuthorityCount);
    assert_eq!(operator.get("/tls_certificates").await.json()["tls_certificates"], json!([]), "nothing half");
}

#[tokio::test]
async fn an_authority_shows_the_properties_of_its_certificate() {
    let world = World::start().await;
    let operator = world.operator().await;
    let pem = authority_pem();
    let made = operator.made("/certificate_authorities", &json!({"ca_pem": pem})).await;
    assert_eq!(made["ca_pem"], pem);
    assert_eq!(made["subject_common_name"], "Trust of a test");
    assert_eq!(made["key_usages"], json!(["CertSign", "CRLSign"]));
    assert_eq!(made["extended_key_usages"], json!([]));
    assert!(seconds(&made["not_before"]) < seconds(&made["not_after"]));
}

#[tokio::test]
async fn ssh_authorities_have_the_chosen_type_of_key() {
    let world = World::start().await;
    let operator = world.operator().await;
    for (body, key_type, begins) in [
        (json!({}), "ed25519", "ssh-ed25519 AAAA"),
        (json!({"private_key_type": "", "elliptic_curve": "", "key_size": 0}), "ed25519", "ssh-ed25519 AAAA"),
        (json!({"private_key_type": "ecdsa"}), "ecdsa", "ecdsa-sha2-nistp256 AAAA"),
        (json!({"private_key_type": "ecdsa", "elliptic_curve": "nistp384"}), "ecdsa", "ecdsa-sha2-nistp384 AAAA"),
        (json!({"private_key_type": "ecdsa", "elliptic_curve": "nistp521"}), "ecdsa", "ecdsa-sha2-nistp521 AAAA"),
        (json!({"private_key_type": "rsa", "key_size": 2048}), "rsa", "ssh-rsa AAAA"),
    ] {
        let made = operator.made("/ssh_certificate_authorities", &body).await;
        assert_eq!(made["key_type"], key_type, "{body}");
        let line = made["public_key"].as_str().expect("a line");
        assert!(line.starts_with(begins) && line.split(' ').count() == 2, "{line}");
        let members = made.as_object().expect("an object").len();
        assert_eq!(members, 7, "nothing else is shown: {made}");
    }
    for (body, code, field) in [
        (json!({"private_key_type": "dsa"}), Code::FieldInvalid, "private_key_type"),
        (json!({"elliptic_curve": "nistp256"}), Code::SshCurveNotEcdsa, "elliptic_curve"),
        (json!({"private_key_type": "ecdsa", "elliptic_curve": "x"}), Code::SshCurveUnknown, "elliptic_curve"),
        (json!({"key_size": 2048}), Code::SshKeySizeNotRsa, "key_size"),
        (json!({"private_key_type": "rsa", "key_size": 1024}), Code::SshKeySize, "key_size"),
    ] {
        let refused = operator.post("/ssh_certificate_authorities", &body).await.refused(code);
        assert_eq!(refused["details"]["field"], field, "{body}");
    }
}

#[tokio::test]
async fn host_certificates_are_valid_for_a_year_and_user_certificates_for_a_day_with_few_permissions() {
    let world = World::start().await;
    let operator = world.operator().await;
    let authority = ssh_authority(&operator).await;
    let body =
        json!({"ssh_certificate_authority_id": authority, "public_key": format!("{SSH_KEY} alice@example.test")});
    for (path, lifetime) in [("/ssh_host_certificates", 365 * 86_400), ("/ssh_user_certificates", 86_400)] {
        let mut body = body.clone();
        let made = operator.made(path, &body).await;
        assert_eq!(made["ssh_certificate_authority_id"], authority);
        assert_eq!(made["public_key"], body["public_key"], "as it was sent");
        assert_eq!((&made["key_type"], &made["principals"]), (&json!("ed25519"), &json!([])));
        assert_eq!(made["valid_after"], made["created_at"]);
        assert_eq!(seconds(&made["valid_until"]) - seconds(&made["valid_after"]), lifetime);
        let line = made["certificate"].as_str().expect("a line");
        let id = made["id"].as_str().expect("an id");
        assert!(
            line.starts_with("ssh-ed25519-cert-v01@openssh.com AAAA") && line.ends_with(&format!(" {id}")),
            "{line}"
        );

        body["valid_after"] = json!("2030-01-01T01:00:00+01:00");
        body["valid_until"] = json!("2031-01-01T00:00:00.9Z");
        body["principals"] = json!(["b", "a"]);
        let made = operator.made(path, &body).await;
        assert_eq!(made["valid_after"], "2030-01-01T00:00:00Z");
        assert_eq!(made["valid_until"], "2031-01-01T00:00:00Z");
        assert_eq!(made["principals"], json!(["b", "a"]), "in the order given");
    }
    let user = operator.made("/ssh_user_certificates", &body).await;
    assert_eq!(user["critical_options"], json!({}));
    assert_eq!(user["extensions"], json!({"permit-pty": "", "permit-user-rc": ""}));
    let mut body_with_options = body.clone();
    body_with_options["extensions"] = json!({});
    body_with_options["critical_options"] = json!({"force-command": "/bin/true"});
    let user = operator.made("/ssh_user_certificates", &body_with_options).await;
    assert_eq!((&user["critical_options"], &user["extensions"]), (&body_with_options["critical_options"], &json!({})));
    operator.post("/ssh_host_certificates", &body_with_options).await.refused(Code::FieldUnknown);
}

#[tokio::test]
async fn keys_that_cannot_be_certified_are_refused() {
    let world = World::start().await;
    let operator = world.operator().await;
    let authority = ssh_authority(&operator).await;
    let deleted = ssh_authority(&operator).await;
    operator.delete(&format!("/ssh_certificate_authorities/{deleted}")).await.is(StatusCode::NO_CONTENT);
    for (path, validity) in
        [("/ssh_host_certificates", Code::HostValidity), ("/ssh_user_certificates", Code::UserValidity)]
    {
        for (field, value, code) in [
            ("ssh_certificate_authority_id", json!(deleted), Code::SshAuthorityUnknown),
            ("ssh_certificate_authority_id", json!(""), Code::SshAuthorityMissing),
            ("ssh_certificate_authority_id", json!("ca_x"), Code::IdShape),
            ("public_key", json!(""), Code::SshKeyMissing),
            ("public_key", json!("nothing"), Code::SshKeyUnreadable),
            ("public_key", json!("ssh-dss AAAA"), Code::SshKeyUnsupported),
            ("principals", json!([""]), Code::FieldInvalid),
            ("valid_after", json!("yesterday"), Code::FieldInvalid),
            ("valid_until", json!("10000-01-01T00:00:00Z"), Code::FieldInvalid),
            ("valid_until", json!("2020-01-01T00:00:00Z"), validity),
            ("valid_after", json!("1969-12-31T23:59:59Z"), validity),
        ] {
            let mut body = json!({"ssh_certificate_authority_id": authority, "public_key": SSH_KEY});
            body[field] = value;
            let refused = operator.post(path, &body).await.refused(code);
            assert_eq!(refused["details"]["field"], field, "{path} {body}");
        }
        let item = format!("{path}/{}", operator.id(path, &json!({"ssh_certificate_authority_id": authority, "public_key": SSH_KEY, "valid_after": "", "valid_until": ""})).await);
        operator.patch(&item, &json!({"principals": ["other"]})).await.refused(Code::FieldUnknown);
    }
}

#[tokio::test]
async fn an_authority_cannot_be_deleted_before_its_certificates() {
    let world = World::start().await;
    let operator = world.operator().await;
    for path in ["/ssh_host_certificates", "/ssh_user_certificates"] {
        let authority = ssh_authority(&operator).await;
        let item = format!("/ssh_certificate_authorities/{authority}");
        let body = json!({"ssh_certificate_authority_id": authority, "public_key": SSH_KEY});
        let certificate = operator.id(path, &body).await;
        let refused = operator.delete(&item).await.refused(Code::SshAuthorityInUse);
        assert!(refused["msg"].as_str().is_some_and(|sentence| sentence.contains(&certificate)), "{refused}");
        operator.delete(&format!("{path}/{certificate}")).await.is(StatusCode::NO_CONTENT);
        operator.delete(&item).await.is(StatusCode::NO_CONTENT);
    }
}
