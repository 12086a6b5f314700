//! The first start creates everything that is needed, readable only by its owner.

use postern_tests::World;
use std::{os::unix::fs::PermissionsExt, path::Path};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).permissions().mode() & 0o777
}

fn all_below(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        found.push(entry.path());
        if entry.path().is_dir() {
            all_below(&entry.path(), found);
        }
    }
}

#[tokio::test]
async fn the_first_key_is_in_its_file_and_only_its_path_is_printed() {
    let world = World::start().await;
    let file = world.server.folder().join("admin.key");
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 1, "the key and nothing else");
    let output = world.server.process.wait_for_output(&file.to_string_lossy()).await;
    assert!(!output.contains(text.trim()), "the key itself is not printed");
    world.operator().get("/credentials").await.ok();

    let world = world.kill_and_restart_server().await;
    assert_eq!(world.admin_key(), text.trim(), "there is one first start");
    assert!(!world.server.process.stdout().contains("admin.key"));
    world.operator().get("/credentials").await.ok();
}

#[tokio::test]
async fn the_data_folder_is_closed_to_others() {
    let world = World::start().await;
    world.operator().credential(&[]).await;
    let folder = world.server.folder();
    assert_eq!(mode(folder), 0o700);
    let mut found = Vec::new();
    all_below(folder, &mut found);
    assert!(found.len() >= 5, "{found:?}");
    for path in found {
        let expected = match () {
            () if path.is_dir() => 0o700,
            () if path.ends_with("ca.pem") => 0o644,
            () => 0o600,
        };
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}
