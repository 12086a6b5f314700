//! What refers to a record, told from the links that the store keeps.

use crate::{
    resources::{Address, Caller, Linked, Resources, Role, Rules, links_to},
    store::Range,
};
use postern_api::{
    AnyId, Result,
    resource::{Dependent, OnDelete},
};
use serde::Deserialize;

/// How many are told; a list is for people, and those who have more know it.
const MOST: usize = 100;

/// What any record tells without knowing its kind.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Told {
    description: String,
    parent: Option<AnyId>,
}

impl Resources {
    /// What refers to a record, in no particular order, at most a hundred.
    pub(crate) async fn dependents<R: Rules>(&self, caller: &Caller, at: &Address<R>) -> Result<Vec<Dependent>> {
        self.get::<R>(caller, at).await?;
        let prefix = links_to(at.id.as_str());
        let links = self.store.range(Range::of(prefix.clone(), MOST)).await?;
        let mut dependents = Vec::with_capacity(links.entries.len());
        for entry in &links.entries {
            let linked: Linked = crate::resources::decode(entry)?;
            // It went while the links were read.
            let Some(record) = self.store.get(&linked.from).await? else { continue };
            let told: Told = serde_json::from_slice(&record.value).unwrap_or_default();
            let mut parts = linked.from.split('/').skip(1);
            let (kind, id) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let from = entry.key.strip_prefix(&prefix).unwrap_or_default();
            dependents.push(Dependent {
                id: AnyId::from_text(id),
                kind: kind.to_owned(),
                description: told.description,
                parent_id: told.parent,
                module: from.split_once('/').map(|(_, module)| module.to_owned()).unwrap_or_default(),
                on_delete: match linked.role {
                    Role::Needs => OnDelete::Refuses,
                    Role::Belongs => OnDelete::Goes,
                    Role::Mentions => OnDelete::Stays,
                },
            });
        }
        Ok(dependents)
    }
}
