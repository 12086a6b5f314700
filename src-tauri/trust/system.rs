//! The system's store of trusted authorities. Changing it needs the administrator, who is asked by pkexec.

use super::certificate::Certificate;
use crate::failure::{Failure, Result};
use postern_api::Code;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A family of systems: where added authorities lie, what takes them over, where the result can be seen.
struct Family {
    folder: &'static str,
    refresh: &'static [&'static str],
    bundle: &'static str,
}

const FAMILIES: &[Family] = &[
    Family {
        folder: "/usr/local/share/ca-certificates",
        refresh: &["/usr/sbin/update-ca-certificates"],
        bundle: "/etc/ssl/certs/ca-certificates.crt",
    },
    Family {
        folder: "/etc/pki/ca-trust/source/anchors",
        refresh: &["/usr/bin/update-ca-trust"],
        bundle: "/etc/pki/tls/certs/ca-bundle.crt",
    },
];

/// Puts the certificate into the store and takes the store over.
pub(super) fn trust(certificate: &Certificate) -> Result<String> {
    let family = family()?;
    let place = Path::new(family.folder).join(certificate.file_name());
    let command = "install -m 0644 -- \"$1\" \"$2\" && shift 2 && exec \"$@\"";
    as_administrator(command, &[certificate.path.clone(), place.clone()], family.refresh)?;
    Ok(format!(
        "The certificate was copied to {} and taken over by {}: programs of this computer now trust every certificate of your local authority.",
        place.display(),
        family.refresh.join(" "),
    ))
}

/// Takes the certificate out of the store again.
pub(super) fn untrust(certificate: &Certificate) -> Result<String> {
    let family = family()?;
    let place = Path::new(family.folder).join(certificate.file_name());
    let command = "rm -f -- \"$1\" && shift && exec \"$@\"";
    as_administrator(command, std::slice::from_ref(&place), family.refresh)?;
    Ok(format!("{} was removed and the system's store made again.", place.display()))
}

/// Whether programs that use the system's store trust it now.
pub(super) fn is_trusted(certificate: &Certificate) -> bool {
    let Ok(family) = family() else { return false };
    let placed = std::fs::read_to_string(Path::new(family.folder).join(certificate.file_name()));
    let line = certificate.pem.lines().nth(1).unwrap_or_default();
    placed.is_ok_and(|pem| certificate.is_in(&pem))
        && std::fs::read_to_string(family.bundle).is_ok_and(|bundle| !line.is_empty() && bundle.contains(line))
}

fn family() -> Result<&'static Family> {
    FAMILIES.iter().find(|family| Path::new(family.refresh[0]).is_file()).ok_or_else(|| {
        Failure::new(
            Code::Unavailable,
            "This system's store of authorities is not known to Postern. Add the certificate by hand, as your system describes it.",
        )
    })
}

/// Runs a fixed script as root; what differs is passed as arguments, never as text of the script.
fn as_administrator(script: &str, arguments: &[PathBuf], then: &[&str]) -> Result<()> {
    let mut command = if rustix::process::geteuid().is_root() {
        Command::new("/bin/sh")
    } else if Path::new("/usr/bin/pkexec").is_file() {
        let mut command = Command::new("/usr/bin/pkexec");
        command.arg("/bin/sh");
        command
    } else {
        return Err(Failure::new(
            Code::Unavailable,
            "The system's store belongs to the administrator, and pkexec is missing to ask for the password. Install pkexec, or copy the certificate by hand.",
        ));
    };
    let output = command
        .args(["-c", script, "postern"])
        .args(arguments)
        .args(then)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Failure::local("The system's store could not be changed", error))?;
    match output.status.code() {
        Some(0) => Ok(()),
        // pkexec: 126 is a closed dialog, 127 a refusal.
        Some(126 | 127) => {
            Err(Failure::new(Code::Unavailable, "The password was not given, so the system's store is as it was."))
        }
        _ => {
            let said = String::from_utf8_lossy(&output.stderr);
            let line = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
            Err(Failure::local("The system's store could not be changed", line))
        }
    }
}
