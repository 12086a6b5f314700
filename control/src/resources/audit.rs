//! Audit events: every change of the configuration with its author, and the settings before and after it. An event is
//! part of the commit that it describes. What is observed without a change, such as refused calls, is an event of its own.

mod author;
mod committed_event;
mod list;
mod new_event;
pub(crate) mod refusals;
pub(crate) mod retention;
mod settings;
mod stored_event;

pub(crate) use author::{CallOrigin, EventAuthor};
pub use committed_event::CommittedEvent;
pub(crate) use committed_event::event_body;
pub(crate) use list::first_key as key_at;
pub(crate) use new_event::NewEvent;
pub(crate) use settings::Settings;
pub(crate) use stored_event::{audit_event, event_to_store, kind_and_operation};

/// Prefix of the keys of all events.
pub(crate) const EVENTS: &str = "events/";
