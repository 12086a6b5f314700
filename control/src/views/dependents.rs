//! Records that refer to another record, from the stored links.

use crate::{
    resources::{
        Caller, LinkRole, RecordPath, Resources, Rules, keys,
        relations::{self, LinkEntry},
    },
    store::Range,
};
use postern_api::{
    AnyId, Result,
    resource::{Dependent, OnDelete},
};
use serde::Deserialize;

/// Longest list.
const MAX_DEPENDENTS: usize = 100;

/// Members of any stored record, read without knowing its kind.
#[derive(Default, Deserialize)]
#[serde(default)]
struct DependentFields {
    description: String,
    parent: Option<AnyId>,
}

impl Resources {
    /// Records and modules that refer to a record, in no particular order, at most a hundred.
    ///
    /// # Errors
    /// `NotFound`, if the caller may not see the record, or the store fails.
    pub(crate) async fn dependents<R: Rules>(&self, caller: &Caller, at: &RecordPath<R>) -> Result<Vec<Dependent>> {
        self.get::<R>(caller, at).await?;
        let prefix = keys::links_to(at.id.as_str());
        let links = self.store.range(Range::new(prefix.clone(), MAX_DEPENDENTS)).await?;
        let mut dependents = Vec::with_capacity(links.entries.len());
        for entry in &links.entries {
            let linked: LinkEntry = relations::decode(entry)?;
            // Deleted while the links were read.
            let Some(record) = self.store.get(&linked.from).await? else { continue };
            let fields: DependentFields = serde_json::from_slice(&record.value).unwrap_or_default();
            let mut parts = linked.from.split('/').skip(1);
            let (kind, id) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let from = entry.key.strip_prefix(&prefix).unwrap_or_default();
            dependents.push(Dependent {
                id: AnyId::from_text(id),
                kind: kind.to_owned(),
                description: fields.description,
                parent_id: fields.parent,
                module: from.split_once('/').map(|(_, module)| module.to_owned()).unwrap_or_default(),
                on_delete: match linked.role {
                    LinkRole::Needs => OnDelete::Refuses,
                    LinkRole::Belongs => OnDelete::Goes,
                    LinkRole::Mentions => OnDelete::Stays,
                },
            });
        }
        Ok(dependents)
    }
}
