//! All SQL statements, each in a function named after its purpose.

use crate::store::{
    CacheKey, Change, Commit, CommitCondition, CommitOutcome, Entry, LeaseId, MAX_READ_AT_ONCE, Page, Range, Revision,
    Write,
};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params, types::Type};
use std::borrow::Cow;

/// Version of the tables; a file with a larger number was written by a newer version.
pub(super) const LAYOUT: i64 = 3;
/// More than there are statements in this file.
const MAX_STATEMENTS: usize = 32;
/// Pages in the write-ahead log before a checkpoint. A large number saves writes, because most pages change again.
const CHECKPOINT_PAGES: i64 = 4000;

/// Entries lie in the order in which they were made, and only their keys are sorted: a commit changes one page of entries and few of
/// the keys, and pages hardly ever split.
const ENTRIES: &str = "
    CREATE TABLE entries (key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL, revision INTEGER NOT NULL, lease INTEGER, checksum INTEGER NOT NULL);
    CREATE INDEX entries_by_lease ON entries (lease) WHERE lease IS NOT NULL;
    CREATE TABLE newest_commit (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL);
    INSERT INTO newest_commit VALUES (1, 0);
";
const OTHER_TABLES: &str = "
    CREATE TABLE leases (id INTEGER PRIMARY KEY AUTOINCREMENT, lasting INTEGER NOT NULL, ends INTEGER NOT NULL);
    CREATE TABLE identity (id TEXT NOT NULL);
";
/// From layout 1, which had neither checksums nor an identity.
const MIGRATION_2: &str = "
    ALTER TABLE entries ADD COLUMN checksum INTEGER NOT NULL DEFAULT -1;
    CREATE TABLE identity (id TEXT NOT NULL);
";
/// From layout 2, which kept entries sorted by their keys, and recent changes besides: before [`ENTRIES`], and after it.
const MIGRATION_3: [&str; 2] = [
    "
    DROP INDEX entries_by_lease;
    ALTER TABLE entries RENAME TO former_entries;
",
    "
    INSERT INTO entries SELECT key, value, revision, lease, checksum FROM former_entries ORDER BY key;
    DROP TABLE former_entries;
    DROP TABLE changes;
    UPDATE newest_commit SET revision = (SELECT revision FROM log);
    DROP TABLE log;
",
];

/// A database whose tables are there.
pub(super) struct PreparedDatabase {
    pub(super) id: String,
    pub(super) newest: Revision,
}

/// Configures a connection that writes.
pub(super) fn configure(connection: &Connection, pages: Option<u32>) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.set_prepared_statement_cache_capacity(MAX_STATEMENTS);
    if let Some(pages) = pages {
        connection.pragma_update(None, "max_page_count", pages)?;
    }
    Ok(())
}

/// Layout and id of a database; no id if it is new, or older than ids.
pub(super) fn identify(connection: &Connection) -> rusqlite::Result<(i64, Option<String>)> {
    let layout = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let has_id = layout >= 2;
    let id = has_id.then(|| connection.query_row("SELECT id FROM identity", [], |row| row.get(0)).optional());
    Ok((layout, id.transpose()?.flatten()))
}

/// Creates or migrates the tables if needed. `None` if a newer version wrote the file.
pub(super) fn prepare(connection: &mut Connection) -> rusqlite::Result<Option<PreparedDatabase>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (layout, id) = identify(&transaction)?;
    if layout > LAYOUT {
        return Ok(None);
    }
    if layout == 0 {
        transaction.execute_batch(ENTRIES)?;
        transaction.execute_batch(OTHER_TABLES)?;
    }
    if layout == 1 {
        transaction.execute_batch(MIGRATION_2)?;
        add_checksums(&transaction)?;
    }
    if matches!(layout, 1 | 2) {
        let [before, after] = MIGRATION_3;
        [before, ENTRIES, after].into_iter().try_for_each(|part| transaction.execute_batch(part))?;
    }
    if layout < LAYOUT {
        transaction.pragma_update(None, "user_version", LAYOUT)?;
    }
    let id = match id {
        Some(id) => id,
        None => {
            let id = postern_api::id::random_hex();
            transaction.execute("INSERT INTO identity VALUES (?1)", [&id])?;
            id
        }
    };
    let newest = newest(&transaction)?;
    transaction.commit()?;
    Ok(Some(PreparedDatabase { id, newest }))
}

/// Gives the space of tables that a migration has dropped back to the file system.
pub(super) fn shrink(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("VACUUM")
}

/// Writes all content into another file, which is empty.
pub(super) fn copy_into(connection: &Connection, file: &str) -> rusqlite::Result<()> {
    connection.execute("VACUUM INTO ?1", [file]).map(drop)
}

/// Checksum of an entry: CRC-32 of its key and value.
fn checksum(key: &str, value: &[u8]) -> i64 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key.as_bytes());
    hasher.update(&[0]);
    hasher.update(value);
    i64::from(hasher.finalize())
}

fn add_checksums(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut entries = transaction.prepare("SELECT key, value FROM entries")?;
    let sums = entries
        .query_map([], |row| {
            let key: String = row.get(0)?;
            let value: Vec<u8> = row.get(1)?;
            Ok((checksum(&key, &value), key))
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let mut update = transaction.prepare("UPDATE entries SET checksum = ?1 WHERE key = ?2")?;
    sums.iter().try_for_each(|sum| update.execute(params![sum.0, sum.1]).map(|_| ()))
}

/// The first faults of the database's structure, as SQLite finds them; empty if there are none. That keys lead to their entries is
/// part of it.
pub(super) fn structural_faults(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut check = connection.prepare("PRAGMA integrity_check(10)")?;
    let faults = check.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(faults.into_iter().filter(|fault| fault != "ok").collect())
}

/// Keys of the entries whose checksums do not fit.
pub(super) fn damaged_keys(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut entries = connection.prepare("SELECT key, value, checksum FROM entries")?;
    let damaged = entries.query_map([], |row| {
        let key = String::from_utf8_lossy(row.get_ref(0)?.as_bytes()?).into_owned();
        let fits = checksum(&key, row.get_ref(1)?.as_bytes()?) == row.get::<_, i64>(2)?;
        Ok((!fits).then_some(key))
    })?;
    damaged.filter_map(Result::transpose).collect()
}

/// Deletes the entries whose checksums do not fit, as one commit; gives their keys.
pub(super) fn delete_damaged(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let keys = damaged_keys(connection)?;
    delete(connection, &keys)?;
    Ok(keys)
}

/// Deletes entries, as one commit.
pub(super) fn delete(connection: &Connection, keys: &[String]) -> rusqlite::Result<()> {
    let writes = keys.iter().map(|key| Write::Delete(key.clone())).collect();
    let request = WriteRequest::Commit(Cow::Owned(Commit { conditions: Vec::new(), writes }));
    perform_group(connection, newest(connection)?, std::iter::once(&request)).map(drop)
}

/// Newest commit.
pub(super) fn newest(connection: &Connection) -> rusqlite::Result<Revision> {
    connection.prepare_cached("SELECT revision FROM newest_commit")?.query_row([], |row| row.get(0))
}

/// Request to the writer; times and durations in milliseconds.
pub(super) enum WriteRequest<'a> {
    Commit(Cow<'a, Commit>),
    Grant { lasting: i64, now: i64 },
    Keep { lease: LeaseId, now: i64 },
    Revoke(LeaseId),
    Expire { now: i64 },
}

/// Response of the writer.
pub(super) enum WriteResponse {
    Committed(CommitOutcome),
    Granted(LeaseId),
    Extended(bool),
    Revoked,
    Expired(usize),
}

/// Result of the requests of one transaction.
pub(super) struct GroupResult {
    pub(super) responses: Vec<WriteResponse>,
    /// Changes in order.
    pub(super) changes: Vec<Change>,
    pub(super) newest: Revision,
}

/// A transaction that writes. It is rolled back unless it is committed. Other than those of the library, its statements are
/// prepared once.
struct WriteTransaction<'a>(&'a Connection);

impl<'a> WriteTransaction<'a> {
    fn begin(connection: &'a Connection) -> rusqlite::Result<Self> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(WriteTransaction(connection))
    }

    fn commit(self) -> rusqlite::Result<()> {
        self.0.prepare_cached("COMMIT")?.execute([]).map(drop)
    }
}

impl Drop for WriteTransaction<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit()
            && let Err(error) = self.0.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "a transaction could not be rolled back");
        }
    }
}

/// Performs requests in one transaction after the commit `before`; they are on disk when this returns.
pub(super) fn perform_group<'a>(
    connection: &Connection,
    before: Revision,
    group: impl Iterator<Item = &'a WriteRequest<'a>>,
) -> rusqlite::Result<GroupResult> {
    let transaction = WriteTransaction::begin(connection)?;
    let mut committer = Committer { connection, revision: before, changes: Vec::new() };
    let responses = group.map(|request| committer.perform(request)).collect::<rusqlite::Result<Vec<_>>>()?;
    let Committer { revision: after, changes, .. } = committer;
    if after != before {
        connection.prepare_cached("UPDATE newest_commit SET revision = ?1 WHERE id = 1")?.execute([after])?;
    }
    transaction.commit()?;
    Ok(GroupResult { responses, changes, newest: after })
}

/// Moves the changes of the write-ahead log into the database file. A final checkpoint waits for readers and empties the
/// log; others move what no reader needs.
pub(super) fn checkpoint(connection: &Connection, is_final: bool) -> rusqlite::Result<()> {
    let pragma = if is_final { "PRAGMA wal_checkpoint(TRUNCATE)" } else { "PRAGMA wal_checkpoint(PASSIVE)" };
    connection.query_row(pragma, [], |_| Ok(()))
}

/// Performs requests in a transaction.
struct Committer<'a> {
    connection: &'a Connection,
    revision: Revision,
    changes: Vec<Change>,
}

impl Committer<'_> {
    fn perform(&mut self, request: &WriteRequest<'_>) -> rusqlite::Result<WriteResponse> {
        Ok(match request {
            WriteRequest::Commit(commit) => WriteResponse::Committed(self.commit(commit)?),
            WriteRequest::Grant { lasting, now } => {
                let mut insert =
                    self.connection.prepare_cached("INSERT INTO leases (lasting, ends) VALUES (?1, ?2)")?;
                WriteResponse::Granted(LeaseId(insert.insert(params![lasting, now.saturating_add(*lasting)])?))
            }
            WriteRequest::Keep { lease, now } => {
                let mut keep = self
                    .connection
                    .prepare_cached("UPDATE leases SET ends = ?2 + lasting WHERE id = ?1 AND ends > ?2")?;
                WriteResponse::Extended(keep.execute(params![lease.0, now])? == 1)
            }
            WriteRequest::Revoke(lease) => {
                self.end(*lease)?;
                WriteResponse::Revoked
            }
            WriteRequest::Expire { now } => {
                let over = self
                    .connection
                    .prepare_cached("SELECT id FROM leases WHERE ends <= ?1")?
                    .query_map([now], |row| row.get(0).map(LeaseId))?
                    .collect::<rusqlite::Result<Vec<_>>>()?;
                over.iter().try_for_each(|lease| self.end(*lease))?;
                WriteResponse::Expired(over.len())
            }
        })
    }

    fn commit(&mut self, commit: &Commit) -> rusqlite::Result<CommitOutcome> {
        for condition in &commit.conditions {
            if !self.holds(condition)? {
                return Ok(CommitOutcome::Conflict(condition.clone()));
            }
        }
        if let Some(lease) = commit.writes.iter().find_map(|write| match write {
            Write::PutLeased(_, _, lease) => Some(*lease),
            _ => None,
        }) && !self.lives(lease)?
        {
            return Ok(CommitOutcome::Conflict(CommitCondition::Present(format!("leases/{}", lease.0))));
        }
        self.write(&commit.writes)?;
        Ok(CommitOutcome::Done(self.revision))
    }

    fn holds(&self, condition: &CommitCondition) -> rusqlite::Result<bool> {
        let written = |key: &str| -> rusqlite::Result<Option<Revision>> {
            let mut find = self.connection.prepare_cached("SELECT revision FROM entries WHERE key = ?1")?;
            find.query_row([key], |row| row.get(0)).optional()
        };
        Ok(match condition {
            CommitCondition::Absent(key) => written(key)?.is_none(),
            CommitCondition::Present(key) => written(key)?.is_some(),
            CommitCondition::Unchanged(key, revision) => written(key)? == Some(*revision),
            CommitCondition::NoneNewer(prefix, revision) => !self
                .connection
                .prepare_cached("SELECT 1 FROM entries WHERE key >= ?1 AND key < ?2 AND revision > ?3 LIMIT 1")?
                .exists(params![prefix, after_prefix(prefix), revision])?,
        })
    }

    fn lives(&self, lease: LeaseId) -> rusqlite::Result<bool> {
        self.connection.prepare_cached("SELECT 1 FROM leases WHERE id = ?1")?.exists([lease.0])
    }

    /// Writes as the next revision. A commit without writes gets a revision too.
    fn write(&mut self, writes: &[Write]) -> rusqlite::Result<()> {
        self.revision += 1;
        for write in writes {
            let (key, value, lease) = match write {
                Write::Put(key, value) => (key, Some(value), None),
                Write::PutLeased(key, value, lease) => (key, Some(value), Some(lease.0)),
                Write::Delete(key) => (key, None, None),
            };
            if let Some(value) = value {
                self.connection
                    .prepare_cached(
                        "INSERT INTO entries (key, value, revision, lease, checksum) VALUES (?1, ?2, ?3, ?4, ?5)
                         ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = excluded.revision,
                                                         lease = excluded.lease, checksum = excluded.checksum",
                    )?
                    .execute(params![key, value, self.revision, lease, checksum(key, value)])?;
            } else {
                self.connection.prepare_cached("DELETE FROM entries WHERE key = ?1")?.execute([key])?;
            }
            self.changes.push(Change { revision: self.revision, key: key.clone(), value: value.cloned() });
        }
        Ok(())
    }

    fn end(&mut self, lease: LeaseId) -> rusqlite::Result<()> {
        let keys = self
            .connection
            .prepare_cached("SELECT key FROM entries WHERE lease = ?1")?
            .query_map([lease.0], |row| row.get(0).map(Write::Delete))?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        if !keys.is_empty() {
            self.write(&keys)?;
        }
        self.connection.prepare_cached("DELETE FROM leases WHERE id = ?1")?.execute([lease.0])?;
        Ok(())
    }
}

/// Text that sorts after all keys with a prefix.
fn after_prefix(prefix: &str) -> String {
    format!("{prefix}{}", char::MAX)
}

/// Reads one key.
pub(super) fn get(transaction: &Transaction<'_>, key: &str) -> rusqlite::Result<Option<Entry>> {
    let mut get = transaction.prepare_cached("SELECT key, value, revision, checksum FROM entries WHERE key = ?1")?;
    get.query_row([key], entry).optional()
}

/// Reads one key, or the keys with a prefix.
pub(super) fn page(transaction: &Transaction<'_>, key: &CacheKey) -> rusqlite::Result<Page> {
    match key {
        CacheKey::Key(key) => {
            let entries = get(transaction, key)?.into_iter().collect();
            Ok(Page { entries, revision: newest(transaction)? })
        }
        CacheKey::Range(prefix) => range(transaction, &Range::new(prefix, MAX_READ_AT_ONCE)),
    }
}

/// Reads keys with a prefix, largest first.
pub(super) fn range(transaction: &Transaction<'_>, range: &Range) -> rusqlite::Result<Page> {
    let last = after_prefix(&range.prefix);
    let end = range.before.as_ref().map_or(&last, |before| before.min(&last));
    let limit = i64::try_from(range.limit).unwrap_or(i64::MAX);
    let entries = transaction
        .prepare_cached(
            "SELECT key, value, revision, checksum FROM entries WHERE key >= ?1 AND key < ?2 ORDER BY key DESC LIMIT ?3",
        )?
        .query_map(params![range.prefix, end, limit], entry)?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(Page { entries, revision: newest(transaction)? })
}

/// Gives every entry without a lease, in the order of the keys, until one is refused.
pub(super) fn each_lasting<E>(
    transaction: &Transaction<'_>,
    mut each: impl FnMut(Entry) -> Result<(), E>,
) -> rusqlite::Result<Result<(), E>> {
    let mut all =
        transaction.prepare("SELECT key, value, revision, checksum FROM entries WHERE lease IS NULL ORDER BY key")?;
    for found in all.query_map([], entry)? {
        if let Err(refused) = each(found?) {
            return Ok(Err(refused));
        }
    }
    Ok(Ok(()))
}

/// Fills an empty database in one transaction, which is given up if `next` fails.
pub(super) fn fill<E>(
    connection: &mut Connection,
    revision: Revision,
    mut next: impl FnMut() -> Result<Option<Entry>, E>,
) -> rusqlite::Result<Result<(), E>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute("UPDATE newest_commit SET revision = ?1 WHERE id = 1", [revision])?;
    loop {
        let entry = match next() {
            Ok(Some(entry)) => entry,
            Ok(None) => break,
            Err(error) => return Ok(Err(error)),
        };
        let Entry { key, value, revision } = entry;
        transaction
            .prepare_cached("INSERT INTO entries (key, value, revision, checksum) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![key, value, revision, checksum(&key, &value)])?;
    }
    transaction.commit().map(Ok)
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let entry = Entry { key: row.get(0)?, value: row.get(1)?, revision: row.get(2)? };
    if checksum(&entry.key, &entry.value) != row.get::<_, i64>(3)? {
        return Err(rusqlite::Error::FromSqlConversionFailure(3, Type::Integer, Box::new(DamagedEntry(entry.key))));
    }
    Ok(entry)
}

/// The checksum of an entry does not fit.
#[derive(Debug, thiserror::Error)]
#[error("the checksum of `{0}` does not fit")]
pub(super) struct DamagedEntry(String);
