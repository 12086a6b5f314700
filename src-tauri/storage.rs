//! What the app and its programs keep on this computer: how much it is, and the ends of the logs.

use crate::desk::Desk;
use crate::failure::{Failure, Result};
use crate::supervision::Log;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tauri::State;

/// How much of a log is shown.
const END: u64 = 64 * 1024;
/// A folder with more entries is counted no further.
const MOST_ENTRIES: usize = 50_000;

/// One place and what it takes.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Size {
    what: &'static str,
    path: String,
    bytes: u64,
}

/// Whose log.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Program {
    App,
    Server,
    Agent,
}

#[tauri::command]
pub(crate) async fn data_sizes(desk: State<'_, Arc<Desk>>) -> Result<Vec<Size>> {
    let places = desk.places.clone();
    let count = move || {
        let of = |what, path: PathBuf| Size { what, bytes: size(&path), path: path.display().to_string() };
        vec![
            of("Server", places.server.clone()),
            of("Logs", places.logs()),
            of("Agent's configuration", places.agent_configuration.clone()),
            of("App", places.desktop.clone()),
        ]
    };
    tokio::task::spawn_blocking(count).await.map_err(|error| Failure::local("The data cannot be counted", error))
}

/// The end of a log, from the beginning of a line.
#[tauri::command]
pub(crate) async fn log_end(desk: State<'_, Arc<Desk>>, program: Program) -> Result<String> {
    let name = match program {
        Program::App => "postern-desktop",
        Program::Server => "postern-server",
        Program::Agent => "postern",
    };
    let log = Log::new(&desk.places.logs(), name);
    end_of(log.path()).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(String::new()),
        _ => Err(Failure::local(format!("The log {} cannot be read", log.path().display()), error)),
    })
}

fn end_of(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let from = length.saturating_sub(END);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(END).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let whole = match text.find('\n') {
        Some(end) if from > 0 => &text[end + 1..],
        _ => &text,
    };
    Ok(whole.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect())
}

/// A file's bytes, or those of everything below a folder. Links are not followed.
fn size(path: &Path) -> u64 {
    let mut waiting = vec![path.to_owned()];
    let (mut bytes, mut seen) = (0, 0);
    while let Some(path) = waiting.pop() {
        let Ok(facts) = fs::symlink_metadata(&path) else { continue };
        seen += 1;
        if facts.is_dir() && seen < MOST_ENTRIES {
            waiting.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if facts.is_file() {
            bytes += facts.len();
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_folder_takes_what_its_files_take() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        fs::write(folder.path().join("below/a"), [0; 10]).unwrap();
        fs::write(folder.path().join("b"), [0; 5]).unwrap();
        assert_eq!((size(folder.path()), size(&folder.path().join("nothing"))), (15, 0));
    }

    #[test]
    fn the_end_of_a_long_log_begins_with_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let lines: String = (0..20_000).map(|number| format!("line {number}\n")).collect();
        fs::write(&path, &lines).unwrap();
        let end = end_of(&path).unwrap();
        assert!(end.starts_with("line ") && end.ends_with("line 19999\n") && lines.ends_with(&end));
        fs::write(&path, "only \u{1b}[31mthis").unwrap();
        assert_eq!(end_of(&path).unwrap(), "only [31mthis");
    }
}
