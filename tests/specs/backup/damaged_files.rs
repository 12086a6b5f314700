//! Backups that were altered, and restores that were interrupted.

use super::{back_up, files_in, passphrase_file, run};
use postern_tests::{ServerSetup, World};
use serde_json::json;
use std::fs;

#[tokio::test]
async fn a_file_that_was_altered_leaves_nothing() {
    let world = World::start().await;
    // The entries fill more than one frame.
    let text = "x".repeat(250);
    for number in 0..300 {
        let policy = json!({ "description": format!("{number}{text}"), "metadata": text.repeat(4) });
        world.operator().post("/ip_policies", policy).await.ok();
    }
    let pass = passphrase_file(&world, "one");
    let (file, bad, target) = (back_up(&world, &pass).await, world.path("bad"), world.path("restored"));
    let bytes = fs::read(&file).unwrap();
    assert!(bytes.len() > 600 << 10, "{}", bytes.len());
    let with = |at: usize, byte: u8| {
        let mut changed = bytes.clone();
        changed[at] ^= byte;
        changed
    };
    let longer = [&bytes[..], b"x"].concat();
    for (content, code, named) in [
        (bytes[..bytes.len() - 40].to_vec(), "10006", "end is missing"),
        (bytes[..bytes.len() - 36].to_vec(), "10006", "end is missing"),
        (bytes[..10].to_vec(), "10006", "end is missing"),
        (Vec::new(), "10006", "end is missing"),
        (longer, "10006", "something follows"),
        (with(2, 1), "10006", "begin"),
        (with(bytes.len() / 2, 1), "10006", "changed"),
        (with(bytes.len() - 1, 1), "10006", "changed"),
        (with(20, 0x80), "10006", "changed"),
        (with(19, 8), "ERR_POSTERN_", "newer version"),
    ] {
        fs::write(&bad, content).unwrap();
        let refused = run("restore", &bad, &target, &["--passphrase-file", &pass]).await;
        assert!(!refused.status.success() && refused.stderr.contains(named), "{named}: {refused:?}");
        assert!(refused.stderr.contains(code), "{named}: {refused:?}");
        assert_eq!(files_in(&target), 0, "{named}: nothing is there");
    }
    let restored = run("restore", &file, &target, &["--passphrase-file", &pass]).await;
    assert!(restored.status.success(), "{restored:?}");
}

#[tokio::test]
async fn an_interrupted_restore_is_refused_by_name_and_run_again() {
    let world = World::start().await;
    let pass = passphrase_file(&world, "one");
    let (file, target) = (back_up(&world, &pass).await, world.path("restored"));
    let restored = run("restore", &file, &target, &["--passphrase-file", &pass]).await;
    assert!(restored.status.success(), "{restored:?}");
    // As it was in the middle of the last step: some files are in their places, the mark and the database are not.
    fs::create_dir(target.join(".restoring")).unwrap();
    fs::rename(target.join("postern.db"), target.join(".restoring/postern.db")).unwrap();
    let refused = ServerSetup::new(&target).spawn().wait_with_output().await;
    assert!(!refused.status.success() && refused.stderr.contains("not restored to its end"), "{refused:?}");
    assert!(refused.stderr.contains("postern-server restore"), "{refused:?}");
    let examined = run("restore", &world.path("missing"), &target, &["--passphrase-file", &pass]).await;
    assert!(!examined.status.success() && target.join(".restoring").exists(), "{examined:?}");
    let again = run("restore", &file, &target, &["--passphrase-file", &pass]).await;
    assert!(again.status.success() && !target.join(".restoring").exists(), "{again:?}");
    ServerSetup::new(&target).start().await;
}
