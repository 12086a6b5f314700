//! Static backends: an address to connect to.

use super::{CallContext, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord};
use postern_api::{
    Code, Error, Result,
    resource::{ADDRESS_LIMIT, Nothing, StaticBackend, StaticBackendCreate, StaticBackendUpdate},
};
use std::net::{Ipv4Addr, Ipv6Addr};

impl Rules for StaticBackend {
    type Hidden = Nothing;
    const CACHEABLE: bool = true;
    const UNKNOWN: Code = Code::BackendUnknown;

    async fn create(body: StaticBackendCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        Ok(NewRecord::new(StaticBackend { address: body.address, tls: body.tls.unwrap_or_default() }, Nothing {}))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: StaticBackendUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        if let Some(address) = body.address {
            stored.spec.address = address;
        }
        stored.spec.tls = body.tls.unwrap_or(stored.spec.tls);
        Ok(Vec::new())
    }

    fn check(stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>, _ctx: &Resources) -> Result<()> {
        check_address(&stored.spec.address).map_err(|error| error.with("field", "address"))
    }

    async fn status(_stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

/// Validates `host:port`; the host is a name, an IPv4 address, or an IPv6 address in brackets.
fn check_address(address: &str) -> Result<()> {
    let shown: String = address.chars().take(80).collect();
    let (host, port) = address.rsplit_once(':').filter(|_| address.len() <= ADDRESS_LIMIT).ok_or_else(|| {
        let sentence =
            format!("`{shown}` is not of the form host:port. Write it like `127.0.0.1:8080` or `[::1]:8080`.");
        Error::new(Code::StaticAddress, sentence)
    })?;
    if port.starts_with(['0', '+']) || !port.parse::<u16>().is_ok_and(|port| port != 0) {
        let sentence = format!("`{shown}` has no valid port. Take one from 1 to 65535.");
        return Err(Error::new(Code::StaticPort, sentence));
    }
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let good = match bracketed {
        Some(inner) => inner.parse::<Ipv6Addr>().is_ok(),
        None => host.parse::<Ipv4Addr>().is_ok() || is_name(host),
    };
    if good {
        return Ok(());
    }
    let sentence =
        format!("`{shown}` has no valid host. Take a name, an IPv4 address, or an IPv6 address in brackets.");
    Err(Error::new(Code::StaticHost, sentence))
}

/// Underscores are allowed, because names of containers have them. The last label does not begin with a digit, so that a
/// mistyped IPv4 address is refused.
fn is_name(host: &str) -> bool {
    let part = |label: &str| {
        let inner = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        inner && (1..=63).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    host.len() <= 253 && host.split('.').all(part) && !last.starts_with(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_are_a_host_and_a_port() {
        let check = |address: &str| check_address(address).map_err(|error| error.code);
        let long = "a.".repeat(125) + "abc:65535";
        for good in
            ["a:1", "my_service:8080", "4.a.test:80", "127.0.0.1:65535", "[::1]:80", "[2001:db8::7]:443", long.as_str()]
        {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (wrong, code) in [
            ("", Code::StaticAddress),
            ("host", Code::StaticAddress),
            (&format!("a{long}"), Code::StaticAddress),
            (&format!("a{}", long.replace("65535", "1")), Code::StaticHost),
            ("host:", Code::StaticPort),
            ("host:0", Code::StaticPort),
            ("host:080", Code::StaticPort),
            ("host:+80", Code::StaticPort),
            ("host:65536", Code::StaticPort),
            ("http://host:80", Code::StaticHost),
            (":80", Code::StaticHost),
            ("::1:80", Code::StaticHost),
            ("[127.0.0.1]:80", Code::StaticHost),
            ("[::1:80", Code::StaticHost),
            ("300.1.1.1:80", Code::StaticHost),
            ("01.1.1.1:80", Code::StaticHost),
            ("a..b:80", Code::StaticHost),
            ("-a:80", Code::StaticHost),
            ("a b:80", Code::StaticHost),
            ("user@host:80", Code::StaticHost),
            ("*.a.test:80", Code::StaticHost),
        ] {
            assert_eq!(check(wrong), Err(code), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_checked_without_a_panic(text in "\\PC{0,60}") {
            let _ = check_address(&text);
        }
    }
}
