//! The system's certificate store. Changing it needs administrator rights, which pkexec asks for.

use super::certificate::AuthorityCertificate;
use crate::error::{DesktopError, Result};
use postern_api::Code;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The certificate store of a family of Linux distributions.
struct StoreLayout {
    /// The folder of added authorities.
    folder: &'static str,
    /// The command that updates the store.
    refresh: &'static [&'static str],
    /// The file with all trusted authorities.
    bundle: &'static str,
}

const LAYOUTS: &[StoreLayout] = &[
    StoreLayout {
        folder: "/usr/local/share/ca-certificates",
        refresh: &["/usr/sbin/update-ca-certificates"],
        bundle: "/etc/ssl/certs/ca-certificates.crt",
    },
    StoreLayout {
        folder: "/etc/pki/ca-trust/source/anchors",
        refresh: &["/usr/bin/update-ca-trust"],
        bundle: "/etc/pki/tls/certs/ca-bundle.crt",
    },
];

/// Adds the certificate to the store and updates it.
pub(super) fn trust(certificate: &AuthorityCertificate) -> Result<String> {
    let layout = layout()?;
    let target = Path::new(layout.folder).join(certificate.file_name());
    let command = "install -m 0644 -- \"$1\" \"$2\" && shift 2 && exec \"$@\"";
    as_administrator(command, &[certificate.path.clone(), target.clone()], layout.refresh)?;
    Ok(format!(
        "The certificate was copied to {} and activated by {}. Programs on this computer now trust all certificates of your local authority.",
        target.display(),
        layout.refresh.join(" "),
    ))
}

/// Removes the certificate from the store.
pub(super) fn untrust(certificate: &AuthorityCertificate) -> Result<String> {
    let layout = layout()?;
    let target = Path::new(layout.folder).join(certificate.file_name());
    let command = "rm -f -- \"$1\" && shift && exec \"$@\"";
    as_administrator(command, std::slice::from_ref(&target), layout.refresh)?;
    Ok(format!("{} was removed and the system's certificate store was updated.", target.display()))
}

/// Whether programs that use the system's store trust the certificate.
pub(super) fn is_trusted(certificate: &AuthorityCertificate) -> bool {
    let Ok(layout) = layout() else { return false };
    let installed = std::fs::read_to_string(Path::new(layout.folder).join(certificate.file_name()));
    let line = certificate.pem.lines().nth(1).unwrap_or_default();
    installed.is_ok_and(|pem| certificate.is_in(&pem))
        && std::fs::read_to_string(layout.bundle).is_ok_and(|bundle| !line.is_empty() && bundle.contains(line))
}

fn layout() -> Result<&'static StoreLayout> {
    LAYOUTS.iter().find(|layout| Path::new(layout.refresh[0]).is_file()).ok_or_else(|| {
        DesktopError::new(
            Code::Unavailable,
            "Postern does not know the certificate store of this system. Add the certificate by hand as your system's documentation describes.",
        )
    })
}

/// Runs a fixed script as root. Variable parts are passed as arguments, never as text of the script.
fn as_administrator(script: &str, arguments: &[PathBuf], then: &[&str]) -> Result<()> {
    let mut command = if rustix::process::geteuid().is_root() {
        Command::new("/bin/sh")
    } else if Path::new("/usr/bin/pkexec").is_file() {
        let mut command = Command::new("/usr/bin/pkexec");
        command.arg("/bin/sh");
        command
    } else {
        return Err(DesktopError::new(
            Code::Unavailable,
            "Changing the system's certificate store needs administrator rights, and pkexec is missing. Install pkexec, or copy the certificate by hand.",
        ));
    };
    let output = command
        .args(["-c", script, "postern"])
        .args(arguments)
        .args(then)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| DesktopError::local("The system's certificate store could not be changed", error))?;
    match output.status.code() {
        Some(0) => Ok(()),
        // pkexec: 126 means that the dialog was dismissed, 127 that authorization failed.
        Some(126 | 127) => Err(DesktopError::new(
            Code::Unavailable,
            "No password was entered, so the system's certificate store was not changed.",
        )),
        _ => {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let line = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no output");
            Err(DesktopError::local("The system's certificate store could not be changed", line))
        }
    }
}
