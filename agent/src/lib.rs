//! The agent: tunnels to local services, capture and replay of what passes, and the API that shows it.
//!
//! Everything a run consists of hangs below [`agent::Agent`]; the program `postern` is [`cli`] around it.

pub mod agent;
pub mod capture;
pub mod cli;
pub mod config;
pub mod console;
pub mod context;
pub mod diagnose;
/// What fuzzing checks, and the replay of what it found: never part of a program.
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod local_api;
pub mod metrics;
pub mod net;
pub mod ports;
pub mod session;
pub mod tunnels;
