//! TCP edges. Each port belongs to at most one edge, regardless of the host.

use super::{
    BoundAddress, CallContext, Claim, CreateContext, ModuleOwner, Modules, NewModule, NewRecord, Resources, Rules,
    StoredRecord, commit_plan::CommitPlan, owner,
};
use crate::{ControlSettings, NameHold};
use postern_api::{
    Code, Error, Result, checks,
    host::HostName,
    module::RateLimit,
    resource::{Nothing, TcpEdge, TcpEdgeCreate, TcpEdgeStatus, TcpEdgeUpdate},
};
use std::net::{IpAddr, Ipv4Addr};

/// Addresses of one edge.
const MAX_HOSTPORTS: usize = 100;

impl Rules for TcpEdge {
    type Hidden = Nothing;
    const CACHEABLE: bool = true;
    const HAS_MODULES: bool = true;
    const MODULES_INTERDEPEND: bool = true;

    async fn create(mut body: TcpEdgeCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let modules = Self::take_modules(&mut body);
        let hostports = canonical(body.hostports.unwrap_or_default());
        Ok(NewRecord { modules, ..NewRecord::new(TcpEdge { hostports }, Nothing {}) })
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        mut body: TcpEdgeUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        let modules = Self::take_modules(&mut body);
        if let Some(hostports) = body.hostports {
            stored.spec.hostports = canonical(hostports);
        }
        Ok(modules)
    }

    fn check(stored: &StoredRecord<Self>, former: Option<&StoredRecord<Self>>, ctx: &Resources) -> Result<()> {
        let hostports = &stored.spec.hostports;
        if hostports.len() > MAX_HOSTPORTS {
            let sentence = format!("An edge has at most {MAX_HOSTPORTS} hostports; these are {}.", hostports.len());
            return Err(Error::new(Code::HostportCount, sentence).with("field", "hostports"));
        }
        let had: Vec<u16> = former.map(|former| ports(&former.spec)).unwrap_or_default();
        for hostport in hostports {
            // Former addresses stay valid, even if the server's settings have changed.
            if former.is_some_and(|former| former.spec.hostports.contains(hostport)) {
                continue;
            }
            let port = check_hostport(hostport, &ctx.settings).map_err(|error| error.with("field", "hostports"))?;
            if !had.contains(&port) && ctx.live.port_in_use(port) {
                return Err(bound(port));
            }
        }
        Ok(())
    }

    fn claims(stored: &StoredRecord<Self>) -> Vec<Claim> {
        ports(&stored.spec).into_iter().map(claim).collect()
    }

    fn claim_taken(claim: &Claim, holder: &str) -> Error {
        port_taken(&claim.value, holder)
    }

    fn name_hold(stored: &StoredRecord<Self>, former: Option<&StoredRecord<Self>>) -> NameHold {
        let had: Vec<u16> = former.map(|former| ports(&former.spec)).unwrap_or_default();
        let ports = ports(&stored.spec).into_iter().filter(|port| !had.contains(port)).collect();
        NameHold { ports, ..NameHold::default() }
    }

    async fn before_commit(
        plan: &mut CommitPlan,
        stored: &StoredRecord<Self>,
        former: Option<&StoredRecord<Self>>,
        call: &CallContext<'_>,
    ) -> Result<()> {
        for port in Self::name_hold(stored, former).ports {
            if let Some(reserved) = call.resources.reserved_address(plan, port).await?
                && !call.caller.is_admin()
                && reserved.owner != call.caller.owner
            {
                let sentence =
                    format!("Port {port} is reserved for another owner, by `{}`. Take another one.", reserved.id);
                return Err(Error::new(Code::AddressOfAnother, sentence)
                    .with("id", &reserved.id)
                    .with("field", "hostports"));
            }
            call.resources.take_bound(plan, &BoundAddress::Port(port), None, || bound(port)).await?;
        }
        Ok(())
    }

    fn check_modules(modules: &Modules, ctx: &Resources) -> Result<()> {
        check_rate_limit(modules, ctx)
    }

    async fn status(stored: &StoredRecord<Self>, modules: &Modules, ctx: &Resources) -> Result<TcpEdgeStatus> {
        let mut status = TcpEdgeStatus::default();
        Self::show_modules(&mut status, stored, modules, ctx)?;
        Ok(status)
    }
}

owner! { TcpEdge modules {
    backend: Backend,
    ip_restriction: IpRestriction,
    rate_limit: RateLimit,
} }

/// Checks that the rate limit of an edge without requests counts connections.
pub(super) fn check_rate_limit(modules: &Modules, ctx: &Resources) -> Result<()> {
    modules.read::<RateLimit>(ctx)?.map_or(Ok(()), |module| checks::rate_limit_of_connections(&module))
}

/// Claim of an edge on a port.
pub(super) fn claim(port: u16) -> Claim {
    Claim { scope: "tcp".to_owned(), value: port.to_string() }
}

fn bound(port: u16) -> Error {
    let sentence = format!("Port {port} is in use by an agent's tunnel. Take another one, or stop that tunnel first.");
    Error::new(Code::HostportBound, sentence).with("field", "hostports")
}

/// Error when another edge has a port.
fn port_taken(port: impl std::fmt::Display, holder: &str) -> Error {
    let sentence = format!("Port {port} belongs to the edge `{holder}` already. Take another one.");
    Error::new(Code::HostportTaken, sentence).with("id", holder).with("field", "hostports")
}

/// Normalizes and deduplicates hostports.
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

/// Ports of an edge, each once.
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

/// Checks that a hostport belongs to this server: its domain, its listening address or 127.0.0.1, and a port of its range.
pub(super) fn check_hostport(hostport: &str, settings: &ControlSettings) -> Result<u16> {
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

    fn checked(hostport: &str) -> Result<u16, Code> {
        let settings = ControlSettings {
            domain: HostName::parse("tunnels.test").expect("a name"),
            tcp_addr: "192.0.2.7".parse().expect("an address"),
            ..ControlSettings::new("unused")
        };
        check_hostport(hostport, &settings).map_err(|error| error.code)
    }

    #[test]
    fn each_spelling_of_the_servers_own_address_is_accepted() {
        for own in ["tunnels.test:24001", "tunnels.test.:24001", "127.0.0.1:24001", "192.0.2.7:24001"] {
            assert_eq!(checked(own), Ok(24001), "{own}");
        }
        for other in ["other.test:24001", "192.0.2.8:24001", "localhost:24001", "[::1]:24001", "x.tunnels.test:24001"] {
            assert_eq!(checked(other), Err(Code::HostportInvalid), "{other}");
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
            assert_eq!(checked(hostport), Err(code), "{hostport}");
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
        fn any_text_is_checked_without_a_panic(text in "\\PC{0,60}") {
            let _ = checked(&text);
        }

        #[test]
        fn accepted_hostports_have_their_port(port in 1u16..) {
            let expected = if (24000..=24999).contains(&port) { Ok(port) } else { Err(Code::HostportPort) };
            prop_assert_eq!(checked(&format!("tunnels.test:{port}")), expected);
        }
    }
}
