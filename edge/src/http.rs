//! HTTP as the edge reads and writes it: strict framing, one canonical form, header rules, and bodies. It knows nothing
//! of routes or upstreams.

mod activity;
mod body;
mod body_buffer;
mod body_rate;
pub(crate) mod canonical;
mod chunk_line;
mod content_length;
pub(crate) mod expectation;
mod framing;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod guard;
pub(crate) mod h1;
pub(crate) mod h2;
pub(crate) mod headers;
mod interim;
mod lazy_timer;
pub(crate) mod max_forwards;
mod open_requests;
mod path;
mod request_body;
mod request_line;
pub(crate) mod response_framing;
mod send_stall;
mod trailers;
mod unread_body;
mod visitor;
mod visitor_body;

pub(crate) use activity::ConnectionActivity;
pub(crate) use body::{BodyError, counted, frame_bytes, without_smuggled_trailers};
pub(crate) use body_buffer::{BufferBudget, BufferedBody};
pub(crate) use body_rate::{BodyProgress, BodyTooSlow, IncomingBody};
pub(crate) use canonical::host;
pub(crate) use framing::too_many_fields;
pub(crate) use guard::HttpGuard;
pub(crate) use h1::{AfterResponse, ClientConnection, ClientError, RequestedUpgrade, ServerConnection, ServerError};
pub(crate) use h2::{Awaited, CODECS, HEADER_TABLE_BYTES, Http2Transport, RefusedInput};
pub(crate) use interim::{InterimReceiver, InterimResponses};
pub(crate) use lazy_timer::LazyTimer;
pub(crate) use open_requests::{OpenRequest, RequestCounter};
pub(crate) use path::{is_unambiguous, normalised};
pub(crate) use request_body::RequestBody;
pub(crate) use send_stall::{SendProgress, StreamExecutor};
pub(crate) use visitor::{TlsParameters, Visitor};
pub(crate) use visitor_body::VisitorBody;
pub use visitor_body::VisitorDisconnected;
