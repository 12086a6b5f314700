//! Examination of what the records of a store that no server uses say of each other: references to records that do not
//! exist, entries without their record, secrets that do not open, and files that a killed program left.

use crate::{
    resources::{
        TRASH, keys,
        relations::{ClaimsAndLinks, LinkEntry, LinkRole},
        trashed, unopened_texts,
    },
    sealing::{self, Seal},
    store::{self, Entry, Snapshot, StoreError},
};
use postern_api::{Error, Result};
use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

const RECORDS: &str = "records/";
const CLAIMS: &str = "claims/";
const LINKS: &str = "links/";
/// Findings of each kind that are listed; further ones are counted.
const MAX_LISTED: usize = 1000;

/// What is wrong with the records of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordReport {
    /// Records and modules that name a missing record, or have a secret that does not open: sentences.
    pub broken: Vec<String>,
    /// Keys of entries that belong to no record: modules, claims and links.
    pub orphaned: Vec<String>,
    /// Findings that are in neither list, because there are too many.
    pub unlisted: usize,
    /// Names of files that a killed program left in the data folder. They can be deleted.
    pub left_over: Vec<String>,
    /// The entries in `orphaned` were deleted.
    pub repaired: bool,
}

impl RecordReport {
    /// Whether nothing is wrong; files that were left over do no harm.
    pub fn is_healthy(&self) -> bool {
        self.broken.is_empty() && (self.orphaned.is_empty() || self.repaired) && self.unlisted == 0
    }
}

/// Examines the records of a data folder whose store is healthy. With `repair`, orphaned entries are deleted.
///
/// # Errors
/// If a server uses the folder, or the files cannot be read or written.
pub fn examine_records(folder: &Path, repair: bool) -> Result<RecordReport> {
    let mut examination =
        Examination { report: RecordReport::default(), seal: None, surroundings: Surroundings::default() };
    examination.report.left_over = left_over(folder)?;
    match sealing::read_key(folder) {
        Ok(key) => examination.seal = Some(Seal::from_key(&key)?),
        Err(error) => examination.report.broken.push(error.message),
    }
    store::inspect::<Error>(folder, |_, entry| {
        examination.surroundings.add(&entry);
        Ok(())
    })?;
    store::inspect::<Error>(folder, |snapshot, entry| Ok(examination.check(snapshot, &entry)?))?;
    let mut report = examination.report;
    if repair && !report.orphaned.is_empty() {
        store::delete(folder, &report.orphaned)?;
        report.repaired = true;
    }
    Ok(report)
}

/// Files whose writer was killed before it renamed them.
fn left_over(folder: &Path) -> Result<Vec<String>> {
    let unreadable = |error| Error::from(StoreError::from_io(folder, &error));
    let mut names = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".new") && names.len() < MAX_LISTED {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// What must be known before the first entry is examined.
#[derive(Default)]
struct Surroundings {
    /// Kinds by the prefixes of their ids.
    kinds: HashMap<String, String>,
    /// Keys of the records that a deletion in progress will delete.
    trashed: HashSet<String>,
    /// Ids of the records whose deletion is in progress.
    deleted: HashSet<String>,
}

impl Surroundings {
    fn add(&mut self, entry: &Entry) {
        if let Some((kind, id)) = entry.key.strip_prefix(RECORDS).and_then(|path| path.split_once('/')) {
            let prefix = prefix_of(id);
            if !self.kinds.contains_key(prefix) {
                self.kinds.insert(prefix.to_owned(), kind.to_owned());
            }
        } else if let Some(id) = entry.key.strip_prefix(TRASH) {
            self.deleted.insert(id.to_owned());
            self.trashed.extend(trashed(&entry.value));
        }
    }

    /// Key of the record with an id; `None` if there is no record of its kind.
    fn record_key(&self, id: &str) -> Option<String> {
        self.kinds.get(prefix_of(id)).map(|kind| format!("{RECORDS}{kind}/{id}"))
    }

    fn is_being_deleted(&self, record_key: &str) -> bool {
        self.trashed.contains(record_key) || record_key.rsplit('/').next().is_some_and(|id| self.deleted.contains(id))
    }
}

fn prefix_of(id: &str) -> &str {
    id.split('_').next().unwrap_or_default()
}

fn relations_of(entry: &Entry) -> ClaimsAndLinks {
    serde_json::from_slice(&entry.value).unwrap_or_default()
}

struct Examination {
    report: RecordReport,
    /// `None` if the key is missing, which is one finding and not one for each secret.
    seal: Option<Seal>,
    surroundings: Surroundings,
}

impl Examination {
    fn check(&mut self, snapshot: &Snapshot<'_>, entry: &Entry) -> Result<(), StoreError> {
        if let Some(path) = entry.key.strip_prefix(RECORDS) {
            let id = path.split_once('/').map_or(path, |(_, id)| id);
            self.check_owner(snapshot, entry, id, &entry.key)?;
        } else if let Some(from) = entry.key.strip_prefix(keys::MODULES) {
            let owner = self.surroundings.record_key(from.split('/').next().unwrap_or_default());
            match owner {
                Some(owner) if self.surroundings.is_being_deleted(&owner) => {}
                Some(owner) if snapshot.get(&owner)?.is_some() => self.check_owner(snapshot, entry, from, &owner)?,
                _ => self.orphan(entry),
            }
        } else if entry.key.starts_with(CLAIMS) {
            let holder = String::from_utf8_lossy(&entry.value);
            let record = self.surroundings.record_key(&holder).map(|key| snapshot.get(&key)).transpose()?.flatten();
            let is_held =
                record.is_some_and(|record| relations_of(&record).claims.iter().any(|claim| claim.key() == entry.key));
            if !is_held {
                self.orphan(entry);
            }
        } else if let Some((_, from)) = entry.key.strip_prefix(LINKS).and_then(|path| path.split_once('/')) {
            let record = serde_json::from_slice::<LinkEntry>(&entry.value).map(|link| link.from).unwrap_or_default();
            let source = if from.contains('/') { format!("{}{from}", keys::MODULES) } else { record };
            let source = snapshot.get(&source)?;
            let is_made =
                source.is_some_and(|source| relations_of(&source).links.iter().any(|link| link.key(from) == entry.key));
            if !is_made {
                self.orphan(entry);
            }
        }
        Ok(())
    }

    /// Checks what a record or module says of others. `from` is its id, or the id of its owner and its name.
    fn check_owner(
        &mut self,
        snapshot: &Snapshot<'_>,
        entry: &Entry,
        from: &str,
        record_key: &str,
    ) -> Result<(), StoreError> {
        if self.surroundings.is_being_deleted(record_key) {
            return Ok(());
        }
        let ClaimsAndLinks { claims, links } = relations_of(entry);
        for claim in claims {
            let holder = snapshot.get(&claim.key())?;
            if holder.is_none_or(|holder| holder.value != from.as_bytes()) {
                self.broken(format!("`{}` has no claim on `{}`", entry.key, claim.value));
            }
        }
        for link in links {
            let target = link.target_key();
            if link.role == LinkRole::Mentions || self.surroundings.is_being_deleted(&target) {
                continue;
            }
            if snapshot.get(&target)?.is_none() {
                self.broken(format!("`{}` names `{}`, which does not exist", entry.key, link.to));
            }
        }
        let Some(seal) = &self.seal else { return Ok(()) };
        for pointer in unopened_texts(entry, seal) {
            self.broken(format!("the secret `{pointer}` of `{}` does not open with `seal.key`", entry.key));
        }
        Ok(())
    }

    fn broken(&mut self, what: String) {
        list(&mut self.report.broken, what, &mut self.report.unlisted);
    }

    fn orphan(&mut self, entry: &Entry) {
        list(&mut self.report.orphaned, entry.key.clone(), &mut self.report.unlisted);
    }
}

fn list(findings: &mut Vec<String>, finding: String, unlisted: &mut usize) {
    if findings.len() < MAX_LISTED {
        findings.push(finding);
    } else {
        *unlisted += 1;
    }
}
