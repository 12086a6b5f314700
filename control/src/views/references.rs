//! References between tunnels, sessions and endpoints.

use crate::{LiveAddress, LiveTunnel, resources::Resources};
use postern_api::{
    AnyId, Id,
    resource::{Endpoint, Ref, Tunnel, TunnelSession, View, list_uri},
};

/// Reference to the session that carries a tunnel.
pub(super) fn session_of(tunnel: &LiveTunnel, ctx: &Resources) -> Ref {
    let uri = format!("{}/{}", list_uri(ctx.base_url(), TunnelSession::PATH), tunnel.session);
    Ref { id: AnyId::from_text(&tunnel.session), uri }
}

/// Id of a tunnel's endpoint.
pub(super) fn endpoint_id(tunnel: &Id<Tunnel>) -> Option<Id<Endpoint>> {
    Id::parse(&format!("ep_{}", tunnel.ksuid())).ok()
}

/// URL of an address, without the default port of its scheme.
pub(super) fn url(address: &LiveAddress) -> String {
    let LiveAddress { scheme, host, port } = address;
    match (*scheme, *port) {
        ("https" | "tls", 443) | ("http", 80) => format!("{scheme}://{host}"),
        _ => format!("{scheme}://{host}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_port_is_omitted() {
        for (scheme, port, expected) in [
            ("https", 443, "https://a.test"),
            ("https", 4443, "https://a.test:4443"),
            ("tls", 443, "tls://a.test"),
            ("http", 80, "http://a.test"),
            ("http", 443, "http://a.test:443"),
            ("tcp", 443, "tcp://a.test:443"),
        ] {
            assert_eq!(url(&LiveAddress { scheme, host: "a.test".to_owned(), port }), expected);
        }
    }
}
