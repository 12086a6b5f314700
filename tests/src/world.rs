//! A world: one server on a folder of its own, and everybody who acts around it.

use crate::agent::{Agent, AgentSetup};
use crate::operator::Operator;
use crate::server::{Server, ServerSetup};
use crate::visitor::Visitor;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// One server and its surroundings.
pub struct World {
    /// The server.
    pub server: Server,
    folder: TempDir,
}

impl World {
    /// With a server as it comes.
    pub async fn start() -> World {
        World::with(|setup| setup).await
    }

    /// With a server that is set up in a special way.
    pub async fn with(change: impl FnOnce(ServerSetup) -> ServerSetup) -> World {
        let folder = tempfile::Builder::new().prefix("postern-").tempdir().expect("a temporary folder");
        let setup = change(ServerSetup::on(folder.path().join("server")));
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

    /// The key the server wrote at its first start.
    pub fn admin_key(&self) -> String {
        let text = std::fs::read_to_string(self.server.folder().join("admin.key")).expect("the first key");
        text.trim().to_owned()
    }

    /// The administrator.
    pub fn operator(&self) -> Operator {
        Operator::new(self.server.addresses.api, Some(&self.admin_key()))
    }

    /// Somebody without a key.
    pub fn stranger(&self) -> Operator {
        Operator::new(self.server.addresses.api, None)
    }

    /// Somebody on the public side who trusts the server's authority.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(&self.server)
    }

    /// An agent with a credential that may bind everything, ready for tunnels.
    pub async fn agent(&self) -> Agent {
        let (_, token) = self.operator().credential(&[]).await;
        self.agent_setup("agent", &token).start().await
    }

    /// An agent to be set up: its name is its folder.
    pub fn agent_setup(&self, name: &str, token: &str) -> AgentSetup {
        AgentSetup::new(self.path(name), &self.server, token)
    }

    /// `kill -9` to the server, and a new one on the same folder and ports.
    pub async fn server_is_killed_and_restarted(self) -> World {
        World { server: self.server.killed_and_restarted().await, folder: self.folder }
    }
}
