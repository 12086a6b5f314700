//! Worlds of three nodes: the same specifications as of one server, but each actor comes to another node.
//!
//! With `POSTERN_TEST_NODES=3` every [`World`](crate::World) is three servers on an etcd of one member. Visitors come to the
//! first; agents have their sessions with the second and third, so that every request takes a hop; operators come to the
//! third. All have the same ports, at addresses of their own. A server on a store that the specification chose is left alone.

use crate::{
    agent::AgentSetup,
    cluster::{as_node, invited, until_linked},
    server::{Server, ServerSetup},
};
use postern_test_kit::{etcd::Etcd, ports::free_tcp_ports};
use std::{cell::Cell, net::Ipv4Addr, path::Path};

/// Says how many nodes a world has: 1, as without it, or 3.
const VARIABLE: &str = "POSTERN_TEST_NODES";
/// The address of the node that agents come to first, unless they come over a network of their own.
pub(crate) const AGENTS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

thread_local! {
    static IS_THREE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a specification whose worlds have three nodes each, whatever the environment says.
pub fn on_three_nodes(specification: fn()) {
    IS_THREE.set(true);
    specification();
    IS_THREE.set(false);
}

/// Whether worlds have three nodes.
pub fn is_three() -> bool {
    IS_THREE.get()
        || match std::env::var(VARIABLE).as_deref() {
            Err(_) | Ok("1") => false,
            Ok("3") => true,
            Ok(other) => panic!("{VARIABLE} is 1 or 3, and not {other}"),
        }
}

/// The nodes of a world beside the one that visitors come to, and their store.
pub(crate) struct OtherNodes {
    agents: Server,
    operators: Server,
    etcd: Etcd,
}

impl OtherNodes {
    /// Starts three nodes with this setup, all linked. The first is the visitors', the second has this address for agents.
    pub(crate) async fn start(setup: ServerSetup, folder: &Path, agents: Ipv4Addr) -> (Server, OtherNodes) {
        let etcd = Etcd::single().await;
        let store = format!("etcd://{}/team", etcd.addresses());
        let (first, _) = free_tcp_ports(3);
        let node = |number: u8, address: Ipv4Addr| {
            let setup = as_node(setup.clone(), &store, usize::from(number)).at(address, first);
            if number == 1 {
                return setup;
            }
            setup.in_folder(folder.join(format!("server{number}"))).with_own_logs(&format!(".{number}"))
        };
        let visitors = node(1, Ipv4Addr::LOCALHOST).start().await;
        let join = folder.join("join");
        let second = invited(node(2, agents), &visitors, &join).await;
        let third = node(3, Ipv4Addr::new(127, 0, 0, 3)).flags(&["--join-file", &join.to_string_lossy()]);
        let (agents, operators) = tokio::join!(second.start(), third.start());
        let others = OtherNodes { agents, operators, etcd };
        let key = std::fs::read_to_string(visitors.folder().join("admin.key")).expect("the first key");
        until_linked(&[&visitors, &others.agents, &others.operators], key.trim()).await;
        (visitors, others)
    }

    /// The node that operators come to.
    pub(crate) fn operators(&self) -> &Server {
        &self.operators
    }

    /// The node that agents come to first.
    pub(crate) fn agents(&self) -> &Server {
        &self.agents
    }

    /// Both.
    pub(crate) fn all(&self) -> [&Server; 2] {
        [&self.agents, &self.operators]
    }

    /// The agent keeps its sessions with these nodes.
    pub(crate) fn for_agent(&self, setup: AgentSetup) -> AgentSetup {
        let addresses = self.all().map(Server::agent_address);
        setup.setting("server_addr", &addresses.join(",")).setting("server_name", "localhost")
    }

    /// The files of the store.
    pub(crate) fn store(&self) -> &Path {
        self.etcd.folder()
    }

    /// Kills both nodes with SIGKILL.
    pub(crate) fn kill(&self) {
        self.all().iter().for_each(|node| node.process.kill());
    }

    /// Kills both nodes and starts them again beside the first.
    pub(crate) async fn restart_with(self, first: Server) -> (Server, OtherNodes) {
        self.kill();
        let (first, agents, operators) =
            tokio::join!(first.kill_and_restart(), self.agents.kill_and_restart(), self.operators.kill_and_restart());
        (first, OtherNodes { agents, operators, etcd: self.etcd })
    }
}
