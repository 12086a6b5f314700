//! A network for an agent whose link to the server can be cut, drop packets, or change its address.
//!
//! Two network namespaces: the agent's, and a router's between it and this one. A second link, which
//! never changes, leads to the agent's local API. Creating them needs root, or sudo without a password.

use std::{
    net::Ipv4Addr,
    process::{Command, Output},
    time::Duration,
};

/// The largest number of a network. Specifications take smaller ones, and the test of this file takes this one.
const LAST_NUMBER: u16 = 511;

/// The network namespaces of one specification, deleted at its end.
pub struct Network {
    name: String,
    /// In 198.18.0.0/15, which is reserved for benchmarks (RFC 2544).
    subnet: [u8; 3],
}

impl Network {
    /// Creates and connects the namespaces.
    pub fn new() -> Network {
        (0..20)
            .find_map(|_| Network::numbered(rand::random_range(0..LAST_NUMBER)))
            .expect("network namespaces can be made: this specification runs as root, or with sudo")
    }

    /// The network with this number, unless another specification uses it.
    fn numbered(number: u16) -> Option<Network> {
        let name = format!("pt{number}");
        // The namespaces of another specification must not be deleted with a value of this type.
        if !ip(&["netns", "add", &router(&name)]) {
            return None;
        }
        let subnet = [198, 18 + u8::try_from(number >> 8).expect("0 or 1"), (number & 0xff) as u8];
        let network = Network { name, subnet };
        network.connect();
        Some(network)
    }

    /// The address at which agents reach the server.
    pub fn server(&self) -> Ipv4Addr {
        self.host(1)
    }

    /// The address of the agent's local API on the second link.
    pub fn web(&self) -> Ipv4Addr {
        self.host(34)
    }

    /// A command line as it runs in the agent's network.
    pub fn inside(&self, command: &[String]) -> Vec<String> {
        let own = self.agent();
        let mut all: Vec<String> = as_root().iter().map(|&word| word.to_owned()).collect();
        all.extend(["ip", "netns", "exec", &own].map(str::to_owned));
        all.extend_from_slice(command);
        all
    }

    /// Takes the agent's link down.
    pub fn cut(&self) {
        must(&["-n", &self.router(), "link", "set", "inner", "down"]);
    }

    /// Brings the agent's link up again.
    pub fn restore(&self) {
        must(&["-n", &self.router(), "link", "set", "inner", "up"]);
    }

    /// Makes the router drop all packets silently.
    pub fn drop_packets(&self) {
        self.set_forwarding(false);
    }

    /// Makes the router forward packets again.
    pub fn forward_packets(&self) {
        self.set_forwarding(true);
    }

    /// Removes the address of the agent's machine.
    pub fn remove_address(&self) {
        let address = format!("{}/28", self.host(18));
        must(&["-n", &self.agent(), "address", "del", &address, "dev", "uplink"]);
    }

    /// Gives the agent's machine another address with a route to the server.
    pub fn add_other_address(&self) {
        let own = self.agent();
        must(&["-n", &own, "address", "add", &format!("{}/28", self.host(19)), "dev", "uplink"]);
        must(&["-n", &own, "route", "add", "default", "via", &self.host(17).to_string()]);
    }

    #[expect(clippy::disallowed_methods, reason = "no runtime runs while the network is made")]
    fn connect(&self) {
        let (router, agent) = (self.router(), self.agent());
        let [outer, aside] = self.links();
        let address = |last: u8| format!("{}/28", self.host(last));
        must(&["netns", "add", &agent]);
        // IPv6 addresses change by themselves, which the agent would notice.
        let without = "echo 1 | tee /proc/sys/net/ipv6/conf/*/disable_ipv6";
        must(&["netns", "exec", &agent, "sh", "-c", without]);
        must(&["link", "add", &outer, "type", "veth", "peer", "name", "outer", "netns", &router]);
        must(&["link", "add", &aside, "type", "veth", "peer", "name", "aside", "netns", &agent]);
        must(&["-n", &router, "link", "add", "inner", "type", "veth", "peer", "name", "uplink", "netns", &agent]);
        must(&["address", "add", &address(1), "dev", &outer]);
        must(&["address", "add", &address(33), "dev", &aside]);
        must(&["-n", &router, "address", "add", &address(2), "dev", "outer"]);
        must(&["-n", &router, "address", "add", &address(17), "dev", "inner"]);
        must(&["-n", &agent, "address", "add", &address(18), "dev", "uplink"]);
        must(&["-n", &agent, "address", "add", &address(34), "dev", "aside"]);
        for (namespace, devices) in [(&router, ["outer", "inner", "lo"]), (&agent, ["uplink", "aside", "lo"])] {
            for device in devices {
                must(&["-n", namespace, "link", "set", device, "up"]);
            }
        }
        must(&["link", "set", &outer, "up"]);
        must(&["link", "set", &aside, "up"]);
        must(&["route", "add", &address(16), "via", &self.host(2).to_string()]);
        must(&["-n", &agent, "route", "add", "default", "via", &self.host(17).to_string()]);
        self.set_forwarding(true);
        // The kernel reports new links with a delay; wait until it has reported all.
        for (namespace, device) in [(&router, "inner"), (&agent, "uplink"), (&agent, "aside")] {
            let calm = (0..250).any(|_| {
                std::thread::sleep(Duration::from_millis(20));
                says(&["-n", namespace, "link", "show", device], "state UP")
            });
            assert!(calm, "{device} comes up");
        }
    }

    fn set_forwarding(&self, enabled: bool) {
        let write = format!("echo {} > /proc/sys/net/ipv4/ip_forward", u8::from(enabled));
        must(&["netns", "exec", &self.router(), "sh", "-c", &write]);
    }

    fn host(&self, last: u8) -> Ipv4Addr {
        let [a, b, c] = self.subnet;
        Ipv4Addr::new(a, b, c, last)
    }

    fn router(&self) -> String {
        router(&self.name)
    }

    fn agent(&self) -> String {
        format!("{}-agent", self.name)
    }

    /// The ends of the links in this namespace: to the router, and to the agent's local API.
    fn links(&self) -> [String; 2] {
        ["o", "a"].map(|end| format!("{}{end}", self.name))
    }
}

impl Default for Network {
    fn default() -> Self {
        Network::new()
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // The kernel deletes the links of a namespace some time after its name.
        for link in self.links() {
            ip(&["link", "delete", &link]);
        }
        // The number is free for others when the router has gone.
        for namespace in [self.agent(), self.router()] {
            ip(&["netns", "delete", &namespace]);
        }
    }
}

fn router(name: &str) -> String {
    format!("{name}-router")
}

fn as_root() -> &'static [&'static str] {
    if rustix::process::geteuid().is_root() { &[] } else { &["sudo", "-n", "-E"] }
}

fn run(arguments: &[&str]) -> Output {
    let mut words = as_root().iter().chain(&["ip"]).chain(arguments);
    let program = words.next().expect("there is one");
    Command::new(program).args(words).output().expect("`ip` of iproute2 is installed")
}

fn ip(arguments: &[&str]) -> bool {
    run(arguments).status.success()
}

fn says(arguments: &[&str], text: &str) -> bool {
    String::from_utf8_lossy(&run(arguments).stdout).contains(text)
}

#[track_caller]
fn must(arguments: &[&str]) {
    let Output { status, stderr, .. } = run(arguments);
    assert!(status.success(), "ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&stderr));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_can_be_used_again_at_once() {
        for _ in 0..3 {
            let network = Network::numbered(LAST_NUMBER).expect("no other specification has this number");
            assert!(Network::numbered(LAST_NUMBER).is_none(), "it is in use");
            drop(network);
        }
    }
}
