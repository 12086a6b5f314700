//! The socket in the data folder: who may read the folder may ask the running server for a new key, or to undo a
//! lock-out.
//!
//! One JSON line each way. The folder's mode (0700) is the guard.

use crate::configuration::plain;
use crate::data_folder::DataFolder;
use postern_api::{Code, Error, Result, Secret, resource::RestrictionType};
use serde::{Deserialize, Serialize};
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};

const NAME: &str = "server.sock";
/// A question is a short line; an answer names restrictions, which may be many.
const LONGEST_LINE: u64 = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(10);
/// What fits into a socket's address everywhere, the closing zero included.
const LONGEST_PATH: usize = 104;

/// What may be asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(crate) enum Question {
    CreateApiKey { description: String, admin: bool },
    Unlock,
}

/// What is answered.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// A new key.
    Key(Secret),
    /// The restrictions that are no longer enforced.
    Suspended(Suspended),
    Error(Error),
}

/// IP restrictions by id and type.
pub(crate) type Suspended = Vec<(String, RestrictionType)>;

/// Who answers.
pub(crate) trait Answers: Send + Sync + 'static {
    /// Makes a key.
    fn create_api_key(&self, description: String, admin: bool) -> impl Future<Output = Result<Secret>> + Send;
    /// Undoes a lock-out.
    fn unlock(&self) -> impl Future<Output = Result<Suspended>> + Send;
}

/// Listens in the folder until the task is aborted. A socket left by a server that was killed is replaced: the lock
/// on the folder, which the caller holds, says that nobody listens on it any more.
pub(crate) fn listen(folder: &DataFolder, answers: Arc<impl Answers>) -> Result<tokio::task::JoinHandle<()>> {
    let refuse = |error: io::Error| {
        Error::new(
            Code::ListenFailed,
            format!("The socket {} cannot be made: {}.", folder.path().join(NAME).display(), plain(&error)),
        )
    };
    let _ = std::fs::remove_file(folder.path().join(NAME));
    let (address, _open) = Address::of(folder).map_err(refuse)?;
    let listener = UnixListener::bind(address).map_err(refuse)?;
    Ok(tokio::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let answers = answers.clone();
                    tokio::spawn(async move {
                        if let Err(error) = tokio::time::timeout(PATIENCE, answer(stream, &*answers)).await {
                            tracing::debug!(%error, "somebody at the socket asked nothing");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "the socket in the data folder cannot accept");
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            }
        }
    }))
}

/// Removes the socket at a clean end.
pub(crate) fn remove(folder: &DataFolder) {
    let _ = std::fs::remove_file(folder.path().join(NAME));
}

async fn answer(stream: UnixStream, answers: &impl Answers) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let line = read_line(read).await?;
    let answer = match serde_json::from_str(&line) {
        Ok(Question::CreateApiKey { description, admin }) => {
            answers.create_api_key(description, admin).await.map_or_else(Answer::Error, Answer::Key)
        }
        Ok(Question::Unlock) => answers.unlock().await.map_or_else(Answer::Error, Answer::Suspended),
        Err(error) => Answer::Error(Error::new(Code::BodyMalformed, format!("The question cannot be read: {error}."))),
    };
    let mut line = serde_json::to_vec(&answer)?;
    line.push(b'\n');
    write.write_all(&line).await
}

/// Asks the server that runs on the folder. `None`: no server runs there.
pub(crate) async fn ask(folder: &DataFolder, question: &Question) -> Result<Option<Answer>> {
    let failed = |error: io::Error| {
        Error::new(Code::Unavailable, format!("The running server does not answer on its socket: {}.", plain(&error)))
    };
    let (address, _open) = Address::of(folder).map_err(failed)?;
    let stream = match UnixStream::connect(address).await {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        Err(error) => return Err(failed(error)),
    };
    let exchange = async {
        let (read, mut write) = stream.into_split();
        let mut line = serde_json::to_vec(question)?;
        line.push(b'\n');
        write.write_all(&line).await?;
        let line = read_line(read).await?;
        serde_json::from_str(&line).map_err(io::Error::from)
    };
    let answer = tokio::time::timeout(PATIENCE, exchange).await.map_err(|_| io::ErrorKind::TimedOut.into());
    match answer.and_then(|answer| answer).map_err(failed)? {
        Answer::Error(error) => Err(error),
        answer => Ok(Some(answer)),
    }
}

async fn read_line(read: impl tokio::io::AsyncRead + Unpin) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(read.take(LONGEST_LINE)).read_line(&mut line).await?;
    Ok(line)
}

/// The path to bind or to connect to, and what must stay open as long as it is used.
struct Address;

impl Address {
    /// A socket's path has little room. Where the folder's is too long, Linux offers a short name for the open folder.
    fn of(folder: &DataFolder) -> io::Result<(PathBuf, Option<std::fs::File>)> {
        let path = folder.path().join(NAME);
        if path.as_os_str().len() < LONGEST_PATH || !cfg!(target_os = "linux") {
            return Ok((path, None));
        }
        let open = std::fs::File::open(folder.path())?;
        Ok((PathBuf::from(format!("/proc/self/fd/{}/{NAME}", open.as_raw_fd())), Some(open)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Desk;
    impl Answers for Desk {
        async fn create_api_key(&self, description: String, admin: bool) -> Result<Secret> {
            if admin { Ok(Secret::new(description)) } else { Err(Code::AdminNeeded.into()) }
        }
        async fn unlock(&self) -> Result<Suspended> {
            Ok(vec![("ipx_1".to_owned(), RestrictionType::Api)])
        }
    }

    fn question(admin: bool) -> Question {
        Question::CreateApiKey { description: "from a test".into(), admin }
    }

    #[tokio::test]
    async fn a_question_is_answered_in_folders_of_any_depth() {
        let parent = tempfile::tempdir().expect("a folder");
        for depth in ["short", &"a/long/way/down/".repeat(10)] {
            let folder = DataFolder::open(&parent.path().join(depth)).expect("made");
            assert!(ask(&folder, &question(true)).await.expect("nobody there").is_none());
            let listening = listen(&folder, Arc::new(Desk)).expect("listens");
            let answer = ask(&folder, &question(true)).await.expect("answered").expect("a server is there");
            assert!(matches!(answer, Answer::Key(key) if key.reveal() == "from a test"));
            let answer = ask(&folder, &Question::Unlock).await.expect("answered").expect("a server is there");
            assert!(matches!(answer, Answer::Suspended(list) if list == [("ipx_1".to_owned(), RestrictionType::Api)]));
            assert_eq!(ask(&folder, &question(false)).await.expect_err("refused").code, Code::AdminNeeded);
            listening.abort();
            let _ = listening.await;
            assert!(ask(&folder, &question(true)).await.expect("nobody there").is_none(), "a dead socket is nobody");
        }
    }
}
