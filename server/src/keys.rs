//! `api-key create`: asks the running server, or works on the store when none runs.

use crate::configuration::default_data_dir;
use crate::data_folder::DataFolder;
use crate::rescue_socket::{self, Answer, Question};
use postern_api::{Code, Error, Result, Secret};
use postern_control::{Control, NothingLive, Settings};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Makes a key and prints it alone on the last line.
pub(crate) async fn create(data_dir: Option<PathBuf>, description: String, admin: bool) -> Result<()> {
    let path = data_dir.map_or_else(default_data_dir, Ok)?;
    let folder = DataFolder::open(&path)?;
    let question = Question::CreateApiKey { description: description.clone(), admin };
    let (key, how) = match rescue_socket::ask(&folder, &question).await? {
        Some(answer) => (key_of(answer)?, "The running server has made"),
        None => (directly(&folder, &question, &description, admin).await?, "Made"),
    };
    let whose = if admin { "an administrator" } else { "a new user without administrator's rights" };
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{how} an API key of {whose}. It is shown this once:\n{}", key.reveal())
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(Code::Internal, format!("The key was made and could not be printed: {error}.")))
}

async fn directly(folder: &DataFolder, question: &Question, description: &str, admin: bool) -> Result<Secret> {
    match Control::open(Settings::new(folder.path()), Arc::new(NothingLive)).await {
        Ok(control) => {
            // The administrator is somebody who exists: an empty store gets its first user and key before.
            control.ensure_first_key().await?;
            let key = control.create_api_key(description, admin).await;
            folder.close_to_others();
            key
        }
        // A server has taken the folder since the socket was tried.
        Err(error) if error.code == Code::StorageLocked => {
            rescue_socket::ask(folder, question).await?.map_or(Err(error), key_of)
        }
        Err(error) => Err(error),
    }
}

fn key_of(answer: Answer) -> Result<Secret> {
    match answer {
        Answer::Key(key) => Ok(key),
        other => Err(Error::new(Code::Internal, format!("The running server has answered something else: {other:?}."))),
    }
}
