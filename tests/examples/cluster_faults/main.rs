//! Three servers on three members of etcd, under visitors, while one after the other fails. Prints a table of what visitors
//! noticed; `docs/cluster.md` has its last output.
//!
//! `cargo run --example cluster_faults -p postern-tests
//! [kill-node|halt-node|drain|kill-etcd|halt-etcd|no-quorum|changes|writes|herd]…`; without an argument all of them. `POSTERN_SERVER_PROGRAM` and
//! `POSTERN_AGENT_PROGRAM` name the programs, if they are not those of the same build.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program that prints a table")]

mod changes;
mod downloads;
mod herd;
mod light_agent;
mod members;
mod nodes;
mod visitors;
mod world;

use world::Faults;

#[tokio::main]
async fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let is_chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|other| other == name);
    if chosen.iter().any(|name| name != "herd") || chosen.is_empty() {
        println!("| fault | times | requests | failed at the node | failed elsewhere | longest elsewhere | notes |");
        println!("|---|---|---|---|---|---|---|");
        let mut world = Faults::start().await;
        if is_chosen("kill-node") {
            world.kill_nodes().await;
        }
        if is_chosen("halt-node") {
            world.halt_nodes().await;
        }
        if is_chosen("drain") {
            world.drain_nodes().await;
        }
        if is_chosen("kill-etcd") {
            world.kill_members().await;
        }
        if is_chosen("halt-etcd") {
            world.halt_members().await;
        }
        if is_chosen("no-quorum") {
            world.lose_quorum().await;
        }
        if is_chosen("changes") {
            world.changes().await;
        }
        if is_chosen("writes") {
            world.writes().await;
        }
    }
    if is_chosen("herd") {
        herd::run().await;
    }
}
