//! Agents: who they are, what they bind, and what becomes of their names when they go.

mod agent;
mod authenticate;
mod bind;
mod names;
mod pledges;
mod registry;
mod stages;
mod tunnel;

pub(crate) use agent::serve_agent;

pub(crate) use names::Found;
pub use pledges::{Pledge, Pledged};
pub(crate) use registry::Registry;
pub(crate) use stages::Stages;
pub(crate) use tunnel::{Session, Tunnel, TunnelIo};
