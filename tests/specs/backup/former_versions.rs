//! Data folders of former versions, which are in `tests/fixtures`, and of newer ones.

use super::{administrator, run};
use postern_tests::{Process, ServerSetup, World, programs};
use rusqlite::Connection;
use std::{fs, path::Path};

fn layout(database: &Path) -> i64 {
    let connection = Connection::open(database).unwrap();
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_folder_of_the_first_layout_is_migrated_with_a_copy_kept() {
    migrate_with_a_copy(1).await;
}

#[tokio::test]
async fn a_folder_of_the_second_layout_is_migrated_with_a_copy_kept() {
    migrate_with_a_copy(2).await;
}

async fn migrate_with_a_copy(former: i64) {
    let world = tempfile::tempdir().unwrap();
    let folder = world.path().join("server");
    fs::create_dir(&folder).unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/data-folder-{former}"));
    for file in fixture.read_dir().unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.join(file.file_name())).unwrap();
    }
    let refused = run("backup", &world.path().join("b"), &folder, &[]).await;
    assert!(!refused.status.success() && refused.stderr.contains("older version"), "{refused:?}");

    let server = ServerSetup::new(&folder).start().await;
    let operator = administrator(&server).await;
    let policy = operator.get("/ip_policies/ipp_3MYUIwB7DIXBV3Hhgi1PfAhHWzg").await.ok();
    assert_eq!((policy.text("description"), policy.text("metadata")), ("of a former version".into(), "kept".into()));
    let route = "/edges/https/edghts_3MYUIwR9VEla4pQvyn9XNqdx7Rj/routes/edghtsrt_3MYUIwlVRk7hovMMlpzsqeLWV4P";
    let webhook = operator.get(&format!("{route}/webhook_verification")).await.ok();
    assert_eq!(webhook.text("provider"), "github");
    let restriction = operator.get(&format!("{route}/ip_restriction")).await.ok();
    assert_eq!(restriction.body["ip_policies"][0]["id"], policy.body["id"]);

    let copy = folder.join("postern.db.before-3");
    assert_eq!(layout(&copy), former, "one can go back to the former version");
    let count = |path: &Path| -> i64 {
        Connection::open(path).unwrap().query_row("SELECT count(*) FROM entries", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count(&copy), count(&fixture.join("postern.db")));
    server.process.terminate();
    assert!(server.process.wait_for_exit().await.success());
    assert_eq!(layout(&folder.join("postern.db")), 3);
    let examined = server.command(&["doctor"]).await;
    assert!(examined.status.success() && examined.stdout.contains("is healthy"), "{examined:?}");
}

#[tokio::test]
async fn a_folder_of_a_newer_layout_is_refused_by_name() {
    let world = World::start().await;
    world.server.process.terminate();
    assert!(world.server.process.wait_for_exit().await.success());
    let folder = world.server.folder();
    let database = folder.join("postern.db");
    Connection::open(&database).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(&database).unwrap();
    let path = folder.to_string_lossy();
    let refusals = [
        ServerSetup::new(folder).spawn().wait_with_output().await,
        run("backup", &world.path("b"), folder, &[]).await,
        Process::run(&programs::server(), &["doctor", "--repair", "--data-dir", &path], &[]).await,
    ];
    for refused in refusals {
        assert!(!refused.status.success() && refused.stderr.contains("newer version"), "{refused:?}");
        assert!(refused.stderr.contains(&*path), "{refused:?}");
    }
    assert!(fs::read(&database).unwrap() == before, "nothing was written");
}
