//! A server that cannot start reports the problem and its fix, and does not start partially.

use postern_tests::{Origin, Process, ServerSetup, World, process::ProcessOutput, programs};
use std::path::Path;

async fn start(folder: &Path, flags: &[&str]) -> ProcessOutput {
    ServerSetup::new(folder.join("server")).flags(flags).spawn().wait_with_output().await
}

fn refused(ended: &ProcessOutput, parts: &[&str]) {
    assert!(!ended.status.success(), "{ended:?}");
    assert!(!ended.stderr.contains("panicked"), "{ended:?}");
    for part in parts {
        assert!(ended.stderr.contains(part), "no `{part}` in {}", ended.stderr);
    }
}

#[tokio::test]
async fn a_port_in_use_is_named_with_its_flag_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let holder = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let held = holder.local_addr().unwrap().to_string();
    for flag in ["--api-addr", "--https-addr", "--http-addr"] {
        let ended = start(folder.path(), &[flag, &held]).await;
        refused(&ended, &["ERR_POSTERN_8114", &held, flag]);
    }
}

#[tokio::test]
async fn two_servers_never_share_a_folder() {
    let world = World::start().await;
    let ended = world.server.setup_beside().spawn().wait_with_output().await;
    refused(&ended, &["ERR_POSTERN_10003", &world.server.folder().to_string_lossy()]);
    world.stranger().get("/healthz").await.ok();
    let reads_again = std::fs::read_to_string(world.server.folder().join("addresses.json")).unwrap();
    assert!(reads_again.contains(&world.server.process.pid().to_string()), "the first one's file stays");
}

#[tokio::test]
async fn all_errors_of_a_broken_configuration_file_are_reported_with_lines() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("server.yml");
    let path = config.to_string_lossy().into_owned();
    std::fs::write(&config, "domian: a.test\napi_addr: 127.0.0.1:0\ntcp_ports: 9-1\n").unwrap();
    let ended = start(folder.path(), &["--config", &path, "--drain-timeout", "soon"]).await;
    refused(&ended, &["ERR_POSTERN_8100", &path, "line 1", "`domain`", "--drain-timeout"]);

    std::fs::write(&config, "domain: [unclosed\nlog_level: debug\n").unwrap();
    refused(&start(folder.path(), &["--config", &path]).await, &["ERR_POSTERN_8100", "line "]);
    refused(
        &start(folder.path(), &["--config", "/does/not/exist.yml"]).await,
        &["ERR_POSTERN_8100", "/does/not/exist.yml"],
    );
    assert!(!folder.path().join("server/postern.db").exists(), "nothing was started");
}

#[tokio::test]
async fn a_flag_overrides_the_environment_which_overrides_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("server.yml");
    std::fs::write(&config, "domain: file.test\nbase_url: http://file.test\n").unwrap();
    let world = World::with(|setup| {
        setup
            .environment("POSTERN_DOMAIN", "environment.test")
            .environment("POSTERN_BASE_URL", "http://environment.test")
            .flags(&["--config", &config.to_string_lossy(), "--domain", "flag.test"])
    })
    .await;
    let made = world.operator().post("/ip_policies", serde_json::json!({})).await.ok();
    assert!(made.text("uri").starts_with("http://environment.test/"), "{made:?}");
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    assert!(agent.https("site", &origin).await.host().ends_with(".flag.test"));
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let store = format!("etcd://127.0.0.1:{port}");
    refused(&start(folder.path(), &["--store", &store]).await, &["ERR_POSTERN_10007", &store, "does not answer"]);
}

#[tokio::test]
async fn a_data_folder_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("server"), "a file").unwrap();
    let ended = start(folder.path(), &[]).await;
    refused(&ended, &["--data-dir", &folder.path().join("server").to_string_lossy()]);
}

#[tokio::test]
async fn an_unknown_flag_and_no_command_show_the_usage() {
    for arguments in [&["run", "--colour"][..], &[]] {
        let ended = Process::run(&programs::server(), arguments, &[]).await;
        assert!(!ended.status.success() && ended.output().contains("Usage"), "{ended:?}");
    }
}
