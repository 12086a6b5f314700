//! Settings of a store that several programs could use, and of this server as one of several.

use super::{
    resolver::Resolver,
    values::{address, certificate_file, host_port, node_name, password_file, path, plain_text, store},
};
use postern_control::store::{Address, SharedLocation, host_name};
use std::net::SocketAddr;

/// A server that shares its store with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// Address that it listens on for the others.
    pub(crate) listen: SocketAddr,
    /// Address that they connect to, if it is another one.
    pub(crate) advertised: Option<String>,
    /// Address that agents connect to when they want exactly this one.
    pub(crate) for_agents: Option<String>,
    pub(crate) name: String,
}

pub(super) fn shared_store(resolver: &mut Resolver<'_>) -> Option<SharedLocation> {
    let address = resolver.value("store", store).flatten();
    let authority = resolver.value("store_ca", certificate_file);
    let (chain, key) = (resolver.value("store_cert", certificate_file), resolver.value("store_key", path));
    let (user, password) =
        (resolver.value("store_user", plain_text), resolver.value("store_password_file", password_file));
    let is_shared = resolver.is_given("store") && address.is_some();
    resolver.belong_together("store_cert", "store_key");
    resolver.belong_together("store_user", "store_password_file");
    for key in ["store_ca", "store_cert", "store_user"] {
        resolver.belongs_to(key, "store");
    }
    let encrypted = is_shared && address.as_ref().is_some_and(Address::is_encrypted);
    if encrypted && !resolver.is_given("store_ca") {
        resolver.mistakes.push("--store etcds:// needs the authority of its members: give it with --store-ca.".into());
    }
    if is_shared && !encrypted && (resolver.is_given("store_ca") || resolver.is_given("store_cert")) {
        resolver
            .mistakes
            .push("--store-ca and --store-cert are for encrypted connections: write --store etcds://.".into());
    }
    Some(SharedLocation { address: address?, authority, certificate: chain.zip(key), user: user.zip(password) })
}

pub(super) fn node(resolver: &mut Resolver<'_>, is_shared: bool) -> Option<Node> {
    let listen = resolver.value("node_addr", address);
    let advertised = resolver.value("node_advertise", host_port);
    let for_agents = resolver.value("agent_advertise", host_port);
    let name = resolver.value("node_name", node_name);
    for key in ["node_addr", "join_file"] {
        if resolver.is_given(key) && !is_shared {
            let flag = key.replace('_', "-");
            resolver.mistakes.push(format!("--{flag} is for servers that share a store: give --store etcd://, too."));
        }
    }
    for key in ["node_advertise", "agent_advertise", "node_name"] {
        resolver.belongs_to(key, "node_addr");
    }
    let listen = listen?;
    if listen.ip().is_unspecified() && !resolver.is_given("node_advertise") {
        resolver.mistakes.push(format!(
            "--node-addr {listen} is no address to connect to: tell the other servers one with --node-advertise HOST:PORT."
        ));
    }
    Some(Node { listen, advertised, for_agents, name: name.unwrap_or_else(host_name) })
}
