//! The tables of `traffic.db`.

use postern_api::traffic::{TrafficQuery, TrafficStep, TrafficSum};
use postern_edge::{MalformedSample, TrafficSample, TrafficSpan};
use rusqlite::{Connection, OptionalExtension, Transaction, params, types::Type};
use std::{fs::OpenOptions, os::unix::fs::OpenOptionsExt, path::Path, sync::Arc, time::Duration};

/// Version of the tables.
const LAYOUT: i64 = 1;
/// A larger file is not checked when it is opened; damage shows when it is reached.
const MAX_CHECKED_AT_OPEN: u64 = 64 << 20;
/// Bytes of the file that are used at most. The oldest intervals make room for new ones.
const MAX_BYTES: u64 = 512 << 20;
/// Parts into which a history is divided when it has to become shorter: the oldest one goes.
const PARTS: i64 = 16;
/// Wait for another process, which is a server that ends.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Traffic of one minute.
pub(super) struct Minute {
    /// Number since 1970.
    pub(super) number: u64,
    /// Samples by the id of the edge or route; the empty id is everything together.
    pub(super) traffic: Vec<(Arc<str>, TrafficSample)>,
}

/// An open file.
pub(super) struct Database {
    connection: Connection,
    /// Bytes that are used at most.
    limit: u64,
}

impl Database {
    /// Opens the file and creates it if it is missing.
    pub(super) fn open(path: &Path) -> rusqlite::Result<Self> {
        Database::open_limited(path, MAX_BYTES)
    }

    pub(super) fn open_limited(path: &Path, limit: u64) -> rusqlite::Result<Self> {
        // SQLite gives its other files the mode of this one. If it cannot be created, SQLite says why.
        drop(OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path));
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "journal_size_limit", 4 << 20)?;
        if path.metadata().is_ok_and(|file| file.len() <= MAX_CHECKED_AT_OPEN) {
            check(&connection)?;
        }
        create(&mut connection)?;
        Ok(Database { connection, limit })
    }

    /// Adds a minute to what is stored of it and of its hour, and forgets what is too old.
    pub(super) fn add(&mut self, minute: &Minute) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for (step, interval) in intervals_of(minute.number) {
            add_to_interval(&transaction, step, interval, &minute.traffic)?;
            forget_before(&transaction, step, (interval + 1).saturating_sub(step.intervals_kept()))?;
        }
        make_room(&transaction, self.limit)?;
        transaction.commit()
    }

    /// The stored intervals of an id.
    pub(super) fn read(&self, id: &str, span: TrafficSpan) -> rusqlite::Result<Vec<(u64, TrafficSample)>> {
        // Rows are in the order of time, so that those of a minute are written together: each interval is looked up.
        let mut statement = self.connection.prepare_cached(SELECT)?;
        let mut found = Vec::new();
        let first = span.first.max(span.last.saturating_sub(span.step.intervals_kept() - 1));
        for interval in first..=span.last {
            let sample = statement.query_row(params![number_of(span.step), signed(interval), id], sample).optional()?;
            found.extend(sample.map(|sample| (interval, sample)));
        }
        Ok(found)
    }

    /// The sum of the stored intervals of a query.
    pub(super) fn sum(&self, query: &TrafficQuery) -> rusqlite::Result<TrafficSum> {
        let mut sum = TrafficSum::default();
        self.read(&query.id, TrafficSpan::of_query(query))?.iter().for_each(|(_, sample)| sum += sample.sum());
        Ok(sum)
    }
}

const SELECT: &str = "SELECT sample FROM traffic WHERE step = ?1 AND interval = ?2 AND id = ?3";

/// Refuses a file whose structure is damaged.
fn check(connection: &Connection) -> rusqlite::Result<()> {
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(damage(found)) }
}

fn damage(what: String) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), Some(what))
}

fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    match transaction.pragma_query_value(None, "user_version", |row| row.get(0))? {
        LAYOUT => {}
        0 => {
            transaction.execute_batch(
                "CREATE TABLE traffic (
                    step INTEGER NOT NULL,
                    interval INTEGER NOT NULL,
                    id TEXT NOT NULL,
                    sample BLOB NOT NULL,
                    PRIMARY KEY (step, interval, id)
                ) WITHOUT ROWID",
            )?;
            transaction.pragma_update(None, "user_version", LAYOUT)?;
        }
        other => return Err(damage(format!("the file has layout {other}, which this version does not know"))),
    }
    transaction.commit()
}

/// The intervals of a minute.
fn intervals_of(minute: u64) -> [(TrafficStep, u64); 2] {
    [(TrafficStep::Minute, minute), (TrafficStep::Hour, minute / 60)]
}

fn number_of(step: TrafficStep) -> i64 {
    match step {
        TrafficStep::Minute => 0,
        TrafficStep::Hour => 1,
    }
}

fn sample(row: &rusqlite::Row<'_>) -> rusqlite::Result<TrafficSample> {
    let malformed = |error: MalformedSample| rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, error.into());
    TrafficSample::decode(row.get_ref(0)?.as_blob()?).map_err(malformed)
}

fn add_to_interval(
    transaction: &Transaction<'_>,
    step: TrafficStep,
    interval: u64,
    traffic: &[(Arc<str>, TrafficSample)],
) -> rusqlite::Result<()> {
    let mut select = transaction.prepare_cached(SELECT)?;
    let mut replace = transaction
        .prepare_cached("INSERT OR REPLACE INTO traffic (step, interval, id, sample) VALUES (?1, ?2, ?3, ?4)")?;
    for (id, more) in traffic {
        let stored = select.query_row(params![number_of(step), signed(interval), &**id], sample).optional()?;
        let mut sum = stored.unwrap_or_default();
        sum += more;
        replace.execute(params![number_of(step), signed(interval), &**id, sum.encode()])?;
    }
    Ok(())
}

fn forget_before(transaction: &Transaction<'_>, step: TrafficStep, interval: u64) -> rusqlite::Result<()> {
    let mut delete = transaction.prepare_cached("DELETE FROM traffic WHERE step = ?1 AND interval < ?2")?;
    delete.execute(params![number_of(step), signed(interval)]).map(|_| ())
}

/// Shortens both histories until they take less than the limit.
fn make_room(transaction: &Transaction<'_>, limit: u64) -> rusqlite::Result<()> {
    // Each round takes a part of what is left; the newest intervals stay.
    for _ in 0..4 * PARTS {
        if used_bytes(transaction)? <= limit {
            return Ok(());
        }
        for step in [TrafficStep::Minute, TrafficStep::Hour] {
            let ends = "SELECT min(interval), max(interval) FROM traffic WHERE step = ?1";
            let ends = transaction.query_row(ends, [number_of(step)], |row| Ok((row.get(0)?, row.get(1)?)))?;
            if let (Some(first), Some(last)) = ends {
                let (first, last): (i64, i64) = (first, last);
                let first_kept = first + 1 + (last - first) / PARTS;
                forget_before(transaction, step, first_kept.min(last).unsigned_abs())?;
            }
        }
    }
    Ok(())
}

fn used_bytes(transaction: &Transaction<'_>) -> rusqlite::Result<u64> {
    let read = |pragma: &str| transaction.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    Ok(((read("page_count")? - read("freelist_count")?) * read("page_size")?).unsigned_abs())
}

/// A number as SQLite has it.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
