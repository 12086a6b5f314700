//! The name of this host and the account that runs the agent, which the server shows.

use postern_tunnel::AgentHost;
use std::sync::OnceLock;

/// This host, as the system names it. Read once: neither changes while the agent runs in a way that matters for display.
pub(super) fn own() -> AgentHost {
    static OWN: OnceLock<AgentHost> = OnceLock::new();
    OWN.get_or_init(|| AgentHost { name: host_name(), account: account().unwrap_or_default() }.cleaned()).clone()
}

#[cfg(unix)]
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// The account of the process. Variables of the environment come second, because they keep the caller's name under `sudo`.
#[cfg(unix)]
fn account() -> Option<String> {
    let user = rustix::process::getuid().as_raw();
    let listed = std::fs::read_to_string("/etc/passwd").ok().and_then(|accounts| name_of(&accounts, user));
    listed.or_else(|| ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok()))
}

#[cfg(not(unix))]
fn account() -> Option<String> {
    std::env::var("USERNAME").ok()
}

/// The name of a user id in the text of `/etc/passwd`.
#[cfg(unix)]
fn name_of(accounts: &str, user: u32) -> Option<String> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(user)).then(|| name.to_owned())
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_found_by_its_number() {
        let accounts = "root:x:0:0:root:/root:/bin/sh\n\nbroken\nada:x:1000:1000::/home/ada:/bin/sh\n";
        assert_eq!(name_of(accounts, 1000).as_deref(), Some("ada"));
        assert_eq!(name_of(accounts, 0).as_deref(), Some("root"));
        assert_eq!(name_of(accounts, 7), None);
    }
}
