//! An event in preparation.

use super::Settings;
use crate::{
    resources::{Codec, Rules, StoredRecord, owned_modules::ReplacedModule},
    store::Entry,
};
use postern_api::{
    AnyId, Result,
    resource::{AuditOperation, View},
};
use serde::Deserialize;
use serde_json::{Map, Value};

/// What happened to one record.
pub(crate) struct NewEvent {
    /// Kind of the record.
    pub(crate) kind: String,
    pub(crate) operation: AuditOperation,
    /// Id of the record.
    pub(crate) object: String,
    /// Parent of a nested record.
    pub(crate) parent: Option<AnyId>,
    pub(crate) before: Option<Settings>,
    pub(crate) after: Option<Settings>,
    /// A secret was set that the settings do not show.
    pub(crate) secrets_changed: bool,
}

impl NewEvent {
    /// An event about a record, with its settings after the change.
    ///
    /// # Errors
    /// Those of [`Settings::of_record`].
    pub(crate) fn of_record<R: Rules>(operation: AuditOperation, stored: &StoredRecord<R>) -> Result<Self> {
        Ok(NewEvent {
            kind: R::KIND.to_owned(),
            operation,
            object: stored.id.to_string(),
            parent: stored.parent.clone(),
            before: None,
            after: Some(Settings::of_record(stored)?),
            secrets_changed: false,
        })
    }

    /// An event about a record that is deleted.
    ///
    /// # Errors
    /// Those of [`Settings::of_record`].
    pub(crate) fn of_deleted<R: Rules>(stored: &StoredRecord<R>) -> Result<Self> {
        let event = NewEvent::of_record(AuditOperation::Deleted, stored)?;
        Ok(NewEvent { before: event.after, after: None, ..event })
    }

    /// An event about a stored record that is deleted with another one.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub(crate) fn of_deleted_entry(entry: &Entry, codec: &Codec) -> Result<Self> {
        #[derive(Deserialize)]
        struct Nested {
            parent: Option<AnyId>,
        }
        let mut segments = entry.key.split('/').skip(1);
        let (kind, object) = (segments.next().unwrap_or_default(), segments.next().unwrap_or_default());
        Ok(NewEvent {
            kind: kind.to_owned(),
            operation: AuditOperation::Deleted,
            object: object.to_owned(),
            parent: serde_json::from_slice(&entry.value).ok().and_then(|nested: Nested| nested.parent),
            before: Settings::of_entry(kind, entry, codec)?,
            after: None,
            secrets_changed: false,
        })
    }

    /// An event about one module of a record; `None` means that it is not set.
    pub(crate) fn of_module<O: Rules>(
        owner: &StoredRecord<O>,
        name: &str,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Self {
        let settings = |stored| {
            let mut settings = Settings::default();
            settings.add_module(name, stored);
            Some(settings)
        };
        NewEvent {
            kind: O::KIND.to_owned(),
            operation: AuditOperation::Updated,
            object: owner.id.to_string(),
            parent: owner.parent.clone(),
            before: settings(before),
            after: settings(after),
            secrets_changed: false,
        }
    }

    /// Adds modules that are replaced together with the record.
    pub(crate) fn add_modules(&mut self, replaced: &[ReplacedModule]) {
        for module in replaced {
            if let Some(before) = &mut self.before {
                before.add_module(module.name, module.former.as_deref());
            }
            if let Some(after) = &mut self.after {
                after.add_module(module.name, Some(&module.value));
            }
            self.secrets_changed |= module.secrets_changed;
        }
    }

    /// Adds a module that is deleted together with the record.
    pub(crate) fn add_deleted_module(&mut self, module: &Entry) {
        if let Some(before) = &mut self.before {
            before.add_module(module.key.rsplit('/').next().unwrap_or_default(), Some(&module.value));
        }
    }

    /// An event about what was observed and changed nothing.
    pub(crate) fn of_observation(kind: &str, object: &str, observed: Map<String, Value>) -> Self {
        NewEvent {
            kind: kind.to_owned(),
            operation: AuditOperation::Observed,
            object: object.to_owned(),
            parent: None,
            before: None,
            after: Some(Settings::of_observation(observed)),
            secrets_changed: false,
        }
    }

    /// An event about a record without settings that callers set.
    pub(crate) fn of_view<V: View>(operation: AuditOperation, id: &str) -> Self {
        NewEvent::without_settings(V::KIND, operation, id)
    }

    /// An event about something of this kind that has no settings.
    pub(crate) fn without_settings(kind: &str, operation: AuditOperation, id: &str) -> Self {
        NewEvent {
            kind: kind.to_owned(),
            operation,
            object: id.to_owned(),
            parent: None,
            before: None,
            after: None,
            secrets_changed: false,
        }
    }
}
