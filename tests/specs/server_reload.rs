//! SIGHUP: the server reads its settings again and applies them, while connections go on.

use postern_api::Code;
use postern_tests::{
    Agent, Origin, Process, World, eventually,
    http1::{Http1Client, Http1Response},
    ports::free_tcp_ports,
    programs,
    server::Addresses,
    tcp::{Echo, EchoClient},
};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;
use std::path::{Path, PathBuf};
use tokio::net::{TcpSocket, TcpStream};

/// A world whose server has a configuration file.
struct Configured {
    world: World,
    file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Configured {
    async fn start(text: &str) -> Configured {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("server.yml");
        std::fs::write(&file, text).unwrap();
        let world = World::with(|setup| setup.flags(&["--config", &file.to_string_lossy()])).await;
        Configured { world, file, _folder: folder }
    }

    /// Writes the file, sends SIGHUP and waits for the word of the server.
    async fn reload(&self, text: &str, word: &str) -> String {
        std::fs::write(&self.file, text).unwrap();
        let before = self.world.server.process.stderr().len();
        self.world.server.process.signal(Signal::HUP);
        let said = || {
            let log = self.world.server.process.stderr()[before..].to_owned();
            log.lines().find(|line| line.contains("SIGHUP") && line.contains(word)).map(str::to_owned)
        };
        eventually(&format!("the server logs `{word}`"), async || said()).await
    }

    /// Sends a request with this number of headers over a new connection to the plain HTTP port.
    async fn status_with_headers(&self, count: usize) -> u16 {
        let more: String = (0..count).map(|number| format!("x-{number}: 1\r\n")).collect();
        let stream = TcpStream::connect(self.world.server.addresses.http).await.unwrap();
        request_over(stream, "", &more).await.status
    }
}

/// A request for an unknown name, with bytes before it and headers in it.
async fn request_over(stream: TcpStream, before: &str, headers: &str) -> Http1Response {
    let request = format!("{before}GET / HTTP/1.1\r\nHost: nothing.localhost\r\n{headers}\r\n");
    Http1Client::new(stream).request(&request).await
}

const IN_FORCE: &str = "are in force";

async fn echo(agent: &Agent) -> (Echo, EchoClient) {
    let echo = Echo::named("echo").await;
    let tunnel = agent.tcp("echo", &echo).await;
    let (client, _) = EchoClient::connect(tunnel.port()).await.expect("open");
    (echo, client)
}

#[tokio::test]
async fn limits_and_the_log_level_change_while_a_connection_goes_on() {
    let configured = Configured::start("max_headers: 20\nlog_level: info\n").await;
    let agent = configured.world.agent().await;
    let (_echo, mut line) = echo(&agent).await;
    assert_eq!(configured.status_with_headers(30).await, 431);
    assert!(!configured.world.server.process.stderr().contains(" DEBUG "));
    let said = configured.reload("max_headers: 50\nlog_level: debug\n", IN_FORCE).await;
    assert!(said.contains("max_headers, log_level"), "{said}");
    assert_eq!(configured.status_with_headers(30).await, 404);
    assert_eq!(line.echo("still here").await.as_deref(), Some("still here"));
    let process = &configured.world.server.process;
    eventually("the server logs at the new level", async || {
        configured.status_with_headers(60).await;
        process.stderr().contains(" DEBUG ").then_some(())
    })
    .await;
    configured.reload("max_headers: 50\nlog_level: debug\n", "none that can be applied now has changed").await;
}

#[tokio::test]
async fn a_lower_limit_of_connections_ends_none_and_admits_no_more() {
    let configured = Configured::start("max_connections: 100\n").await;
    let (world, origin) = (&configured.world, Origin::start("hello").await);
    let agent = world.agent().await;
    let site = agent.https("site", &origin).await;
    let visitor = world.visitor().with(reqwest::ClientBuilder::http1_only);
    assert_eq!(visitor.get(&site.url("/")).await.text(), "hello");
    // The sessions of the agent and the open connection of the visitor are more already.
    configured.reload("max_connections: 1\n", IN_FORCE).await;
    let refused = world.visitor().get(&site.url("/")).await;
    assert_eq!((refused.status, refused.refused()), (503, Code::EdgeBusy));
    assert_eq!(visitor.get(&site.url("/")).await.text(), "hello", "an open connection goes on");
    configured.reload("max_connections: 100\n", IN_FORCE).await;
    assert_eq!(world.visitor().get(&site.url("/")).await.text(), "hello");
}

#[tokio::test]
async fn trusted_proxies_are_replaced() {
    let configured = Configured::start("trusted_proxies: 127.0.0.9\n").await;
    let address = configured.world.server.addresses.http;
    let from_proxy = async || {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, 2], 0).into()).unwrap();
        let stream = socket.connect(address).await.unwrap();
        request_over(stream, "PROXY TCP4 203.0.113.9 192.0.2.1 4000 80\r\n", "").await.status
    };
    assert_eq!(from_proxy().await, 400, "the header of a stranger is not a request");
    configured.reload("trusted_proxies: 127.0.0.2\n", IN_FORCE).await;
    assert_eq!(from_proxy().await, 404);
    configured.reload("", IN_FORCE).await;
    assert_eq!(from_proxy().await, 400);
}

#[tokio::test]
async fn a_mistake_changes_nothing_and_is_logged_with_its_line() {
    let configured = Configured::start("max_headers: 20\n").await;
    for (text, parts) in [
        ("max_headers: 50\n\nlog_levl: debug\n", ["line 3", "Did you mean `log_level`?"]),
        ("max_headers: 50\nanswer_timeout: soon\n", ["`answer_timeout` in line 2", "is not a duration"]),
        ("max_headers: 50\ncertificate: /none.pem\ncertificate_key: /none.key\n", ["/none.pem", "no such file"]),
        ("max_headers: 50\n  nonsense: [\n", ["server.yml", "line"]),
    ] {
        let said = configured.reload(text, "none of them was changed").await;
        assert!(parts.iter().all(|part| said.contains(part)), "{parts:?}: {said}");
        assert_eq!(configured.status_with_headers(30).await, 431, "{text}");
    }
    assert!(configured.world.server.process.is_running());
}

#[tokio::test]
async fn settings_that_need_a_restart_are_named_until_it_comes() {
    let configured = Configured::start("audit_retention: 10d\n").await;
    let changed = "audit_retention: 20d\ndomain: example.test\nmax_headers: 50\n";
    let names_both = |said: &str| said.contains("audit_retention") && said.contains("domain");
    let said = configured.reload(changed, "need a restart").await;
    assert!(names_both(&said) && !said.contains("max_headers"), "{said}");
    let again = configured.reload(changed, "need a restart").await;
    assert!(names_both(&again), "{again}");
    configured.reload("audit_retention: 10d\nmax_headers: 60\n", IN_FORCE).await;
    let last = configured.world.server.process.stderr().lines().last().unwrap_or_default().to_owned();
    assert!(!last.contains("need a restart"), "{last}");
}

/// A program in a terminal of its own, which is closed when the returned process is killed.
fn in_terminal(command: &str) -> Process {
    Process::start(Path::new("script"), &["--quiet", "--command", &format!("exec {command}"), "/dev/null"], &[])
}

#[tokio::test]
async fn a_server_that_was_started_in_a_terminal_ends_in_order_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let (first, last) = free_tcp_ports(2);
    let free = "127.0.0.1:0";
    let terminal = in_terminal(&format!(
        "{} run --data-dir {} --https-addr {free} --http-addr {free} --api-addr {free} --tcp-ports {first}-{last}",
        programs::server().display(),
        folder.path().display(),
    ));
    terminal.wait_for_output("Postern is ready").await;
    let addresses = folder.path().join("addresses.json");
    let running: Addresses = serde_json::from_slice(&std::fs::read(&addresses).unwrap()).unwrap();
    let pid = Pid::from_raw(running.pid.try_into().unwrap()).unwrap();
    kill_process(pid, Signal::HUP).unwrap();
    terminal.wait_for_output("the settings were read again").await;
    assert!(addresses.exists(), "a signal alone does not end it");
    terminal.kill();
    // A server that is killed leaves the file.
    eventually("the server has ended in order", async || (!addresses.exists()).then_some(())).await;
    eventually("its process is gone", async || test_kill_process(pid).is_err().then_some(())).await;
}

#[tokio::test]
async fn the_operators_oauth_apps_are_replaced() {
    let configured = Configured::start("log_level: info\n").await;
    // The node that is told to read its settings again.
    let operator = configured.world.operator_of_visitors();
    let backend = operator.post("/backends/http_response", json!({ "body": "welcome" })).await.ok().text("id");
    let edge = operator.post("/edges/https", json!({ "hostports": ["shop.localhost:443"] })).await.ok().text("id");
    let routes = format!("/edges/https/{edge}/routes");
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
    let route = operator.post(&routes, route).await.ok().text("id");
    let module = format!("{routes}/{route}/oauth");
    let google = json!({ "provider": { "google": {} } });
    assert_eq!(operator.put(&module, google.clone()).await.code(), Code::OAuthAppMissing);

    let apps = configured.world.path("apps.yml");
    let app = |id: &str| format!("google: {{ client_id: {id}, client_secret: planted }}\n");
    std::fs::write(&apps, app("first")).unwrap();
    let settings = format!("oauth_apps: {}\n", apps.display());
    configured.reload(&settings, "oauth_apps").await;
    operator.put(&module, google).await.ok();
    let url = format!("https://shop.localhost:{}/", configured.world.server.addresses.https.port());
    let visitor = configured.world.visitor();
    let leads_to = async || visitor.get(&url).await.header("location").to_owned();
    let location = leads_to().await;
    assert!(location.contains("client_id=first"), "{location}");

    // The setting is the same; the file that it names is not.
    std::fs::write(&apps, app("second")).unwrap();
    configured.reload(&settings, "oauth_apps").await;
    let location = leads_to().await;
    assert!(location.contains("client_id=second"), "{location}");
    assert!(!configured.world.server.process.stderr().contains("planted"));
}
