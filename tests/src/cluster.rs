//! Several servers that share an etcd, each with a folder of its own.

use crate::{
    agent::AgentSetup,
    operator::Operator,
    server::{Server, ServerSetup},
    visitor::Visitor,
};
use postern_test_kit::{etcd::Etcd, eventually, ports::free_tcp_ports};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The setup of the node with this number on a store.
pub(crate) fn as_node(setup: ServerSetup, store: &str, number: usize) -> ServerSetup {
    let name = format!("node{number}");
    setup.flags(&["--store", store, "--node-addr", "127.0.0.1:0", "--node-name", &name])
}

/// The setup of a node with the invitation of another one, which is written to a file.
pub(crate) async fn invited(setup: ServerSetup, by: &Server, file: &Path) -> ServerSetup {
    let file = file.to_string_lossy();
    let invited = by.command(&["cluster", "invite", "--file", &file]).await;
    assert!(invited.status.success(), "{invited:?}");
    setup.flags(&["--join-file", &file])
}

/// Waits until each of these nodes is linked with all others.
pub(crate) async fn until_linked(nodes: &[&Server], key: &str) {
    for node in nodes {
        let operator = Operator::new(node.addresses.api, Some(key));
        eventually("all nodes are connected", async || {
            let listed = operator.get("/nodes").await.ok().body;
            let others = listed["nodes"].as_array()?;
            let up = others.iter().filter(|other| other["link"] == "up" && !other["revision"].is_null()).count();
            (up + 1 == nodes.len()).then_some(())
        })
        .await;
    }
}

/// Servers on one store.
pub struct Cluster {
    /// The store.
    pub etcd: Etcd,
    /// The servers, in the order in which they joined.
    pub nodes: Vec<Server>,
    folder: TempDir,
    ports: (u16, u16),
    key: String,
}

impl Cluster {
    /// Servers on an etcd of one member.
    pub async fn start(count: usize) -> Cluster {
        Cluster::on(Etcd::single().await, count, &[]).await
    }

    /// Servers with further flags on this etcd.
    pub async fn on(etcd: Etcd, count: usize, flags: &[&str]) -> Cluster {
        let folder = tempfile::Builder::new().prefix("postern-").tempdir().expect("a temporary folder");
        let mut cluster = Cluster { etcd, nodes: Vec::new(), folder, ports: free_tcp_ports(16), key: String::new() };
        for _ in 0..count {
            cluster.join(flags).await;
        }
        cluster
    }

    /// Waits until every node is linked with all others.
    pub async fn until_linked(&self) {
        until_linked(&self.nodes.iter().collect::<Vec<_>>(), &self.key).await;
    }

    /// Address of the store.
    pub fn store(&self) -> String {
        format!("etcd://{}/team", self.etcd.addresses())
    }

    /// A path beside the folders of the servers.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The setup of a node, at an address of its own for TCP.
    pub fn setup(&self, number: usize) -> ServerSetup {
        as_node(ServerSetup::new(self.path(&format!("node{number}"))), &self.store(), number).flags(&[
            "--tcp-addr",
            &format!("127.0.0.{}", number + 1),
            "--tcp-ports",
            &format!("{}-{}", self.ports.0, self.ports.1),
        ])
    }

    /// Adds a server with further flags, invited by the first.
    pub async fn join(&mut self, flags: &[&str]) {
        let number = self.nodes.len();
        let mut setup = self.setup(number).flags(flags);
        if number > 0 {
            setup = invited(setup, &self.nodes[0], &self.path("join")).await;
        }
        self.nodes.push(setup.start().await);
        if number == 0 {
            let text = std::fs::read_to_string(self.nodes[0].folder().join("admin.key")).expect("the first key");
            self.key = text.trim().to_owned();
        }
    }

    /// Kills a node with SIGKILL. Another one takes its place in the list when it is started again.
    pub fn kill(&mut self, number: usize) -> ServerSetup {
        let setup = self.nodes[number].restart_setup();
        self.nodes[number].process.kill();
        setup
    }

    /// The first key, of the administrator.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The first port of TCP edges.
    pub fn tcp_port(&self) -> u16 {
        self.ports.0
    }

    /// The administrator at a node.
    pub fn operator(&self, number: usize) -> Operator {
        Operator::new(self.nodes[number].addresses.api, Some(&self.key))
    }

    /// A visitor of a node.
    pub fn visitor(&self, number: usize) -> Visitor {
        Visitor::new(&self.nodes[number])
    }

    /// URL of a name at a node.
    pub fn url(&self, number: usize, host: &str) -> String {
        format!("https://{host}:{}/", self.nodes[number].addresses.https.port())
    }

    /// The setup of an agent that connects to a node.
    pub fn agent_setup(&self, number: usize, name: &str, token: &str) -> AgentSetup {
        AgentSetup::new(self.path(name), &self.nodes[number], token)
    }

    /// What a visitor of a node reads, or the status of another response than 200.
    pub async fn reads(&self, number: usize, host: &str) -> String {
        let response = self.visitor(number).get(&self.url(number, host)).await;
        if response.status == 200 { response.text() } else { response.status.to_string() }
    }

    /// Waits until visitors of a node read this.
    pub async fn until_read(&self, number: usize, host: &str, text: &str) {
        eventually(&format!("node {number} answers `{text}` for {host}"), async || {
            (self.reads(number, host).await == text).then_some(())
        })
        .await;
    }
}
