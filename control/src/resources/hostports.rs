//! Hostports of HTTPS and TLS edges. Each host name belongs to at most one edge, regardless of the port.

use super::{BoundAddress, CallContext, Claim, Resources, commit_plan::CommitPlan};
use crate::NameHold;
use postern_api::{Code, Error, Result, host::HostName};
use std::net::IpAddr;

/// Hostports of one edge.
const MAX_HOSTPORTS: usize = 100;
/// Default port of HTTPS.
const HTTPS_PORT: u16 = 443;

/// Normalizes and deduplicates hostports; refuses those that are not a host name with a port.
pub(super) fn canonical(hostports: Vec<String>) -> Result<Vec<String>> {
    let mut seen = Vec::new();
    for hostport in hostports {
        let (name, port) = parse(&hostport).map_err(|error| error.with("field", "hostports"))?;
        let hostport = format!("{name}:{port}");
        if !seen.contains(&hostport) {
            seen.push(hostport);
        }
    }
    Ok(seen)
}

/// Checks new hostports of an edge. Those in `former` stay valid, even if the server's settings have changed.
pub(super) fn check(hostports: &[String], former: &[String], ctx: &Resources) -> Result<()> {
    let refuse = |code, sentence: String| Err(Error::new(code, sentence).with("field", "hostports"));
    if hostports.len() > MAX_HOSTPORTS {
        let sentence = format!("An edge has at most {MAX_HOSTPORTS} hostports; these are {}.", hostports.len());
        return refuse(Code::HostportCount, sentence);
    }
    let had = names(former);
    for hostport in hostports.iter().filter(|hostport| !former.contains(hostport)) {
        let (name, port) = parse(hostport)?;
        let https = ctx.live.https_port();
        if name == ctx.settings.domain && ctx.settings.tcp_ports.contains(&port) {
            let sentence = format!(
                "`{hostport}` is a TCP address. Make a TCP edge for it, or name a host like `shop.{name}:{HTTPS_PORT}`."
            );
            return refuse(Code::HostportNoName, sentence);
        }
        if port != HTTPS_PORT && port != https {
            let ports = if https == HTTPS_PORT { String::new() } else { format!(" or `{name}:{https}`") };
            let sentence = format!("Port {port} is not the HTTPS port. Write `{name}:{HTTPS_PORT}`{ports}.");
            return refuse(Code::HostportHttpsPort, sentence);
        }
        if ctx.settings.own_names.contains(&name) {
            return refuse(Code::HostportOwn, format!("`{name}` belongs to the server itself. Take another name."));
        }
        if !had.contains(&name) && ctx.live.host_in_use(&name) {
            return Err(bound(&name));
        }
    }
    Ok(())
}

fn bound(name: &HostName) -> Error {
    let sentence = format!("`{name}` is in use by an agent's tunnel. Take another name, or stop that tunnel first.");
    Error::new(Code::HostportBound, sentence).with("field", "hostports")
}

/// Host names of an edge, each once.
pub(crate) fn names(hostports: &[String]) -> Vec<HostName> {
    let mut names: Vec<HostName> =
        hostports.iter().filter_map(|hostport| parse(hostport).ok()).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    names
}

pub(super) fn claims(hostports: &[String]) -> Vec<Claim> {
    names(hostports).iter().map(claim).collect()
}

/// Claim of an edge on a host name. The labels are reversed, so that all names below a name have a common prefix.
pub(super) fn claim(name: &HostName) -> Claim {
    Claim { scope: "host".to_owned(), value: name.reversed() }
}

/// Hold on the names that the edge does not have yet.
pub(super) fn name_hold(hostports: &[String], former: &[String]) -> NameHold {
    let had = names(former);
    let names = names(hostports).into_iter().filter(|name| !had.contains(name)).collect();
    NameHold { names, ..NameHold::default() }
}

/// Refuses new names that are reserved for another owner than the caller, or that tunnels have.
pub(super) async fn before_commit(
    plan: &mut CommitPlan,
    hostports: &[String],
    former: &[String],
    call: &CallContext<'_>,
) -> Result<()> {
    for name in name_hold(hostports, former).names {
        if let Some(reserved) = call.resources.reserved_domain(plan, &name).await?
            && !call.caller.is_admin()
            && reserved.owner != call.caller.owner
        {
            let sentence = format!("`{name}` is reserved for another owner, by `{}`. Take another name.", reserved.id);
            return Err(Error::new(Code::HostportOfAnother, sentence)
                .with("id", &reserved.id)
                .with("field", "hostports"));
        }
        call.resources.take_bound(plan, &BoundAddress::Host(name.clone()), None, || bound(&name)).await?;
    }
    Ok(())
}

/// Error when another edge has a name.
pub(super) fn claim_taken(claim: &Claim, holder: &str) -> Error {
    let name: Vec<&str> = claim.value.rsplit('.').collect();
    let sentence = format!("`{}` belongs to the edge `{holder}` already. Take another name.", name.join("."));
    Error::new(Code::HostportTaken, sentence).with("id", holder).with("field", "hostports")
}

/// The methods of `Rules` that concern hostports, for every kind of edge with host names.
macro_rules! hostport_rules {
    () => {
        fn check(stored: &StoredRecord<Self>, former: Option<&StoredRecord<Self>>, ctx: &Resources) -> Result<()> {
            let former = former.map(|former| former.spec.hostports.as_slice()).unwrap_or_default();
            hostports::check(&stored.spec.hostports, former, ctx)
        }

        fn claims(stored: &StoredRecord<Self>) -> Vec<Claim> {
            hostports::claims(&stored.spec.hostports)
        }

        fn name_hold(stored: &StoredRecord<Self>, former: Option<&StoredRecord<Self>>) -> NameHold {
            let former = former.map(|former| former.spec.hostports.as_slice()).unwrap_or_default();
            hostports::name_hold(&stored.spec.hostports, former)
        }

        async fn before_commit(
            plan: &mut CommitPlan,
            stored: &StoredRecord<Self>,
            former: Option<&StoredRecord<Self>>,
            call: &CallContext<'_>,
        ) -> Result<()> {
            let former = former.map(|former| former.spec.hostports.as_slice()).unwrap_or_default();
            hostports::before_commit(plan, &stored.spec.hostports, former, call).await
        }

        fn claim_taken(claim: &Claim, holder: &str) -> Error {
            hostports::claim_taken(claim, holder)
        }
    };
}
pub(super) use hostport_rules;

fn parse(hostport: &str) -> Result<(HostName, u16)> {
    let hostport = hostport.trim();
    let shown: String = hostport.chars().take(80).collect();
    let Some((host, port)) = hostport.rsplit_once(':').filter(|(host, _)| !host.is_empty()) else {
        let sentence =
            format!("`{shown}` is not of the form host:port. Write it like `shop.example.com:{HTTPS_PORT}`.");
        return Err(Error::new(Code::HostportInvalid, sentence));
    };
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if bare.parse::<IpAddr>().is_ok() {
        let sentence = format!("`{shown}` has an address where a host name is needed.");
        return Err(Error::new(Code::HostportNoName, sentence));
    }
    let name = HostName::parse(host).map_err(|error| Error::new(Code::HostportInvalid, error.message))?;
    let digits = port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit());
    let port = port.parse().ok().filter(|port| digits && *port != 0);
    let port = port.ok_or_else(|| {
        Error::new(Code::HostportPort, format!("`{shown}` has no port from 1 to 65535. Write `{name}:{HTTPS_PORT}`."))
    })?;
    Ok((name, port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_a_name_are_one_hostport_and_its_ports_are_one_claim() {
        let given = ["Shop.Example.COM:443", "shop.example.com.:443", "shop.example.com:4443", "*.Bücher.test:443"];
        let hostports = canonical(given.map(str::to_owned).to_vec()).expect("fine");
        assert_eq!(hostports, ["shop.example.com:443", "shop.example.com:4443", "*.xn--bcher-kva.test:443"]);
        let claimed: Vec<String> = claims(&hostports).into_iter().map(|claim| claim.key()).collect();
        assert_eq!(claimed, ["claims/host/test.xn--bcher-kva.*", "claims/host/com.example.shop"]);
    }

    #[test]
    fn invalid_hostports_have_specific_codes() {
        for (hostport, code) in [
            ("", Code::HostportInvalid),
            ("shop.test", Code::HostportInvalid),
            (":443", Code::HostportInvalid),
            ("a_b.test:443", Code::HostportInvalid),
            ("a.*.test:443", Code::HostportInvalid),
            ("https://shop.test:443", Code::HostportInvalid),
            ("shop.test:", Code::HostportPort),
            ("shop.test:0", Code::HostportPort),
            ("shop.test:65536", Code::HostportPort),
            ("shop.test:+443", Code::HostportPort),
            ("127.0.0.1:443", Code::HostportNoName),
            ("[::1]:443", Code::HostportNoName),
        ] {
            assert_eq!(parse(hostport).expect_err(hostport).code, code, "{hostport}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic_and_canonical_texts_stay(text in "\\PC{0,60}") {
            if let Ok(hostports) = canonical(vec![text]) {
                prop_assert_eq!(canonical(hostports.clone()).expect("canonical"), hostports);
            }
        }
    }
}
