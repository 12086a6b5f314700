//! Countries of visitors, from a database file: rules of IP policies, variables in headers, mistakes in the file.

use postern_api::Code;
use postern_tests::{
    Agent, Operator, Origin, World, eventually,
    geoip::{self, Place},
    process::Process,
    programs,
    visitor::VisitorResponse,
};
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr};

/// A server with these flags, and an edge for `shop.localhost` whose route is guarded by a policy.
struct Shop {
    world: World,
    _agent: Agent,
    origin: Origin,
    policy: String,
    route: String,
}

impl Shop {
    async fn start(flags: &[&str]) -> Shop {
        let world = World::with(|setup| setup.flags(flags)).await;
        let (operator, origin, agent) = (world.operator(), Origin::start("hello").await, world.agent().await);
        agent.labelled("shop", "app=shop", origin.address()).await;
        let (backend, policy) = (operator.group("app", "shop").await, operator.policy(&[]).await);
        let edge = operator.post("/edges/https", json!({ "hostports": ["shop.localhost:443"] })).await.ok().text("id");
        let routes = format!("/edges/https/{edge}/routes");
        let body = json!({
            "match": "/", "match_type": "path_prefix", "backend": { "backend_id": backend },
            "ip_restriction": { "ip_policy_ids": [policy] },
        });
        let route = operator.post(&routes, body).await.ok().text("id");
        Shop { world, _agent: agent, origin, policy, route: format!("{routes}/{route}") }
    }

    async fn rule(&self, action: &str, member: &str, value: &str) -> String {
        let body = json!({ "ip_policy_id": self.policy, "action": action, member: value });
        self.operator().post("/ip_policy_rules", body).await.ok().text("id")
    }

    fn operator(&self) -> Operator {
        self.world.operator()
    }

    /// A request from 127.0.0.`last`.
    async fn get(&self, last: u8, path: &str) -> VisitorResponse {
        let address = IpAddr::from(Ipv4Addr::new(127, 0, 0, last));
        let visitor = self.world.visitor().with(|builder| builder.local_address(address));
        let port = self.world.server.addresses.https.port();
        visitor.get(&format!("https://shop.localhost:{port}{path}")).await
    }

    /// Which of 127.0.0.2 (Germany), 127.0.0.3 (France) and 127.0.0.4 (in no country) are admitted.
    async fn admits(&self) -> [bool; 3] {
        let mut admitted = [false; 3];
        for (last, passes) in (2..).zip(&mut admitted) {
            let response = self.get(last, "/").await;
            *passes = response.status == 200;
            assert!(*passes || response.refused() == Code::AddressDenied, "{}", response.text());
        }
        admitted
    }
}

#[tokio::test]
async fn visitors_are_admitted_and_described_by_their_country() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("countries.mmdb");
    let places = [
        ("127.0.0.2/32", Place::of("DE", "EU").city("M\u{fc}nchen").asn(64500)),
        ("127.0.0.3/32", Place::of("FR", "EU")),
    ];
    std::fs::write(&file, geoip::database(&places)).unwrap();
    let shop = Shop::start(&["--geoip", &file.to_string_lossy()]).await;
    let operator = shop.operator();

    let allows = shop.rule("allow", "country", "de").await;
    eventually("the agent's tunnel serves the edge", async || {
        (shop.get(2, "/").await.header("postern-error-code") != "ERR_POSTERN_6515").then_some(())
    })
    .await;
    assert_eq!(shop.admits().await, [true, false, false]);
    shop.rule("allow", "cidr", "127.0.0.0/8").await;
    assert_eq!(shop.admits().await, [true, true, true]);
    let denies = shop.rule("deny", "country", "FR").await;
    assert_eq!(shop.admits().await, [true, false, true], "a country that is denied, in a range that is allowed");
    operator.patch(&format!("/ip_policy_rules/{denies}"), json!({ "country": "US" })).await.ok();
    assert_eq!(shop.admits().await, [true, true, true], "the change is in force with its response");
    operator.delete(&format!("/ip_policy_rules/{denies}")).await.ok();
    let rule = operator.get(&format!("/ip_policy_rules/{allows}")).await.ok();
    assert_eq!((rule.text("country"), rule.text("cidr")), ("DE".to_owned(), String::new()));

    let value = "${geo.country} ${geo.continent} ${geo.city} ${geo.asn}";
    let changes = json!({ "add": { "x-from": value } });
    operator.put(&format!("{}/request_headers", shop.route), changes).await.ok();
    for (last, expected) in [(2, "DE EU M%C3%BCnchen 64500"), (3, "FR EU  "), (4, "   ")] {
        let path = format!("/headers/{last}");
        assert_eq!(shop.get(last, &path).await.text(), "hello");
        let received = &shop.origin.wait_for_requests(&path, 1).await[0];
        assert_eq!(received.header("x-from").trim_end(), expected.trim_end(), "127.0.0.{last}");
    }

    let guarded = operator.policy(&[]).await;
    let body = json!({ "ip_policy_id": guarded, "action": "allow", "country": "DE" });
    operator.post("/ip_policy_rules", body).await.ok();
    let everything = json!({ "type": "endpoints", "enforced": true, "ip_policy_ids": [guarded] });
    operator.post("/ip_restrictions", everything).await.ok();
    assert_eq!(shop.get(2, "/").await.text(), "hello");
    assert_eq!(shop.get(3, "/").await.refused(), Code::EndpointAddressDenied);
}

#[tokio::test]
async fn without_a_database_rules_for_countries_refuse() {
    let shop = Shop::start(&[]).await;
    shop.rule("allow", "country", "DE").await;
    assert_eq!(shop.admits().await, [false, false, false], "no country is known to be allowed");
    shop.rule("allow", "cidr", "127.0.0.0/8").await;
    eventually("the agent's tunnel serves the edge", async || (shop.get(2, "/").await.status == 200).then_some(()))
        .await;
    assert_eq!(shop.admits().await, [true, true, true]);
    shop.rule("deny", "country", "US").await;
    assert_eq!(shop.admits().await, [false, false, false], "each address could be in the denied country");
}

#[tokio::test]
async fn a_file_that_is_no_database_of_countries_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("server"), folder.path().join("x.mmdb"));
    let owners = geoip::database(&[("127.0.0.0/8", Place::default().asn(64500))]);
    for (content, expected) in [
        (None, "cannot be read: no such file"),
        (Some(&b"not a database"[..]), "is not a database in the MaxMind DB format"),
        (Some(&owners), "has no countries"),
    ] {
        if let Some(content) = content {
            std::fs::write(&file, content).unwrap();
        }
        let (data, file) = (data.to_string_lossy(), file.to_string_lossy());
        let ended = Process::run(&programs::server(), &["run", "--data-dir", &data, "--geoip", &file], &[]).await;
        assert!(!ended.status.success(), "{ended:?}");
        assert!(ended.output().contains("--geoip") && ended.output().contains(expected), "{ended:?}");
    }
}
