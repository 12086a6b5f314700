//! The browsers' own stores: the NSS databases of Chromium and of each Firefox profile, changed by certutil.

use super::certificate::Certificate;
use crate::failure::{Failure, Result};
use postern_api::Code;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Where Firefox keeps its profiles, below the home folder: packaged, snap, flatpak.
const FIREFOX: &[&str] = &[
    ".mozilla/firefox",
    ".config/mozilla/firefox",
    "snap/firefox/common/.mozilla/firefox",
    ".var/app/org.mozilla.firefox/.mozilla/firefox",
];

/// Puts the certificate into every database; Chromium's is made if there is none yet.
pub(super) fn trust(certificate: &Certificate) -> Vec<Result<String>> {
    if !has_certutil() {
        return vec![Err(no_certutil())];
    }
    let Some(home) = home() else { return vec![Err(no_home())] };
    let chromium = home.join(".pki/nssdb");
    if !chromium.join("cert9.db").is_file()
        && let Err(failure) = make(&chromium)
    {
        return vec![Err(failure)];
    }
    databases(&home).iter().map(|database| add(certificate, database)).collect()
}

/// Takes it out of every database that has it.
pub(super) fn untrust(certificate: &Certificate) -> Vec<Result<String>> {
    let Some(home) = home() else { return Vec::new() };
    let holding = databases(&home).into_iter().filter(|database| holds(certificate, database));
    holding.map(|database| remove(certificate, &database)).collect()
}

/// Whether every browser database there is trusts it; false where there is none.
pub(super) fn are_trusting(certificate: &Certificate) -> bool {
    let databases = home().map(|home| databases(&home)).unwrap_or_default();
    !databases.is_empty() && databases.iter().all(|database| holds(certificate, database))
}

fn databases(home: &Path) -> Vec<PathBuf> {
    let profiles = FIREFOX.iter().filter_map(|folder| std::fs::read_dir(home.join(folder)).ok()).flatten();
    let profiles = profiles.filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<PathBuf> = std::iter::once(home.join(".pki/nssdb")).chain(profiles).collect();
    found.retain(|folder| folder.join("cert9.db").is_file());
    found.sort();
    found
}

fn make(database: &Path) -> Result<()> {
    crate::private_file::make_folder(database)
        .map_err(|error| Failure::local(format!("{} cannot be made", database.display()), error))?;
    certutil(database, &["-N", "--empty-password"]).map(|_| ())
}

fn add(certificate: &Certificate, database: &Path) -> Result<String> {
    let path = certificate.path.to_string_lossy();
    certutil(database, &["-A", "-t", "C,,", "-n", &certificate.nickname(), "-i", &path])?;
    Ok(format!("\"{}\" was added to the browser store {}.", certificate.nickname(), database.display()))
}

fn remove(certificate: &Certificate, database: &Path) -> Result<String> {
    certutil(database, &["-D", "-n", &certificate.nickname()])?;
    Ok(format!("\"{}\" was removed from the browser store {}.", certificate.nickname(), database.display()))
}

fn holds(certificate: &Certificate, database: &Path) -> bool {
    let shown = certutil(database, &["-L", "-a", "-n", &certificate.nickname()]);
    shown.is_ok_and(|output| certificate.is_in(&String::from_utf8_lossy(&output.stdout)))
}

fn certutil(database: &Path, arguments: &[&str]) -> Result<Output> {
    let changing = |why: &dyn std::fmt::Display| {
        Failure::local(format!("The browser store {} could not be used", database.display()), why)
    };
    let output = Command::new("certutil")
        .arg("-d")
        .arg(format!("sql:{}", database.display()))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| changing(&error))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(changing(&said.lines().next().unwrap_or("certutil said nothing").trim()))
}

fn has_certutil() -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join("certutil").is_file()))
}

fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok()
}

fn no_certutil() -> Failure {
    Failure::new(
        Code::Unavailable,
        "The browsers' stores are changed by certutil, which is missing. Install the package libnss3-tools and try again.",
    )
}

fn no_home() -> Failure {
    Failure::new(Code::Unavailable, "Your home folder could not be found, so no browser store either.")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_profile_with_a_database_is_found_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let with = home.path().join(".mozilla/firefox/a.default");
        let without = home.path().join("snap/firefox/common/.mozilla/firefox/b.default");
        for folder in [&with, &without] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(with.join("cert9.db"), "").unwrap();
        assert_eq!(databases(home.path()), [with]);
    }
}
