//! A world: one server with its own folder, and the actors around it.

use crate::{
    agent::{Agent, AgentSetup},
    operator::Operator,
    server::{Server, ServerSetup},
    visitor::Visitor,
};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// One server and its surroundings.
pub struct World {
    /// The server.
    pub server: Server,
    folder: TempDir,
}

impl World {
    /// A world with a default server.
    pub async fn start() -> World {
        World::with(|setup| setup).await
    }

    /// A world with a modified server setup.
    pub async fn with(change: impl FnOnce(ServerSetup) -> ServerSetup) -> World {
        let folder = tempfile::Builder::new().prefix("postern-").tempdir().expect("a temporary folder");
        let setup = change(ServerSetup::new(folder.path().join("server")));
        World { server: setup.start().await, folder }
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

    /// The administrator.
    pub fn operator(&self) -> Operator {
        Operator::new(self.server.addresses.api, Some(&self.admin_key()))
    }

    /// A client of the management API without a key.
    pub fn stranger(&self) -> Operator {
        Operator::new(self.server.addresses.api, None)
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

    /// The setup of an agent; its name is its folder.
    pub fn agent_setup(&self, name: &str, token: &str) -> AgentSetup {
        AgentSetup::new(self.path(name), &self.server, token)
    }

    /// Ends the server with SIGTERM, changes its data folder, and starts a new one with the same folder and ports.
    pub async fn restart_server(self, change: impl FnOnce(&Path)) -> World {
        let again = self.server.restart_setup();
        self.server.process.terminate();
        assert!(self.server.process.wait_for_exit().await.success(), "{}", self.server.process.stderr());
        change(self.server.folder());
        World { server: again.start().await, folder: self.folder }
    }

    /// Kills the server with SIGKILL and starts a new one with the same folder and ports.
    pub async fn kill_and_restart_server(self) -> World {
        World { server: self.server.kill_and_restart().await, folder: self.folder }
    }
}
