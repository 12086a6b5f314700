//! Resolves raw settings into a configuration: parses values, applies defaults, reports every mistake with its source.

use super::{
    Mistakes,
    acme::{acme, dns_resolver},
    console_oidc::console_oidc,
    raw::RawSettings,
    resolver::Resolver,
    shared_store::{Node, node, shared_store},
    values::{
        address, audit_events, audit_retention, base_url, cidrs, direct_visitors, duration, geoip, identity_headers,
        ip_address, path, plain_name, ports, session_duration,
    },
};
use crate::{
    log_output::Destination,
    logs::{Format, Level},
};
use postern_api::host::HostName;
use postern_control::{
    AcmeSettings, AuditRetention, AuditedEvents, ConsoleProviderSettings, ConsoleSessionLimits, store::SharedLocation,
};
use postern_edge::{Geo, Limits, MAX_RECENT_REQUESTS, Proxies, RECENT_REQUESTS};
use postern_logins::{IdentityHeaders, OAuthProviders};
use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    ops::RangeInclusive,
    path::PathBuf,
    time::Duration,
};

/// Validated configuration of the server.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    pub(crate) data_dir: PathBuf,
    /// A store that several programs could use, instead of the database in the folder.
    pub(crate) store: Option<SharedLocation>,
    /// This server as one of several that use the store.
    pub(crate) node: Option<Node>,
    /// File with the invitation of another one.
    pub(crate) join_file: Option<PathBuf>,
    pub(crate) api_addr: SocketAddr,
    pub(crate) https_addr: SocketAddr,
    pub(crate) http_addr: SocketAddr,
    pub(crate) tcp_addr: IpAddr,
    pub(crate) tcp_ports: RangeInclusive<u16>,
    pub(crate) domain: HostName,
    pub(crate) api_host: Option<HostName>,
    pub(crate) login_host: HostName,
    /// Headers that identify the logged-in visitor to local services.
    pub(crate) identity_headers: IdentityHeaders,
    /// OAuth apps of the operator, for modules without their own.
    pub(crate) oauth_apps: OAuthProviders,
    /// Base URL without a trailing slash. `None` derives it from the API's bound address.
    pub(crate) base_url: Option<String>,
    /// Proxies in front of the public ports.
    pub(crate) proxies: Proxies,
    /// Database of countries.
    pub(crate) geoip: Geo,
    /// PEM files of a chain and its key.
    pub(crate) certificate: Option<(PathBuf, PathBuf)>,
    /// ACME settings.
    pub(crate) acme: Option<AcmeSettings>,
    /// Name server for lookups.
    pub(crate) dns_resolver: Option<SocketAddr>,
    pub(crate) drain_delay: Duration,
    pub(crate) drain_timeout: Duration,
    /// Limits of the public side.
    pub(crate) limits: Limits,
    pub(crate) access_log: Option<Destination>,
    /// Last requests of each edge, route and tunnel that are kept in memory.
    pub(crate) recent_requests: usize,
    pub(crate) audit_log: Option<Destination>,
    pub(crate) audit_retention: AuditRetention,
    pub(crate) console_sessions: ConsoleSessionLimits,
    /// OpenID provider of the console; an empty address is derived from the API's.
    pub(crate) console_oidc: Option<ConsoleProviderSettings>,
    pub(crate) audit_events: AuditedEvents,
    pub(crate) log_format: Format,
    pub(crate) log_level: Level,
}

impl Configuration {
    /// Resolves all settings, or reports all mistakes, each as a sentence. `earlier` are mistakes in the file.
    ///
    /// # Errors
    /// All mistakes.
    pub(crate) fn resolve(raw: &RawSettings, earlier: Vec<String>) -> Result<Configuration, Mistakes> {
        let mut resolver = Resolver { raw, mistakes: earlier };
        let local = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let data_dir = resolver.value("data_dir", path);
        let api_addr = resolver.value("api_addr", address).unwrap_or(local(4041));
        let https_addr = resolver.value("https_addr", address).unwrap_or(local(4443));
        let http_addr = resolver.value("http_addr", address).unwrap_or(local(4480));
        let tcp_addr = resolver.value("tcp_addr", ip_address).unwrap_or(Ipv4Addr::LOCALHOST.into());
        let tcp_ports = resolver.value("tcp_ports", ports).unwrap_or(24000..=24999);
        let domain = resolver.value("domain", plain_name);
        let api_host = resolver.value("api_host", plain_name);
        let base_url = resolver.value("base_url", base_url);
        let login_host = resolver.value("login_host", plain_name);
        let identity_headers = resolver.value("identity_headers", identity_headers).unwrap_or_default();
        let oauth_apps = resolver.value("oauth_apps", super::oauth_apps::read).unwrap_or_default();
        let proxies = proxies(&mut resolver);
        let geoip = resolver.value("geoip", geoip).unwrap_or_default();
        let certificate = certificate(&mut resolver);
        let store = shared_store(&mut resolver);
        let node = node(&mut resolver, store.is_some());
        let join_file = resolver.value("join_file", path);
        let drain_delay = resolver.value("drain_delay", duration).unwrap_or_default();
        let drain_timeout = resolver.value("drain_timeout", duration).unwrap_or(Duration::from_secs(30));
        let limits = super::limits::resolve(&mut resolver);
        let access_log = resolver.value("access_log", str::parse);
        let recent_requests = resolver
            .value("recent_requests", |text| super::limits::count(text, 0..=MAX_RECENT_REQUESTS))
            .unwrap_or(RECENT_REQUESTS);
        let audit_log = resolver.value("audit_log", str::parse);
        let audit_retention = resolver.value("audit_retention", audit_retention).unwrap_or_default();
        let console_sessions = console_sessions(&mut resolver);
        let console_oidc = console_oidc(&mut resolver);
        let audit_events = resolver.value("audit_events", audit_events).unwrap_or_default();
        let log_format = resolver.value("log_format", str::parse).unwrap_or_default();
        let log_level = resolver.value("log_level", str::parse).unwrap_or_default();
        let acme = acme(&mut resolver);
        let dns_resolver = dns_resolver(&mut resolver);
        let data_dir = match data_dir.map_or_else(super::default_data_dir, Ok) {
            Ok(folder) => folder,
            Err(error) => {
                resolver.mistakes.push(error.message);
                PathBuf::new()
            }
        };
        if !resolver.mistakes.is_empty() {
            return Err(Mistakes(resolver.mistakes));
        }
        let domain = domain.map_or_else(|| HostName::parse("localhost"), Ok)?;
        let login_host = login_host.map_or_else(|| HostName::parse(&format!("login.{domain}")), Ok)?;
        Ok(Configuration {
            data_dir,
            store,
            node,
            join_file,
            api_addr,
            https_addr,
            http_addr,
            tcp_addr,
            tcp_ports,
            domain,
            api_host,
            login_host,
            identity_headers,
            oauth_apps,
            base_url,
            proxies,
            geoip,
            certificate,
            acme,
            dns_resolver,
            drain_delay,
            drain_timeout,
            limits,
            access_log,
            recent_requests,
            audit_log,
            audit_retention,
            console_sessions,
            console_oidc,
            audit_events,
            log_format,
            log_level,
        })
    }
}

fn console_sessions(resolver: &mut Resolver<'_>) -> ConsoleSessionLimits {
    let default = ConsoleSessionLimits::default();
    ConsoleSessionLimits {
        lifetime: resolver.value("console_session_lifetime", session_duration).unwrap_or(default.lifetime),
        inactivity: resolver.value("console_session_inactivity", session_duration).unwrap_or(default.inactivity),
    }
}

fn proxies(resolver: &mut Resolver<'_>) -> Proxies {
    let trusted = resolver.value("trusted_proxies", cidrs);
    let only = resolver.value("direct_visitors", direct_visitors);
    if only == Some(true) && !resolver.is_given("trusted_proxies") {
        resolver.mistakes.push(
            "--direct-visitors refuse leaves no client that may connect: set the proxies with --trusted-proxies."
                .into(),
        );
    }
    Proxies { trusted: trusted.unwrap_or_default(), only: only.unwrap_or_default(), ..Proxies::default() }
}

fn certificate(resolver: &mut Resolver<'_>) -> Option<(PathBuf, PathBuf)> {
    let (chain, key) = (resolver.value("certificate", path), resolver.value("certificate_key", path));
    resolver.belong_together("certificate", "certificate_key");
    chain.zip(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::{Code, Error};

    fn check(flags: &[(&'static str, &str)]) -> Result<Configuration, Error> {
        let flags = flags.iter().map(|(key, text)| (*key, (*text).to_owned()));
        let (raw, errors) = RawSettings::gather(flags, |_| None, None);
        Ok(Configuration::resolve(&raw, errors)?)
    }

    #[test]
    fn absent_settings_have_the_documented_defaults() {
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
    fn all_mistakes_are_reported_at_once_with_their_sources() {
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
    fn unavailable_stores_are_refused_with_an_explanation() {
        let error = check(&[("data_dir", "/data"), ("store", "redis://a:2379")]).expect_err("not a store");
        assert!(error.message.contains("is not a store"), "{}", error.message);
        let default = check(&[("data_dir", "/data"), ("store", "sqlite:/data/postern.db")]);
        assert!(default.expect("the default written in full").store.is_none());
    }

    #[test]
    fn a_shared_store_has_an_address_and_what_it_is_reached_with() {
        let folder = tempfile::tempdir().expect("a folder");
        let password = folder.path().join("password");
        std::fs::write(&password, "planted\n").expect("written");
        let password = password.to_string_lossy().into_owned();
        let store = |values: &[(&'static str, &str)]| check(&[&[("data_dir", "/data")], values].concat());
        let given =
            store(&[("store", "etcd://a,b:1/team"), ("store_user", "postern"), ("store_password_file", &password)]);
        let given = given.expect("a store").store.expect("a shared one");
        assert_eq!(given.address.to_string(), "etcd://a:2379,b:1/team");
        assert_eq!(
            given.user.map(|(name, password)| (name, password.reveal().to_owned())),
            Some(("postern".into(), "planted".into()))
        );
        for (values, part) in [
            (&[("store", "etcd://")][..], "is not the address of a store"),
            (&[("store", "etcds://a:1")], "--store-ca"),
            (&[("store", "etcd://a:1"), ("store_user", "postern")], "belong together"),
            (&[("store", "etcd://a:1"), ("store_key", "k")], "belong together"),
            (&[("store_user", "postern"), ("store_password_file", &password)], "belongs to --store"),
            (&[("store", "etcd://a:1"), ("store_ca", "/none.pem")], "cannot be read"),
        ] {
            let error = store(values).expect_err(part);
            assert!(error.message.contains(part) && !error.message.contains("planted"), "{part}: {}", error.message);
        }
    }

    #[test]
    fn a_node_needs_a_shared_store_and_an_address_that_others_can_connect_to() {
        let check = |values: &[(&'static str, &str)]| check(&[&[("data_dir", "/data")], values].concat());
        let shared = ("store", "etcd://a:1");
        let node = check(&[shared, ("node_addr", "10.0.0.1:4500"), ("node_name", "a")]).expect("a node").node;
        let expected =
            Node { listen: ([10, 0, 0, 1], 4500).into(), advertised: None, for_agents: None, name: "a".to_owned() };
        assert_eq!(node, Some(expected));
        let all = check(&[shared, ("node_addr", "0.0.0.0:4500"), ("node_advertise", "a.test:1")]).expect("a node").node;
        assert_eq!(all.and_then(|node| node.advertised).as_deref(), Some("a.test:1"));
        let for_agents = [shared, ("node_addr", "10.0.0.1:4500"), ("agent_advertise", "a.test:443")];
        let node = check(&for_agents).expect("a node").node;
        assert_eq!(node.and_then(|node| node.for_agents).as_deref(), Some("a.test:443"));
        assert_eq!(check(&[shared]).expect("a server alone").node, None);
        for (values, part) in [
            (&[("node_addr", "10.0.0.1:4500")][..], "--store etcd://"),
            (&[("join_file", "join")], "--store etcd://"),
            (&[("store", "sqlite:/data/postern.db"), ("node_addr", "10.0.0.1:4500")], "--store etcd://"),
            (&[shared, ("node_name", "a")], "--node-name belongs to --node-addr"),
            (&[shared, ("agent_advertise", "a.test:443")], "--agent-advertise belongs to --node-addr"),
            (&[shared, ("node_addr", "[::]:4500")], "--node-advertise"),
            (&[shared, ("node_addr", "10.0.0.1:1"), ("node_advertise", "a.test")], "HOST:PORT"),
            (&[shared, ("node_addr", "10.0.0.1:1"), ("node_name", " \t")], "is not a name"),
        ] {
            let error = check(values).expect_err(part);
            assert!(error.message.contains(part), "{part}: {}", error.message);
        }
    }

    #[test]
    fn identity_headers_may_have_another_prefix() {
        check(&[("data_dir", "/data"), ("identity_headers", "X-Auth")]).expect("a prefix");
        for wrong in ["X Auth", "-", "X-Auth:"] {
            let error = check(&[("data_dir", "/data"), ("identity_headers", wrong)]).expect_err(wrong);
            assert!(error.message.contains("--identity-headers"), "{}", error.message);
        }
    }

    #[test]
    fn common_spellings_of_values_are_accepted() {
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
        let error =
            check(&[("data_dir", "/data"), ("direct_visitors", "refuse")]).expect_err("no client could connect");
        assert!(error.message.contains("--trusted-proxies"), "{}", error.message);
        assert_eq!(session_duration("720h"), Ok(Duration::from_secs(30 * 24 * 60 * 60)));
        for wrong in ["", "59s", "0s", "721h", "30d", "12"] {
            assert!(session_duration(wrong).is_err(), "{wrong}");
        }
        let kept = |text| audit_retention(text).map(|kept| (kept.max_age.as_secs() / 86_400, kept.max_events));
        assert_eq!((kept("90d"), kept("500"), kept("7d, 500")), (Ok((90, 10_000)), Ok((365, 500)), Ok((7, 500))));
        for wrong in ["", "d", "0d", "99", "100001", "3651d", "5000,5000", "1d,2d", "-1d", "+100", "90d,", "1h"] {
            assert!(audit_retention(wrong).is_err(), "{wrong}");
        }
        let recorded = |text| audit_events(text).map(|on| (on.logins, on.refusals, on.expiries, on.alerts));
        assert_eq!(recorded("none"), Ok((false, false, false, false)));
        assert_eq!(recorded("refusals, expiries,alerts"), Ok((false, true, true, true)));
        assert_eq!(recorded("logins"), Ok((true, false, false, false)));
        for wrong in ["", "changes", "logins,", "logins,none", "logins,logins"] {
            assert!(audit_events(wrong).is_err(), "{wrong}");
        }
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
