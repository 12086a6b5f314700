//! The test kit of the specifications: it starts the real programs and uses their public interfaces.
//!
//! A [`World`] is one server with its own data folder, or three nodes where [`nodes`] says so. Its actors are a [`Visitor`] (the public side), an [`Operator`]
//! (the management API), an [`Agent`] (tunnels and the local API) and an [`Origin`] (the local service). Ports are free
//! ones, folders temporary, and every process ends with its handle.

pub mod agent;
pub mod bytes;
pub mod cluster;
mod exchange;
pub mod haproxy;
pub mod imports;
pub mod name_server;
pub mod network;
pub mod nodes;
pub mod openssh;
pub mod openssl;
pub mod operator;
pub mod origin;
pub mod pebble;
pub mod process;
pub mod programs;
pub mod receiver;
pub mod screen;
pub mod server;
pub mod tcp;
pub mod visitor;
pub mod websocket;
pub mod world;

pub use agent::Agent;
pub use network::Network;
pub use operator::Operator;
pub use origin::Origin;
pub use postern_test_kit::{certificates, condition, eventually, geoip, http1, ports, scripted_origin, tls, within};
pub use process::{Process, ProcessOutput};
pub use receiver::Receiver;
pub use screen::Screen;
pub use server::{Server, ServerSetup};
pub use visitor::{Visitor, VisitorResponse};
pub use world::World;
