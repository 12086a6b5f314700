//! Capture of HTTP as it passes, in bounded memory, and replay.
//!
//! The relay hands every piece of bytes to a [`sniffer::ConversationTap`] before it moves on. The sniffer follows where
//! messages begin and end and copies bytes into the store; it never waits, never takes more memory than the store
//! allows, and stops at anything that is not HTTP. Nothing is decoded until it is read. [`http2`] brings the streams of
//! HTTP/2 into the form of HTTP/1.1 first.
//!
//! From top to bottom: `http2` uses `sniffer`, `sniffer` and `search` use `store`, which uses `exchange`, which uses `budget` and the messages.

mod budget;
mod chunk_pool;
pub mod event;
pub mod exchange;
pub mod export;
pub mod filter;
mod frame_recorder;
mod frames;
mod framing;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod head;
pub mod http2;
mod message;
mod message_buffer;
mod missing_response;
mod observer;
pub mod redact;
pub mod replay_request;
mod request_info;
mod search;
pub mod sniffer;
pub mod store;
mod summary;
mod tombstones;
pub mod view;

pub use event::AgentEvent;
pub use exchange::{Exchange, TunnelTag};
pub use message::CapturedBody;
pub use missing_response::MissingResponse;
pub use search::{ExchangePage, ExchangeQuery};
pub use store::CaptureStore;
