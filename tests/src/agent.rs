//! The program `postern` running tunnels, driven through its local API.

use crate::{
    exchange::exchange,
    network::Network,
    process::{Process, ProcessOutput},
    programs,
    screen::Screen,
    server::Server,
};
use futures::StreamExt;
use postern_api::Code;
use postern_test_kit::eventually;
use reqwest::Method;
use serde_json::{Value, json};
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

/// The configuration and command line of an agent.
#[derive(Clone, Debug)]
pub struct AgentSetup {
    folder: PathBuf,
    settings: Vec<(String, String)>,
    tunnels: Vec<(String, Value)>,
    arguments: Vec<String>,
    /// A command that runs the program, such as `ip netns exec`.
    command_prefix: Vec<String>,
}

/// A running agent.
pub struct Agent {
    /// The program.
    pub process: Process,
    /// The address of its local API.
    pub web: SocketAddr,
    setup: AgentSetup,
    http: reqwest::Client,
}

/// A tunnel as the local API describes it.
#[derive(Clone, Debug)]
pub struct Tunnel {
    /// Its name at the agent.
    pub name: String,
    /// Its public address.
    pub public_url: String,
}

/// A response of the local API.
#[derive(Clone, Debug)]
pub struct LocalApiResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body; null if it is empty or not JSON.
    pub body: Value,
    /// The body as sent.
    pub text: String,
}

impl LocalApiResponse {
    /// The error code. Panics if there is none.
    #[track_caller]
    pub fn code(&self) -> Code {
        let code = self.body["details"]["code"].as_str().unwrap_or_else(|| panic!("no error: {self:?}"));
        code.parse().unwrap_or_else(|()| panic!("an unknown code: {code}"))
    }

    /// The message of an error.
    pub fn sentence(&self) -> String {
        self.body["details"]["err"].as_str().or_else(|| self.body["msg"].as_str()).unwrap_or_default().to_owned()
    }

    /// The body of a successful response. Panics for any other status.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{self:?}");
        self.body
    }
}

impl Tunnel {
    fn from(body: &Value) -> Tunnel {
        let text = |name: &str| body[name].as_str().unwrap_or_else(|| panic!("no `{name}` in {body}")).to_owned();
        Tunnel { name: text("name"), public_url: text("public_url") }
    }

    /// A URL below the public address.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.public_url)
    }

    /// The host name of an HTTP tunnel.
    pub fn host(&self) -> String {
        let url = url::Url::parse(&self.public_url).expect("an address");
        url.host_str().expect("a host").to_owned()
    }

    /// The port of the public address.
    pub fn port(&self) -> u16 {
        let url = url::Url::parse(&self.public_url).expect("an address");
        url.port_or_known_default().expect("a port")
    }
}

impl AgentSetup {
    /// A setup with its own folder.
    pub fn new(folder: PathBuf, server: &Server, token: &str) -> AgentSetup {
        let settings = [
            ("version", "2".to_owned()),
            ("authtoken", token.to_owned()),
            ("server_addr", server.agent_address()),
            ("root_cas", server.authority().to_string_lossy().into_owned()),
            ("web_addr", "127.0.0.1:0".to_owned()),
        ];
        AgentSetup {
            folder,
            settings: settings.map(|(key, value)| (key.to_owned(), value)).to_vec(),
            tunnels: Vec::new(),
            arguments: vec!["start".into(), "--none".into()],
            command_prefix: Vec::new(),
        }
    }

    /// Runs the agent in its own network, which reaches the server over the router.
    #[must_use]
    pub fn inside(mut self, network: &Network, server: &Server) -> AgentSetup {
        self.command_prefix = network.inside(&[]);
        self.setting("server_addr", &format!("{}:{}", network.server(), server.addresses.https.port()))
            .setting("server_name", "localhost")
            .setting("web_addr", &format!("{}:0", network.web()))
            .setting("web_allow_hosts", &network.web().to_string())
    }

    /// Keeps one session, also where the agent would have one with another node beside it.
    #[must_use]
    pub fn with_one_session(self) -> AgentSetup {
        self.setting("sessions", "1")
    }

    /// Sets a key of the configuration file, or changes it.
    #[must_use]
    pub fn setting(mut self, key: &str, value: &str) -> AgentSetup {
        self.settings.retain(|(existing, _)| existing != key);
        self.settings.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Adds a tunnel to the file; every tunnel of the file is started.
    #[must_use]
    pub fn tunnel(mut self, name: &str, definition: Value) -> AgentSetup {
        self.tunnels.retain(|(existing, _)| existing != name);
        self.tunnels.push((name.to_owned(), definition));
        self.arguments = vec!["start".into(), "--all".into()];
        self
    }

    /// Removes a tunnel from the file.
    #[must_use]
    pub fn without_tunnel(mut self, name: &str) -> AgentSetup {
        self.tunnels.retain(|(existing, _)| existing != name);
        self
    }

    /// Runs another command in place of `start`.
    #[must_use]
    pub fn arguments(mut self, arguments: &[&str]) -> AgentSetup {
        self.arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        self
    }

    /// The configuration file.
    pub fn config(&self) -> PathBuf {
        self.folder.join("postern.yml")
    }

    /// Writes the configuration file.
    pub fn write(&self) {
        let mut text: String = self.settings.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
        if !self.tunnels.is_empty() {
            text.push_str("tunnels:\n");
            for (name, definition) in &self.tunnels {
                // JSON is YAML.
                text.push_str(&format!("  {name}: {definition}\n"));
            }
        }
        replace(&self.config(), &text);
    }

    /// Starts the program without waiting for anything.
    pub fn spawn(&self) -> Process {
        self.write();
        let config = self.config().to_string_lossy().into_owned();
        let mut arguments = self.arguments.clone();
        arguments.extend(["--config".to_owned(), config]);
        let home = self.folder.to_string_lossy().into_owned();
        let mut words = self.command_prefix.clone();
        words.push(programs::agent().to_string_lossy().into_owned());
        words.extend(arguments);
        Process::start(Path::new(&words[0]), &words[1..], &[("POSTERN_HOME", &home), ("HOME", &home)])
    }

    /// Starts the program in a terminal.
    pub fn start_in_terminal(&self) -> Screen {
        self.write();
        let mut words = vec![programs::agent().to_string_lossy().into_owned()];
        words.extend(self.arguments.clone());
        words.extend(["--config".to_owned(), self.config().to_string_lossy().into_owned()]);
        let home = self.folder.to_string_lossy().into_owned();
        Screen::start(&words, &[("POSTERN_HOME", &home), ("HOME", &home)])
    }

    /// Runs the program to its end.
    pub async fn run(&self) -> ProcessOutput {
        self.spawn().wait_with_output().await
    }

    /// Starts the program and waits until its local API responds.
    pub async fn start_without_session(self) -> Agent {
        let process = self.spawn();
        let file = PathBuf::from(format!("{}.state.json", self.config().display()));
        let web = eventually("the agent writes the address of its local API", async || {
            assert!(process.is_running(), "the agent ended: {}{}", process.stdout(), process.stderr());
            let state: Value = serde_json::from_slice(&std::fs::read(&file).ok()?).ok()?;
            (state["pid"] == process.pid()).then(|| state["web_addr"].as_str()?.parse().ok()).flatten()
        })
        .await;
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Agent { process, web, setup: self, http }
    }

    /// Starts the program and waits until its session is online.
    pub async fn start(self) -> Agent {
        let agent = self.start_without_session().await;
        agent.wait_until_online().await;
        agent
    }
}

impl Agent {
    /// Calls the local API. A null body is not sent.
    pub async fn call(&self, method: Method, path: &str, body: Value) -> LocalApiResponse {
        let request = self.http.request(method, format!("http://{}{path}", self.web));
        let (status, body, text) = exchange(request, body).await;
        LocalApiResponse { status, body, text }
    }

    /// GET.
    pub async fn get(&self, path: &str) -> LocalApiResponse {
        self.call(Method::GET, path, Value::Null).await
    }

    /// POST.
    pub async fn post(&self, path: &str, body: Value) -> LocalApiResponse {
        self.call(Method::POST, path, body).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> LocalApiResponse {
        self.call(Method::DELETE, path, Value::Null).await
    }

    /// Waits until the session is online.
    pub async fn wait_until_online(&self) {
        self.wait_for_session("online").await;
    }

    /// Waits for a state of the session and returns the session.
    pub async fn wait_for_session(&self, state: &str) -> Value {
        eventually(&format!("the session is {state}"), async || {
            assert!(self.process.is_running(), "the agent ended: {}", self.process.stderr());
            let session = self.get("/api/status").await.body["session"].clone();
            (session["state"] == state).then_some(session)
        })
        .await
    }

    /// Requests a tunnel.
    pub async fn request_tunnel(&self, definition: Value) -> LocalApiResponse {
        self.post("/api/tunnels", definition).await
    }

    /// Starts a tunnel. Panics if it is refused.
    pub async fn tunnel(&self, definition: Value) -> Tunnel {
        let answer = self.request_tunnel(definition).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        Tunnel::from(&answer.body)
    }

    /// Publishes a web server over HTTPS under a generated name.
    pub async fn https(&self, name: &str, address: impl std::fmt::Display) -> Tunnel {
        self.tunnel(json!({ "name": name, "proto": "http", "addr": address.to_string() })).await
    }

    /// Publishes a web server over HTTPS under a requested name.
    pub async fn https_at(&self, name: &str, domain: &str, address: impl std::fmt::Display) -> Tunnel {
        self.tunnel(json!({ "name": name, "proto": "http", "domain": domain, "addr": address.to_string() })).await
    }

    /// Publishes a TCP service on a port that the server selects.
    pub async fn tcp(&self, name: &str, address: impl std::fmt::Display) -> Tunnel {
        self.tunnel(json!({ "name": name, "proto": "tcp", "addr": address.to_string() })).await
    }

    /// Starts a labelled tunnel for tunnel-group backends.
    pub async fn labelled(&self, name: &str, label: &str, address: impl std::fmt::Display) {
        let body = json!({ "name": name, "labels": [label], "addr": address.to_string() });
        let answer = self.request_tunnel(body).await;
        assert_eq!(answer.status, 201, "{answer:?}");
    }

    /// Waits for a tunnel of the configuration file.
    pub async fn wait_for_tunnel(&self, name: &str) -> Tunnel {
        eventually(&format!("the tunnel {name} is up"), async || {
            let answer = self.get(&format!("/api/tunnels/{name}")).await;
            (answer.status == 200).then(|| Tunnel::from(&answer.body))
        })
        .await
    }

    /// Captured requests, newest first.
    pub async fn captured(&self) -> Vec<Value> {
        let body = self.get("/api/requests/http").await.ok();
        body["requests"].as_array().expect("a list").clone()
    }

    /// Waits for a captured request that matches, and returns the newest. Its response may still be under way.
    pub async fn wait_for_capture(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        eventually(what, async || self.captured().await.into_iter().find(&fits)).await
    }

    /// Waits for a captured request that matches and whose whole response has been captured, and returns the newest.
    pub async fn wait_for_exchange(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.wait_for_capture(what, |request| request["complete"]["response"] == true && fits(request)).await
    }

    /// Replays a captured request.
    pub async fn replay(&self, id: &str, tunnel: Option<&str>) -> LocalApiResponse {
        let body = match tunnel {
            Some(tunnel) => json!({ "id": id, "tunnel_name": tunnel }),
            None => json!({ "id": id }),
        };
        self.post("/api/requests/http", body).await
    }

    /// The first events of the event stream, as `(event, data)`.
    pub async fn events(&self, count: usize) -> Vec<(String, Value)> {
        let answer = self.http.get(format!("http://{}/api/events", self.web)).send().await.expect("a feed");
        let mut bytes = answer.bytes_stream();
        let mut text = String::new();
        let mut events = Vec::new();
        while events.len() < count {
            let chunk = bytes.next().await.expect("the stream continues").expect("readable");
            text.push_str(&String::from_utf8_lossy(&chunk));
            while let Some((event, rest)) = text.split_once("\n\n") {
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                if let (Some(name), Some(data)) = (field("event:"), field("data:")) {
                    events.push((name.to_owned(), serde_json::from_str(data).expect("JSON")));
                }
                text = rest.to_owned();
            }
        }
        events
    }

    /// Changes the configuration file while the agent runs.
    pub fn edit_config(&mut self, change: impl FnOnce(AgentSetup) -> AgentSetup) {
        self.setup = change(self.setup.clone());
        self.setup.write();
    }

    /// Its configuration file.
    pub fn config(&self) -> PathBuf {
        self.setup.config()
    }

    /// Kills the agent with SIGKILL and restarts it with the same configuration.
    pub async fn kill_and_restart(self) -> Agent {
        self.process.kill();
        self.setup.start().await
    }
}

/// Writes a file as editors do: to a temporary file that is then renamed.
fn replace(path: &Path, text: &str) {
    let folder = path.parent().expect("a file in a folder");
    std::fs::create_dir_all(folder).expect("a folder");
    let beside = path.with_extension("new");
    std::fs::write(&beside, text).expect("written");
    std::fs::rename(beside, path).expect("renamed");
}
