//! `backup` of a data folder with and without its keys, and `restore` into another folder.

mod damaged_files;
mod former_versions;
mod writers;

use postern_tests::{
    Operator, World,
    process::{Process, ProcessOutput},
    programs,
    server::{Server, ServerSetup},
};
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
};

async fn run(command: &str, file: &Path, folder: &Path, more: &[&str]) -> ProcessOutput {
    let (file, folder) = (file.to_string_lossy(), folder.to_string_lossy());
    let arguments: Vec<&str> =
        [command, &*file, "--data-dir", &*folder].into_iter().chain(more.iter().copied()).collect();
    Process::run(&programs::server(), &arguments, &[]).await
}

/// A file with a passphrase, as text of a flag.
fn passphrase_file(world: &World, passphrase: &str) -> String {
    let file = world.path(passphrase);
    fs::write(&file, format!("{passphrase}\n")).unwrap();
    file.to_string_lossy().into_owned()
}

/// Backs the folder of a world up, with its keys.
async fn back_up(world: &World, passphrase: &str) -> PathBuf {
    let file = world.path("all.backup");
    let saved =
        run("backup", &file, world.server.folder(), &["--force", "--with-keys", "--passphrase-file", passphrase]).await;
    assert!(saved.status.success(), "{saved:?}");
    file
}

fn files_in(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

/// An administrator of a server, with a new key.
async fn administrator(server: &Server) -> Operator {
    let made = server.command(&["api-key", "create", "--admin"]).await;
    assert!(made.status.success(), "{made:?}");
    Operator::new(server.addresses.api, made.stdout.lines().last())
}

#[tokio::test]
async fn a_backup_without_keys_has_no_secret_and_needs_the_key_of_the_folder() {
    let world = World::start().await;
    let operator = world.operator();
    let edge = operator.post("/edges/https", json!({ "hostports": ["sealed.localhost:443"] })).await.ok().text("id");
    let routes = format!("/edges/https/{edge}/routes");
    let route = operator.post(&routes, json!({ "match": "/", "match_type": "path_prefix" })).await.ok().text("id");
    let webhook = json!({ "enabled": true, "provider": "github", "secret": "planted-webhook-secret" });
    operator.put(&format!("{routes}/{route}/webhook_verification"), webhook).await.ok();

    let (file, target, folder) = (world.path("b"), world.path("restored"), world.server.folder());
    let key = fs::read(folder.join("seal.key")).unwrap();
    let saved = run("backup", &file, folder, &[]).await;
    assert!(saved.status.success() && saved.stdout.contains("seal.key"), "{saved:?}");
    let with_keys = back_up(&world, &passphrase_file(&world, "planted-passphrase")).await;
    for file in [&file, &with_keys] {
        let bytes = fs::read(file).unwrap();
        let has = |secret: &[u8]| bytes.windows(secret.len()).any(|part| part == secret);
        assert!(has(b"sealed.localhost") && !has(b"planted") && !has(&key), "records are there, secrets are not");
        let listed: Vec<String> = key.iter().map(u8::to_string).collect();
        assert!(!has(listed.join(",").as_bytes()), "nor is the key as a list");
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(file).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }

    let refused = run("restore", &file, &target, &[]).await;
    assert!(!refused.status.success() && refused.stderr.contains("seal.key"), "{refused:?}");
    assert!(refused.stderr.contains("--key-file") && !target.exists(), "{refused:?}");
    let other = world.path("other.key");
    fs::write(&other, [7; 32]).unwrap();
    let refused = run("restore", &file, &target, &["--key-file", &other.to_string_lossy()]).await;
    assert!(!refused.status.success() && refused.stderr.contains("does not fit") && !target.exists(), "{refused:?}");
    let key = folder.join("seal.key");
    let restored = run("restore", &file, &target, &["--key-file", &key.to_string_lossy()]).await;
    assert!(restored.status.success(), "{restored:?}");
    let former = fs::read(world.server.authority()).unwrap();
    assert_eq!(fs::read(target.join("ca.pem")).unwrap(), former, "visitors trust the restored server");
    let server = ServerSetup::new(&target).start().await;
    let operator = Operator::new(server.addresses.api, Some(&world.admin_key()));
    operator.get(&format!("{routes}/{route}/webhook_verification")).await.ok();
}

#[tokio::test]
async fn keys_are_included_with_a_passphrase_only() {
    let world = World::start().await;
    let (file, folder) = (world.path("b"), world.server.folder());
    let pass = passphrase_file(&world, "one");
    for flags in [&["--with-keys"][..], &["--passphrase-file", &pass]] {
        let refused = run("backup", &file, folder, flags).await;
        assert!(!refused.status.success() && !file.exists(), "{refused:?}");
    }
    let file = back_up(&world, &pass).await;
    let again = run("backup", &file, folder, &[]).await;
    assert!(!again.status.success() && again.stderr.contains("--force"), "{again:?}");
    let wrong = passphrase_file(&world, "planted-wrong");
    let target = world.path("restored");
    let refused = run("restore", &file, &target, &["--passphrase-file", &wrong]).await;
    assert!(!refused.status.success() && refused.stderr.contains("ERR_POSTERN_"), "{refused:?}");
    assert!(refused.stderr.contains("passphrase is not") && !target.exists(), "{refused:?}");
    let refused = run("restore", &file, folder, &["--passphrase-file", &pass]).await;
    assert!(!refused.status.success() && refused.stderr.contains("is not empty"), "{refused:?}");
}

#[tokio::test]
async fn the_folder_of_a_server_that_was_killed_or_stopped_is_backed_up() {
    let mut world = World::start().await;
    let pass = passphrase_file(&world, "one");
    let mut made = Vec::new();
    for is_killed in [true, false] {
        made.push(world.operator().post("/ip_policies", json!({ "description": "x" })).await.ok().text("id"));
        if is_killed {
            world.server.process.kill()
        } else {
            world.server.process.terminate()
        }
        world.server.process.wait_for_exit().await;
        let file = back_up(&world, &pass).await;
        let target = world.path(if is_killed { "killed" } else { "stopped" });
        let restored = run("restore", &file, &target, &["--passphrase-file", &pass]).await;
        assert!(restored.status.success(), "{restored:?}");
        let server = ServerSetup::new(&target).start().await;
        let operator = Operator::new(server.addresses.api, Some(&world.admin_key()));
        for id in &made {
            operator.get(&format!("/ip_policies/{id}")).await.ok();
        }
        // The backup left the log of the killed server where it was.
        world.server = world.server.restart_setup().start().await;
    }
}
