//! Parsers of setting values. Errors continue a sentence that begins with the value.

use crate::io_error::reason;
use http::Uri;
use ipnet::IpNet;
use postern_api::{Secret, host::HostName, ip_rules::parse_cidr};
use postern_control::{AuditRetention, AuditedEvents, store::Address};
use postern_edge::Geo;
use postern_logins::IdentityHeaders;
use rustls_pki_types::{
    CertificateDer,
    pem::{self, PemObject},
};
use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs},
    ops::RangeInclusive,
    path::{Path, PathBuf},
    time::Duration,
};

/// Longest age of audit events.
const MAX_AUDIT_DAYS: u64 = 3650;
/// Smallest and largest number of audit events to keep. Filters read all of them.
const MIN_AUDIT_EVENTS: usize = 100;
const MAX_AUDIT_EVENTS: usize = 100_000;
/// Shortest and longest life of a console session.
const MIN_SESSION_DURATION: Duration = Duration::from_secs(60);
const MAX_SESSION_DURATION: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Port of name servers.
const DNS_PORT: u16 = 53;
/// Longest duration of a setting.
const MAX_DURATION: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn path(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("is not a path".into()) } else { Ok(PathBuf::from(text)) }
}

pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let shape = || "is not an address to listen on; write HOST:PORT, such as 127.0.0.1:4443 or [::1]:4443".to_owned();
    let (host, port) = text.rsplit_once(':').ok_or_else(shape)?;
    let port: u16 = port.parse().map_err(|_| shape())?;
    let name = HostName::parse(host).map_err(|_| shape())?;
    if name.as_str() == "localhost" {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    let mut found = (name.as_str(), port).to_socket_addrs().map_err(|error| unresolved(&error))?;
    found.next().ok_or_else(|| "is a host without an address".to_owned())
}

/// Host and port that others connect to; the host may be a name.
pub(super) fn host_port(text: &str) -> Result<String, String> {
    let shape = || "is not an address to connect to; write HOST:PORT, such as 10.0.0.1:4500".to_owned();
    if let Ok(address) = text.parse::<SocketAddr>() {
        return if address.port() == 0 || address.ip().is_unspecified() { Err(shape()) } else { Ok(text.to_owned()) };
    }
    let (host, port) = text.rsplit_once(':').ok_or_else(shape)?;
    match (plain_name(host), port.parse::<u16>()) {
        (Ok(host), Ok(1..)) => Ok(format!("{host}:{port}")),
        _ => Err(shape()),
    }
}

/// Host and port of a name server; port 53 if none is given.
pub(super) fn name_server(text: &str) -> Result<String, String> {
    let complete = match (text.parse::<IpAddr>(), plain_name(text)) {
        (Ok(address), _) => SocketAddr::new(address, DNS_PORT).to_string(),
        (_, Ok(name)) => format!("{name}:{DNS_PORT}"),
        _ => text.to_owned(),
    };
    host_port(&complete)
        .map_err(|_| "is not the address of a name server; write HOST:PORT, such as 192.0.2.1:53".into())
}

/// Address of a name server for lookups; port 53 if none is given.
pub(super) fn resolver_address(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse().or_else(|_| text.parse::<IpAddr>().map(|address| SocketAddr::new(address, DNS_PORT)));
    let address = address.ok().filter(|address: &SocketAddr| address.port() != 0);
    address.ok_or_else(|| "is not the address of a name server; write IP:PORT, such as 192.0.2.1:53".into())
}

/// A program with its full path.
pub(super) fn program(text: &str) -> Result<PathBuf, String> {
    let path = path(text)?;
    if !path.is_absolute() {
        return Err("is not a full path of a program".into());
    }
    match std::fs::metadata(&path) {
        Ok(found) if found.is_file() => Ok(path),
        Ok(_) => Err("is not a program".into()),
        Err(error) => Err(format!("cannot be found: {}", reason(&error))),
    }
}

/// Name of a server among others.
pub(super) fn node_name(text: &str) -> Result<String, String> {
    let fits = !text.is_empty() && text.len() <= 64 && !text.chars().any(char::is_control);
    if fits { Ok(text.to_owned()) } else { Err("is not a name; write 1 to 64 printable characters".into()) }
}

pub(super) fn ip_address(text: &str) -> Result<IpAddr, String> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    if let Ok(address) = bare.parse() {
        return Ok(address);
    }
    let shape = "is not a host to listen on; write an IP address such as 127.0.0.1, without a port";
    let name = HostName::parse(text).map_err(|_| shape.to_owned())?;
    address(&format!("{name}:0")).map(|address| address.ip())
}

pub(super) fn unresolved(error: &std::io::Error) -> String {
    format!("cannot be resolved to an address: {}", reason(error))
}

pub(super) fn identity_headers(text: &str) -> Result<IdentityHeaders, String> {
    IdentityHeaders::new(text).ok_or_else(|| {
        "cannot be the prefix of a header name; write letters, digits and dashes, such as X-Auth".to_owned()
    })
}

pub(super) fn ports(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let port = |text: &str| text.trim().parse::<u16>().ok().filter(|port| *port != 0);
    match (port(first), port(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        (Some(_), Some(_)) => Err("begins after its end; write the lower port first".into()),
        _ => Err("is not a range of ports; write it as 24000-24999, each from 1 to 65535".into()),
    }
}

pub(crate) fn plain_name(text: &str) -> Result<HostName, String> {
    match HostName::parse(text) {
        Ok(name) if name.wildcard_parent().is_none() => Ok(name),
        _ => Err("is not a host name; write it as example.com, without a scheme, a port or a `*`".into()),
    }
}

/// Networks and addresses, separated by commas.
pub(super) fn cidrs(text: &str) -> Result<Vec<IpNet>, String> {
    let shape = |why: &str| format!("is not a list of addresses such as 10.0.0.0/8,192.0.2.7: {why}");
    let one = |text: &str| parse_cidr(text.trim()).map_err(|error| shape(error.message.trim_end_matches('.')));
    text.split(',').map(one).collect()
}

/// Whether only proxies may connect.
pub(super) fn direct_visitors(text: &str) -> Result<bool, String> {
    match text {
        "allow" => Ok(false),
        "refuse" => Ok(true),
        _ => Err("is neither `allow` nor `refuse`".into()),
    }
}

pub(super) fn base_url(text: &str) -> Result<String, String> {
    let shape = || "is not a base URL; write it as https://api.example.com, without a query".to_owned();
    let uri: Uri = text.parse().map_err(|_| shape())?;
    let scheme_fits = matches!(uri.scheme_str(), Some("http" | "https"));
    let bare = !text.contains(['?', '#', '@']) && uri.host().is_some_and(|host| !host.is_empty());
    if scheme_fits && bare { Ok(text.trim_end_matches('/').to_owned()) } else { Err(shape()) }
}

pub(super) fn directory(text: &str) -> Result<String, String> {
    let uri = text.parse::<Uri>().ok().filter(|uri| uri.scheme_str() == Some("https") && uri.host().is_some());
    match uri {
        Some(_) if !text.contains('#') => Ok(text.to_owned()),
        _ => Err("is not the URL of an ACME directory; write it as https://acme.example.com/directory".to_owned()),
    }
}

pub(crate) fn mail(text: &str) -> Result<String, String> {
    let address = text.strip_prefix("mailto:").unwrap_or(text);
    let shaped = address.split_once('@').is_some_and(|(name, host)| !name.is_empty() && HostName::parse(host).is_ok());
    let plain = address.bytes().all(|byte| byte.is_ascii_graphic() && !b",?&%".contains(&byte));
    if shaped && plain { Ok(address.to_owned()) } else { Err("is not an e-mail address".to_owned()) }
}

/// Reads the file only to report mistakes early.
pub(super) fn certificate_file(text: &str) -> Result<PathBuf, String> {
    let path = path(text)?;
    match CertificateDer::from_pem_file(&path) {
        Ok(_) => Ok(path),
        Err(pem::Error::Io(error)) => Err(format!("cannot be read: {}", reason(&error))),
        Err(_) => Err("has no certificate in PEM".to_owned()),
    }
}

/// The database of countries, read whole.
pub(super) fn geoip(text: &str) -> Result<Geo, String> {
    let bytes = std::fs::read(path(text)?).map_err(|error| {
        format!("cannot be read: {}; name a file of countries that this user may read", reason(&error))
    })?;
    Geo::from_bytes(bytes)
}

/// The address of a shared store, or `None` for the default store written in full.
pub(super) fn store(text: &str) -> Result<Option<Address>, String> {
    if let Some(path) = text.strip_prefix("sqlite:") {
        let is_own = path.is_empty() || Path::new(path).file_name().is_some_and(|name| name == "postern.db");
        let other = "is not the database of this build, which is postern.db in the data folder; choose the folder with --data-dir";
        return if is_own { Ok(None) } else { Err(other.into()) };
    }
    if text.starts_with("etcd") {
        return Address::parse(text).map(Some).map_err(|why| format!("is not the address of a store: {why}"));
    }
    Err("is not a store; write etcd://host:port,host:port/prefix, or leave the setting out for the database in the data folder"
        .into())
}

/// Any text that is not empty.
pub(super) fn plain_text(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("is empty".into()) } else { Ok(text.to_owned()) }
}

/// A password: the first line of a file.
pub(super) fn password_file(text: &str) -> Result<Secret, String> {
    let read = std::fs::read_to_string(path(text)?).map_err(|error| format!("cannot be read: {}", reason(&error)))?;
    match read.lines().next().map(str::trim_end) {
        None | Some("") => Err("is empty; it must hold the password as its first line".to_owned()),
        Some(password) => Ok(Secret::new(password)),
    }
}

/// A duration such as `500ms`, `15s`, `2m` or `1h`, at most a day.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let duration = postern_config::duration::parse(text)
        .ok_or("is not a duration; write a number and its unit, such as 500ms, 15s, 2m or 1h")?;
    if duration <= MAX_DURATION { Ok(duration) } else { Err("is longer than a day".to_owned()) }
}

/// How long a session may last: at least a minute, at most 30 days.
pub(super) fn session_duration(text: &str) -> Result<Duration, String> {
    let duration = postern_config::duration::parse(text)
        .ok_or("is not a duration; write a number and its unit, such as 30m or 12h")?;
    if (MIN_SESSION_DURATION..=MAX_SESSION_DURATION).contains(&duration) {
        Ok(duration)
    } else {
        Err("is not between 1m and 720h".to_owned())
    }
}

/// Events that the audit log has besides changes: `logins,refusals,expiries,alerts`, some of them, or `none`.
pub(super) fn audit_events(text: &str) -> Result<AuditedEvents, String> {
    let mut events = AuditedEvents { logins: false, refusals: false, expiries: false, alerts: false };
    if text == "none" {
        return Ok(events);
    }
    for part in text.split(',').map(str::trim) {
        let member = match part {
            "logins" => &mut events.logins,
            "refusals" => &mut events.refusals,
            "expiries" => &mut events.expiries,
            "alerts" => &mut events.alerts,
            _ => return Err("is neither `none` nor a list of `logins`, `refusals`, `expiries` and `alerts`".into()),
        };
        if std::mem::replace(member, true) {
            return Err(format!("names `{part}` twice"));
        }
    }
    Ok(events)
}

/// What is kept of the audit log: `90d`, `5000`, or `90d,5000`.
pub(super) fn audit_retention(text: &str) -> Result<AuditRetention, String> {
    let shape = || {
        format!(
            "is not an age and a number, such as 90d,5000: 1d to {MAX_AUDIT_DAYS}d, and {MIN_AUDIT_EVENTS} to {MAX_AUDIT_EVENTS}"
        )
    };
    let mut retention = AuditRetention::default();
    let (mut age, mut number) = (None, None);
    for part in text.split(',').map(str::trim) {
        let (digits, slot) = match part.strip_suffix('d') {
            Some(days) => (days, &mut age),
            None => (part, &mut number),
        };
        let value = digits.parse::<u64>().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
        if slot.replace(value.ok_or_else(shape)?).is_some() {
            return Err(shape());
        }
    }
    if let Some(days) = age {
        let days = Some(days).filter(|days| (1..=MAX_AUDIT_DAYS).contains(days)).ok_or_else(shape)?;
        retention.max_age = Duration::from_secs(days * 24 * 60 * 60);
    }
    if let Some(events) = number {
        let known =
            usize::try_from(events).ok().filter(|events| (MIN_AUDIT_EVENTS..=MAX_AUDIT_EVENTS).contains(events));
        retention.max_events = known.ok_or_else(shape)?;
    }
    Ok(retention)
}
