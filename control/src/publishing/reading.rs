//! Reading of stored values. One that cannot be read is left out, with an error in the log.

use crate::{
    resources::{Codec, Rules, StoredRecord},
    store::Entry,
};

/// Reads a record; `None` if there is no entry, or it cannot be read.
pub(super) fn record<R: Rules>(codec: &Codec, entry: Option<&Entry>) -> Option<StoredRecord<R>> {
    entry.and_then(|entry| readable(entry, codec.read_record(entry)))
}

pub(super) fn readable<T>(entry: &Entry, read: postern_api::Result<T>) -> Option<T> {
    read.inspect_err(|error| tracing::error!(key = %entry.key, %error, "a stored value cannot be read")).ok()
}
