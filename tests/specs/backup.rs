//! `backup` while the server runs, and `restore` into another folder.

use postern_tests::{
    Operator, World,
    process::{Process, ProcessOutput},
    programs,
    server::ServerSetup,
};
use serde_json::json;
use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

async fn run(command: &str, file: &Path, folder: &Path, more: &[&str]) -> ProcessOutput {
    let (file, folder) = (file.to_string_lossy(), folder.to_string_lossy());
    let arguments: Vec<&str> =
        [command, &*file, "--data-dir", &*folder].into_iter().chain(more.iter().copied()).collect();
    Process::run(&programs::server(), &arguments, &[]).await
}

#[tokio::test]
async fn what_was_acknowledged_before_a_backup_is_restored_elsewhere() {
    let mut world = World::start().await;
    let folder = world.server.folder().to_owned();
    let (stop, made) = (Arc::<AtomicBool>::default(), Arc::<Mutex<Vec<String>>>::default());
    let writers: Vec<_> = (0..16)
        .map(|_| {
            let (operator, stop, made) = (world.operator(), stop.clone(), made.clone());
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let id = operator.post("/ip_policies", json!({ "description": "x" })).await.ok().text("id");
                    made.lock().unwrap().push(id);
                }
            })
        })
        .collect();
    postern_tests::eventually("records are made", async || (made.lock().unwrap().len() > 50).then_some(())).await;
    let before = made.lock().unwrap().clone();
    let (file, pass, wrong) = (world.path("b.postern"), world.path("pass"), world.path("wrong"));
    std::fs::write(&pass, "planted-passphrase\n").unwrap();
    std::fs::write(&wrong, "another\n").unwrap();
    let (pass, wrong) = (pass.to_string_lossy().into_owned(), wrong.to_string_lossy().into_owned());
    let saved = run("backup", &file, &folder, &["--with-keys", "--passphrase-file", &pass]).await;
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    assert!(saved.status.success() && !saved.output().contains("planted"), "{saved:?}");

    let target = world.path("restored");
    let key = ["--passphrase-file", &pass];
    let bytes = std::fs::read(&file).unwrap();
    let mut altered = bytes.clone();
    let middle = bytes.len() / 2;
    altered[middle] ^= 1;
    let mut newer = bytes.clone();
    newer[19] = 9;
    let cut = bytes[..bytes.len() - 40].to_vec();
    for (content, code, named) in
        [(cut, "10006", "end is missing"), (altered, "10006", "changed"), (newer, "ERR_POSTERN", "newer version")]
    {
        let bad = world.path("bad");
        std::fs::write(&bad, content).unwrap();
        let refused = run("restore", &bad, &target, &key).await;
        assert!(!refused.status.success() && refused.stderr.contains(named), "{refused:?}");
        assert!(refused.stderr.contains(code), "{refused:?}");
        let left = std::fs::read_dir(&target).map_or(0, Iterator::count);
        assert_eq!(left, 0, "nothing is there");
    }
    let refused = run("restore", &file, &target, &["--passphrase-file", &wrong]).await;
    assert!(!refused.status.success() && refused.stderr.contains("passphrase"), "{refused:?}");
    let refused = run("restore", &file, &folder, &key).await;
    assert!(!refused.status.success() && refused.stderr.contains("is not empty"), "{refused:?}");
    let restored = run("restore", &file, &target, &key).await;
    assert!(restored.status.success(), "{restored:?}");
    let admin_key = world.admin_key();
    world.server.process.terminate();
    world.server.process.wait_for_exit().await;
    world.server = ServerSetup::new(&target).start().await;
    // The key of the former folder is one of the records.
    let operator = Operator::new(world.server.addresses.api, Some(&admin_key));
    for id in before {
        assert_eq!(operator.get(&format!("/ip_policies/{id}")).await.status, 200, "{id}");
    }
}
