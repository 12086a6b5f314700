//! The Postern agent: tunnels to local services, capture and replay of their requests, and the local API.
//!
//! [`agent::Agent`] is a running agent; [`cli`] is the program `postern` around it.

pub mod agent;
pub mod capture;
pub mod cli;
pub mod config;
pub mod console;
pub mod context;
pub mod diagnose;
/// The checks of the fuzz targets and the replay of their corpora; not part of any program.
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod local_api;
pub mod metrics;
pub mod net;
pub mod ports;
pub mod session;
pub mod tunnels;
