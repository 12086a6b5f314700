//! Admin socket in the data folder: creates API keys, undoes a lock-out, and tells about the nodes on the running server.
//!
//! One JSON line in each direction. Access is restricted by the mode of the folder (0700).

use crate::{data_folder::DataFolder, io_error::reason};
use postern_api::{
    Code, Error, Result, Role, Secret,
    resource::{Node, RestrictionType},
};
use serde::{Deserialize, Serialize};
use std::{io, os::fd::AsRawFd, path::PathBuf, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
};

const NAME: &str = "server.sock";
/// Longest line in bytes. A request is short; a response lists restrictions, which may be many.
const MAX_LINE_BYTES: u64 = 1 << 20;
/// Time limit of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Portable limit of a socket path in bytes, including the terminating zero.
const MAX_SOCKET_PATH_BYTES: usize = 104;

/// Request to the server.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(crate) enum AdminRequest {
    CreateApiKey { description: String, role: Role },
    Unlock,
    Invite,
    Nodes,
}

/// Response of the server.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AdminResponse {
    /// A new key.
    Key(Secret),
    /// The restrictions that are no longer enforced.
    Suspended(Suspended),
    /// The text with which another server joins those of the store.
    Invitation(Secret),
    /// The servers that use the store.
    Nodes(Vec<Node>),
    Error(Error),
}

/// IP restrictions by id and type.
pub(crate) type Suspended = Vec<(String, RestrictionType)>;

/// Handler of requests.
pub(crate) trait AdminApi: Send + Sync + 'static {
    /// Creates an API key.
    fn create_api_key(&self, description: String, role: Role) -> impl Future<Output = Result<Secret>> + Send;
    /// Undoes a lock-out.
    fn unlock(&self) -> impl Future<Output = Result<Suspended>> + Send;
    /// Invites another server to those of the store.
    fn invite(&self) -> impl Future<Output = Result<Secret>> + Send;
    /// Lists the servers that use the store.
    fn nodes(&self) -> impl Future<Output = Result<Vec<Node>>> + Send;
}

/// Listens in the folder until the task is aborted. Replaces the socket of a server that was killed: the caller holds
/// the lock on the folder, so no other server listens on it.
pub(crate) fn listen(folder: &DataFolder, handler: Arc<impl AdminApi>) -> Result<tokio::task::JoinHandle<()>> {
    let refuse = |error: io::Error| {
        Error::new(
            Code::ListenFailed,
            format!("The socket {} cannot be made: {}.", folder.path().join(NAME).display(), reason(&error)),
        )
    };
    let _ = std::fs::remove_file(folder.path().join(NAME));
    let (address, _open) = socket_path(folder).map_err(refuse)?;
    let listener = UnixListener::bind(address).map_err(refuse)?;
    Ok(tokio::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let handler = handler.clone();
                    tokio::spawn(async move {
                        if let Err(error) = tokio::time::timeout(REQUEST_TIMEOUT, respond(stream, &*handler)).await {
                            tracing::debug!(%error, "a client of the admin socket sent no request in time");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "the admin socket cannot accept a connection");
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

async fn respond(stream: UnixStream, handler: &impl AdminApi) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let line = read_line(read).await?;
    let response = match serde_json::from_str(&line) {
        Ok(AdminRequest::CreateApiKey { description, role }) => {
            handler.create_api_key(description, role).await.map_or_else(AdminResponse::Error, AdminResponse::Key)
        }
        Ok(AdminRequest::Invite) => handler.invite().await.map_or_else(AdminResponse::Error, AdminResponse::Invitation),
        Ok(AdminRequest::Nodes) => handler.nodes().await.map_or_else(AdminResponse::Error, AdminResponse::Nodes),
        Ok(AdminRequest::Unlock) => handler.unlock().await.map_or_else(AdminResponse::Error, AdminResponse::Suspended),
        Err(error) => {
            AdminResponse::Error(Error::new(Code::BodyMalformed, format!("The request cannot be read: {error}.")))
        }
    };
    let mut line = serde_json::to_vec(&response)?;
    line.push(b'\n');
    write.write_all(&line).await
}

/// Sends a request to the server that runs on the folder. Returns `None` if no server runs there.
pub(crate) async fn send(folder: &DataFolder, request: &AdminRequest) -> Result<Option<AdminResponse>> {
    let failed = |error: io::Error| {
        Error::new(Code::Unavailable, format!("The running server does not respond on its socket: {}.", reason(&error)))
    };
    let (address, _open) = socket_path(folder).map_err(failed)?;
    let stream = match UnixStream::connect(address).await {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        Err(error) => return Err(failed(error)),
    };
    let exchange = async {
        let (read, mut write) = stream.into_split();
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        write.write_all(&line).await?;
        let line = read_line(read).await?;
        serde_json::from_str(&line).map_err(io::Error::from)
    };
    let response = tokio::time::timeout(REQUEST_TIMEOUT, exchange).await.map_err(|_| io::ErrorKind::TimedOut.into());
    match response.and_then(|response| response).map_err(failed)? {
        AdminResponse::Error(error) => Err(error),
        response => Ok(Some(response)),
    }
}

async fn read_line(read: impl tokio::io::AsyncRead + Unpin) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(read.take(MAX_LINE_BYTES)).read_line(&mut line).await?;
    Ok(line)
}

/// Path to bind or connect to, and the folder that must stay open while the path is used. If the folder's path is too
/// long for a socket, Linux offers a short path through the open folder.
fn socket_path(folder: &DataFolder) -> io::Result<(PathBuf, Option<std::fs::File>)> {
    let path = folder.path().join(NAME);
    if path.as_os_str().len() < MAX_SOCKET_PATH_BYTES || !cfg!(target_os = "linux") {
        return Ok((path, None));
    }
    let open = std::fs::File::open(folder.path())?;
    Ok((PathBuf::from(format!("/proc/self/fd/{}/{NAME}", open.as_raw_fd())), Some(open)))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct AdminHandler;
    impl AdminApi for AdminHandler {
        async fn create_api_key(&self, description: String, role: Role) -> Result<Secret> {
            if role.is_admin() { Ok(Secret::new(description)) } else { Err(Code::AdminNeeded.into()) }
        }
        async fn unlock(&self) -> Result<Suspended> {
            Ok(vec![("ipx_1".to_owned(), RestrictionType::Api)])
        }
        async fn invite(&self) -> Result<Secret> {
            Ok(Secret::new("join"))
        }
        async fn nodes(&self) -> Result<Vec<Node>> {
            Ok(Vec::new())
        }
    }

    fn request(role: Role) -> AdminRequest {
        AdminRequest::CreateApiKey { description: "from a test".into(), role }
    }

    #[tokio::test]
    async fn a_request_gets_a_response_in_folders_of_any_depth() {
        let parent = tempfile::tempdir().expect("a folder");
        for depth in ["short", &"a/long/way/down/".repeat(10)] {
            let folder = DataFolder::open(&parent.path().join(depth)).expect("made");
            assert!(send(&folder, &request(Role::Admin)).await.expect("no server").is_none());
            let listening = listen(&folder, Arc::new(AdminHandler)).expect("listens");
            let response = send(&folder, &request(Role::Admin)).await.expect("a response").expect("a server is there");
            assert!(matches!(response, AdminResponse::Key(key) if key.reveal() == "from a test"));
            let response = send(&folder, &AdminRequest::Unlock).await.expect("a response").expect("a server is there");
            assert!(
                matches!(response, AdminResponse::Suspended(list) if list == [("ipx_1".to_owned(), RestrictionType::Api)])
            );
            assert_eq!(send(&folder, &request(Role::Editor)).await.expect_err("refused").code, Code::AdminNeeded);
            listening.abort();
            let _ = listening.await;
            assert!(
                send(&folder, &request(Role::Admin)).await.expect("no server").is_none(),
                "nothing listens on the socket"
            );
        }
    }
}
