//! Users and certificates.

use super::*;
use postern_api::Secret;
use postern_test_kit::{
    certificates::{CertificateAuthority, named},
    etcd::EtcdTls,
};
use std::path::{Path, PathBuf};

/// Makes a user who may use the keys of the tests, and demands users from now on.
async fn demand_users(etcd: &Etcd) {
    let base64 = |text: &str| base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text);
    for (path, body) in [
        ("/v3/auth/user/add", r#"{"name":"root","password":"planted root"}"#.to_owned()),
        ("/v3/auth/role/add", r#"{"name":"root"}"#.to_owned()),
        ("/v3/auth/user/grant", r#"{"user":"root","role":"root"}"#.to_owned()),
        ("/v3/auth/user/add", r#"{"name":"postern","password":"planted password"}"#.to_owned()),
        ("/v3/auth/role/add", r#"{"name":"postern"}"#.to_owned()),
        ("/v3/auth/user/grant", r#"{"user":"postern","role":"postern"}"#.to_owned()),
        (
            "/v3/auth/role/grant",
            format!(
                r#"{{"name":"postern","perm":{{"permType":"READWRITE","key":"{}","range_end":"{}"}}}}"#,
                base64("/test/"),
                base64("/test0")
            ),
        ),
        ("/v3/auth/enable", "{}".to_owned()),
    ] {
        etcd.ask(path, &body).await;
    }
}

#[tokio::test]
async fn a_user_may_use_the_keys_below_its_prefix() {
    let etcd = Etcd::single().await;
    demand_users(&etcd).await;
    let at = |prefix: &str, user: Option<(&str, &str)>| SharedLocation {
        user: user.map(|(name, password)| (name.to_owned(), Secret::new(password))),
        ..location(&format!("etcd://{}/{prefix}", etcd.addresses()))
    };
    let user = Some(("postern", "planted password"));
    let store = Replica::open(&at("test", user)).await.expect("the store opens");
    done(&store, put("a", "1")).await;
    let lease = store.grant(Duration::from_secs(60), jiff::Timestamp::UNIX_EPOCH).await.expect("a lease");
    assert!(store.keep(lease, jiff::Timestamp::UNIX_EPOCH).await.expect("kept"));
    for (prefix, user) in [("test", None), ("test", Some(("postern", "planted mistake"))), ("elsewhere", user)] {
        let error = Replica::open(&at(prefix, user)).await.err().expect("refused");
        assert!(matches!(error, StoreError::Denied { .. }), "{prefix} {error:?}");
        assert!(!error.to_string().contains("planted"), "{error}");
        assert_eq!(postern_api::Error::from(error).code.status(), 503);
    }
    // As when it ends, which takes five minutes: members do not know it.
    store.client.spoil_token().await;
    done(&store, put("a", "2")).await;
    assert_eq!(text(&store, "a").await.as_deref(), Some("2"));
}

/// A file in a folder.
fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path
}

#[tokio::test]
async fn both_sides_identify_themselves_by_certificates() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = CertificateAuthority::root("store's authority");
    let mut names = named("a member");
    names.subject_alt_names = vec![rcgen::SanType::IpAddress([127, 0, 0, 1].into())];
    let (member, client) = (authority.issue(&names), authority.issue(&named("a client")));
    let trusted = file(folder.path(), "ca.pem", &authority.pem());
    let tls = EtcdTls {
        certificate: file(folder.path(), "member.pem", &member.certificate.pem()),
        key: file(folder.path(), "member.key", &member.key.serialize_pem()),
        client_authority: trusted.clone(),
    };
    let certificate = file(folder.path(), "client.pem", &client.certificate.pem());
    let key = file(folder.path(), "client.key", &client.key.serialize_pem());
    let etcd = Etcd::start(1, Some(&tls)).await;
    let address = format!("etcds://{}/test", etcd.addresses());
    let known = SharedLocation {
        authority: Some(trusted.clone()),
        certificate: Some((certificate.clone(), key.clone())),
        ..location(&address)
    };
    let store = Replica::open(&known).await.expect("the store opens");
    done(&store, put("a", "1")).await;
    let stranger = CertificateAuthority::root("another authority");
    let another = file(folder.path(), "other.pem", &stranger.pem());
    for (what, refused) in [
        ("an authority that is not theirs", SharedLocation { authority: Some(another), ..known.clone() }),
        ("no certificate", SharedLocation { certificate: None, ..known.clone() }),
    ] {
        let error = Replica::open(&refused).await.err().expect("refused");
        assert!(matches!(error, StoreError::Unreachable { .. }), "{what}: {error:?}");
    }
    for (what, unusable) in [
        ("no authority", SharedLocation { authority: None, ..known.clone() }),
        ("a missing file", SharedLocation { authority: Some(folder.path().join("none")), ..known.clone() }),
        ("a key for a certificate", SharedLocation { authority: Some(key.clone()), ..known.clone() }),
        ("a certificate for a key", SharedLocation { certificate: Some((certificate.clone(), certificate)), ..known }),
    ] {
        let error = Replica::open(&unusable).await.err().expect("refused");
        assert!(matches!(error, StoreError::Unusable { .. }), "{what}: {error:?}");
    }
}
