//! A world: one server with its own folder, or three nodes, and the actors around it.

use crate::{
    agent::{Agent, AgentSetup},
    network::Network,
    nodes::{self, OtherNodes},
    operator::Operator,
    server::{Server, ServerSetup},
    visitor::Visitor,
};
use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// One server and its surroundings.
pub struct World {
    /// The server. Of three nodes it is the one that visitors come to.
    pub server: Server,
    others: Option<OtherNodes>,
    folder: TempDir,
}

impl World {
    /// A world with a default server.
    pub async fn start() -> World {
        World::with(|setup| setup).await
    }

    /// A world with a modified server setup.
    pub async fn with(change: impl FnOnce(ServerSetup) -> ServerSetup) -> World {
        World::with_agents_at(nodes::AGENTS, change).await
    }

    /// A world whose agents come over this network.
    pub async fn reached_over(network: &Network) -> World {
        World::with_agents_at(network.server(), |setup| setup.flags(&["--https-addr", "0.0.0.0:0"])).await
    }

    async fn with_agents_at(address: Ipv4Addr, change: impl FnOnce(ServerSetup) -> ServerSetup) -> World {
        let folder = tempfile::Builder::new().prefix("postern-").tempdir().expect("a temporary folder");
        let setup = change(ServerSetup::new(folder.path().join("server")));
        if nodes::is_three() && !setup.has_flag("--store") {
            let (server, others) = OtherNodes::start(setup, folder.path(), address).await;
            return World { server, others: Some(others), folder };
        }
        World { server: setup.start().await, others: None, folder }
    }

    /// A path in the world's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder of everything.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The key that the server wrote on its first start.
    pub fn admin_key(&self) -> String {
        let text = std::fs::read_to_string(self.server.folder().join("admin.key")).expect("the first key");
        text.trim().to_owned()
    }

    /// The server that operators come to.
    pub fn operators_server(&self) -> &Server {
        self.others.as_ref().map_or(&self.server, OtherNodes::operators)
    }

    /// The server that agents come to first.
    pub fn agents_server(&self) -> &Server {
        self.others.as_ref().map_or(&self.server, OtherNodes::agents)
    }

    /// All servers.
    pub fn servers(&self) -> Vec<&Server> {
        std::iter::once(&self.server).chain(self.others.iter().flat_map(OtherNodes::all)).collect()
    }

    /// The management API that operators use.
    pub fn api(&self) -> SocketAddr {
        self.operators_server().addresses.api
    }

    /// The administrator.
    pub fn operator(&self) -> Operator {
        Operator::new(self.api(), Some(&self.admin_key()))
    }

    /// The administrator at the server of the visitors, which alone knows what it refused and counted.
    pub fn operator_of_visitors(&self) -> Operator {
        Operator::new(self.server.addresses.api, Some(&self.admin_key()))
    }

    /// A client of the management API without a key.
    pub fn stranger(&self) -> Operator {
        Operator::new(self.api(), None)
    }

    /// A visitor that trusts the server's authority.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(&self.server)
    }

    /// An online agent with a credential that may bind every name.
    pub async fn agent(&self) -> Agent {
        let (_, token) = self.operator().credential(&[]).await;
        self.agent_setup("agent", &token).start().await
    }

    /// Such an agent with one session, also where there are several nodes: for specifications that count.
    pub async fn agent_with_one_session(&self) -> Agent {
        let (_, token) = self.operator().credential(&[]).await;
        self.agent_setup("agent", &token).with_one_session().start().await
    }

    /// The setup of an agent; its name is its folder.
    pub fn agent_setup(&self, name: &str, token: &str) -> AgentSetup {
        let setup = AgentSetup::new(self.path(name), &self.server, token);
        match &self.others {
            Some(others) => others.for_agent(setup),
            None => setup,
        }
    }

    /// What all servers have logged.
    pub fn logs(&self) -> String {
        self.servers().iter().map(|server| server.process.stderr()).collect()
    }

    /// The bytes of the store's files.
    pub fn stored(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        read_below(self.others.as_ref().map_or(self.server.folder(), OtherNodes::store), &mut bytes);
        bytes
    }

    /// Kills the server with SIGKILL, or all nodes.
    pub fn kill_server(&self) {
        self.servers().iter().for_each(|server| server.process.kill());
    }

    /// Ends the server with SIGTERM, changes its data folder, and starts a new one with the same folder and ports.
    pub async fn restart_server(self, change: impl FnOnce(&Path)) -> World {
        let again = self.server.restart_setup();
        self.server.process.terminate();
        assert!(self.server.process.wait_for_exit().await.success(), "{}", self.server.process.stderr());
        change(self.server.folder());
        World { server: again.start().await, others: self.others, folder: self.folder }
    }

    /// Kills the server with SIGKILL and starts a new one with the same folder and ports; so for all nodes.
    pub async fn kill_and_restart_server(self) -> World {
        match self.others {
            None => World { server: self.server.kill_and_restart().await, others: None, folder: self.folder },
            Some(others) => {
                let (server, others) = others.restart_with(self.server).await;
                World { server, others: Some(others), folder: self.folder }
            }
        }
    }
}

/// Appends the contents of all files in a folder and below.
fn read_below(folder: &Path, bytes: &mut Vec<u8>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => read_below(&path, bytes),
            // The socket of the administrator has no bytes.
            path => bytes.extend(std::fs::read(path).unwrap_or_default()),
        }
    }
}
