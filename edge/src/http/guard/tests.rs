use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

/// Three clearly different timeouts; a wait that must not end is given up after `NEVER`.
const HEAD: Duration = Duration::from_millis(40);
const STALL: Duration = Duration::from_millis(160);
const IDLE: Duration = Duration::from_millis(320);
const NEVER: Duration = Duration::from_millis(800);

fn limits() -> Limits {
    Limits { head: HEAD, idle: IDLE, stall: STALL, ..Limits::default() }
}

async fn silent_after(sent: &[u8], busy: bool) -> Option<Duration> {
    let (mut visitor, ours) = duplex(4096);
    let counter = RequestCounter::default();
    let open = busy.then(|| counter.start());
    let mut guard = HttpGuard::new(ours, false, counter, &limits());
    visitor.write_all(sent).await.expect("room");
    let began = Instant::now();
    let read = async {
        let mut buffer = [0; 512];
        loop {
            match guard.read(&mut buffer).await {
                Ok(_) => {}
                Err(error) => break assert_eq!(error.kind(), io::ErrorKind::TimedOut),
            }
        }
    };
    let ended = tokio::time::timeout(NEVER, read).await.is_ok();
    drop(open);
    ended.then(|| began.elapsed())
}

#[tokio::test]
async fn each_phase_has_its_own_timeout() {
    let table: &[(&[u8], bool, Option<Duration>)] = &[
        (b"", false, Some(IDLE)),
        (b"GET / HT", false, Some(HEAD)),
        (b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc", true, Some(STALL)),
        (b"GET / HTTP/1.1\r\n\r\n", true, None),
        (b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", false, None),
    ];
    for (sent, busy, expected) in table {
        let took = silent_after(sent, *busy).await;
        let shown = String::from_utf8_lossy(sent);
        match expected {
            None => assert_eq!(took, None, "{shown:?}"),
            Some(expected) => {
                let took = took.expect("the wait ends");
                assert!(took + Duration::from_millis(5) >= *expected, "{shown:?} ended after {took:?}");
            }
        }
    }
}

/// Counts how often a connection with an open request is polled while it is silent for several idle timeouts.
async fn polls_while_busy(http2: bool, sent: &[u8]) -> usize {
    let (mut visitor, ours) = duplex(4096);
    let counter = RequestCounter::default();
    let _open = counter.start();
    let mut guard = HttpGuard::new(ours, http2, counter, &limits());
    visitor.write_all(sent).await.expect("room");
    let mut polls = 0;
    let silence = std::future::poll_fn(|cx| -> Poll<()> {
        polls += 1;
        loop {
            let mut bytes = [0; 512];
            match Pin::new(&mut guard).poll_read(cx, &mut ReadBuf::new(&mut bytes)) {
                Poll::Ready(read) => read.expect("the connection is kept"),
                Poll::Pending => return Poll::Pending,
            }
        }
    });
    assert!(tokio::time::timeout(IDLE * 4, silence).await.is_err(), "nothing ends the wait");
    polls
}

#[tokio::test]
async fn a_connection_with_an_open_request_sleeps_however_long_it_is_silent() {
    for (http2, sent) in [(false, &b"GET / HTTP/1.1\r\n\r\n"[..]), (true, b"frames")] {
        let polls = polls_while_busy(http2, sent).await;
        assert!(polls < 16, "polled {polls} times, HTTP/2: {http2}");
    }
}

/// A request that ends exactly when the timer is due leaves all of the idle timeout for the next one.
#[tokio::test(start_paused = true)]
async fn the_idle_timeout_runs_from_the_end_of_the_last_request() {
    for http2 in [false, true] {
        let (mut visitor, ours) = duplex(4096);
        let counter = RequestCounter::default();
        let open = counter.start();
        let mut guard = HttpGuard::new(ours, http2, counter, &limits());
        visitor.write_all(b"GET / HTTP/1.1\r\n\r\n").await.expect("room");
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let mut read = |guard: &mut HttpGuard<_>| {
            let mut bytes = [0; 512];
            Pin::new(guard).poll_read(&mut cx, &mut ReadBuf::new(&mut bytes))
        };
        assert!(read(&mut guard).is_ready() && read(&mut guard).is_pending());
        tokio::time::advance(6 * IDLE).await;
        drop(open);
        if !http2 {
            guard.write_all(b"response").await.expect("room");
        }
        assert!(read(&mut guard).is_pending(), "HTTP/2: {http2}");
        tokio::time::advance(IDLE - Duration::from_millis(2)).await;
        assert!(read(&mut guard).is_pending(), "HTTP/2: {http2}");
        tokio::time::advance(Duration::from_millis(4)).await;
        assert!(read(&mut guard).is_ready(), "HTTP/2: {http2}");
    }
}

#[tokio::test]
async fn pings_do_not_keep_an_unused_http2_connection_open() {
    let (mut visitor, ours) = duplex(4096);
    let mut guard = HttpGuard::new(ours, true, RequestCounter::default(), &limits());
    let pinging = async {
        loop {
            visitor.write_all(b"ping").await.expect("room");
            tokio::time::sleep(HEAD).await;
        }
    };
    let reading = async {
        let mut buffer = [0; 64];
        while guard.read(&mut buffer).await.is_ok() {}
    };
    tokio::select! {
        () = reading => {}
        () = pinging => {}
        () = tokio::time::sleep(NEVER * 4) => panic!("the connection is kept"),
    }
}

#[tokio::test]
async fn a_visitor_that_does_not_read_is_given_up() {
    let (_visitor, ours) = duplex(16);
    let mut guard = HttpGuard::new(ours, false, RequestCounter::default(), &limits());
    let error = guard.write_all(&[0; 64]).await.expect_err("the peer does not read");
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
}
