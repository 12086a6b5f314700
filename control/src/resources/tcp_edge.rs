//! TCP edges: each port belongs to one edge at most, whatever host it is written with.

use super::{Attachment, Call, Claim, Draft, Kept, Making, Modules, Owner, Resources, Rules, owner, plan::Plan};
use crate::{Settings, Wanted};
use postern_api::{
    Code, Error, Result,
    host::HostName,
    module::{Backend, IpRestriction},
    resource::{Nothing, TcpEdge, TcpEdgeCreate, TcpEdgeStatus, TcpEdgeUpdate},
};
use std::net::{IpAddr, Ipv4Addr};

/// The most addresses one edge may have.
const HOSTPORT_LIMIT: usize = 100;

impl Rules for TcpEdge {
    type Hidden = Nothing;
    const LASTING: bool = true;
    const HAS_MODULES: bool = true;

    async fn create(mut body: TcpEdgeCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let modules = Self::take(&mut body);
        let hostports = canonical(body.hostports.unwrap_or_default());
        Ok(Draft { modules, ..Draft::new(TcpEdge { hostports }, Nothing {}) })
    }

    async fn change(kept: &mut Kept<Self>, mut body: TcpEdgeUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        let modules = Self::take(&mut body);
        if let Some(hostports) = body.hostports {
            kept.spec.hostports = canonical(hostports);
        }
        Ok(modules)
    }

    fn check(kept: &Kept<Self>, former: Option<&Kept<Self>>, here: &Resources) -> Result<()> {
        let hostports = &kept.spec.hostports;
        if hostports.len() > HOSTPORT_LIMIT {
            let sentence = format!("An edge has at most {HOSTPORT_LIMIT} hostports; these are {}.", hostports.len());
            return Err(Error::new(Code::HostportCount, sentence).with("field", "hostports"));
        }
        let had: Vec<u16> = former.map(|former| ports(&former.spec)).unwrap_or_default();
        for hostport in hostports {
            // An address the edge had before stays its own, even if the server's settings have changed.
            if former.is_some_and(|former| former.spec.hostports.contains(hostport)) {
                continue;
            }
            let port = judge(hostport, &here.settings).map_err(|error| error.with("field", "hostports"))?;
            if !had.contains(&port) && here.live.port_in_use(port) {
                return Err(Error::new(
                    Code::HostportBound,
                    format!("Port {port} is in use by an agent's tunnel. Take another one, or stop that tunnel first."),
                )
                .with("field", "hostports"));
            }
        }
        Ok(())
    }

    fn claims(kept: &Kept<Self>) -> Vec<Claim> {
        ports(&kept.spec).into_iter().map(claim).collect()
    }

    fn taken(claim: &Claim, holder: &str) -> Error {
        taken(&claim.value, holder)
    }

    fn wanted(kept: &Kept<Self>, former: Option<&Kept<Self>>) -> Wanted {
        let had: Vec<u16> = former.map(|former| ports(&former.spec)).unwrap_or_default();
        let ports = ports(&kept.spec).into_iter().filter(|port| !had.contains(port)).collect();
        Wanted { ports, ..Wanted::default() }
    }

    async fn secure(plan: &mut Plan, kept: &Kept<Self>, former: Option<&Kept<Self>>, call: &Call<'_>) -> Result<()> {
        for port in Self::wanted(kept, former).ports {
            if let Some(reserved) = call.here.reserved_address(plan, port).await?
                && !call.caller.admin
                && reserved.owner != call.caller.owner
            {
                let sentence =
                    format!("Port {port} is reserved for another owner, by `{}`. Take another one.", reserved.id);
                return Err(Error::new(Code::AddressOfAnother, sentence)
                    .with("id", &reserved.id)
                    .with("field", "hostports"));
            }
        }
        Ok(())
    }

    async fn status(kept: &Kept<Self>, modules: &Modules, here: &Resources) -> Result<TcpEdgeStatus> {
        let mut status = TcpEdgeStatus::default();
        Self::show(&mut status, kept, modules, here)?;
        Ok(status)
    }
}

owner!(TcpEdge { backend: Backend, ip_restriction: IpRestriction });

/// The claim of the edge that has a port.
pub(super) fn claim(port: u16) -> Claim {
    Claim { scope: "tcp".to_owned(), value: port.to_string() }
}

/// What to say when another edge has a port.
pub(super) fn taken(port: impl std::fmt::Display, holder: &str) -> Error {
    let sentence = format!("Port {port} belongs to the edge `{holder}` already. Take another one.");
    Error::new(Code::HostportTaken, sentence).with("id", holder).with("field", "hostports")
}

/// Host names in lower case, each address once, the order kept.
fn canonical(hostports: Vec<String>) -> Vec<String> {
    let mut seen = Vec::new();
    for hostport in hostports {
        let hostport = hostport.trim().to_ascii_lowercase();
        if !seen.contains(&hostport) {
            seen.push(hostport);
        }
    }
    seen
}

/// The ports of an edge, each once.
pub(crate) fn ports(edge: &TcpEdge) -> Vec<u16> {
    let mut ports: Vec<u16> =
        edge.hostports.iter().filter_map(|hostport| split(hostport)).map(|(_, port)| port).collect();
    ports.sort_unstable();
    ports.dedup();
    ports
}

pub(super) fn split(hostport: &str) -> Option<(&str, u16)> {
    let (host, port) = hostport.rsplit_once(':')?;
    let digits = !port.is_empty() && port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit());
    let port = port.parse().ok().filter(|port| digits && *port != 0)?;
    (!host.is_empty()).then_some((host, port))
}

/// Whether a hostport is one of this server's: the domain, the listening address or 127.0.0.1, and a port of the range.
pub(super) fn judge(hostport: &str, settings: &Settings) -> Result<u16> {
    let shown: String = hostport.chars().take(80).collect();
    let domain = &settings.domain;
    let example = format!("{domain}:{}", settings.tcp_ports.start());
    let (host, port) = split(hostport).ok_or_else(|| {
        Error::new(Code::HostportInvalid, format!("`{shown}` is not of the form host:port. Write it like `{example}`."))
    })?;
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let own = match bare.parse::<IpAddr>() {
        Ok(address) => address == settings.tcp_addr || address == IpAddr::V4(Ipv4Addr::LOCALHOST),
        Err(_) => HostName::parse(host).is_ok_and(|name| name == *domain),
    };
    if !own {
        return Err(Error::new(
            Code::HostportInvalid,
            format!(
                "`{shown}` is not an address of this server. Write it like `{example}` or `{}:{port}`.",
                settings.tcp_addr
            ),
        ));
    }
    if !settings.tcp_ports.contains(&port) {
        let (first, last) = (settings.tcp_ports.start(), settings.tcp_ports.end());
        return Err(Error::new(
            Code::HostportPort,
            format!("Port {port} is not one of this server. Take one from {first} to {last}."),
        ));
    }
    Ok(port)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn judged(hostport: &str) -> Result<u16, Code> {
        let settings = Settings {
            domain: HostName::parse("tunnels.test").expect("a name"),
            tcp_addr: "192.0.2.7".parse().expect("an address"),
            ..Settings::new("unused")
        };
        judge(hostport, &settings).map_err(|error| error.code)
    }

    #[test]
    fn each_spelling_of_the_servers_own_address_is_accepted() {
        for own in ["tunnels.test:24001", "tunnels.test.:24001", "127.0.0.1:24001", "192.0.2.7:24001"] {
            assert_eq!(judged(own), Ok(24001), "{own}");
        }
        for other in ["other.test:24001", "192.0.2.8:24001", "localhost:24001", "[::1]:24001", "x.tunnels.test:24001"] {
            assert_eq!(judged(other), Err(Code::HostportInvalid), "{other}");
        }
    }

    #[test]
    fn ports_lie_in_the_range() {
        for (hostport, code) in [
            ("tunnels.test:443", Code::HostportPort),
            ("tunnels.test:25000", Code::HostportPort),
            ("tunnels.test:0", Code::HostportInvalid),
            ("tunnels.test:99999", Code::HostportInvalid),
            ("tunnels.test:+2400", Code::HostportInvalid),
            ("tunnels.test:", Code::HostportInvalid),
            ("tunnels.test", Code::HostportInvalid),
            (":24001", Code::HostportInvalid),
            ("", Code::HostportInvalid),
        ] {
            assert_eq!(judged(hostport), Err(code), "{hostport}");
        }
    }

    #[test]
    fn two_spellings_of_one_port_are_one_claim() {
        let edge = TcpEdge { hostports: vec!["tunnels.test:24001".into(), "127.0.0.1:24001".into()] };
        assert_eq!(ports(&edge), [24001]);
        let hostports = canonical(vec!["Tunnels.TEST:24001".into(), "tunnels.test:24001".into()]);
        assert_eq!(hostports, ["tunnels.test:24001"]);
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(text in "\\PC{0,60}") {
            let _ = judged(&text);
        }

        #[test]
        fn what_is_accepted_has_its_port(port in 1u16..) {
            let expected = if (24000..=24999).contains(&port) { Ok(port) } else { Err(Code::HostportPort) };
            prop_assert_eq!(judged(&format!("tunnels.test:{port}")), expected);
        }
    }
}
