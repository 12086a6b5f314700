//! The data of app, server and agent on this computer: its size, and the log files.

use crate::{
    app_config::AppConfig,
    error::{DesktopError, Result},
    external,
    ipc::Arguments,
    log_file::LogFile,
    paths::AppPaths,
};
use postern_config::private_file;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};
use tauri::State;

/// The length of the end of a log that is shown.
const LOG_END_BYTES: u64 = 64 * 1024;
/// The count of a folder stops after this many entries.
const MAX_ENTRIES: usize = 50_000;

/// The size of a file or folder.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DataSize {
    what: &'static str,
    path: String,
    bytes: u64,
}

/// The program that writes a log.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogSource {
    App,
    Server,
    Agent,
}

/// The log to read.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct LogRequest {
    program: LogSource,
}

#[tauri::command]
pub(crate) async fn data_sizes(config: State<'_, Arc<AppConfig>>) -> Result<Vec<DataSize>> {
    let paths = config.paths.clone();
    let count = move || {
        let entry = |what, path: PathBuf| DataSize { what, bytes: size(&path), path: path.display().to_string() };
        vec![
            entry("Server", paths.server.clone()),
            entry("Logs", paths.logs()),
            entry("Agent's configuration", paths.agent_configuration.clone()),
            entry("App", paths.desktop.clone()),
        ]
    };
    tokio::task::spawn_blocking(count)
        .await
        .map_err(|error| DesktopError::local("The size of the data cannot be determined", error))
}

/// The last 64 KiB of a log, from the start of a line.
#[tauri::command]
pub(crate) async fn log_end(
    config: State<'_, Arc<AppConfig>>,
    Arguments(request): Arguments<LogRequest>,
) -> Result<String> {
    let name = match request.program {
        LogSource::App => "postern-desktop",
        LogSource::Server => "postern-server",
        LogSource::Agent => "postern",
    };
    let log = LogFile::new(&config.paths.logs(), name);
    read_end(log.path()).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(String::new()),
        _ => Err(DesktopError::local(format!("The log {} cannot be read", log.path().display()), error)),
    })
}

/// Opens the folder of the log files.
///
/// # Errors
///
/// Fails if the folder cannot be created or opened.
pub(crate) async fn show_logs(paths: &AppPaths) -> Result<()> {
    let logs = paths.logs();
    let failed = |error: &dyn std::fmt::Display| {
        DesktopError::local(format!("The logs in {} cannot be shown", logs.display()), error)
    };
    private_file::create_folder(&logs).map_err(|error| failed(&error))?;
    external::open(&logs).await.map_err(|error| failed(&error))
}

fn read_end(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let from = length.saturating_sub(LOG_END_BYTES);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(LOG_END_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let whole = match text.find('\n') {
        Some(end) if from > 0 => &text[end + 1..],
        _ => &text,
    };
    Ok(whole.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect())
}

/// The size of a file, or of all files below a folder. Links are not followed.
fn size(path: &Path) -> u64 {
    let mut pending = vec![path.to_owned()];
    let (mut bytes, mut entries) = (0, 0);
    while let Some(path) = pending.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        entries += 1;
        if metadata.is_dir() && entries < MAX_ENTRIES {
            pending.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if metadata.is_file() {
            bytes += metadata.len();
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_folder_is_the_sum_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        fs::write(folder.path().join("below/a"), [0; 10]).unwrap();
        fs::write(folder.path().join("b"), [0; 5]).unwrap();
        assert_eq!((size(folder.path()), size(&folder.path().join("nothing"))), (15, 0));
    }

    #[test]
    fn the_end_of_a_long_log_begins_at_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let lines: String = (0..20_000).map(|number| format!("line {number}\n")).collect();
        fs::write(&path, &lines).unwrap();
        let end = read_end(&path).unwrap();
        assert!(end.starts_with("line ") && end.ends_with("line 19999\n") && lines.ends_with(&end));
        fs::write(&path, "only \u{1b}[31mthis").unwrap();
        assert_eq!(read_end(&path).unwrap(), "only [31mthis");
    }
}
