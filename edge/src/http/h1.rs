//! HTTP/1.1 as messages on a stream (RFC 9112): the server's side towards visitors, and the client's side towards local
//! services. The guard below the server's side refuses what two programs could understand in two ways.

mod body_reader;
mod body_writer;
mod client;
mod date;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod head;
mod input;
mod output;
mod received_body;
mod request_head;
mod response_head;
mod server;
mod spelling;
mod upgrade;

pub(crate) use client::{ClientConnection, ClientError};
pub(super) use received_body::ReceivedBody;
pub(crate) use server::{AfterResponse, ServerConnection, ServerError};
pub(crate) use upgrade::RequestedUpgrade;
