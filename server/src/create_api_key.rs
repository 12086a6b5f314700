//! `api-key create`: uses the running server, or the store if none runs.

use crate::{
    admin_socket::{self, AdminRequest, AdminResponse},
    configuration::default_data_dir,
    data_folder::DataFolder,
};
use postern_api::{Code, Error, Result, Role, Secret};
use postern_control::{Control, ControlSettings, NoLiveState};
use std::{io::Write, path::PathBuf, sync::Arc};

/// Creates an API key and prints it alone on the last line.
pub(crate) async fn run(data_dir: Option<PathBuf>, description: String, role: Role) -> Result<()> {
    let path = data_dir.map_or_else(default_data_dir, Ok)?;
    let folder = DataFolder::open(&path)?;
    let request = AdminRequest::CreateApiKey { description: description.clone(), role };
    let (key, how) = match admin_socket::send(&folder, &request).await? {
        Some(response) => (key_from(response)?, "The running server has created"),
        None => (create_in_store(&folder, &request, &description, role).await?, "Created"),
    };
    let owner =
        if role.is_admin() { "an administrator".to_owned() } else { format!("a new user with the role `{role}`") };
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{how} an API key of {owner}. It is shown only once:\n{}", key.reveal())
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(Code::Internal, format!("The key was created but could not be printed: {error}.")))
}

async fn create_in_store(folder: &DataFolder, request: &AdminRequest, description: &str, role: Role) -> Result<Secret> {
    match Control::open(ControlSettings::new(folder.path()), Arc::new(NoLiveState)).await {
        Ok(control) => {
            // An empty store first gets its administrator and first key.
            control.ensure_first_key().await?;
            let key = control.create_api_key(description, role).await;
            folder.make_private();
            key
        }
        // A server has locked the folder since the socket was tried.
        Err(error) if error.code == Code::StorageLocked => {
            admin_socket::send(folder, request).await?.map_or(Err(error), key_from)
        }
        Err(error) => Err(error),
    }
}

fn key_from(response: AdminResponse) -> Result<Secret> {
    match response {
        AdminResponse::Key(key) => Ok(key),
        other => Err(Error::new(Code::Internal, format!("The running server sent an unexpected response: {other:?}."))),
    }
}
