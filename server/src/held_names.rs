//! `names.json` in the data folder: the names that agents hold, so that their visitors are asked to come back after a
//! restart instead of being told that nothing is there.

use crate::{data_folder::DataFolder, io_error::reason};
use postern_edge::{HeldName, Live};
use std::{sync::Arc, time::Duration};
use tokio::task::JoinHandle;

const NAME: &str = "names.json";
/// Shortest time between two writes. The first change is written at once.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);

/// Keeps the file up to date.
pub(crate) struct HeldNames {
    folder: DataFolder,
    live: Arc<Live>,
    task: JoinHandle<()>,
}

/// The names of the last run. A file that is missing or cannot be read costs nothing but the hint to visitors.
pub(crate) fn read(folder: &DataFolder) -> Vec<HeldName> {
    let text = std::fs::read(folder.path().join(NAME)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

impl HeldNames {
    /// Writes the names now and after changes.
    pub(crate) fn follow(folder: DataFolder, live: Arc<Live>) -> HeldNames {
        let (own_folder, own_live) = (folder.clone(), live.clone());
        let task = tokio::spawn(async move {
            let mut changes = own_live.name_changes();
            loop {
                changes.mark_unchanged();
                write_in_background(&own_folder, &own_live).await;
                tokio::time::sleep(WRITE_INTERVAL).await;
                if changes.changed().await.is_err() {
                    return;
                }
            }
        });
        HeldNames { folder, live, task }
    }

    /// Writes the names a last time. The file belongs to the next process afterwards.
    pub(crate) async fn finish(self) {
        self.task.abort();
        let _ = self.task.await;
        write_in_background(&self.folder, &self.live).await;
    }
}

async fn write_in_background(folder: &DataFolder, live: &Live) {
    let (names, folder) = (live.held_names(), folder.clone());
    let write = move || {
        let text = serde_json::to_vec(&names)?;
        folder.replace(NAME, &text)
    };
    if let Ok(Err(error)) = tokio::task::spawn_blocking(write).await {
        tracing::warn!(file = NAME, error = reason(&error), "the names of the tunnels cannot be stored");
    }
}
