//! `postern api …`: every resource from the shell.

use postern_api::Code;
use postern_tests::{Process, ProcessOutput, World, programs};
use serde_json::Value;

/// A shell with an API key in the environment.
struct Shell {
    url: String,
    key: String,
}

impl Shell {
    fn of(world: &World) -> Shell {
        Shell { url: format!("http://{}", world.api()), key: world.admin_key() }
    }

    async fn run(&self, line: &[&str]) -> ProcessOutput {
        let environment = [("POSTERN_API_URL", self.url.as_str()), ("POSTERN_API_KEY", self.key.as_str())];
        let words: Vec<&str> = std::iter::once("api").chain(line.iter().copied()).collect();
        let ended = Process::run(&programs::agent(), &words, &environment).await;
        assert!(!ended.output().contains(&self.key), "the key is never printed: {ended:?}");
        ended
    }

    /// The response of a successful command.
    async fn answer(&self, line: &[&str]) -> Value {
        let ended = self.run(line).await;
        assert!(ended.status.success(), "{line:?}: {ended:?}");
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{line:?}: {error}: {ended:?}"))
    }

    /// The id that a successful `create` command prints.
    async fn made(&self, line: &[&str]) -> String {
        self.answer(line).await["id"].as_str().expect("an id").to_owned()
    }
}

#[tokio::test]
async fn a_resource_is_created_read_listed_changed_and_deleted() {
    let world = World::start().await;
    let shell = Shell::of(&world);
    let id = shell.made(&["ip-policies", "create", "--description", "office", "--metadata=-x"]).await;
    let rule = ["ip-policy-rules", "create", "--cidr", "10.0.0.0/8", "--action", "allow", "--ip-policy-id", &id];
    assert_eq!(shell.answer(&rule).await["ip_policy"]["id"], id.as_str());
    let read = shell.answer(&["ip-policies", "get", &id]).await;
    assert_eq!((&read["description"], &read["metadata"]), (&"office".into(), &"-x".into()));
    shell.made(&["ip-policies", "create"]).await;
    let page = shell.answer(&["ip-policies", "list", "--limit", "1"]).await;
    assert_eq!(page["ip_policies"].as_array().map(Vec::len), Some(1));
    assert!(page["next_page_uri"].is_string());
    let all = shell.answer(&["ip-policies", "list", "--limit", "1", "--all"]).await;
    assert_eq!((all["ip_policies"].as_array().map(Vec::len), &all["next_page_uri"]), (Some(2), &Value::Null));
    let changed = shell.answer(&["ip-policies", "update", &id, "--description", ""]).await;
    assert_eq!((&changed["description"], &changed["metadata"]), (&"".into(), &"-x".into()));
    let deleted = shell.run(&["ip-policies", "delete", &id]).await;
    assert!(deleted.status.success() && deleted.stdout.is_empty(), "{deleted:?}");
    let missing = shell.run(&["ip-policies", "get", &id]).await;
    assert_eq!(missing.status.code(), Some(1));
    assert!(missing.stderr.contains(&Code::NotFound.to_string()) && missing.stdout.is_empty(), "{missing:?}");
    let people = shell.answer(&["app", "users", "list"]).await;
    assert_eq!(people["application_users"].as_array().map(Vec::len), Some(0));
}

#[tokio::test]
async fn edges_routes_and_modules_have_commands() {
    let world = World::start().await;
    let shell = Shell::of(&world);
    let group = ["backends", "tunnel-group", "create", "--labels", "app=shop", "--labels", "tier=front"];
    let group = shell.made(&group).await;
    let edge = shell.made(&["edges", "https", "create", "--hostports", "shop.localhost:443"]).await;
    let body = format!(r#"{{"backend": {{"backend_id": "{group}"}}}}"#);
    let file = world.path("route.json");
    std::fs::write(&file, body).unwrap();
    let from_file = format!("@{}", file.display());
    let route = ["edges", "https", "routes", "create", &edge, "--match-type", "path_prefix", "--match", "/", "--data"];
    let route = shell.made(&[&route[..], &[from_file.as_str()]].concat()).await;
    let breaker = ["edges", "https", "routes", "circuit-breaker", "replace", &edge, &route];
    let numbers = ["--tripped-duration", "7", "--error-threshold-percentage", "0.25", "--enabled=false"];
    let put = shell.answer(&[&breaker[..], &numbers].concat()).await;
    assert_eq!((&put["tripped_duration"], &put["enabled"]), (&7.into(), &false.into()));
    let shown = shell.answer(&["edges", "https", "get", &edge]).await;
    assert_eq!(shown["routes"][0]["circuit_breaker"], put);
    assert_eq!(shown["routes"][0]["backend"]["backend"]["id"], group.as_str());
    let unset = shell.run(&["edges", "https", "routes", "saml", "get", &edge, &route]).await;
    assert!(unset.stderr.contains(&Code::ModuleUnset.to_string()), "{unset:?}");
}

#[tokio::test]
async fn every_list_of_the_description_has_a_command() {
    let world = World::start().await;
    let shell = Shell::of(&world);
    let description = world.stranger().get("/openapi.json").await.ok().body;
    let mut lists = 0;
    for (path, item) in description["paths"].as_object().expect("paths") {
        let parameters = item["get"]["parameters"].as_array().into_iter().flatten();
        if !parameters.into_iter().any(|parameter| parameter.to_string().contains("before_id")) {
            continue;
        }
        let mut words: Vec<String> = path.trim_matches('/').split('/').map(|word| word.replace('_', "-")).collect();
        words.push("list".to_owned());
        let page = shell.answer(&words.iter().map(String::as_str).collect::<Vec<_>>()).await;
        assert!(page["uri"].as_str().is_some_and(|uri| uri.ends_with(path)), "{path}: {page}");
        lists += 1;
    }
    assert!(lists >= 20, "only {lists} lists were found");
}

#[tokio::test]
async fn an_error_is_reported_with_its_code() {
    let world = World::start().await;
    let mut shell = Shell::of(&world);
    for (line, code) in [
        (&["edges", "tcp", "create", "--hostports", "elsewhere.test:1"][..], Code::HostportInvalid),
        (&["edges", "tcp", "create", "--data", "{"], Code::BodyMalformed),
        (&["edges", "tcp", "create", "--data", r#"{"hostport": 1}"#], Code::FieldUnknown),
        (&["backends", "tunnel-group", "create", "--labels", "app"], Code::FieldInvalid),
        (&["ip-policies", "get", "ipr_0ujtsYcgvSTl8PAuAdqWYSMnLOv"], Code::IdShape),
    ] {
        let ended = shell.run(line).await;
        assert!(ended.status.code() == Some(1) && ended.stderr.contains(&code.to_string()), "{line:?}: {ended:?}");
    }
    let unclear = shell.run(&["ip-policies", "creat"]).await;
    assert!(unclear.status.code() == Some(2) && unclear.stderr.contains("create"), "{unclear:?}");
    shell.key.push('x');
    let unknown = shell.run(&["ip-policies", "list"]).await;
    assert!(unknown.stderr.contains(&Code::KeyUnknown.to_string()), "{unknown:?}");
    shell.url = "http://127.0.0.1:9".to_owned();
    let unreachable = shell.run(&["ip-policies", "list"]).await;
    assert!(unreachable.stderr.contains(&Code::ServerUnreachable.to_string()), "{unreachable:?}");
}

#[tokio::test]
async fn the_key_may_come_from_the_configuration_file() {
    let world = World::start().await;
    let file = world.path("agent.yml");
    std::fs::write(&file, format!("version: 2\napi_key: {}\n", world.admin_key())).unwrap();
    let url = format!("http://{}", world.api());
    let file = file.to_string_lossy().into_owned();
    let listed = ["api", "users", "list", "--config", &file, "--api-url", &url];
    let listed = Process::run(&programs::agent(), &listed, &[]).await;
    assert!(listed.status.success() && listed.stdout.contains("\"admin\""), "{listed:?}");
    let home = world.path("home").to_string_lossy().into_owned();
    let without = Process::run(&programs::agent(), &["api", "users", "list"], &[("POSTERN_HOME", &home)]).await;
    assert!(without.stderr.contains(&Code::KeyMissing.to_string()), "{without:?}");
}
