//! The wire protocol as bytes and values. Nothing in here opens a socket or reads a clock.

pub mod agent_host;
pub mod bind_modules;
pub mod codec;
pub mod frame;
pub mod heartbeat;
pub mod message;
pub mod node_link;
pub mod parts;
pub mod pool_sizing;
pub mod preamble;
pub mod proxy;
pub mod request_note;
pub mod shared_frame;
pub mod shared_start;
pub mod stream_reply;
pub mod stream_start;
pub mod version;
