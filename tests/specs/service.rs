//! `postern service` and other commands for the setup of a machine.

use postern_tests::{Process, ProcessOutput, programs};
use std::path::Path;

async fn postern(home: &Path, arguments: &[&str]) -> ProcessOutput {
    let home = home.to_string_lossy().into_owned();
    Process::run(&programs::agent(), arguments, &[("POSTERN_HOME", &home), ("HOME", &home)]).await
}

async fn tool(program: &str, arguments: &[&str]) -> ProcessOutput {
    Process::run(Path::new(program), arguments, &[]).await
}

/// A folder with a valid configuration, and a system image.
fn prepared() -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("etc/my postern/postern.yml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, "version: 2\nauthtoken: planted-secret\n").unwrap();
    let image = folder.path().join("image").to_string_lossy().into_owned();
    (folder, config.to_string_lossy().into_owned(), image)
}

#[tokio::test]
async fn the_unit_is_installed_enabled_and_removed() {
    let (folder, config, image) = prepared();
    let installed = postern(folder.path(), &["service", "install", "--config", &config, "--root", &image]).await;
    assert!(installed.status.success(), "{installed:?}");
    let unit = format!("{image}/etc/systemd/system/postern.service");
    let text = std::fs::read_to_string(&unit).unwrap();
    assert!(text.contains(&format!("start --all --config \"{config}\"\n")), "{text}");
    assert!(!text.contains("planted-secret"), "secrets stay in the configuration");
    let enabled = tool("systemctl", &["--root", &image, "is-enabled", "postern.service"]).await;
    assert_eq!(enabled.stdout.trim(), "enabled", "{enabled:?}");

    let removed = postern(folder.path(), &["service", "uninstall", "--root", &image]).await;
    assert!(removed.status.success(), "{removed:?}");
    assert!(!Path::new(&unit).exists());
    let enabled = tool("systemctl", &["--root", &image, "is-enabled", "postern.service"]).await;
    assert!(!enabled.status.success(), "{enabled:?}");
    let again = postern(folder.path(), &["service", "uninstall", "--root", &image]).await;
    assert!(!again.status.success() && again.output().contains("not installed"), "{again:?}");
}

#[tokio::test]
async fn systemd_accepts_the_unit_and_rates_it_as_well_confined() {
    let (folder, config, _) = prepared();
    let printed = postern(folder.path(), &["service", "install", "--config", &config, "--dry-run"]).await;
    assert!(printed.status.success(), "{printed:?}");
    let unit = folder.path().join("postern.service");
    std::fs::write(&unit, &printed.stdout).unwrap();
    let unit = unit.to_string_lossy().into_owned();
    let verified = tool("systemd-analyze", &["verify", "--man=no", &unit]).await;
    let complaints: Vec<_> = verified.stderr.lines().filter(|line| line.contains("postern.service")).collect();
    assert!(verified.status.success() && complaints.is_empty(), "{verified:?}");
    if printed.stdout.contains("multi-user.target") {
        // 10 would be no protection at all.
        let judged = tool("systemd-analyze", &["security", "--offline=true", "--threshold=30", &unit]).await;
        assert!(judged.status.success(), "{judged:?}");
    }
}

#[tokio::test]
async fn without_systemd_the_command_names_the_alternative() {
    if Path::new("/run/systemd/system").is_dir() {
        return;
    }
    let (folder, config, _) = prepared();
    for arguments in [&["install", "--config", &config][..], &["start"], &["stop"], &["restart"], &["uninstall"]] {
        let ended = postern(folder.path(), &[&["service"], arguments].concat()).await;
        assert!(!ended.status.success(), "{ended:?}");
        let said = ended.output();
        assert!(said.contains("ERR_POSTERN_8130") && said.contains("postern start --all"), "{arguments:?}: {said}");
    }
}

#[tokio::test]
async fn a_configuration_that_is_broken_is_not_installed() {
    let (folder, config, image) = prepared();
    std::fs::write(&config, "version: 2\nserver_adr: x\n").unwrap();
    let ended = postern(folder.path(), &["service", "install", "--config", &config, "--root", &image]).await;
    assert!(!ended.status.success() && ended.output().contains("Did you mean `server_addr`?"), "{ended:?}");
    assert!(!Path::new(&image).exists(), "nothing was written");
}

#[tokio::test]
async fn every_command_has_a_manual_page_and_completions() {
    let (folder, _, _) = prepared();
    let pages = folder.path().join("man");
    assert!(postern(folder.path(), &["man", &pages.to_string_lossy()]).await.status.success());
    for page in [
        "postern",
        "postern-http",
        "postern-start",
        "postern-diagnose",
        "postern-service-install",
        "postern-config-upgrade",
    ] {
        let text =
            std::fs::read_to_string(pages.join(format!("{page}.1"))).unwrap_or_else(|_| panic!("no page {page}"));
        assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{page}: {text}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = postern(folder.path(), &["completion", shell]).await;
        assert!(script.status.success() && script.stdout.contains("diagnose"), "{shell}");
    }
    let script = postern(folder.path(), &["completion", "bash"]).await;
    let path = folder.path().join("postern.bash");
    std::fs::write(&path, &script.stdout).unwrap();
    let ended = tool("bash", &["-n", &path.to_string_lossy()]).await;
    assert!(ended.status.success(), "{}", ended.stderr);
}

#[tokio::test]
async fn the_configuration_is_edited_checked_and_upgraded() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().to_string_lossy().into_owned();
    let config = folder.path().join("agent/postern.yml");
    let run = async |arguments: &[&str], editor: &str| {
        let environment = [("POSTERN_HOME", home.as_str()), ("EDITOR", editor)];
        Process::run(&programs::agent(), arguments, &environment).await
    };
    let edited = run(&["config", "edit"], "sh -c 'echo \"version: 2\" > \"$0\"'").await;
    assert!(edited.status.success() && edited.stdout.contains("is valid"), "{edited:?}");
    assert_eq!(std::fs::read_to_string(&config).unwrap(), "version: 2\n");
    let broken = run(&["config", "edit"], "sh -c 'echo \"web_adr: x\" >> \"$0\"'").await;
    assert!(!broken.status.success() && broken.stderr.contains("Did you mean `web_addr`?"), "{broken:?}");
    let missing = run(&["config", "edit"], "no-such-editor").await;
    assert!(!missing.status.success() && missing.stderr.contains("EDITOR"), "{missing:?}");

    std::fs::write(&config, "# mine\nauthtoken: a-token\n").unwrap();
    let dry = run(&["config", "upgrade", "--dry-run"], "").await;
    assert!(dry.stdout.contains("version: 2") && dry.stdout.contains("# mine"), "{dry:?}");
    assert_eq!(std::fs::read_to_string(&config).unwrap(), "# mine\nauthtoken: a-token\n", "nothing was written");
    assert!(run(&["config", "upgrade"], "").await.status.success());
    assert_eq!(std::fs::read_to_string(&config).unwrap().trim(), dry.stdout.trim());
    assert!(run(&["config", "check"], "").await.status.success());
    assert!(run(&["config", "add-server-addr", "a.example:4443,b.example:4443"], "").await.status.success());
    assert_eq!(run(&["config", "path"], "").await.stdout.trim(), config.display().to_string());
}
