//! Watching HTTP as it passes, keeping what was seen within bounds, and sending it again.
//!
//! The relay hands every piece of bytes to a [`sniffer::Tap`] before it moves on. The sniffer follows where messages
//! begin and end and copies bytes into the store; it never waits, never asks for more memory than the store
//! allows, and gives up on anything that is not HTTP/1. Nothing is decoded until somebody looks.

pub mod event;
pub mod exchange;
pub mod export;
pub mod filter;
mod frames;
mod framing;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod gone;
mod head;
mod message;
mod missing_response;
mod opening;
mod recording;
pub mod redact;
pub mod replay;
mod selection;
pub mod sniffer;
pub mod store;
mod summary;
pub mod view;

pub use event::Happening;
pub use exchange::{Exchange, TunnelTag};
pub use message::Bodies;
pub use missing_response::MissingResponse;
pub use selection::{Page, Selection};
pub use store::CaptureStore;
pub use summary::Summary;
