//! The browsers' certificate stores: the NSS databases of Chromium and of each Firefox profile, changed by certutil.

use super::certificate::AuthorityCertificate;
use crate::error::{DesktopError, Result};
use postern_api::Code;
use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// The folders of Firefox profiles below the home folder: package, snap, flatpak.
const FIREFOX_FOLDERS: &[&str] = &[
    ".mozilla/firefox",
    ".config/mozilla/firefox",
    "snap/firefox/common/.mozilla/firefox",
    ".var/app/org.mozilla.firefox/.mozilla/firefox",
];

/// Adds the certificate to every database. Chromium's is created if it is missing.
pub(super) fn trust(certificate: &AuthorityCertificate) -> Vec<Result<String>> {
    if !has_certutil() {
        return vec![Err(certutil_missing())];
    }
    let Some(home) = home() else { return vec![Err(home_missing())] };
    let chromium = home.join(".pki/nssdb");
    if !chromium.join("cert9.db").is_file()
        && let Err(error) = create(&chromium)
    {
        return vec![Err(error)];
    }
    databases(&home).iter().map(|database| add(certificate, database)).collect()
}

/// Removes the certificate from every database that has it.
pub(super) fn untrust(certificate: &AuthorityCertificate) -> Vec<Result<String>> {
    let Some(home) = home() else { return Vec::new() };
    let containing = databases(&home).into_iter().filter(|database| contains(certificate, database));
    containing.map(|database| remove(certificate, &database)).collect()
}

/// Whether every browser database trusts the certificate; false if there is no database.
pub(super) fn are_trusting(certificate: &AuthorityCertificate) -> bool {
    let databases = home().map(|home| databases(&home)).unwrap_or_default();
    !databases.is_empty() && databases.iter().all(|database| contains(certificate, database))
}

fn databases(home: &Path) -> Vec<PathBuf> {
    let profiles = FIREFOX_FOLDERS.iter().filter_map(|folder| std::fs::read_dir(home.join(folder)).ok()).flatten();
    let profiles = profiles.filter_map(|entry| Some(entry.ok()?.path()));
    let mut databases: Vec<PathBuf> = std::iter::once(home.join(".pki/nssdb")).chain(profiles).collect();
    databases.retain(|folder| folder.join("cert9.db").is_file());
    databases.sort();
    databases
}

fn create(database: &Path) -> Result<()> {
    postern_config::private_file::create_folder(database)
        .map_err(|error| DesktopError::local(format!("{} cannot be created", database.display()), error))?;
    certutil(database, &["-N", "--empty-password"]).map(|_| ())
}

fn add(certificate: &AuthorityCertificate, database: &Path) -> Result<String> {
    let path = certificate.path.to_string_lossy();
    certutil(database, &["-A", "-t", "C,,", "-n", &certificate.nickname(), "-i", &path])?;
    Ok(format!("\"{}\" was added to the browser store {}.", certificate.nickname(), database.display()))
}

fn remove(certificate: &AuthorityCertificate, database: &Path) -> Result<String> {
    certutil(database, &["-D", "-n", &certificate.nickname()])?;
    Ok(format!("\"{}\" was removed from the browser store {}.", certificate.nickname(), database.display()))
}

fn contains(certificate: &AuthorityCertificate, database: &Path) -> bool {
    let shown = certutil(database, &["-L", "-a", "-n", &certificate.nickname()]);
    shown.is_ok_and(|output| certificate.is_in(&String::from_utf8_lossy(&output.stdout)))
}

fn certutil(database: &Path, arguments: &[&str]) -> Result<Output> {
    let failed = |reason: &dyn std::fmt::Display| {
        DesktopError::local(format!("The browser store {} could not be used", database.display()), reason)
    };
    let output = Command::new("certutil")
        .arg("-d")
        .arg(format!("sql:{}", database.display()))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(&error))?;
    if output.status.success() {
        return Ok(output);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(failed(&stderr.lines().next().unwrap_or("certutil failed without a message").trim()))
}

fn has_certutil() -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join("certutil").is_file()))
}

fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok()
}

fn certutil_missing() -> DesktopError {
    DesktopError::new(
        Code::Unavailable,
        "certutil, which changes the browsers' certificate stores, is missing. Install the package libnss3-tools and try again.",
    )
}

fn home_missing() -> DesktopError {
    DesktopError::new(
        Code::Unavailable,
        "The home folder was not found, so the browsers' certificate stores were not changed.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_profiles_with_a_database_are_found() {
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
