//! A server built from the server half of the tunnel crate, a local service, and an agent between them.

pub mod server;

use postern_agent::{
    agent::{Agent, AgentOptions, AutoStart},
    config::{Definition, Sources, tree::ConfigNode},
};
use postern_test_kit::{WAIT_TIMEOUT, eventually};
use serde_json::{Value as Json, json};
use server::Server;
use std::{path::PathBuf, time::Duration};

/// A folder with a configuration, and an agent that may run with it.
pub struct World {
    pub server: Server,
    pub folder: tempfile::TempDir,
    agent: Option<Agent>,
}

impl World {
    /// A server with a connected agent without tunnels.
    pub async fn start() -> World {
        World::with("").await
    }

    /// With additional lines in the configuration.
    pub async fn with(lines: &str) -> World {
        let mut world = World::stopped(lines).await;
        world.run(AutoStart::All).await;
        world.wait_until(|status, _| status["status"] == "online").await;
        world
    }

    /// With an agent that does not run yet.
    pub async fn stopped(lines: &str) -> World {
        let server = Server::start().await;
        let world = World { server, folder: tempfile::tempdir().expect("a folder"), agent: None };
        world.save(lines);
        world
    }

    /// Starts the agent.
    pub async fn run(&mut self, auto_start: AutoStart) {
        let sources = Sources { files: vec![self.config()], may_be_missing: false, overlay: ConfigNode::empty() };
        let agent = Agent::start(AgentOptions { sources, auto_start, extra: Vec::<Definition>::new() }).await;
        self.agent = Some(agent.expect("the agent starts"));
    }

    /// Shuts the agent down.
    pub async fn stop_agent(&mut self) {
        if let Some(agent) = self.agent.take() {
            agent.shutdown().await;
        }
    }

    pub fn config(&self) -> PathBuf {
        self.folder.path().join("postern.yml")
    }

    /// Saves a configuration with the usual keys and additional lines.
    pub fn save(&self, lines: &str) {
        let authority = self.folder.path().join("ca.pem");
        std::fs::write(&authority, &self.server.authority).expect("written");
        let text = format!(
            "version: 2\nauthtoken: a-token\nserver_addr: 127.0.0.1:{}\nserver_name: localhost\nroot_cas: {}\nweb_addr: 127.0.0.1:0\n{lines}",
            self.server.port(),
            authority.display()
        );
        std::fs::write(self.config(), text).expect("written");
    }

    pub fn agent(&self) -> &Agent {
        self.agent.as_ref().expect("the agent runs")
    }

    pub fn web(&self) -> String {
        format!("http://{}", self.agent().context().web_addr().expect("it listens"))
    }

    /// Calls the local API; returns status and body.
    pub async fn call(&self, method: &str, path: &str, body: Option<Json>) -> (u16, Json) {
        let method = method.parse().expect("a method");
        let mut request = reqwest::Client::new().request(method, format!("{}{path}", self.web()));
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.expect("the local API answers");
        let status = response.status().as_u16();
        let text = response.text().await.expect("a body");
        let body = if text.is_empty() { Json::Null } else { serde_json::from_str(&text).expect("JSON") };
        (status, body)
    }

    pub async fn get(&self, path: &str) -> Json {
        let (status, body) = self.call("GET", path, None).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Starts a tunnel by the local API; returns the response.
    pub async fn tunnel(&self, name: &str, proto: &str, addr: impl ToString) -> Json {
        let body = json!({"name": name, "proto": proto, "addr": addr.to_string()});
        let (status, body) = self.call("POST", "/api/tunnels", Some(body)).await;
        assert_eq!(status, 201, "{body}");
        body
    }

    /// Waits until status and configured tunnels satisfy a condition.
    pub async fn wait_until(&self, fits: impl Fn(&Json, &Json) -> bool) {
        let mut last = (Json::Null, Json::Null);
        let wait = async {
            let mut feed = self.agent().context().feed.subscribe();
            loop {
                last = (self.get("/api/status").await, self.get("/api/configured").await);
                if fits(&last.0, &last.1) {
                    return;
                }
                let _ = tokio::time::timeout(Duration::from_millis(200), feed.recv()).await;
            }
        };
        if tokio::time::timeout(WAIT_TIMEOUT, wait).await.is_err() {
            panic!("the condition was not met; last state: {} {}", last.0, last.1);
        }
    }

    /// Waits until `count` requests are captured and complete; returns them newest first.
    pub async fn captured(&self, count: usize) -> Vec<Json> {
        eventually(&format!("{count} requests are captured"), async || {
            let list = self.get("/api/requests/http").await["requests"].as_array().expect("a list").clone();
            let is_complete = |one: &&Json| one["complete"]["response"] == true || one["error"].is_string();
            (list.iter().filter(is_complete).count() >= count).then_some(list)
        })
        .await
    }
}
