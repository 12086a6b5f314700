//! HTTP at the edge: one visitor's connection, one canonical request, one exchange with the local service.

mod arrival;
pub(crate) mod body;
mod buffer;
mod canonical;
mod connection;
mod exchange;
mod flow;
mod framing;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod guard;
pub(crate) mod headers;
mod login;
mod pool;
mod service;
mod settling;
mod shared;
mod target;
mod upgrade;
mod visitor;

pub use body::ApiBody;
pub(crate) use body::{BodyError, RequestBody, ResponseBody, Turns};
pub(crate) use buffer::Room;
pub(crate) use canonical::host;
pub(crate) use connection::serve;
pub(crate) use exchange::refused_by_agent;
pub(crate) use pool::Pool;
pub(crate) use service::{Front, request_id};
pub(crate) use shared::Lines;
pub(crate) use visitor::{Door, Presence, Tls, Visitor};
