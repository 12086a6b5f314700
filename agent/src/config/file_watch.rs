//! Detects changes of the configuration files.
//!
//! Their folders are watched, because editors write a new file and rename it over the old one.

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use tokio::sync::mpsc;

/// Reports saves while it lives.
pub struct FileWatch {
    _watcher: RecommendedWatcher,
    saved: mpsc::Receiver<()>,
}

impl FileWatch {
    /// Starts to watch the folders of these files.
    ///
    /// # Errors
    /// The system cannot watch, for example because no inotify instance is left.
    pub fn start(files: &[PathBuf]) -> notify::Result<FileWatch> {
        let (send, saved) = mpsc::channel(1);
        let names: BTreeSet<_> = files.iter().filter_map(|file| file.file_name().map(ToOwned::to_owned)).collect();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let concerns = |event: &notify::Event| {
                !event.kind.is_access()
                    && event.paths.iter().any(|path| path.file_name().is_some_and(|name| names.contains(name)))
            };
            // One pending notification is enough for any number of saves; an error counts as a save, to be safe.
            if event.as_ref().map_or(true, concerns) {
                let _ = send.try_send(());
            }
        })?;
        let folders: BTreeSet<PathBuf> = files
            .iter()
            .map(|file| match file.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
                _ => PathBuf::from("."),
            })
            .collect();
        for folder in folders {
            watcher.watch(Path::new(&folder), RecursiveMode::NonRecursive)?;
        }
        Ok(FileWatch { _watcher: watcher, saved })
    }

    /// Waits for the next save.
    pub async fn saved(&mut self) {
        if self.saved.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
