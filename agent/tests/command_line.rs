//! The program `postern` with its command-line arguments.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, dead_code)]

mod world;

use postern_test_kit::{eventually, in_time};
use std::{
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};
use world::World;

const TOKEN: &str = "2ojtsYcgvSTl8PAuAdqWYSMnLOv_0123456789abcdefghijABCDEFGHIJklmnopqrstuvw";

fn postern(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_postern"));
    for name in ["POSTERN_CONFIG", "POSTERN_AUTHTOKEN", "POSTERN_SERVER_ADDR", "POSTERN_WEB_ADDR"] {
        command.env_remove(name);
    }
    command.env("POSTERN_HOME", folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("it runs");
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_token_from_standard_input_is_stored_for_the_owner_only_and_never_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("agent/postern.yml");
    assert_eq!(run(postern(folder.path()).args(["config", "path"])).1.trim(), path.display().to_string());
    let mut child =
        postern(folder.path()).args(["config", "add-authtoken", "-"]).stdin(Stdio::piped()).spawn().expect("it runs");
    child.stdin.take().unwrap().write_all(format!("{TOKEN}\n").as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    assert!(!String::from_utf8(output.stdout).unwrap().contains(TOKEN));
    let stored = format!("version: 2\nauthtoken: \"{TOKEN}\"\n");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), stored);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(run(postern(folder.path()).args(["config", "add-server-addr", "a.example:4443"])).0, Some(0));
    assert!(std::fs::read_to_string(&path).unwrap().contains("server_addr: \"a.example:4443\"\n"));
    assert_eq!(run(postern(folder.path()).args(["config", "add-server-addr", "nonsense"])).0, Some(1));
    assert_eq!(run(postern(folder.path()).args(["config", "check"])).0, Some(0));
}

#[test]
fn what_is_not_a_token_is_not_stored() {
    let folder = tempfile::tempdir().expect("a folder");
    for (command, what) in [("add-authtoken", "an authtoken"), ("add-api-key", "an API key")] {
        for wrong in ["wrong", "two words", "", "2ojtsYcgvSTl8PAuAdqWYSMnLOv", "2ojtsYcgvSTl8PAuAdqWYSMnLOv_short"] {
            let (code, stdout, stderr) = run(postern(folder.path()).args(["config", command, wrong]));
            assert_eq!((code, stdout.as_str()), (Some(1), ""), "{command} {wrong}");
            assert!(stderr.contains(&format!("This is not {what}")), "{stderr}");
            assert!(wrong.len() < 8 || !stderr.contains(wrong), "it may be most of a secret: {stderr}");
        }
    }
    assert!(!folder.path().join("agent/postern.yml").exists(), "nothing was written");
}

#[test]
fn a_file_elsewhere_is_upgraded_and_moved_to_the_default_location() {
    let folder = tempfile::tempdir().expect("a folder");
    let (old, usual) = (folder.path().join("old.yml"), folder.path().join("agent/postern.yml"));
    let moved = |more: &[&str]| {
        run(postern(folder.path()).args(["config", "upgrade", "--relocate"]).args(more).arg("--config").arg(&old))
    };
    assert_eq!(moved(&[]).0, Some(1), "there is nothing to move");
    std::fs::write(&old, "authtoken: a # mine\n").unwrap();
    let (code, stdout, _) = moved(&["--dry-run"]);
    assert!(code == Some(0) && stdout.contains("would be moved") && stdout.contains("version: 2"), "{stdout}");
    assert!(old.exists() && !usual.exists());
    assert_eq!(moved(&[]).0, Some(0));
    assert!(!old.exists());
    let text = std::fs::read_to_string(&usual).unwrap();
    assert!(text.contains("authtoken: a # mine\n") && text.contains("version: 2\n"), "{text}");
    std::fs::write(&old, "version: 2\n").unwrap();
    let (code, _, stderr) = moved(&[]);
    assert!(code == Some(1) && stderr.contains("exists already"), "{stderr}");
    assert!(old.exists() && std::fs::read_to_string(&usual).unwrap() == text, "nothing was changed");
}

#[test]
fn an_invalid_file_is_reported_with_all_locations_and_without_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("postern.yml");
    std::fs::write(&path, "version: 2\nauthtoken: planted-secret\nwebaddr: x\ntunnels:\n  a: {proto: http}\n").unwrap();
    for arguments in [vec!["config", "check", "--config"], vec!["start", "--all", "--config"]] {
        let (code, _, stderr) = run(postern(folder.path()).args(arguments).arg(&path));
        assert_eq!(code, Some(1));
        for part in [
            "postern.yml:3:1: webaddr: There is no such key. Did you mean `web_addr`?",
            "tunnels.a.addr: Is missing",
            "ERR_POSTERN_8100",
        ] {
            assert!(stderr.contains(part), "{part} is not in {stderr}");
        }
        assert!(!stderr.contains("planted-secret"));
    }
}

#[test]
fn invalid_command_lines_are_explained_in_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let table: &[(&[&str], i32, &str)] = &[
        (&["http", "not an address"], 1, "is not a local address"),
        (&["tls", "443", "--crt", "nowhere.pem"], 1, "`crt` and `key` belong together"),
        (&["http", "80", "--basic-auth", "a:b"], 1, "basic_auth[0]: The password is too short"),
        (&["tunnel", "80"], 1, "at least one label"),
        (&["start", "unknown"], 1, "no tunnel named `unknown`"),
        (&["start"], 2, "Usage"),
        (&["api", "edges", "tcp", "list"], 1, "There is no API key"),
        (&["http", "80", "--server-addr", "nonsense"], 1, "Must be host and port of the server"),
    ];
    for (arguments, code, part) in table {
        let (status, _, stderr) = run(postern(folder.path()).args(*arguments));
        assert!(status == Some(*code) && stderr.contains(part), "{arguments:?}: {status:?} {stderr}");
    }
    let (code, stdout, _) = run(postern(folder.path()).arg("version"));
    assert_eq!((code, stdout.trim()), (Some(0), concat!("postern ", env!("CARGO_PKG_VERSION"))));
    assert!(run(postern(folder.path()).args(["completion", "bash"])).1.contains("postern"));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tunnel_from_the_command_line_runs_until_it_is_terminated() {
    let world = World::stopped("").await;
    let child = postern(world.folder.path())
        .args(["http", "8080", "--domain", "shop", "--config"])
        .arg(world.config())
        .spawn()
        .expect("it runs");
    world.server.wait_for(|server| server.number("command_line")).await;
    let state =
        postern_agent::config::state_file::read(&postern_agent::config::state_file::state_path(&world.config()));
    let web = state.web_addr.expect("it says where it listens");
    // The server binds the tunnel a moment before the agent has read the response.
    eventually("the tunnel is published", async || {
        let response = reqwest::get(format!("http://{web}/api/tunnels")).await.expect("a response");
        let list: serde_json::Value = response.json().await.expect("JSON");
        (list["tunnels"][0]["public_url"] == "https://shop").then_some(())
    })
    .await;
    let session = world.server.newest_session();
    let pid = rustix::process::Pid::from_raw(child.id() as i32).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("sent");
    let output = tokio::task::spawn_blocking(move || child.wait_with_output()).await.unwrap().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(session.closed().await.clean, "it said goodbye");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("tunnel started") && stderr.contains("https://shop"), "{stderr}");
    assert!(!stderr.contains("a-token"));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_status_names_the_authority_of_a_server_on_this_machine() {
    let world = World::stopped("").await;
    let authority = world.folder.path().join("server/ca.pem");
    std::fs::create_dir(authority.parent().unwrap()).expect("a folder");
    std::fs::rename(world.folder.path().join("ca.pem"), &authority).expect("moved");
    let text = std::fs::read_to_string(world.config()).unwrap();
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with("root_cas:")).collect();
    std::fs::write(world.config(), lines.join("\n")).expect("written");
    let mut child =
        postern(world.folder.path()).args(["http", "8080", "--config"]).arg(world.config()).spawn().unwrap();
    world.server.wait_for(|server| server.number("command_line")).await;
    let state =
        postern_agent::config::state_file::read(&postern_agent::config::state_file::state_path(&world.config()));
    let response = reqwest::get(format!("http://{}/api/status", state.web_addr.expect("it listens"))).await;
    let status: serde_json::Value = response.expect("a response").json().await.expect("JSON");
    assert_eq!(status["session"]["root_cas"], authority.display().to_string());
    child.kill().expect("it ends");
    child.wait().expect("it has ended");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_tunnel_or_token_ends_the_command_with_the_reason() {
    let world = World::stopped("").await;
    world.server.refuse_host("shop");
    let folder = world.folder.path().to_owned();
    let config = world.config();
    let typed = |arguments: Vec<&'static str>| {
        let (folder, config) = (folder.clone(), config.clone());
        let typed =
            tokio::task::spawn_blocking(move || run(postern(&folder).args(arguments).arg("--config").arg(config)));
        async move { in_time(typed).await.expect("it ran") }
    };
    let (code, _, stderr) = typed(vec!["http", "8080", "--domain", "shop"]).await;
    assert!(
        code == Some(1) && stderr.contains("in use by another agent") && stderr.contains("ERR_POSTERN_334"),
        "{stderr}"
    );
    let refusal = postern_api::Error::new(postern_api::Code::TokenUnknown, "The authtoken is not known.");
    world.server.refuse_sessions(Some(refusal));
    let (code, _, stderr) = typed(vec!["http", "8080"]).await;
    assert!(code == Some(1) && stderr.contains("error: The authtoken is not known. (ERR_POSTERN_105)"), "{stderr}");
}
