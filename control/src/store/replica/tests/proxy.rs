//! A connection to a member that swallows its answers when it is told so.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::AbortHandle,
};

/// Passes bytes to a member and back.
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    swallows: Arc<AtomicBool>,
    task: AbortHandle,
}

impl Proxy {
    pub(super) async fn start(member: SocketAddr) -> Proxy {
        Self::start_at(SocketAddr::from(([127, 0, 0, 1], 0)), member).await
    }

    /// Listens where another one did.
    pub(super) async fn start_at(address: SocketAddr, member: SocketAddr) -> Proxy {
        let listener = TcpListener::bind(address).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let swallows = Arc::new(AtomicBool::new(false));
        let swallowing = swallows.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, member, swallowing.clone()));
            }
        });
        Proxy { address, swallows, task: task.abort_handle() }
    }

    /// From now on what is sent arrives, and no answer does.
    pub(super) fn swallow(&self) {
        self.swallows.store(true, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(client: TcpStream, member: SocketAddr, swallows: Arc<AtomicBool>) {
    let Ok(server) = TcpStream::connect(member).await else { return };
    let ((mut requests, mut back), (mut answers, mut forth)) = (client.into_split(), server.into_split());
    let sent = tokio::io::copy(&mut requests, &mut forth);
    let answered = async {
        let mut buffer = vec![0; 16 << 10];
        while let Ok(length @ 1..) = answers.read(&mut buffer).await {
            if !swallows.load(Ordering::SeqCst) && back.write_all(&buffer[..length]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        _ = sent => {}
        () = answered => {}
    }
}
