//! Settings of a TCP socket that carries a session, or a visitor on his way into one.

use socket2::{SockRef, TcpKeepalive};
use std::time::Duration;
use tokio::net::TcpStream;

/// A dead peer is noticed after so long without traffic.
const KEEPALIVE: Duration = Duration::from_secs(15);

/// Sends small writes at once, notices dead peers of a silent connection and keeps the kernel's queue short, where
/// the system offers it.
///
/// There is no `TCP_USER_TIMEOUT`: it counts the time in which a living peer takes nothing as well, and would break
/// off the download of a visitor who pauses. A session notices a dead peer by its heartbeat.
///
/// Everything in here is a wish: a kernel without BBR, or one that does not permit it, keeps its own congestion
/// control, and nobody is told.
pub fn tune(socket: &TcpStream) {
    let _ = socket.set_nodelay(true);
    let socket = SockRef::from(socket);
    let _ = socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE / 3));
    #[cfg(target_os = "linux")]
    {
        let _ = socket.set_tcp_congestion(b"bbr");
        let _ = socket.set_tcp_notsent_lowat(128 * 1024);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn a_tuned_socket_sends_at_once_and_asks_for_life() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        tune(&socket);
        assert!(socket.nodelay().unwrap());
        let socket = SockRef::from(&socket);
        assert!(socket.keepalive().unwrap());
        #[cfg(target_os = "linux")]
        {
            assert_eq!(socket.tcp_user_timeout().unwrap(), None, "a visitor may pause as long as he likes");
            assert_eq!(socket.tcp_notsent_lowat().unwrap(), 128 * 1024);
        }
    }
}
