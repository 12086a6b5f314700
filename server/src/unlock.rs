//! `unlock`: undoes a lock-out through the running server, or in the store if none runs.

use crate::{
    admin_socket::{self, AdminRequest, AdminResponse, Suspended},
    configuration::default_data_dir,
    data_folder::DataFolder,
};
use postern_api::{Code, Error, Result};
use postern_control::{Control, ControlSettings, NoLiveState};
use std::{io::Write, path::PathBuf, sync::Arc};

/// Suspends the IP restrictions of types `api` and `dashboard`, and lists them.
pub(crate) async fn unlock(data_dir: Option<PathBuf>) -> Result<()> {
    let path = data_dir.map_or_else(default_data_dir, Ok)?;
    let folder = DataFolder::open(&path)?;
    let suspended = match admin_socket::send(&folder, &AdminRequest::Unlock).await? {
        Some(response) => suspended_from(response)?,
        None => unlock_store(&folder).await?,
    };
    let mut stdout = std::io::stdout();
    write!(stdout, "{}", report(&suspended)).and_then(|()| stdout.flush()).map_err(|error| {
        Error::new(Code::Internal, format!("The restrictions were suspended but could not be printed: {error}."))
    })
}

async fn unlock_store(folder: &DataFolder) -> Result<Suspended> {
    match Control::open(ControlSettings::new(folder.path()), Arc::new(NoLiveState)).await {
        Ok(control) => {
            let suspended = control.unlock().await;
            folder.make_private();
            suspended
        }
        // A server has locked the folder since the socket was tried.
        Err(error) if error.code == Code::StorageLocked => {
            admin_socket::send(folder, &AdminRequest::Unlock).await?.map_or(Err(error), suspended_from)
        }
        Err(error) => Err(error),
    }
}

fn suspended_from(response: AdminResponse) -> Result<Suspended> {
    match response {
        AdminResponse::Suspended(list) => Ok(list),
        _ => Err(Error::new(Code::Internal, "The running server sent an unexpected response.")),
    }
}

fn report(suspended: &Suspended) -> String {
    if suspended.is_empty() {
        return "There is nothing to unlock: no IP restriction of type api or dashboard is enforced. Replace a lost \
                key with `postern-server api-key create --admin`.\n"
            .to_owned();
    }
    let lines: String = suspended.iter().map(|(id, kind)| format!("  {id} (type {})\n", kind.as_str())).collect();
    let count = if suspended.len() == 1 {
        "1 IP restriction is".to_owned()
    } else {
        format!("{} IP restrictions are", suspended.len())
    };
    format!(
        "{count} no longer enforced:\n{lines}They only log warnings now. To enforce one again, once its policies allow \
         your address: PATCH /ip_restrictions/<id> with {{\"enforced\": true}}.\n"
    )
}
