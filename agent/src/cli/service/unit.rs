//! The systemd unit file of the agent.

use postern_config::systemd::{COMMON_RESTRICTIONS, SYSTEM_RESTRICTIONS, quoted};
use std::path::Path;

/// The name of the unit.
pub(super) const UNIT_NAME: &str = "postern.service";

/// The variable parts of a unit file.
pub(super) struct UnitFile<'a> {
    /// The program.
    pub(super) program: &'a Path,
    /// The configuration file.
    pub(super) config: &'a Path,
    /// The log file, if there is one.
    pub(super) log: Option<&'a Path>,
    /// Whether it is a system unit or a user unit.
    pub(super) system: bool,
}

/// Restrictions of the system unit besides those that it shares with the server.
const OWN_RESTRICTIONS: &[&str] = &["CapabilityBoundingSet=", "AmbientCapabilities=", "ProtectHome=read-only"];

impl UnitFile<'_> {
    /// The text of the file.
    pub(super) fn text(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        lines.push("[Unit]".into());
        lines.push("Description=Postern agent: publishes local services".into());
        lines.push("Documentation=man:postern(1)".into());
        // The agent itself waits for the network and the server.
        if self.system {
            lines.push("After=network.target".into());
        }
        lines.push(String::new());
        lines.push("[Service]".into());
        lines.push("Type=exec".into());
        let command = format!("{} start --all --config {}", quoted(self.program), quoted(self.config));
        lines.push(format!("ExecStart={command}"));
        lines.push("Restart=on-failure".into());
        lines.push("RestartSec=2s".into());
        lines.push("TimeoutStopSec=20s".into());
        lines.push("LimitNOFILE=65536".into());
        lines.push(String::new());
        lines.push("# Restrictions. Put changes of your own into a drop-in: systemctl edit postern".into());
        lines.extend(COMMON_RESTRICTIONS.iter().map(|&line| line.to_owned()));
        if self.system {
            lines.extend(OWN_RESTRICTIONS.iter().chain(SYSTEM_RESTRICTIONS).map(|&line| line.to_owned()));
            // The state file is written next to the configuration.
            for folder in [self.config.parent(), self.log.and_then(Path::parent)].into_iter().flatten() {
                lines.push(format!("ReadWritePaths={}", quoted(folder)));
            }
        }
        lines.push(String::new());
        lines.push("[Install]".into());
        lines.push(format!("WantedBy={}", if self.system { "multi-user.target" } else { "default.target" }));
        lines.push(String::new());
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(config: &str, system: bool) -> String {
        let (program, config) = (Path::new("/usr/bin/postern"), Path::new(config));
        UnitFile { program, config, log: Some(Path::new("/var/log/postern/agent.log")), system }.text()
    }

    #[test]
    fn the_unit_starts_all_tunnels_and_may_write_next_to_the_file() {
        let text = unit("/etc/postern/postern.yml", true);
        assert!(
            text.contains("\nExecStart=/usr/bin/postern start --all --config /etc/postern/postern.yml\n"),
            "{text}"
        );
        assert!(
            text.contains("\nReadWritePaths=/etc/postern\n") && text.contains("\nReadWritePaths=/var/log/postern\n")
        );
        assert!(text.contains("\nWantedBy=multi-user.target\n") && text.contains("\nCapabilityBoundingSet=\n"));
    }

    #[test]
    fn a_user_unit_has_only_restrictions_its_manager_supports() {
        let text = unit("/home/a/postern.yml", false);
        assert!(text.contains("\nWantedBy=default.target\n") && text.contains("\nNoNewPrivileges=yes\n"));
        assert!(!text.contains("Protect") && !text.contains("ReadWritePaths") && !text.contains("Capabilit"), "{text}");
    }

    #[test]
    fn special_characters_in_paths_are_quoted() {
        let text = unit("/srv/my \"own\"/50%/$HOME/a.yml", true);
        assert!(text.contains(" --config \"/srv/my \\\"own\\\"/50%%/$$HOME/a.yml\"\n"), "{text}");
    }
}
