//! The systemd unit file of the server.

use crate::service_account::ACCOUNT;
use postern_config::systemd::{COMMON_RESTRICTIONS, SYSTEM_RESTRICTIONS, quoted};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// The name of the unit.
pub(super) const UNIT_NAME: &str = "postern-server.service";
/// The data folder that systemd makes for the service.
pub(super) const STATE_FOLDER: &str = "/var/lib/postern";
/// The log folder that systemd makes for the service.
const LOG_FOLDER: &str = "/var/log/postern";
/// What the server needs beyond its drain to end.
const STOP_MARGIN: Duration = Duration::from_secs(15);

/// Restrictions besides those that the agent's unit has, too. Ports below 1024 need no root.
const OWN_RESTRICTIONS: &[&str] =
    &["CapabilityBoundingSet=CAP_NET_BIND_SERVICE", "AmbientCapabilities=CAP_NET_BIND_SERVICE", "ProtectHome=yes"];

/// The variable parts of the unit file.
pub(super) struct UnitFile<'a> {
    pub(super) program: &'a Path,
    /// The configuration file.
    pub(super) config: &'a Path,
    /// The data folder, if the configuration names one.
    pub(super) data_dir: Option<PathBuf>,
    /// Files that the server writes outside its data folder.
    pub(super) written: Vec<PathBuf>,
    /// Time that a stop takes at most, besides closing everything.
    pub(super) drain: Duration,
}

impl UnitFile<'_> {
    /// The text of the file.
    pub(super) fn text(&self) -> String {
        let mut command = format!("{} run --config {}", quoted(self.program), quoted(self.config));
        if self.data_dir.is_none() {
            command.push_str(&format!(" --data-dir {STATE_FOLDER}"));
        }
        let stop_timeout = (self.drain + STOP_MARGIN).as_secs();
        let mut lines = vec![
            "[Unit]".to_owned(),
            "Description=Postern server: publishes local services at public addresses".into(),
            "Documentation=man:postern-server(1)".into(),
            "Wants=network-online.target".into(),
            "After=network-online.target".into(),
            String::new(),
            "[Service]".into(),
            "Type=exec".into(),
            format!("User={ACCOUNT}"),
            format!("Group={ACCOUNT}"),
            format!("ExecStart={command}"),
            "ExecReload=/bin/kill -HUP $MAINPID".into(),
            "Restart=on-failure".into(),
            "RestartSec=2s".into(),
            format!("TimeoutStopSec={stop_timeout}s"),
            "LimitNOFILE=1048576".into(),
            "StateDirectory=postern".into(),
            "StateDirectoryMode=0700".into(),
            "LogsDirectory=postern".into(),
            "LogsDirectoryMode=0750".into(),
            String::new(),
            "# Restrictions. Put changes of your own into a drop-in: systemctl edit postern-server".into(),
        ];
        let restrictions = OWN_RESTRICTIONS.iter().chain(SYSTEM_RESTRICTIONS).chain(COMMON_RESTRICTIONS);
        lines.extend(restrictions.map(|&line| line.to_owned()));
        lines.extend(self.writable_folders().iter().map(|folder| format!("ReadWritePaths={}", quoted(folder))));
        lines.extend([String::new(), "[Install]".into(), "WantedBy=multi-user.target".into(), String::new()]);
        lines.join("\n")
    }

    /// Folders that the server writes to besides those that systemd makes.
    fn writable_folders(&self) -> Vec<&Path> {
        let made = |folder: &Path| folder.starts_with(STATE_FOLDER) || folder.starts_with(LOG_FOLDER);
        let of_files = self.written.iter().filter_map(|file| file.parent());
        let mut folders: Vec<_> = self.data_dir.as_deref().into_iter().chain(of_files).collect();
        folders.retain(|folder| !made(folder));
        folders.dedup();
        folders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(data_dir: Option<&str>, written: &[&str]) -> String {
        UnitFile {
            program: Path::new("/usr/bin/postern-server"),
            config: Path::new("/etc/postern/server.yml"),
            data_dir: data_dir.map(PathBuf::from),
            written: written.iter().map(PathBuf::from).collect(),
            drain: Duration::from_secs(30),
        }
        .text()
    }

    #[test]
    fn the_service_has_a_user_and_a_data_folder_of_its_own() {
        let text = unit(None, &["/var/log/postern/access.log"]);
        for line in [
            "ExecStart=/usr/bin/postern-server run --config /etc/postern/server.yml --data-dir /var/lib/postern",
            "ExecReload=/bin/kill -HUP $MAINPID",
            "User=postern",
            "AmbientCapabilities=CAP_NET_BIND_SERVICE",
            "StateDirectory=postern",
            "ProtectSystem=strict",
            "TimeoutStopSec=45s",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
        assert!(!text.contains("ReadWritePaths"), "{text}");
    }

    #[test]
    fn folders_elsewhere_can_be_written_to() {
        let text = unit(Some("/srv/postern"), &["/srv/logs/access.log", "/srv/logs/audit.log"]);
        assert!(!text.contains("--data-dir"), "the file names it: {text}");
        let folders: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("ReadWritePaths=")).collect();
        assert_eq!(folders, ["/srv/postern", "/srv/logs"]);
        assert!(!unit(Some("/var/lib/postern"), &[]).contains("ReadWritePaths"));
    }
}
