//! The suite for every engine, and tests that are specific to a database in a folder.

use super::*;
use crate::store::suite::engine_suite;
use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write as _},
    process::{Command, Stdio},
};

struct Folder(tempfile::TempDir);

impl crate::store::suite::Bench for Folder {
    const COUNTS_BY_ONE: bool = true;
    async fn new() -> Self {
        Folder(tempfile::tempdir().expect("a folder"))
    }
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(open(self.0.path()).expect("the store opens"))
    }
}

engine_suite!(Folder);

#[tokio::test]
async fn leases_end_to_the_second() {
    use crate::store::Write;
    use jiff::{SignedDuration, Timestamp};
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).expect("the store opens");
    let start = Timestamp::from_second(1_800_000_000).expect("a moment");
    let after = |seconds: i64| start + SignedDuration::from_secs(seconds);
    let lease = store.grant(Duration::from_secs(10), start).await.expect("a lease");
    let writes = vec![Write::PutLeased("nodes/short".to_owned(), b"here".to_vec(), lease)];
    store.commit(Commit { writes, ..Commit::default() }).await.expect("a commit");
    assert_eq!(store.expire(after(9)).await.expect("expired"), 0);
    assert!(store.keep(lease, after(9)).await.expect("kept"), "it lasts another 10 seconds");
    assert_eq!(store.expire(after(18)).await.expect("expired"), 0);
    assert_eq!(store.expire(after(19)).await.expect("expired"), 1);
    assert!(store.get("nodes/short").await.expect("a read").is_none());
}

/// Runs one test of this executable in a process of its own, with a working folder.
fn child(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this executable"));
    command.args(["--exact", &format!("store::sqlite::tests::{test}"), "--nocapture", "--test-threads=1"]);
    command.env("POSTERN_STORE_TEST", folder).stdin(Stdio::null());
    command
}

/// The folder, if this process was started by [`child`].
fn folder_of_child() -> Option<PathBuf> {
    std::env::var_os("POSTERN_STORE_TEST").map(PathBuf::from)
}

/// Started by the next test only: writes in an endless loop and prints the acknowledged commits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn part_writes_until_it_is_killed() {
    let Some(folder) = folder_of_child() else { return };
    let store = Arc::new(open(&folder).expect("the store opens"));
    let process = std::process::id();
    let writers = (0..8).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            for number in 0.. {
                let key = format!("{process}/{writer}/{number}");
                let outcome = store.commit(Commit::default().put(key.clone(), vec![b'x'; 500])).await;
                assert!(matches!(outcome, Ok(CommitOutcome::Done(_))), "{outcome:?}");
                if writeln!(std::io::stdout(), "acknowledged {key}").is_err() {
                    return;
                }
            }
        })
    });
    futures::future::join_all(writers).await;
}

#[tokio::test]
async fn a_kill_loses_no_acknowledged_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut acknowledged = BTreeSet::new();
    for round in 1..=4_usize {
        let mut writer = child("part_writes_until_it_is_killed", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a child process");
        let lines = BufReader::new(writer.stdout.take().expect("its output")).lines();
        let mut heard = 0;
        for line in lines.map_while(Result::ok) {
            // The test harness writes other lines too.
            if let Some((_, key)) = line.split_once("acknowledged ") {
                acknowledged.insert(key.to_owned());
                heard += 1;
            }
            if heard == 60 * round {
                writer.kill().expect("killed");
            }
        }
        writer.wait().expect("it ended");
        assert!(heard >= 60 * round, "the writer got going");
        let store = open(folder.path()).expect("the folder is free and the database sound");
        for key in &acknowledged {
            assert!(store.get(key).await.expect("a read").is_some(), "{key} was acknowledged and is lost");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_database_is_written_by_the_thread_that_asks() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).expect("the store opens");
    let commit = Commit::default().put("a", "1");
    assert!(matches!(store.commit_if_idle(&commit), Some(Ok(CommitOutcome::Done(1)))));
    let writer = store.writer.lock().expect("unpoisoned");
    assert!(store.commit_if_idle(&commit).is_none(), "another commit is in progress");
    drop(writer);
    let waits_for_nothing = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let alone =
        std::thread::spawn(move || waits_for_nothing.block_on(async { store.commit_if_idle(&commit).is_none() }));
    assert!(alone.join().expect("no panic"), "the only thread of a runtime must not wait");
}

#[test]
fn a_folder_in_use_is_refused_and_free_again_afterwards() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = open(folder.path()).expect("the first");
    let error = open(folder.path()).err().expect("refused");
    let StoreError::Locked { holder, .. } = &error else { panic!("{error}") };
    assert_eq!(*holder, format!(" (process {})", std::process::id()));
    let shown = postern_api::Error::from(error.clone());
    assert_eq!(shown.code, postern_api::Code::StorageLocked);
    assert!(shown.message.contains("in use by another postern-server") && shown.message.contains("--data-dir"));
    drop(first);
    open(folder.path()).expect("free again");
}

#[test]
fn data_of_a_newer_version_is_not_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(open(folder.path()).expect("made"));
    let connection = Connection::open(folder.path().join(FILE)).expect("opened");
    connection.pragma_update(None, "user_version", 99).expect("set");
    drop(connection);
    assert!(matches!(open(folder.path()).err(), Some(StoreError::TooNew { .. })));
}

#[cfg(unix)]
#[tokio::test]
async fn all_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("data");
    let store = open(&inside).expect("made");
    store.commit(Commit::default().put("a", "b")).await.expect("a commit");
    let mode = |path: &Path| std::fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    assert_eq!(mode(&inside), 0o700);
    let files: Vec<_> =
        std::fs::read_dir(&inside).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    assert!(files.len() >= 3, "database, log and lock: {files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

async fn fill(store: &Sqlite) -> (usize, StoreError) {
    for number in 0.. {
        let commit = Commit::default().put(format!("filler/{number}"), vec![b'x'; 8 << 10]);
        match store.commit(commit).await {
            Ok(outcome) => assert!(matches!(outcome, CommitOutcome::Done(_))),
            Err(error) => return (number, error),
        }
    }
    unreachable!("the disk has an end")
}

#[tokio::test]
async fn a_full_database_is_a_clear_error_and_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open_limited(folder.path(), Some(60), Missing::IsLost).expect("made");
    let (written, error) = fill(&store).await;
    assert!(written > 0 && matches!(error, StoreError::Full { .. }), "{written} {error}");
    let shown = postern_api::Error::from(error);
    assert_eq!(shown.code, postern_api::Code::StorageFull);
    for number in 0..written {
        assert!(store.get(&format!("filler/{number}")).await.expect("a read").is_some());
    }
    let outcome = store.commit(Commit::default().delete("filler/0").put("small", "fits")).await;
    assert!(matches!(outcome, Ok(CommitOutcome::Done(_)) | Err(StoreError::Full { .. })), "{outcome:?}");
}

#[tokio::test]
async fn a_commit_that_does_not_fit_does_not_fail_others_in_its_group() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open_limited(folder.path(), Some(100), Missing::IsLost).expect("made");
    let commits = (0..20).map(|number| {
        let size = if number == 10 { 2 << 20 } else { 10 };
        store.commit(Commit::default().put(format!("k/{number:02}"), vec![b'x'; size]))
    });
    let outcomes = futures::future::join_all(commits).await;
    let refused: Vec<usize> = (0..20).filter(|number| outcomes[*number].is_err()).collect();
    assert_eq!(refused, [10]);
    assert_eq!(store.range(Range::new("k/", 100)).await.expect("a range").entries.len(), 19);
}

#[test]
fn a_folder_that_cannot_be_created_is_a_clear_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "x").expect("written");
    let error = open(&file.join("data")).err().expect("refused");
    let shown = postern_api::Error::from(error);
    assert_eq!(shown.code, postern_api::Code::StorageReadOnly);
    assert!(shown.message.contains("cannot be written"), "{shown}");
}

/// Started below, on a small disk of its own: fills it, frees some space, and continues.
#[tokio::test]
async fn part_fills_its_disk() {
    let Some(folder) = folder_of_child() else { return };
    std::fs::write(folder.join("ballast"), vec![0; 300 << 10]).expect("ballast");
    let store = open(&folder.join("data")).expect("the store opens");
    let (written, error) = fill(&store).await;
    assert!(written > 0 && matches!(error, StoreError::Full { .. }), "{written} {error}");
    assert!(store.get("filler/0").await.expect("reading still works").is_some());
    std::fs::remove_file(folder.join("ballast")).expect("freed");
    let outcome = store.commit(Commit::default().put("after", "the flood")).await;
    assert!(matches!(outcome, Ok(CommitOutcome::Done(_))), "it goes on without a restart: {outcome:?}");
}

/// Started below, on a read-only disk.
#[tokio::test]
async fn part_opens_a_read_only_disk() {
    let Some(folder) = folder_of_child() else { return };
    for place in [folder.join("data"), folder.join("new")] {
        let error = open(&place).err().expect("refused");
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    }
}

/// Runs a part of this suite on a small disk of its own, if the system allows it.
#[cfg(target_os = "linux")]
fn on_a_small_disk(part: &str, prepare: &str) {
    let allowed = Command::new("unshare").args(["-rm", "true"]).stderr(Stdio::null()).status();
    if !allowed.is_ok_and(|status| status.success()) {
        let _ = writeln!(std::io::stderr(), "no small disk can be made here: {part} did not run");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let inner = child(part, folder.path());
    let script = format!("mount -t tmpfs -o size=900k none \"$0\" && {prepare} exec \"$@\"");
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &script]).arg(folder.path()).arg(inner.get_program()).args(inner.get_args());
    let output = command.env("POSTERN_STORE_TEST", folder.path()).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_clear_error_and_recovers() {
    // Without a disk of its own, the test with the bounded database covers the same path.
    on_a_small_disk("part_fills_its_disk", "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_disk_is_a_clear_error() {
    on_a_small_disk("part_opens_a_read_only_disk", "mkdir \"$0/data\" && mount -o remount,ro \"$0\" &&");
}

/// A folder with two entries, after its store was closed.
async fn closed_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).expect("it opens");
    let commit = Commit::default().put("records/a", "{\"one\":1}").put("records/b", "{\"two\":2}");
    store.commit(commit).await.expect("written");
    drop(store);
    folder
}

/// The error of opening a folder.
fn refusal(folder: &Path) -> StoreError {
    open(folder).err().expect("refused")
}

#[tokio::test]
async fn an_emptied_database_is_noticed() {
    let folder = closed_folder().await;
    let file = folder.path().join(FILE);
    std::fs::write(&file, "").expect("emptied");
    assert!(matches!(refusal(folder.path()), StoreError::Lost { .. }));
    std::fs::remove_file(&file).expect("removed");
    assert!(matches!(refusal(folder.path()), StoreError::Lost { .. }), "and that it is missing");
    assert!(examine(folder.path(), true).expect("examined").missing.is_some());
    assert!(matches!(refusal(folder.path()), StoreError::Lost { .. }), "which nothing can repair");
}

#[tokio::test]
async fn another_folders_database_is_noticed() {
    let (one, two) = (closed_folder().await, closed_folder().await);
    std::fs::copy(one.path().join(FILE), two.path().join(FILE)).expect("copied");
    assert!(matches!(refusal(two.path()), StoreError::Lost { .. }));
}

/// Started by the next test only: writes an entry and ends without closing the store.
#[tokio::test]
async fn part_writes_and_aborts() {
    let Some(folder) = folder_of_child() else { return };
    let store = open(&folder).expect("the store opens");
    store.commit(Commit::default().put("records/c", "{}")).await.expect("written");
    std::process::abort();
}

#[tokio::test]
async fn a_missing_log_is_noticed_and_its_loss_can_be_accepted() {
    let folder = closed_folder().await;
    let ended = child("part_writes_and_aborts", folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(!ended.expect("it ran").success());
    let copy = tempfile::tempdir().expect("a folder");
    for entry in std::fs::read_dir(folder.path()).expect("readable").flatten() {
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("copied");
    }
    let whole = open(copy.path()).expect("with its log it opens");
    assert!(whole.get("records/c").await.expect("read").is_some());

    std::fs::remove_file(folder.path().join(LOG_FILE)).expect("removed");
    assert!(matches!(refusal(folder.path()), StoreError::Lost { .. }));
    assert!(examine(folder.path(), false).expect("examined").missing.is_some_and(|what| what.contains("-wal")));
    assert!(examine(folder.path(), true).expect("examined").repaired);
    let store = open(folder.path()).expect("it opens again");
    assert!(store.get("records/a").await.expect("read").is_some());
    assert!(store.get("records/c").await.expect("read").is_none(), "what was in the log alone is lost");
}

#[tokio::test]
async fn a_changed_value_is_noticed_by_its_checksum_and_can_be_deleted() {
    let folder = closed_folder().await;
    let file = folder.path().join(FILE);
    let mut bytes = std::fs::read(&file).expect("readable");
    let places: Vec<_> = (0..bytes.len() - 9).filter(|at| bytes[*at..].starts_with(b"{\"one\":1}")).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at + 7] = b'7');
    std::fs::write(&file, bytes).expect("written");

    assert!(matches!(refusal(folder.path()), StoreError::Damaged { what, .. } if what.contains("records/a")));
    assert_eq!(examine(folder.path(), false).expect("examined").damaged, ["records/a"]);
    assert!(examine(folder.path(), true).expect("examined").repaired);
    assert!(examine(folder.path(), false).expect("examined").is_healthy());
    let store = open(folder.path()).expect("it opens");
    assert_eq!(store.range(Range::new("records/", 10)).await.expect("read").entries.len(), 1);
}

#[tokio::test]
async fn a_changed_key_is_noticed_where_it_is_sorted_and_where_its_entry_is() {
    let folder = closed_folder().await;
    let file = folder.path().join(FILE);
    let bytes = std::fs::read(&file).expect("readable");
    let places: Vec<_> = (0..bytes.len() - 9).filter(|at| bytes[*at..].starts_with(b"records/a")).collect();
    assert_eq!(places.len(), 2);
    for at in places {
        let mut changed = bytes.clone();
        changed[at + 8] = b'0';
        std::fs::write(&file, changed).expect("written");
        assert!(matches!(refusal(folder.path()), StoreError::Damaged { .. }));
        assert!(!examine(folder.path(), false).expect("examined").is_healthy());
    }
    std::fs::write(&file, bytes).expect("written");
    assert!(open(folder.path()).is_ok());
}

#[tokio::test]
async fn damage_while_the_store_is_open_is_noticed_by_the_reader() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).expect("it opens");
    store.commit(Commit::default().put("records/a", "1").put("records/b", "2")).await.expect("written");
    let other = Connection::open(folder.path().join(FILE)).expect("a connection");
    other.execute("UPDATE entries SET value = x'39' WHERE key = 'records/a'", []).expect("changed behind its back");
    let error = store.get("records/a").await.expect_err("damaged");
    assert!(matches!(&error, StoreError::Damaged { what, .. } if what.contains("records/a")), "{error}");
    assert!(store.get("records/b").await.expect("read").is_some());
    let all = store.range(Range::new("records/", 10)).await;
    assert!(matches!(all, Err(StoreError::Damaged { .. })), "{all:?}");
}

#[tokio::test]
async fn a_damaged_structure_is_refused() {
    let folder = closed_folder().await;
    let file = folder.path().join(FILE);
    let mut bytes = std::fs::read(&file).expect("readable");
    assert!(bytes.len() > 8192);
    bytes[4096..8192].fill(0);
    std::fs::write(&file, bytes).expect("written");
    assert!(matches!(refusal(folder.path()), StoreError::Damaged { .. }));
    assert!(!examine(folder.path(), true).expect("examined").structural.is_empty());
}

#[tokio::test]
async fn a_database_without_checksums_gets_them() {
    let folder = closed_folder().await;
    let connection = Connection::open(folder.path().join(FILE)).expect("a connection");
    let back = "
        ALTER TABLE entries RENAME TO newer;
        CREATE TABLE entries (key TEXT PRIMARY KEY, value BLOB NOT NULL, revision INTEGER NOT NULL, lease INTEGER) WITHOUT ROWID;
        INSERT INTO entries SELECT key, value, revision, lease FROM newer;
        DROP TABLE newer;
        CREATE INDEX entries_by_lease ON entries (lease) WHERE lease IS NOT NULL;
        CREATE TABLE changes (revision INTEGER, position INTEGER, key TEXT NOT NULL, value BLOB, PRIMARY KEY (revision, position)) WITHOUT ROWID;
        CREATE TABLE log (revision INTEGER NOT NULL, compacted INTEGER NOT NULL);
        INSERT INTO log SELECT revision, 0 FROM newest_commit;
        DROP TABLE newest_commit;
        DROP TABLE identity;
        PRAGMA user_version = 1;
    ";
    connection.execute_batch(back).expect("as the first version wrote it");
    drop(connection);
    std::fs::remove_file(folder.path().join("store.json")).expect("removed");
    let store = open(folder.path()).expect("it opens");
    let former = store.range(Range::new("records/", 10)).await.expect("read");
    assert_eq!((former.entries.len(), former.revision), (2, 1));
    assert!(matches!(store.commit(Commit::default()).await, Ok(CommitOutcome::Done(2))), "revisions go on growing");
    drop(store);
    assert!(examine(folder.path(), false).expect("examined").is_healthy());
    let migrated = Connection::open(folder.path().join(FILE)).expect("a connection");
    let unused: i64 = migrated.query_row("PRAGMA freelist_count", [], |row| row.get(0)).expect("read");
    assert_eq!(unused, 0, "the space of the former tables is given back");
    drop(migrated);
    let copy = folder.path().join("postern.db.before-3");
    let mode = std::os::unix::fs::PermissionsExt::mode(&copy.metadata().expect("kept").permissions());
    assert_eq!(mode & 0o777, 0o600);
    // Going back: the copy in the place of the database.
    let former = Connection::open(&copy).expect("a connection");
    let layout: i64 = former.query_row("PRAGMA user_version", [], |row| row.get(0)).expect("read");
    let entries: i64 = former.query_row("SELECT count(*) FROM entries", [], |row| row.get(0)).expect("read");
    assert_eq!((layout, entries), (1, 2));
    let left = std::fs::read_dir(folder.path()).expect("read").flatten().map(|entry| entry.file_name());
    assert!(!left.into_iter().any(|name| name.to_string_lossy().starts_with(".copy.")), "no temporary file is left");
}
