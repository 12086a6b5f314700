use super::*;
use crate::{Control, ControlSettings, NoLiveState, certificates::DAY};
use futures::future::BoxFuture;
use postern_api::{Role, Secret, published::Certificate};
use rcgen::{CertificateParams, KeyPair};
use serde_json::{Value, json};
use std::sync::{
    Mutex,
    atomic::{AtomicI64, Ordering},
};
use tower::ServiceExt;

/// Start of the tests, in 2027.
const START: i64 = 1_800_000_000;

/// An authority with a configurable lifetime of certificates, which can be told to refuse orders.
#[derive(Default)]
struct Authority {
    now: AtomicI64,
    ordered: Mutex<Vec<(String, ManagedKeyType)>>,
    refuse_with: Mutex<Option<String>>,
    lifetime: AtomicI64,
}

struct SharedAuthority(Arc<Authority>);

impl CertificateIssuer for SharedAuthority {
    fn issue(
        &self,
        names: Vec<HostName>,
        key_type: ManagedKeyType,
    ) -> BoxFuture<'static, Result<IssuedCertificate, AcmeError>> {
        let authority = self.0.clone();
        Box::pin(async move {
            let names: Vec<String> = names.iter().map(HostName::to_string).collect();
            authority.ordered.lock().expect("unpoisoned").push((names.join(" "), key_type));
            if let Some(why) = authority.refuse_with.lock().expect("unpoisoned").clone() {
                return Err(AcmeError(why));
            }
            let key = KeyPair::generate().expect("a key");
            let mut params = CertificateParams::new(names).expect("names");
            let now = authority.now.load(Ordering::SeqCst);
            crate::certificates::set_validity(&mut params, now, now + authority.lifetime.load(Ordering::SeqCst));
            let chain_pem = params.self_signed(&key).expect("a certificate").pem();
            Ok(IssuedCertificate { chain_pem, private_key_pem: Secret::new(key.serialize_pem()) })
        })
    }
}

struct World {
    _folder: tempfile::TempDir,
    control: Control,
    key: String,
    authority: Arc<Authority>,
    renewer: CertificateRenewer,
}

impl World {
    async fn start() -> World {
        World::with_domain("localhost", false).await
    }

    async fn with_domain(domain: &str, has_dns: bool) -> World {
        let folder = tempfile::tempdir().expect("a folder");
        let domain = HostName::parse(domain).expect("a name");
        let settings = ControlSettings { domain, ..ControlSettings::new(folder.path()) };
        let control = Control::open(settings, Arc::new(NoLiveState)).await.expect("it opens");
        let key = control.create_api_key("operator", Role::Admin).await.expect("a key").reveal().to_owned();
        let authority = Arc::new(Authority::default());
        authority.now.store(START, Ordering::SeqCst);
        authority.lifetime.store(90 * DAY, Ordering::SeqCst);
        let clock = {
            let authority = authority.clone();
            Arc::new(move || jiff::Timestamp::from_second(authority.now.load(Ordering::SeqCst)).expect("a moment"))
        };
        control.resources.provisioning.enable(has_dns);
        let renewer =
            CertificateRenewer::new(control.resources.clone(), Arc::new(SharedAuthority(authority.clone())), clock);
        World { _folder: folder, control, key, authority, renewer }
    }

    async fn call(&self, method: &str, path: &str, body: Value) -> Value {
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", format!("Bearer {}", self.key))
            .header("service-version", "2")
            .header("content-type", "application/json")
            .body(axum::body::Body::from(if body.is_null() { String::new() } else { body.to_string() }))
            .expect("a request");
        let response = self.control.router().oneshot(request).await.expect("a response");
        let status = response.status();
        let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(status.is_success(), "{method} {path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    async fn edge(&self, host: &str) {
        self.call("POST", "/edges/https", json!({ "hostports": [format!("{host}:443")] })).await;
    }

    /// Advances the clock and completes all orders that are due; gives the names that were ordered.
    async fn advance(&mut self, seconds: i64) -> Vec<String> {
        self.authority.now.fetch_add(seconds, Ordering::SeqCst);
        self.renewer.start_due_orders();
        while self.renewer.finish_order().await.is_some() {
            self.renewer.start_due_orders();
        }
        let ordered = std::mem::take(&mut *self.authority.ordered.lock().expect("unpoisoned"));
        ordered.into_iter().map(|(name, _)| name).collect()
    }

    fn refuse_with(&self, why: Option<&str>) {
        *self.authority.refuse_with.lock().expect("unpoisoned") = why.map(str::to_owned);
    }

    fn certificates(&self) -> Vec<Arc<Certificate>> {
        self.control.published().borrow().certificates.to_vec()
    }
}

#[tokio::test]
async fn a_new_name_gets_a_certificate_that_is_renewed_after_two_thirds_of_its_lifetime() {
    let mut world = World::start().await;
    assert_eq!(world.advance(0).await, [""; 0]);
    world.edge("shop.test").await;
    assert_eq!(world.advance(0).await, ["shop.test"]);
    let [first] = &world.certificates()[..] else { panic!("one certificate") };
    let shown = world.call("GET", &format!("/tls_certificates/{}", first.id), Value::Null).await;
    assert_eq!(shown["issued_at"], "2027-01-15T08:00:00Z");
    assert_eq!(shown["subject_alternative_names"]["dns_names"], json!(["shop.test"]));
    assert!(shown.get("private_key_pem").is_none());

    assert_eq!(world.advance(60 * DAY - 1).await, [""; 0], "before two thirds of its lifetime");
    assert_eq!(world.advance(1).await, ["shop.test"]);
    let [second] = &world.certificates()[..] else { panic!("one certificate") };
    assert_eq!(second.id, first.id, "references to it stay valid");
    assert!(second.not_after > first.not_after && second.chain_pem != first.chain_pem);
    assert_eq!(world.advance(DAY).await, [""; 0]);
}

#[tokio::test]
async fn a_failure_keeps_the_old_certificate_and_is_retried_with_increasing_delay() {
    let mut world = World::start().await;
    world.edge("shop.test").await;
    world.advance(0).await;
    let before = world.certificates();
    world.refuse_with(Some("not today"));
    assert_eq!(world.advance(60 * DAY).await, ["shop.test"]);
    for (wait, ordered) in [(599, 0), (1, 1), (1199, 0), (1, 1), (2399, 0), (1, 1)] {
        assert_eq!(world.advance(wait).await.len(), ordered, "after {wait} seconds more");
    }
    assert_eq!(world.certificates(), before, "the old one is still served");
    world.refuse_with(None);
    assert_eq!(world.advance(4800).await, ["shop.test"]);
    assert!(world.certificates()[0].not_after > before[0].not_after);
    world.refuse_with(Some("not today"));
    world.advance(60 * DAY).await;
    assert_eq!(world.advance(600).await.len(), 1, "a success resets the delay");
}

#[tokio::test]
async fn a_useless_certificate_counts_as_a_failure_and_is_not_ordered_in_a_loop() {
    let mut world = World::start().await;
    world.authority.lifetime.store(0, Ordering::SeqCst);
    world.edge("shop.test").await;
    assert_eq!(world.advance(0).await, ["shop.test"]);
    assert_eq!(world.advance(60).await, [""; 0]);
}

#[tokio::test]
async fn an_uploaded_certificate_is_not_replaced_before_it_expires() {
    let mut world = World::start().await;
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::new(vec!["*.shop.test".to_owned()]).expect("a name");
    crate::certificates::set_validity(&mut params, START, START + DAY);
    let pem = params.self_signed(&key).expect("a certificate").pem();
    let body = json!({ "certificate_pem": pem, "private_key_pem": key.serialize_pem() });
    world.call("POST", "/tls_certificates", body).await;
    world.edge("a.shop.test").await;
    assert_eq!(world.advance(DAY - 1).await, [""; 0]);
    assert_eq!(world.advance(1).await, ["a.shop.test"]);
    assert_eq!(world.certificates().len(), 2);
}

#[tokio::test]
async fn a_reserved_domain_shows_the_progress_and_chooses_the_type_of_key() {
    let mut world = World::start().await;
    let policy = json!({ "authority": "letsencrypt", "private_key_type": "rsa" });
    let body = json!({ "domain": "kept.test", "certificate_management_policy": policy });
    let made = world.call("POST", "/reserved_domains", body).await;
    let path = format!("/reserved_domains/{}", made["id"].as_str().expect("an id"));
    world.refuse_with(Some("the door is shut"));
    world.renewer.start_due_orders();
    world.renewer.finish_order().await;
    assert_eq!(world.authority.ordered.lock().expect("unpoisoned")[0], ("kept.test".to_owned(), ManagedKeyType::Rsa));
    let job = &world.call("GET", &path, Value::Null).await["certificate_management_status"]["provisioning_job"];
    assert_eq!(job["error_code"], "ERR_POSTERN_1967");
    assert_eq!(job["msg"], "the door is shut");
    assert_eq!(
        (&job["started_at"], &job["retries_at"]),
        (&json!("2027-01-15T08:00:00Z"), &json!("2027-01-15T08:10:00Z"))
    );
    world.refuse_with(None);
    world.advance(600).await;
    world.advance(0).await;
    let status = &world.call("GET", &path, Value::Null).await["certificate_management_status"];
    assert_eq!(status["provisioning_job"], Value::Null);
    assert_eq!(status["renews_at"], "2027-03-16T08:10:00Z");
}

#[tokio::test]
async fn a_domain_that_will_never_get_a_certificate_says_why() {
    let mut world = World::start().await;
    let policy = json!({ "authority": "letsencrypt" });
    for (domain, why) in [("*.kept.test", "wildcard"), ("kept.localhost", "own authority")] {
        let body = json!({ "domain": domain, "certificate_management_policy": policy });
        let made = world.call("POST", "/reserved_domains", body).await;
        let job = &made["certificate_management_status"]["provisioning_job"];
        assert!(job["msg"].as_str().expect("a sentence").contains(why), "{made}");
        assert_eq!((&job["error_code"], &job["retries_at"]), (&json!("ERR_POSTERN_1967"), &Value::Null));
    }
    assert_eq!(world.advance(DAY).await, [""; 0]);
    let folder = tempfile::tempdir().expect("a folder");
    let control = Control::open(ControlSettings::new(folder.path()), Arc::new(NoLiveState)).await.expect("it opens");
    let since = Timestamp::now();
    let status = control.resources.provisioning.status(&HostName::parse("kept.test").expect("a name"), since);
    let job = status.provisioning_job.expect("without a directory");
    assert!(job.msg.contains("--acme-directory") && job.started_at == since, "{job:?}");
}

#[tokio::test]
async fn the_wildcard_of_the_own_domain_serves_the_names_below_it() {
    let mut world = World::with_domain("own.test", true).await;
    world.edge("a.own.test").await;
    world.edge("b.a.own.test").await;
    assert_eq!(world.advance(0).await, ["*.own.test own.test", "b.a.own.test"]);
    let first = world.certificates();
    assert_eq!(world.advance(60 * DAY).await, ["*.own.test own.test", "b.a.own.test"], "renewed together");
    let ids = |certificates: &[Arc<Certificate>]| certificates.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&world.certificates()), ids(&first));
}

#[tokio::test]
async fn names_below_a_wildcard_get_their_own_certificates_while_it_fails() {
    let mut world = World::with_domain("own.test", true).await;
    world.refuse_with(Some("the zone is closed"));
    world.edge("a.own.test").await;
    assert_eq!(world.advance(0).await, ["*.own.test own.test", "a.own.test"]);
    world.refuse_with(None);
    assert_eq!(world.advance(600).await, ["*.own.test own.test", "a.own.test"]);
    assert_eq!(world.advance(60 * DAY).await, ["*.own.test own.test"], "its certificate is valid for both");
}

#[tokio::test]
async fn many_names_are_ordered_a_few_at_once_and_forgotten_with_their_edges() {
    let mut world = World::start().await;
    for number in 0..6 {
        world.edge(&format!("shop-{number}.test")).await;
    }
    world.renewer.start_due_orders();
    assert_eq!(world.renewer.orders.len(), MAX_CONCURRENT_ORDERS);
    assert_eq!(world.advance(0).await.len(), 6);
    world.refuse_with(Some("no"));
    world.advance(60 * DAY).await;
    assert_eq!(world.renewer.failures.len(), 6);
    let edges = world.call("GET", "/edges/https", Value::Null).await;
    for edge in edges["https_edges"].as_array().expect("a list") {
        world.call("DELETE", &format!("/edges/https/{}", edge["id"].as_str().expect("an id")), Value::Null).await;
    }
    assert_eq!(world.advance(DAY).await, [""; 0]);
    assert!(world.renewer.failures.is_empty());
}
