use super::*;

const NO_NAMES: OwnNames<'static> = OwnNames { listening: None, allowed: &[] };

fn check_head(method: Method, target: &str, headers: &[(&str, &str)]) -> Result<(), Code> {
    check_head_with(&NO_NAMES, method, target, headers)
}

fn check_head_with(names: &OwnNames<'_>, method: Method, target: &str, list: &[(&str, &str)]) -> Result<(), Code> {
    let mut headers = HeaderMap::new();
    for (name, value) in list {
        headers.append(name.parse::<axum::http::HeaderName>().expect("a name"), value.parse().expect("a value"));
    }
    check(&method, &target.parse().expect("a target"), &headers, names).map_err(|error| error.code)
}

#[test]
fn only_loopback_literals_and_localhost_are_own_hosts() {
    for host in [
        "127.0.0.1",
        "127.0.0.1:4040",
        "[::1]",
        "[::1]:4040",
        "localhost",
        "localhost:9",
        "LOCALHOST.",
        "127.0.0.2",
        "[::ffff:127.0.0.1]",
    ] {
        assert_eq!(check_head(Method::GET, "/", &[("host", host)]), Ok(()), "{host}");
    }
    for host in [
        "0.0.0.0",
        "127.0.0.1.evil.example",
        "evil.example",
        "2130706433",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "127.1",
        "127.0.0.01",
        "",
        "localhost.evil.example",
        "site.localhost",
        "[::]",
        "[::ffff:10.0.0.1]",
        "user@localhost",
        "localhost@evil.example",
        "evil.example:127.0.0.1",
        "192.168.1.2",
    ] {
        assert_eq!(check_head(Method::GET, "/", &[("host", host)]), Err(Code::HostRefused), "{host}");
    }
    assert_eq!(check_head(Method::GET, "/", &[]), Err(Code::HostRefused));
    assert_eq!(check_head(Method::GET, "/", &[("host", "localhost"), ("host", "localhost")]), Err(Code::HostRefused));
}

#[test]
fn a_host_in_the_target_is_checked_too() {
    assert_eq!(check_head(Method::GET, "http://evil.example/", &[("host", "localhost")]), Err(Code::HostRefused));
    assert_eq!(check_head(Method::GET, "http://localhost:4040/", &[]), Ok(()));
}

#[test]
fn more_hosts_are_allowed_by_the_configuration_only() {
    let allowed = [
        AllowedHost::Name(HostName::parse("box.local").expect("a name")),
        AllowedHost::Below(HostName::parse("dev.example").expect("a name")),
        AllowedHost::Network("10.0.0.0/8".parse().expect("a network")),
    ];
    let names = OwnNames { listening: "192.0.2.7".parse().ok(), allowed: &allowed };
    for host in ["box.local", "BOX.local.:1", "a.dev.example", "10.1.2.3:4040", "192.0.2.7"] {
        assert_eq!(check_head_with(&names, Method::GET, "/", &[("host", host)]), Ok(()), "{host}");
    }
    for host in ["dev.example", "xdev.example", "11.0.0.1", "a.box.local", "192.0.2.8"] {
        assert_eq!(check_head_with(&names, Method::GET, "/", &[("host", host)]), Err(Code::HostRefused), "{host}");
    }
}

#[test]
fn other_sites_are_refused_and_programs_are_not() {
    let own = ("host", "127.0.0.1:4040");
    for (name, value) in
        [("origin", "http://127.0.0.1:4040"), ("sec-fetch-site", "same-origin"), ("sec-fetch-site", "none")]
    {
        assert_eq!(check_head(Method::GET, "/api/", &[own, (name, value)]), Ok(()), "{value}");
    }
    for (name, value) in [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "https://127.0.0.1:4040"),
        ("origin", "http://127.0.0.1:8080"),
        ("origin", "http://localhost:4040"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        assert_eq!(check_head(Method::GET, "/api/", &[own, (name, value)]), Err(Code::OriginRefused), "{value}");
    }
}

#[test]
fn bodies_must_be_json() {
    let own = ("host", "localhost");
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""] {
        assert_eq!(
            check_head(Method::POST, "/api/tunnels", &[own, ("content-type", kind)]),
            Err(Code::JsonOnly),
            "{kind}"
        );
        assert_eq!(
            check_head(Method::DELETE, "/api/requests/http", &[own, ("content-type", kind)]),
            Err(Code::JsonOnly),
            "{kind}"
        );
    }
    assert_eq!(check_head(Method::POST, "/api/tunnels", &[own]), Err(Code::JsonOnly));
    assert_eq!(
        check_head(Method::PUT, "/api/configured/a", &[own, ("content-type", "application/json; charset=utf-8")]),
        Ok(())
    );
    assert_eq!(check_head(Method::DELETE, "/api/requests/http", &[own]), Ok(()), "curl -X DELETE");
    assert_eq!(check_head(Method::DELETE, "/api/requests/http", &[own, ("content-length", "3")]), Err(Code::JsonOnly));
}

#[test]
fn requests_through_a_proxy_or_a_tunnel_are_refused() {
    for name in ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "postern-request-id"] {
        assert_eq!(
            check_head(Method::GET, "/api/", &[("host", "localhost"), (name, "x")]),
            Err(Code::HostRefused),
            "{name}"
        );
    }
}
