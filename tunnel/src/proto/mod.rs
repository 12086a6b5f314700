//! The protocol as bytes and values: nothing in here opens a socket or looks at a clock.

pub mod backoff;
pub mod codec;
pub mod frame;
pub mod heartbeat;
pub mod message;
pub mod modules;
pub mod pool;
pub mod preamble;
pub mod proxy;
pub mod start;
pub mod verdict;
pub mod version;
