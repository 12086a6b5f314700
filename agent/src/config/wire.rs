//! How a local service is spoken to: which HTTP, and whether it is told who the visitor is.

use super::{fields::Fields, trust::Trust};
use postern_tunnel::{message::AppProtocol, proxy::ProxyVersion};

/// What a tunnel says about its local service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wire {
    /// The HTTP it speaks.
    pub app_protocol: AppProtocol,
    /// The header of the PROXY protocol that every connection to it begins with.
    pub proxy_protocol: Option<ProxyVersion>,
    /// Whose certificate it may show, if it speaks TLS.
    pub trust: Trust,
}

impl Wire {
    /// Reads `app_protocol` and `proxy_proto`. `None` if anything is wrong with them.
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<Wire> {
        let app_protocol = match fields.text("app_protocol") {
            None => AppProtocol::Http1,
            Some(written) => match written.value.as_str() {
                "" | "http1" => AppProtocol::Http1,
                "http2" => AppProtocol::Http2,
                _ => {
                    fields.wrong("app_protocol", written.place, "Must be `http1` or `http2`.");
                    return None;
                }
            },
        };
        let proxy_protocol = match fields.text("proxy_proto") {
            None => None,
            Some(written) => match written.value.as_str() {
                "" => None,
                "1" => Some(ProxyVersion::V1),
                "2" => Some(ProxyVersion::V2),
                _ => {
                    let message = "Must be `1` or `2`, a version of the PROXY protocol, or empty.";
                    fields.wrong("proxy_proto", written.place, message);
                    return None;
                }
            },
        };
        Some(Wire { app_protocol, proxy_protocol, trust: Trust::read(fields)? })
    }
}
