//! Socket options of TCP connections that carry a session or a visitor.

use socket2::{SockRef, TcpKeepalive};
use std::time::Duration;
use tokio::net::TcpStream;

/// Idle time before TCP keepalive probes are sent.
const KEEPALIVE: Duration = Duration::from_secs(15);

/// Sets `TCP_NODELAY` and TCP keepalive; on Linux also BBR congestion control and a low `TCP_NOTSENT_LOWAT`.
///
/// BBR keeps links with losses and long queues fast. Between two programs of one machine there are neither, and its
/// pacing only slows them down: there the system's own congestion control stays.
///
/// `TCP_USER_TIMEOUT` is not set: it also counts the time in which a live peer does not read, and would break the
/// download of a visitor who pauses. Sessions detect dead peers by their heartbeat.
///
/// All options are best effort: a kernel that does not support or permit BBR keeps its own congestion control, without
/// an error.
pub fn tune(socket: &TcpStream) {
    let _ = socket.set_nodelay(true);
    #[cfg(target_os = "linux")]
    let is_same_host = is_same_host(socket);
    let socket = SockRef::from(socket);
    let _ = socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE / 3));
    #[cfg(target_os = "linux")]
    {
        if !is_same_host {
            let _ = socket.set_tcp_congestion(b"bbr");
        }
        let _ = socket.set_tcp_notsent_lowat(128 * 1024);
    }
}

/// Whether both ends of a connection are on this machine.
#[cfg(target_os = "linux")]
fn is_same_host(socket: &TcpStream) -> bool {
    let (Ok(local), Ok(peer)) = (socket.local_addr(), socket.peer_addr()) else { return false };
    peer.ip().is_loopback() || local.ip() == peer.ip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn a_tuned_socket_has_nodelay_and_keepalive() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        #[cfg(target_os = "linux")]
        let congestion = SockRef::from(&socket).tcp_congestion().unwrap();
        tune(&socket);
        assert!(socket.nodelay().unwrap());
        let socket = SockRef::from(&socket);
        assert!(socket.keepalive().unwrap());
        #[cfg(target_os = "linux")]
        {
            assert_eq!(socket.tcp_user_timeout().unwrap(), None, "a visitor may pause for any time");
            assert_eq!(socket.tcp_congestion().unwrap(), congestion, "both ends are on this machine");
            assert_eq!(socket.tcp_notsent_lowat().unwrap(), 128 * 1024);
        }
    }
}
