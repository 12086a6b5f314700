//! `unlock`: undoes a lock-out by asking the running server, or on the store when none runs.

use crate::configuration::default_data_dir;
use crate::data_folder::DataFolder;
use crate::rescue_socket::{self, Answer, Question, Suspended};
use postern_api::{Code, Error, Result};
use postern_control::{Control, NothingLive, Settings};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Suspends the IP restrictions of types `api` and `dashboard`, and says which.
pub(crate) async fn unlock(data_dir: Option<PathBuf>) -> Result<()> {
    let path = data_dir.map_or_else(default_data_dir, Ok)?;
    let folder = DataFolder::open(&path)?;
    let suspended = match rescue_socket::ask(&folder, &Question::Unlock).await? {
        Some(answer) => list_of(answer)?,
        None => directly(&folder).await?,
    };
    let mut stdout = std::io::stdout();
    write!(stdout, "{}", said(&suspended)).and_then(|()| stdout.flush()).map_err(|error| {
        Error::new(Code::Internal, format!("The restrictions were suspended, which could not be printed: {error}."))
    })
}

async fn directly(folder: &DataFolder) -> Result<Suspended> {
    match Control::open(Settings::new(folder.path()), Arc::new(NothingLive)).await {
        Ok(control) => {
            let suspended = control.unlock().await;
            folder.close_to_others();
            suspended
        }
        // A server has taken the folder since the socket was tried.
        Err(error) if error.code == Code::StorageLocked => {
            rescue_socket::ask(folder, &Question::Unlock).await?.map_or(Err(error), list_of)
        }
        Err(error) => Err(error),
    }
}

fn list_of(answer: Answer) -> Result<Suspended> {
    match answer {
        Answer::Suspended(list) => Ok(list),
        _ => Err(Error::new(Code::Internal, "The running server has answered something else than it was asked.")),
    }
}

fn said(suspended: &Suspended) -> String {
    if suspended.is_empty() {
        return "There is nothing to unlock: no IP restriction of type api or dashboard is enforced. A lost key is \
                replaced by `postern-server api-key create --admin`.\n"
            .to_owned();
    }
    let lines: String = suspended.iter().map(|(id, kind)| format!("  {id} (type {})\n", kind.as_str())).collect();
    let many = if suspended.len() == 1 {
        "1 IP restriction is".to_owned()
    } else {
        format!("{} IP restrictions are", suspended.len())
    };
    format!(
        "{many} no longer enforced:\n{lines}They only warn from now on. To enforce one again, once its policies let \
         you in: PATCH /ip_restrictions/<id> with {{\"enforced\": true}}.\n"
    )
}
