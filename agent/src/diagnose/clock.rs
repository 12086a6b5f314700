//! The server's clock, from the `Date` header of its HTTPS port: certificates and logins depend on correct clocks.

use super::report::{self, CheckTimer};
use crate::config::AgentSettings;
use jiff::Timestamp;
use postern_api::local::{DiagnosisCheck, DiagnosisReport};
use postern_tunnel::BoxedTransport;
use rustls_pki_types::ServerName;
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};
use tokio_rustls::TlsConnector;

const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of a response that are read for its date.
const MAX_HEAD_BYTES: usize = 8 * 1024;
/// Differences in seconds that cause a warning and a failure.
const WARN_SECONDS: i64 = 30;
const FAIL_SECONDS: i64 = 300;

pub(super) async fn compare(
    report: &mut DiagnosisReport,
    settings: &AgentSettings,
    shown: &str,
    name: ServerName<'static>,
    connecting: impl Future<Output = io::Result<(BoxedTransport, SocketAddr)>>,
) {
    let timer = CheckTimer::start();
    let Ok(Some(server_time)) = timeout(CHECK_TIMEOUT, fetch_date(settings, name, connecting)).await else {
        let fix = "Compare the clocks by hand if certificates are refused.";
        return report::add(report, timer.warn("clock", shown, "the server does not send its time".into(), fix));
    };
    report::add(report, check(&timer, shown, postern_api::clock::now().as_second() - server_time.as_second()));
}

fn check(timer: &CheckTimer, shown: &str, ahead: i64) -> DiagnosisCheck {
    let finding = match ahead {
        -1..=1 => "both clocks agree".to_owned(),
        2.. => format!("this machine is {ahead} s ahead of the server"),
        _ => format!("this machine is {} s behind the server", -ahead),
    };
    let fix = "Let both machines set their clocks by NTP.";
    match ahead.abs() {
        FAIL_SECONDS.. => timer.fail("clock", shown, finding, fix),
        WARN_SECONDS.. => timer.warn("clock", shown, finding, fix),
        _ => timer.ok("clock", shown, finding),
    }
}

/// The date of a response to `HEAD /`, whatever its status.
async fn fetch_date(
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
    while head.len() < MAX_HEAD_BYTES && stream.read_buf(&mut head).await.is_ok_and(|read| read > 0) {
        if let Some(date) = date(&head) {
            return Some(date);
        }
    }
    None
}

/// The `Date` (RFC 9110 section 6.6.1) in the head of a response, once the head is complete.
fn date(head: &[u8]) -> Option<Timestamp> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut response = httparse::Response::new(&mut headers);
    if !response.parse(head).is_ok_and(|parsed| parsed.is_complete()) {
        return None;
    }
    let date = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("date"))?;
    jiff::fmt::rfc2822::parse(std::str::from_utf8(date.value).ok()?).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::local::DiagnosisVerdict;

    #[test]
    fn the_date_of_a_response_is_read() {
        let head = b"HTTP/1.1 404 Not Found\r\ndate: Sat, 21 Nov 2026 23:20:45 GMT\r\n\r\n";
        assert_eq!(date(head).expect("a date").to_string(), "2026-11-21T23:20:45Z");
        assert_eq!(date(&head[..40]), None, "not complete yet");
        assert_eq!(date(b"HTTP/1.1 200 OK\r\ndate: soon\r\n\r\n"), None);
    }

    #[test]
    fn half_a_minute_is_a_warning_and_five_minutes_are_a_failure() {
        let verdict = |ahead| check(&CheckTimer::start(), "s", ahead).verdict;
        assert_eq!([verdict(0), verdict(-29)], [DiagnosisVerdict::Ok; 2]);
        assert_eq!([verdict(30), verdict(-299)], [DiagnosisVerdict::Warn; 2]);
        assert_eq!([verdict(300), verdict(-86400)], [DiagnosisVerdict::Fail; 2]);
        assert_eq!(check(&CheckTimer::start(), "s", -40).finding, "this machine is 40 s behind the server");
    }
}
