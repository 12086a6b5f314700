//! Examines the machine before the first start: names in DNS, ports, the clock.

use super::answers::Answers;
use crate::io_error::reason;
use std::{
    collections::BTreeSet,
    io,
    net::{IpAddr, SocketAddr, TcpListener, UdpSocket},
    process::Command,
    time::{Duration, SystemTime},
};

/// Time limit of one question to DNS.
const DNS_TIMEOUT: Duration = Duration::from_secs(5);
/// How far ahead of the clock the program's own file may be.
const MAX_CLOCK_SKEW: Duration = Duration::from_secs(24 * 60 * 60);

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// As it should be.
    Good(String),
    /// Perhaps as it should be.
    Note(String),
    /// Something to mend, and how.
    Problem(String),
}

impl Finding {
    /// Whether something has to be mended.
    pub(super) fn is_problem(&self) -> bool {
        matches!(self, Finding::Problem(_))
    }

    /// One line for people.
    pub(super) fn line(&self) -> String {
        match self {
            Finding::Good(text) => format!("  ok       {text}"),
            Finding::Note(text) => format!("  note     {text}"),
            Finding::Problem(text) => format!("  problem  {text}"),
        }
    }
}

/// Examines everything that the answers need.
pub(super) async fn examine(answers: &Answers) -> Vec<Finding> {
    let mut findings = Vec::new();
    if answers.is_public() {
        let domain = answers.domain.as_str();
        let of_domain = addresses(domain).await;
        let of_names = addresses(&format!("postern-setup.{domain}")).await;
        findings.extend(names(domain, &of_domain, &of_names, is_own));
    }
    findings.push(port("https", answers.https));
    findings.push(port("http", answers.http));
    findings.extend(challenges(answers));
    findings.push(clock(program_time(), SystemTime::from(postern_api::clock::now()), synchronized().as_deref()));
    findings
}

/// The addresses of a name; none if DNS does not say in time.
async fn addresses(name: &str) -> BTreeSet<IpAddr> {
    let lookup = tokio::net::lookup_host((name, 443));
    match tokio::time::timeout(DNS_TIMEOUT, lookup).await {
        Ok(Ok(found)) => found.map(|address| address.ip().to_canonical()).collect(),
        Ok(Err(_)) | Err(_) => BTreeSet::new(),
    }
}

/// Whether the address is one of this machine: only such addresses can be bound.
fn is_own(address: IpAddr) -> bool {
    UdpSocket::bind((address, 0)).is_ok()
}

fn names(
    domain: &str,
    of_domain: &BTreeSet<IpAddr>,
    of_names: &BTreeSet<IpAddr>,
    is_own: impl Fn(IpAddr) -> bool,
) -> Vec<Finding> {
    let list = |found: &BTreeSet<IpAddr>| found.iter().map(IpAddr::to_string).collect::<Vec<_>>().join(", ");
    let mut findings = Vec::new();
    findings.push(if of_domain.is_empty() {
        Finding::Problem(format!(
            "{domain} has no address in DNS: add an A record (and AAAA for IPv6) with the public address of this machine"
        ))
    } else if of_domain.iter().any(|address| is_own(*address)) {
        Finding::Good(format!("{domain} leads to this machine ({})", list(of_domain)))
    } else {
        Finding::Note(format!(
            "{domain} is {}, which is no address of this machine; that is right if a router or load balancer forwards to it",
            list(of_domain)
        ))
    });
    findings.push(if of_names.is_empty() {
        Finding::Problem(format!(
            "names below {domain} have no address in DNS: add a record for *.{domain} with the same address"
        ))
    } else if of_domain.is_empty() || of_names == of_domain {
        Finding::Good(format!("names below {domain} have an address ({})", list(of_names)))
    } else {
        Finding::Note(format!("names below {domain} are {}, and {domain} is another address", list(of_names)))
    });
    findings
}

fn port(scheme: &str, address: SocketAddr) -> Finding {
    let port = address.port();
    match TcpListener::bind(address) {
        Ok(_) => Finding::Good(format!("port {port} for {scheme} is free")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Finding::Problem(format!(
            "port {port} for {scheme} is taken: `ss -ltnp 'sport = :{port}'` names the program; stop it, or choose another port with --{scheme}-port"
        )),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Finding::Note(format!(
            "port {port} for {scheme} can only be tried by root; the service may use it, `postern-server run` by this user may not"
        )),
        Err(error) => Finding::Problem(format!("{address} for {scheme} cannot be used: {}", reason(&error))),
    }
}

/// The authority connects to these two ports alone (RFC 8555, section 8.3; RFC 8737, section 3).
fn challenges(answers: &Answers) -> Option<Finding> {
    let reachable = answers.http.port() == 80 || answers.https.port() == 443;
    (answers.mail.is_some() && !reachable).then(|| {
        Finding::Note(format!(
            "Let's Encrypt connects to port 80 or 443: forward 80 to {} or 443 to {}, or there are no certificates from there",
            answers.http.port(),
            answers.https.port()
        ))
    })
}

/// When the file of this program was written.
fn program_time() -> Option<SystemTime> {
    std::env::current_exe().ok()?.metadata().ok()?.modified().ok()
}

/// What systemd says of the clock, `yes` or `no`.
fn synchronized() -> Option<String> {
    let arguments = ["show", "--property=NTPSynchronized", "--value"];
    let output = Command::new("timedatectl").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn clock(program: Option<SystemTime>, now: SystemTime, synchronized: Option<&str>) -> Finding {
    if program.is_some_and(|written| written > now + MAX_CLOCK_SKEW) {
        let message = "the clock is wrong, it is behind the date of this program: set it with `timedatectl set-time`; certificates and logins fail otherwise";
        return Finding::Problem(message.into());
    }
    match synchronized {
        Some("yes") => Finding::Good("the clock is synchronized".into()),
        Some("no") => Finding::Problem(
            "the clock is not synchronized: `timedatectl set-ntp true`; certificates and logins need the time".into(),
        ),
        _ => Finding::Note(
            "systemd does not say whether the clock is synchronized; certificates and logins need the time".into(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(list: &[&str]) -> BTreeSet<IpAddr> {
        list.iter().map(|text| text.parse().expect("an address")).collect()
    }

    #[test]
    fn names_lead_here_or_the_record_to_add_is_said() {
        let own = |address: IpAddr| address.to_string() == "192.0.2.1";
        let judged = |of_domain: &[&str], of_names: &[&str]| {
            names("example.com", &addresses(of_domain), &addresses(of_names), own)
        };
        assert!(matches!(&judged(&["192.0.2.1"], &["192.0.2.1"])[..], [Finding::Good(_), Finding::Good(_)]));
        let missing = judged(&[], &[]);
        assert!(missing.iter().all(Finding::is_problem));
        assert!(missing[0].line().contains("A record") && missing[1].line().contains("*.example.com"), "{missing:?}");
        assert!(matches!(&judged(&["198.51.100.7"], &["198.51.100.7"])[..], [Finding::Note(_), Finding::Good(_)]));
        assert!(matches!(&judged(&["192.0.2.1"], &["198.51.100.7"])[..], [Finding::Good(_), Finding::Note(_)]));
        assert!(is_own([127, 0, 0, 1].into()) && !is_own([192, 0, 2, 1].into()));
    }

    #[test]
    fn a_taken_port_is_a_problem_with_a_way_out() {
        let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = taken.local_addr().expect("bound");
        let found = port("https", address);
        assert!(found.is_problem() && found.line().contains("--https-port"), "{found:?}");
        drop(taken);
        assert!(!port("https", address).is_problem());
    }

    #[test]
    fn an_authority_needs_one_of_the_usual_ports() {
        let answers = |mail: Option<&str>, https: u16, http: u16| Answers {
            domain: postern_api::host::HostName::parse("example.com").expect("a name"),
            mail: mail.map(str::to_owned),
            https: ([0; 4], https).into(),
            http: ([0; 4], http).into(),
            data_dir: None,
        };
        assert!(
            challenges(&answers(Some("me@example.com"), 8443, 8080))
                .expect("a note")
                .line()
                .contains("forward 80 to 8080")
        );
        for fine in [
            answers(Some("me@example.com"), 443, 8080),
            answers(Some("me@example.com"), 8443, 80),
            answers(None, 8443, 8080),
        ] {
            assert_eq!(challenges(&fine), None);
        }
    }

    #[test]
    fn a_clock_behind_the_program_is_wrong() {
        let now = SystemTime::from(postern_api::clock::now());
        assert!(clock(Some(now + 2 * MAX_CLOCK_SKEW), now, Some("yes")).is_problem());
        assert_eq!(clock(Some(now), now, Some("yes")), Finding::Good("the clock is synchronized".into()));
        assert!(clock(None, now, Some("no")).line().contains("set-ntp"));
        assert!(matches!(clock(None, now, None), Finding::Note(_)));
    }
}
