//! `postern diagnose` reports problems and their fixes.

use postern_tests::{Origin, World, agent::AgentSetup};
use serde_json::{Value, json};

/// The report, and the exit status.
async fn diagnose(setup: AgentSetup) -> (Value, Option<i32>) {
    let file = setup.config().with_file_name("report.json");
    let ended = setup.arguments(&["diagnose", "--json", "-w", &file.to_string_lossy()]).run().await;
    let printed: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let written: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(printed, written, "the file says the same");
    (printed, ended.status.code())
}

fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    let found = report["checks"].as_array().unwrap().iter().find(|check| check["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {report:#}"))
}

#[tokio::test]
async fn every_check_passes_in_a_working_setup_and_no_session_is_disturbed() {
    let world = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let origin = Origin::start("hello").await;
    let tunnel = json!({ "proto": "http", "addr": origin.to_string() });
    let setup = world.agent_setup("agent", &token).tunnel("site", tunnel);
    let running = setup.clone().start().await;
    let site = running.wait_for_tunnel("site").await;
    let (report, status) = diagnose(setup.clone()).await;
    assert_eq!(status, Some(0), "{report:#}");
    for name in ["configuration", "authtoken", "dns", "tcp", "tls", "protocol", "latency", "clock", "service"] {
        assert_eq!(check(&report, name)["verdict"], "OK", "{name}: {report:#}");
        assert!(check(&report, name)["milliseconds"].is_number());
    }
    assert!(!report.to_string().contains(&token), "no secret in it");
    assert_eq!(world.visitor().get(&site.url("/")).await.text(), "hello", "the running agent is not disturbed");
    let text = setup.arguments(&["diagnose"]).run().await;
    assert!(text.status.success(), "{text:?}");
    assert_eq!(
        text.stdout.lines().filter(|line| line.starts_with("OK ")).count(),
        report["checks"].as_array().unwrap().len()
    );
    assert!(text.stdout.contains("Everything works."), "{text:?}");
}

#[tokio::test]
async fn each_problem_is_reported_with_its_fix() {
    let world = World::start().await;
    let stranger = World::start().await;
    let token = world.operator().credential(&[]).await.1;
    let closed = Origin::start("closed").await.stop().await.to_string();
    let plain = Origin::start("a web server").await;
    let web = plain.to_string();
    let foreign = stranger.server.authority().to_string_lossy().into_owned();
    let setup = || world.agent_setup("agent", &token);
    let cases = [
        ("an unknown name", setup().setting("server_addr", "unknown.invalid:4443"), "dns", "name server"),
        ("a closed port", setup().setting("server_addr", &closed), "tcp", "Is the server running"),
        ("something else", setup().setting("server_addr", &web), "tls", "may not be a Postern server"),
        ("another authority", setup().setting("root_cas", &foreign), "tls", "root_cas"),
        (
            "a wrong token",
            setup().setting("authtoken", "2ojtsYcgvSTl8PAuAdqWYSMnLOv_wrong"),
            "protocol",
            "add-authtoken",
        ),
        ("no token", setup().setting("authtoken", "''"), "authtoken", "POSTERN_AUTHTOKEN"),
        ("an unknown key", setup().setting("server_adr", "x"), "configuration", "postern config edit"),
        (
            "a service that is down",
            setup().tunnel("site", json!({"proto": "http", "addr": closed})),
            "service",
            "Start the service",
        ),
    ];
    for (what, setup, name, fix) in cases {
        let (report, status) = diagnose(setup).await;
        assert_eq!(status, Some(1), "{what}: {report:#}");
        let check = check(&report, name);
        assert_eq!((&check["verdict"], &report["verdict"]), (&json!("FAIL"), &json!("FAIL")), "{what}: {report:#}");
        assert!(check["fix"].as_str().is_some_and(|text| text.contains(fix)), "{what}: {check}");
    }
}
