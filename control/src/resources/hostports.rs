//! Hostports of HTTPS and TLS edges: each host name belongs to one edge at most, whatever port it is written with.

use super::{Call, Claim, Resources, plan::Plan};
use crate::Wanted;
use postern_api::{Code, Error, Result, host::HostName};
use std::net::IpAddr;

/// The most hostports one edge may have.
const LIMIT: usize = 100;
/// The port every client means when it names none.
const STANDARD: u16 = 443;

/// Names in their one spelling, each hostport once, the order kept. What is no name with a port is refused.
pub(super) fn canonical(hostports: Vec<String>) -> Result<Vec<String>> {
    let mut seen = Vec::new();
    for hostport in hostports {
        let (name, port) = split(&hostport).map_err(|error| error.with("field", "hostports"))?;
        let hostport = format!("{name}:{port}");
        if !seen.contains(&hostport) {
            seen.push(hostport);
        }
    }
    Ok(seen)
}

/// Whether an edge may have these. `former` are those it has already: they stay its own, even if the server's
/// settings have changed.
pub(super) fn check(hostports: &[String], former: &[String], here: &Resources) -> Result<()> {
    let refuse = |code, sentence: String| Err(Error::new(code, sentence).with("field", "hostports"));
    if hostports.len() > LIMIT {
        let sentence = format!("An edge has at most {LIMIT} hostports; these are {}.", hostports.len());
        return refuse(Code::HostportCount, sentence);
    }
    let had = names(former);
    for hostport in hostports.iter().filter(|hostport| !former.contains(hostport)) {
        let (name, port) = split(hostport)?;
        let https = here.live.https_port();
        if name == here.settings.domain && here.settings.tcp_ports.contains(&port) {
            let sentence = format!(
                "`{hostport}` is a TCP address. Make a TCP edge for it, or name a host like `shop.{name}:{STANDARD}`."
            );
            return refuse(Code::HostportNoName, sentence);
        }
        if port != STANDARD && port != https {
            let ports = if https == STANDARD { String::new() } else { format!(" or `{name}:{https}`") };
            let sentence = format!("Port {port} is not the one for HTTPS. Write `{name}:{STANDARD}`{ports}.");
            return refuse(Code::HostportHttpsPort, sentence);
        }
        if here.settings.own_names.contains(&name) {
            return refuse(Code::HostportOwn, format!("`{name}` belongs to the server itself. Take another name."));
        }
        if !had.contains(&name) && here.live.host_in_use(&name) {
            let sentence =
                format!("`{name}` is in use by an agent's tunnel. Take another name, or stop that tunnel first.");
            return refuse(Code::HostportBound, sentence);
        }
    }
    Ok(())
}

/// The names of an edge, each once.
pub(crate) fn names(hostports: &[String]) -> Vec<HostName> {
    let mut names: Vec<HostName> =
        hostports.iter().filter_map(|hostport| split(hostport).ok()).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    names
}

pub(super) fn claims(hostports: &[String]) -> Vec<Claim> {
    names(hostports).iter().map(claim).collect()
}

/// The claim of the edge that has a name: in reverse, so that those below a name are found together.
pub(super) fn claim(name: &HostName) -> Claim {
    Claim { scope: "host".to_owned(), value: name.reversed() }
}

/// The names that an edge does not have yet.
pub(super) fn wanted(hostports: &[String], former: &[String]) -> Wanted {
    let had = names(former);
    let names = names(hostports).into_iter().filter(|name| !had.contains(name)).collect();
    Wanted { names, ..Wanted::default() }
}

/// Names that an edge does not have yet must not be reserved for others than the caller.
pub(super) async fn secure(plan: &mut Plan, hostports: &[String], former: &[String], call: &Call<'_>) -> Result<()> {
    for name in wanted(hostports, former).names {
        if let Some(reserved) = call.here.reserved_domain(plan, &name).await?
            && !call.caller.admin
            && reserved.owner != call.caller.owner
        {
            let sentence = format!("`{name}` is reserved for another owner, by `{}`. Take another name.", reserved.id);
            return Err(Error::new(Code::HostportOfAnother, sentence)
                .with("id", &reserved.id)
                .with("field", "hostports"));
        }
    }
    Ok(())
}

/// What to say when another edge has a name.
pub(super) fn taken(claim: &Claim, holder: &str) -> Error {
    let name: Vec<&str> = claim.value.rsplit('.').collect();
    let sentence = format!("`{}` belongs to the edge `{holder}` already. Take another name.", name.join("."));
    Error::new(Code::HostportTaken, sentence).with("id", holder).with("field", "hostports")
}

/// What the rules of every kind of edge with hostports say of them.
macro_rules! hooks {
    () => {
        fn check(kept: &Kept<Self>, former: Option<&Kept<Self>>, here: &Resources) -> Result<()> {
            let former = former.map(|former| former.spec.hostports.as_slice()).unwrap_or_default();
            hostports::check(&kept.spec.hostports, former, here)
        }

        fn claims(kept: &Kept<Self>) -> Vec<Claim> {
            hostports::claims(&kept.spec.hostports)
        }

        fn wanted(kept: &Kept<Self>, former: Option<&Kept<Self>>) -> Wanted {
            let former = former.map(|former| former.spec.hostports.as_slice()).unwrap_or_default();
            hostports::wanted(&kept.spec.hostports, former)
        }

        async fn secure(
            plan: &mut Plan,
            kept: &Kept<Self>,
            former: Option<&Kept<Self>>,
            call: &Call<'_>,
        ) -> Result<()> {
            let former = former.map(|former| former.spec.hostports.as_slice()).unwrap_or_default();
            hostports::secure(plan, &kept.spec.hostports, former, call).await
        }

        fn taken(claim: &Claim, holder: &str) -> Error {
            hostports::taken(claim, holder)
        }
    };
}
pub(super) use hooks;

fn split(hostport: &str) -> Result<(HostName, u16)> {
    let hostport = hostport.trim();
    let shown: String = hostport.chars().take(80).collect();
    let Some((host, port)) = hostport.rsplit_once(':').filter(|(host, _)| !host.is_empty()) else {
        let sentence = format!("`{shown}` is not of the form host:port. Write it like `shop.example.com:{STANDARD}`.");
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
        Error::new(Code::HostportPort, format!("`{shown}` has no port from 1 to 65535. Write `{name}:{STANDARD}`."))
    })?;
    Ok((name, port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_one_name_are_one_hostport_and_both_ports_one_claim() {
        let given = ["Shop.Example.COM:443", "shop.example.com.:443", "shop.example.com:4443", "*.Bücher.test:443"];
        let hostports = canonical(given.map(str::to_owned).to_vec()).expect("fine");
        assert_eq!(hostports, ["shop.example.com:443", "shop.example.com:4443", "*.xn--bcher-kva.test:443"]);
        let claimed: Vec<String> = claims(&hostports).into_iter().map(|claim| claim.key()).collect();
        assert_eq!(claimed, ["claims/host/test.xn--bcher-kva.*", "claims/host/com.example.shop"]);
    }

    #[test]
    fn what_is_no_name_with_a_port_has_its_code() {
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
            assert_eq!(split(hostport).expect_err(hostport).code, code, "{hostport}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic_and_canonical_texts_stay(text in "\\PC{0,60}") {
            if let Ok(hostports) = canonical(vec![text]) {
                prop_assert_eq!(canonical(hostports.clone()).expect("canonical"), hostports);
            }
        }
    }
}
