//! Baseline for writes: SQLite by itself, with the same durability.

use rusqlite::{Connection, params};
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Inserts per second of rows of a size, with a number of rows in each commit, each commit on disk before the next.
pub fn inserts(folder: &Path, row: usize, to_a_commit: usize, time: Duration) -> f64 {
    let file = folder.join(format!("raw-{to_a_commit}.db"));
    let mut connection = Connection::open(&file).expect("a database");
    connection.pragma_update(None, "journal_mode", "WAL").expect("WAL");
    connection.pragma_update(None, "synchronous", "FULL").expect("FULL");
    connection
        .execute_batch("CREATE TABLE entries (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")
        .expect("a table");
    let value = vec![b'x'; row];
    let started = Instant::now();
    let mut number = 0_u64;
    while started.elapsed() < time {
        let transaction = connection.transaction().expect("a transaction");
        for _ in 0..to_a_commit {
            transaction
                .prepare_cached("INSERT INTO entries (key, value) VALUES (?1, ?2)")
                .and_then(|mut insert| insert.execute(params![format!("records/raw/{number:027}"), value]))
                .expect("an insert");
            number += 1;
        }
        transaction.commit().expect("a commit");
    }
    let rate = number as f64 / started.elapsed().as_secs_f64();
    drop(connection);
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", file.display()));
    }
    rate
}
