//! `postern-server service` and `healthcheck`: the server under systemd and in containers.

use postern_tests::{Process, ProcessOutput, World, programs};
use std::path::{Path, PathBuf};

const CONFIG: &str = "/etc/postern/server.yml";

/// An image of a system with a configuration.
struct Image(tempfile::TempDir);

impl Image {
    fn with(settings: &str) -> Image {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("etc/postern/server.yml");
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        std::fs::write(&config, settings).unwrap();
        Image(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn unit(&self) -> PathBuf {
        self.path("etc/systemd/system/postern-server.service")
    }

    async fn service(&self, arguments: &[&str]) -> ProcessOutput {
        let root = self.0.path().to_string_lossy().into_owned();
        server(&[&["service"], arguments, &["--root", &root]].concat()).await
    }
}

async fn server(arguments: &[&str]) -> ProcessOutput {
    Process::run(&programs::server(), arguments, &[]).await
}

async fn tool(program: &str, arguments: &[&str]) -> ProcessOutput {
    Process::run(Path::new(program), arguments, &[]).await
}

#[tokio::test]
async fn the_service_is_installed_enabled_shown_and_removed() {
    let image = Image::with("domain: example.test\nhttps_addr: 0.0.0.0:443\n");
    let missing = image.service(&["status"]).await;
    assert!(!missing.status.success() && missing.output().contains("service install"), "{missing:?}");
    let installed = image.service(&["install"]).await;
    assert!(installed.status.success(), "{installed:?}");
    let text = std::fs::read_to_string(image.unit()).unwrap();
    assert!(text.contains(&format!("run --config {CONFIG} --data-dir /var/lib/postern\n")), "{text}");
    let user = std::fs::read_to_string(image.path("etc/sysusers.d/postern.conf")).unwrap();
    assert!(user.starts_with("u postern "), "{user}");
    let status = image.service(&["status"]).await;
    assert!(status.status.success() && status.stdout.contains("at boot  enabled"), "{status:?}");

    let removed = image.service(&["uninstall"]).await;
    assert!(removed.status.success() && !image.unit().exists(), "{removed:?}");
    assert!(image.path("etc/postern/server.yml").exists(), "the configuration stays");
    let again = image.service(&["uninstall"]).await;
    assert!(!again.status.success() && again.output().contains("not installed"), "{again:?}");
}

#[tokio::test]
async fn systemd_accepts_the_unit_and_rates_it_as_well_confined() {
    let image = Image::with("access_log: /srv/logs/access.log\ndrain_timeout: 2m\n");
    let printed = image.service(&["install", "--dry-run"]).await;
    assert!(printed.status.success() && !image.unit().exists(), "{printed:?}");
    assert!(printed.stdout.contains("\nReadWritePaths=/srv/logs\n"), "{}", printed.stdout);
    assert!(printed.stdout.contains("\nTimeoutStopSec=135s\n"), "{}", printed.stdout);
    let unit = image.path("postern-server.service");
    std::fs::write(&unit, &printed.stdout).unwrap();
    let unit = unit.to_string_lossy().into_owned();
    let verified = tool("systemd-analyze", &["verify", "--man=no", &unit]).await;
    let complaints: Vec<_> = verified.stderr.lines().filter(|line| line.contains("postern-server.service")).collect();
    assert!(verified.status.success() && complaints.is_empty(), "{verified:?}");
    // 10 would be no protection at all.
    let judged = tool("systemd-analyze", &["security", "--offline=true", "--threshold=25", &unit]).await;
    assert!(judged.status.success(), "{judged:?}");
}

#[tokio::test]
async fn a_configuration_that_is_broken_or_missing_is_not_installed() {
    let image = Image::with("domian: example.test\n");
    let broken = image.service(&["install"]).await;
    assert!(!broken.status.success() && broken.output().contains("Did you mean `domain`?"), "{broken:?}");
    std::fs::remove_file(image.path("etc/postern/server.yml")).unwrap();
    let missing = image.service(&["install"]).await;
    assert!(!missing.status.success() && missing.output().contains("`postern-server setup"), "{missing:?}");
    assert!(!image.unit().exists() && !image.path("etc/sysusers.d").exists(), "nothing was written");
}

#[tokio::test]
async fn a_unit_of_a_package_is_left_alone() {
    let image = Image::with("domain: example.test\n");
    let packaged = image.path("usr/lib/systemd/system/postern-server.service");
    std::fs::create_dir_all(packaged.parent().unwrap()).unwrap();
    std::fs::write(&packaged, "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n").unwrap();
    let refused = image.service(&["install"]).await;
    assert!(!refused.status.success() && refused.output().contains("systemctl enable --now"), "{refused:?}");
    let status = image.service(&["status"]).await;
    assert!(status.stdout.contains("usr/lib/systemd/system/postern-server.service"), "{status:?}");
    assert!(status.stdout.contains("at boot  disabled"), "{status:?}");
}

#[tokio::test]
async fn without_systemd_the_command_names_the_alternative() {
    if Path::new("/run/systemd/system").is_dir() {
        return;
    }
    let image = Image::with("domain: example.test\n");
    let config = image.path("etc/postern/server.yml").to_string_lossy().into_owned();
    for arguments in [&["install", "--config", &config][..], &["uninstall"], &["status"]] {
        let ended = server(&[&["service"], arguments].concat()).await;
        assert!(!ended.status.success(), "{ended:?}");
        assert!(ended.output().contains("postern-server run --config FILE"), "{arguments:?}: {ended:?}");
    }
}

#[tokio::test]
async fn a_health_check_succeeds_while_the_server_serves() {
    let world = World::start().await;
    let healthy = world.server.command(&["healthcheck"]).await;
    assert!(healthy.status.success() && healthy.stdout.contains("\"status\":\"ok\""), "{healthy:?}");
    let folder = world.server.folder().to_string_lossy().into_owned();
    world.server.process.terminate();
    world.server.process.wait_for_exit().await;
    let ended = server(&["healthcheck", "--data-dir", &folder]).await;
    assert!(!ended.status.success() && ended.output().contains("No server runs"), "{ended:?}");
}

#[tokio::test]
async fn a_health_check_fails_once_the_server_is_about_to_end() {
    let world = World::with(|setup| setup.flags(&["--drain-delay", "30s"])).await;
    world.server.process.terminate();
    world.server.process.wait_for_log("serving on until others have noticed").await;
    let checked = world.server.command(&["healthcheck"]).await;
    assert!(!checked.status.success() && checked.output().contains("503"), "{checked:?}");
}
