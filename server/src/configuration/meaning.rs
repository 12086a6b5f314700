//! What the written values mean: parsed, defaults applied, every mistake named with its place.

use super::written::{Given, Place, Written, plain};
use crate::access_log::Destination;
use crate::logs::{Format, Level};
use http::Uri;
use ipnet::IpNet;
use postern_api::{Error, host::HostName, ip_rules::parse_cidr};
use postern_control::AcmeSettings;
use postern_edge::{Limits, Proxies};
use postern_logins::{IdentityHeaders, Operators};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::{self, PemObject};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// The checked configuration of one run.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    pub(crate) data_dir: PathBuf,
    pub(crate) api_addr: SocketAddr,
    pub(crate) https_addr: SocketAddr,
    pub(crate) http_addr: SocketAddr,
    pub(crate) tcp_addr: IpAddr,
    pub(crate) tcp_ports: RangeInclusive<u16>,
    pub(crate) domain: HostName,
    pub(crate) api_host: Option<HostName>,
    pub(crate) login_host: HostName,
    /// How local services are told who has logged in.
    pub(crate) identity_headers: IdentityHeaders,
    /// Apps of the operator, for OAuth modules that bring none of their own.
    pub(crate) oauth_apps: Operators,
    /// Without a trailing slash. None: made from the API's real address.
    pub(crate) base_url: Option<String>,
    /// Proxies in front of the public ports.
    pub(crate) proxies: Proxies,
    /// PEM files of a chain and its key, always both.
    pub(crate) certificate: Option<(PathBuf, PathBuf)>,
    /// Where certificates come from by themselves.
    pub(crate) acme: Option<AcmeSettings>,
    pub(crate) drain_timeout: Duration,
    /// Deadlines and caps of the public side.
    pub(crate) limits: Limits,
    pub(crate) access_log: Option<Destination>,
    pub(crate) log_format: Format,
    pub(crate) log_level: Level,
}

impl Configuration {
    /// Finds the meaning, or all mistakes, each a sentence. `earlier` are mistakes found while reading.
    pub(crate) fn check(written: &Written, earlier: Vec<String>) -> Result<Configuration, Error> {
        let mut check = Check { written, mistakes: earlier };
        let data_dir = check.value("data_dir", path);
        let api_addr = check.value("api_addr", address);
        let https_addr = check.value("https_addr", address);
        let http_addr = check.value("http_addr", address);
        let tcp_addr = check.value("tcp_addr", ip_address);
        let tcp_ports = check.value("tcp_ports", ports);
        let domain = check.value("domain", plain_name);
        let api_host = check.value("api_host", plain_name);
        let base_url = check.value("base_url", base_url);
        let login_host = check.value("login_host", plain_name);
        let identity_headers = check.value("identity_headers", identity_headers);
        let oauth_apps = check.value("oauth_apps", super::oauth_apps::read);
        let trusted = check.value("trusted_proxies", cidrs);
        let only = check.value("direct_visitors", direct_visitors);
        let certificate = (check.value("certificate", path), check.value("certificate_key", path));
        check.value("store", store);
        let drain_timeout = check.value("drain_timeout", duration);
        let limits = super::limits::read(&mut check);
        let access_log = check.value("access_log", str::parse);
        let log_format = check.value("log_format", str::parse);
        let log_level = check.value("log_level", str::parse);
        let directory = check.value("acme_directory", directory);
        let contact = check.value("acme_contact", mail);
        let root = check.value("acme_ca", certificate_file);
        for (key, flag) in [("acme_contact", "--acme-contact"), ("acme_ca", "--acme-ca")] {
            if check.written.get(key).is_some() && check.written.get("acme_directory").is_none() {
                check.mistakes.push(format!("{flag} belongs to --acme-directory: give both, or leave it out."));
            }
        }
        if check.written.get("certificate").is_some() != check.written.get("certificate_key").is_some() {
            check.mistakes.push("--certificate and --certificate-key belong together: give both or neither.".into());
        }
        if only == Some(true) && check.written.get("trusted_proxies").is_none() {
            check.mistakes.push(
                "--direct-visitors refuse leaves nobody who may connect: name the proxies with --trusted-proxies."
                    .into(),
            );
        }
        let data_dir = match data_dir.map_or_else(super::default_data_dir, Ok) {
            Ok(folder) => folder,
            Err(error) => {
                check.mistakes.push(error.message);
                PathBuf::new()
            }
        };
        if !check.mistakes.is_empty() {
            return Err(super::mistakes(&check.mistakes));
        }
        let domain = match domain {
            Some(name) => name,
            None => HostName::parse("localhost")?,
        };
        let login_host = match login_host {
            Some(name) => name,
            None => HostName::parse(&format!("login.{domain}"))?,
        };
        let local = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        Ok(Configuration {
            data_dir,
            api_addr: api_addr.unwrap_or(local(4041)),
            https_addr: https_addr.unwrap_or(local(4443)),
            http_addr: http_addr.unwrap_or(local(4480)),
            tcp_addr: tcp_addr.unwrap_or(Ipv4Addr::LOCALHOST.into()),
            tcp_ports: tcp_ports.unwrap_or(24000..=24999),
            domain,
            api_host,
            login_host,
            identity_headers: identity_headers.unwrap_or_default(),
            oauth_apps: oauth_apps.unwrap_or_default(),
            base_url,
            proxies: Proxies {
                trusted: trusted.unwrap_or_default(),
                only: only.unwrap_or_default(),
                ..Proxies::default()
            },
            certificate: certificate.0.zip(certificate.1),
            acme: directory.map(|directory| AcmeSettings { directory, contact, root }),
            drain_timeout: drain_timeout.unwrap_or(Duration::from_secs(30)),
            limits,
            access_log,
            log_format: log_format.unwrap_or_default(),
            log_level: log_level.unwrap_or_default(),
        })
    }
}

pub(super) struct Check<'a> {
    written: &'a Written,
    mistakes: Vec<String>,
}

impl Check<'_> {
    /// Reads one value. `read` refuses with the rest of the sentence that begins with the value.
    pub(super) fn value<T>(&mut self, key: &'static str, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let Given { text, place } = self.written.get(key)?;
        match read(text.trim()) {
            Ok(value) => Some(value),
            Err(why) => {
                let named = match place {
                    Place::Flag => format!("--{}", key.replace('_', "-")),
                    Place::Environment => format!("POSTERN_{}", key.to_ascii_uppercase()),
                    Place::File { line } => format!("`{key}` in line {line} of the configuration file"),
                };
                let shown: String = text.chars().take(80).collect();
                self.mistakes.push(format!("{named}: `{shown}` {why}."));
                None
            }
        }
    }
}

// === readers, one for each kind of value ===

fn path(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("names no path".into()) } else { Ok(PathBuf::from(text)) }
}

fn address(text: &str) -> Result<SocketAddr, String> {
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
    found.next().ok_or_else(|| "names a host without an address".to_owned())
}

fn ip_address(text: &str) -> Result<IpAddr, String> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    if let Ok(address) = bare.parse() {
        return Ok(address);
    }
    let shape = "is not a host to listen on; write an IP address such as 127.0.0.1, without a port";
    let name = HostName::parse(text).map_err(|_| shape.to_owned())?;
    address(&format!("{name}:0")).map(|address| address.ip())
}

fn unresolved(error: &std::io::Error) -> String {
    format!("cannot be resolved to an address: {}", plain(error))
}

fn identity_headers(text: &str) -> Result<IdentityHeaders, String> {
    IdentityHeaders::new(text)
        .ok_or_else(|| "cannot begin the name of a header; write letters, digits and dashes, such as X-Auth".to_owned())
}

fn ports(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let port = |text: &str| text.trim().parse::<u16>().ok().filter(|port| *port != 0);
    match (port(first), port(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        (Some(_), Some(_)) => Err("begins behind its end; write the lower port first".into()),
        _ => Err("is not a range of ports; write it as 24000-24999, each from 1 to 65535".into()),
    }
}

fn plain_name(text: &str) -> Result<HostName, String> {
    match HostName::parse(text) {
        Ok(name) if name.wildcard_parent().is_none() => Ok(name),
        _ => Err("is not a host name; write it as example.com, without a scheme, a port or a `*`".into()),
    }
}

/// Networks and addresses, separated by commas.
fn cidrs(text: &str) -> Result<Vec<IpNet>, String> {
    let shape = |why: &str| format!("is not a list of addresses such as 10.0.0.0/8,192.0.2.7: {why}");
    let one = |text: &str| parse_cidr(text.trim()).map_err(|error| shape(error.message.trim_end_matches('.')));
    text.split(',').map(one).collect()
}

/// Whether only proxies may connect.
fn direct_visitors(text: &str) -> Result<bool, String> {
    match text {
        "allow" => Ok(false),
        "refuse" => Ok(true),
        _ => Err("is neither `allow` nor `refuse`".into()),
    }
}

fn base_url(text: &str) -> Result<String, String> {
    let shape = || "is not a base address; write it as https://api.example.com, without a query".to_owned();
    let uri: Uri = text.parse().map_err(|_| shape())?;
    let scheme_fits = matches!(uri.scheme_str(), Some("http" | "https"));
    let bare = !text.contains(['?', '#', '@']) && uri.host().is_some_and(|host| !host.is_empty());
    if scheme_fits && bare { Ok(text.trim_end_matches('/').to_owned()) } else { Err(shape()) }
}

fn directory(text: &str) -> Result<String, String> {
    let uri = text.parse::<Uri>().ok().filter(|uri| uri.scheme_str() == Some("https") && uri.host().is_some());
    match uri {
        Some(_) if !text.contains('#') => Ok(text.to_owned()),
        _ => Err("is not the address of a directory; write it as https://acme.example.com/directory".to_owned()),
    }
}

fn mail(text: &str) -> Result<String, String> {
    let address = text.strip_prefix("mailto:").unwrap_or(text);
    let shaped = address.split_once('@').is_some_and(|(name, host)| !name.is_empty() && HostName::parse(host).is_ok());
    let plain = address.bytes().all(|byte| byte.is_ascii_graphic() && !b",?&%".contains(&byte));
    if shaped && plain { Ok(address.to_owned()) } else { Err("is not a mail address".to_owned()) }
}

/// Read here only to tell about mistakes at once.
fn certificate_file(text: &str) -> Result<PathBuf, String> {
    let path = path(text)?;
    match CertificateDer::from_pem_file(&path) {
        Ok(_) => Ok(path),
        Err(pem::Error::Io(error)) => Err(format!("cannot be read: {}", plain(&error))),
        Err(_) => Err("holds no certificate in PEM".to_owned()),
    }
}

/// The only store of this build is the default one; its address may be written out in full.
fn store(text: &str) -> Result<(), String> {
    if text.starts_with("etcd:") {
        return Err("is not available in this build: it cannot keep its configuration in etcd yet. Leave the \
             setting out to use the SQLite database in the data folder"
            .into());
    }
    match text.strip_prefix("sqlite:") {
        Some("") => Ok(()),
        Some(path) if std::path::Path::new(path).file_name().is_some_and(|name| name == "postern.db") => Ok(()),
        Some(_) => Err("is not where this build keeps its database: that is postern.db in the data folder; \
             choose the folder with --data-dir"
            .into()),
        None => Err("is not a store; leave the setting out, or write sqlite:<data-dir>/postern.db".into()),
    }
}

/// `500ms`, `15s`, `2m`, `1h`; at most a day.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let shape = || "is not a duration; write a number and its unit, such as 500ms, 15s, 2m or 1h".to_owned();
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(shape)?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| shape())?;
    let milliseconds: u64 = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(shape()),
    };
    number
        .checked_mul(milliseconds)
        .map(Duration::from_millis)
        .filter(|duration| *duration <= Duration::from_secs(86_400))
        .ok_or_else(|| "is longer than a day".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::Code;

    fn check(flags: &[(&'static str, &str)]) -> Result<Configuration, Error> {
        let flags = flags.iter().map(|(key, text)| (*key, (*text).to_owned()));
        let (written, errors) = Written::gather(flags, |_| None, None);
        Configuration::check(&written, errors)
    }

    #[test]
    fn nothing_written_gives_the_documented_defaults() {
        let configuration = check(&[("data_dir", "/data")]).expect("defaults");
        assert_eq!(configuration.api_addr.to_string(), "127.0.0.1:4041");
        assert_eq!(configuration.https_addr.to_string(), "127.0.0.1:4443");
        assert_eq!(configuration.http_addr.to_string(), "127.0.0.1:4480");
        assert_eq!(configuration.tcp_ports, 24000..=24999);
        assert_eq!(configuration.domain.as_str(), "localhost");
        assert_eq!(configuration.drain_timeout, Duration::from_secs(30));
        assert!(configuration.base_url.is_none() && configuration.api_host.is_none());
    }

    #[test]
    fn every_mistake_is_named_with_its_place_in_one_answer() {
        let error = check(&[
            ("data_dir", "/data"),
            ("api_addr", "4041"),
            ("tcp_ports", "10-5"),
            ("drain_timeout", "30"),
            ("log_level", "loud"),
            ("certificate", "chain.pem"),
        ])
        .expect_err("five mistakes");
        assert_eq!(error.code, Code::ConfigInvalid);
        for part in
            ["5 mistakes", "--api-addr: `4041`", "--tcp-ports", "--drain-timeout", "--log-level", "belong together"]
        {
            assert!(error.message.contains(part), "{part} in {}", error.message);
        }
    }

    #[test]
    fn what_later_builds_will_have_is_refused_by_name() {
        let error = check(&[("data_dir", "/data"), ("store", "etcd://a:2379")]).expect_err("not yet");
        assert!(error.message.contains("not available in this build"), "{}", error.message);
        check(&[("data_dir", "/data"), ("store", "sqlite:/data/postern.db")]).expect("the default written out");
    }

    #[test]
    fn a_directory_has_an_address_a_contact_and_an_authority_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("none.pem");
        std::fs::write(&file, "nothing").expect("written");
        let shown = file.to_string_lossy().into_owned();
        let acme = |values: &[(&'static str, &str)]| check(&[&[("data_dir", "/data")], values].concat());
        let directory = ("acme_directory", "https://a.test/directory");
        let found =
            acme(&[directory, ("acme_contact", "mailto:me@a.test")]).expect("complete").acme.expect("a directory");
        assert_eq!((found.directory.as_str(), found.contact.as_deref()), (directory.1, Some("me@a.test")));
        assert!(acme(&[]).expect("nothing").acme.is_none());
        for (values, part) in [
            (&[("acme_directory", "http://a.test/")][..], "--acme-directory"),
            (&[("acme_contact", "me@a.test")], "belongs to --acme-directory"),
            (&[directory, ("acme_contact", "me")], "not a mail address"),
            (&[directory, ("acme_ca", "/nowhere/ca.pem")], "cannot be read"),
            (&[directory, ("acme_ca", &shown)], "no certificate"),
        ] {
            let error = acme(values).expect_err(part);
            assert!(error.message.contains(part), "{part} in {}", error.message);
        }
    }

    #[test]
    fn headers_about_visitors_may_have_other_names() {
        check(&[("data_dir", "/data"), ("identity_headers", "X-Auth")]).expect("a prefix");
        for wrong in ["X Auth", "-", "X-Auth:"] {
            let error = check(&[("data_dir", "/data"), ("identity_headers", wrong)]).expect_err(wrong);
            assert!(error.message.contains("--identity-headers"), "{}", error.message);
        }
    }

    #[test]
    fn values_have_the_spellings_people_use() {
        assert_eq!(address("localhost:80").map(|a| a.to_string()).as_deref(), Ok("127.0.0.1:80"));
        assert_eq!(address("[::1]:80").map(|a| a.to_string()).as_deref(), Ok("[::1]:80"));
        assert_eq!(ports("2400"), Ok(2400..=2400));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(base_url("https://api.test/").as_deref(), Ok("https://api.test"));
        for wrong in ["", ":80", "a:b", "1.2.3.4", "1.2.3.4:70000", "a b:80"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
        let nets = cidrs("10.0.0.0/8, 192.0.2.7,::1").expect("networks");
        assert_eq!(nets.iter().map(ToString::to_string).collect::<Vec<_>>(), ["10.0.0.0/8", "192.0.2.7/32", "::1/128"]);
        for wrong in ["", "10.0.0.1/8", "10.0.0.0/8,", "proxy.test", "10.0.0.0/33"] {
            assert!(cidrs(wrong).is_err(), "{wrong}");
        }
        let error = check(&[("data_dir", "/data"), ("direct_visitors", "refuse")]).expect_err("nobody could connect");
        assert!(error.message.contains("--trusted-proxies"), "{}", error.message);
        for wrong in ["0-5", "a", "1-", "-", "5-1", "1-70000"] {
            assert!(ports(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "s", "10", "1d", "-1s", "99999999999999999999s", "48h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        for wrong in ["api.test", "ftp://a.test", "https://", "https://a.test/?x=1", "https://u@a.test"] {
            assert!(base_url(wrong).is_err(), "{wrong}");
        }
    }
}
