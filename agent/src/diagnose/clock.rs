//! The server's clock, as its web side tells it: certificates and logins depend on both clocks being right.

use super::report::{Report, Watch};
use crate::config::AgentSettings;
use jiff::Timestamp;
use postern_tunnel::BoxedTransport;
use rustls_pki_types::ServerName;
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};
use tokio_rustls::TlsConnector;

const PATIENCE: Duration = Duration::from_secs(5);
/// So many bytes of an answer are read for its date.
const HEAD: usize = 8 * 1024;
/// Differences that begin to matter, and that break things.
const NOTABLE: i64 = 30;
const HARMFUL: i64 = 300;

pub(super) async fn compare(
    report: &mut Report,
    settings: &AgentSettings,
    shown: &str,
    name: ServerName<'static>,
    connecting: impl Future<Output = io::Result<(BoxedTransport, SocketAddr)>>,
) {
    let watch = Watch::start();
    let Ok(Some(theirs)) = timeout(PATIENCE, ask(settings, name, connecting)).await else {
        let fix = "Compare the clocks by hand if certificates are refused.";
        return report.add(watch.warn("clock", shown, "the server does not tell its time".into(), fix));
    };
    report.add(judge(&watch, shown, Timestamp::now().as_second() - theirs.as_second()));
}

fn judge(watch: &Watch, shown: &str, ahead: i64) -> super::Check {
    let finding = match ahead {
        -1..=1 => "both clocks agree".to_owned(),
        2.. => format!("this machine is {ahead} s ahead of the server"),
        _ => format!("this machine is {} s behind the server", -ahead),
    };
    let fix = "Let both machines set their clocks by NTP.";
    match ahead.abs() {
        HARMFUL.. => watch.fail("clock", shown, finding, fix),
        NOTABLE.. => watch.warn("clock", shown, finding, fix),
        _ => watch.ok("clock", shown, finding),
    }
}

/// The date of any answer.
async fn ask(
    settings: &AgentSettings,
    name: ServerName<'static>,
    connecting: impl Future<Output = io::Result<(BoxedTransport, SocketAddr)>>,
) -> Option<Timestamp> {
    let mut config = crate::net::server_tls::client_config(settings).ok()?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let host = name.to_str().into_owned();
    let (stream, _) = connecting.await.ok()?;
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.ok()?;
    let request = format!("HEAD / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut head = Vec::new();
    while head.len() < HEAD && stream.read_buf(&mut head).await.is_ok_and(|read| read > 0) {
        if let Some(date) = date(&head) {
            return Some(date);
        }
    }
    None
}

/// The date in the head of an answer, once the head is whole.
fn date(head: &[u8]) -> Option<Timestamp> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut answer = httparse::Response::new(&mut headers);
    if !answer.parse(head).is_ok_and(|parsed| parsed.is_complete()) {
        return None;
    }
    let date = answer.headers.iter().find(|header| header.name.eq_ignore_ascii_case("date"))?;
    jiff::fmt::rfc2822::parse(std::str::from_utf8(date.value).ok()?).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::{super::Verdict, *};

    #[test]
    fn the_date_of_an_answer_is_read() {
        let head = b"HTTP/1.1 404 Not Found\r\ndate: Sat, 21 Nov 2026 23:20:45 GMT\r\n\r\n";
        assert_eq!(date(head).expect("a date").to_string(), "2026-11-21T23:20:45Z");
        assert_eq!(date(&head[..40]), None, "not whole yet");
        assert_eq!(date(b"HTTP/1.1 200 OK\r\ndate: soon\r\n\r\n"), None);
    }

    #[test]
    fn half_a_minute_is_a_warning_and_five_minutes_are_a_failure() {
        let verdict = |ahead| judge(&Watch::start(), "s", ahead).verdict;
        assert_eq!([verdict(0), verdict(-29)], [Verdict::Ok; 2]);
        assert_eq!([verdict(30), verdict(-299)], [Verdict::Warn; 2]);
        assert_eq!([verdict(300), verdict(-86400)], [Verdict::Fail; 2]);
        assert_eq!(judge(&Watch::start(), "s", -40).finding, "this machine is 40 s behind the server");
    }
}
