//! HTTP/2 below its codec (RFC 9113): frames, and connections that keep no codec while they idle.
//!
//! The codec is that of a library. Its buffers and tables take 20 KiB for each connection, whether anything is in them or
//! not, so [`Http2Transport`] releases it when no stream is open, and makes it again for the next request.

mod codec_count;
mod connection_state;
mod entries;
mod field_block;
mod frame_budget;
mod frames;
mod input;
mod open_streams;
mod output;
mod transport;

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
#[cfg(any(test, fuzzing))]
mod test_server;
#[cfg(test)]
mod tests;

pub(crate) use codec_count::CODECS;
pub(crate) use input::RefusedInput;
pub(crate) use transport::{Awaited, HEADER_TABLE_BYTES, Http2Transport};
