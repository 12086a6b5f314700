//! The protocol of a local service: HTTP version, PROXY protocol, and TLS verification.

use super::{fields::Fields, upstream_trust::UpstreamTrust};
use postern_tunnel::{message::AppProtocol, proxy::ProxyVersion};

/// The protocol options of a tunnel's local service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpstreamProtocol {
    /// The HTTP version.
    pub app_protocol: AppProtocol,
    /// The PROXY protocol header at the start of every connection.
    pub proxy_protocol: Option<ProxyVersion>,
    /// The accepted certificates, for services with TLS.
    pub trust: UpstreamTrust,
}

impl UpstreamProtocol {
    /// Reads `app_protocol` and `proxy_proto`. `None` if there are problems.
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<UpstreamProtocol> {
        let app_protocol = match fields.text("app_protocol") {
            None => AppProtocol::Http1,
            Some(field) => match field.value.as_str() {
                "" | "http1" => AppProtocol::Http1,
                "http2" => AppProtocol::Http2,
                _ => {
                    fields.reject("app_protocol", field.location, "Must be `http1` or `http2`.");
                    return None;
                }
            },
        };
        let proxy_protocol = match fields.text("proxy_proto") {
            None => None,
            Some(field) => match field.value.as_str() {
                "" => None,
                "1" => Some(ProxyVersion::V1),
                "2" => Some(ProxyVersion::V2),
                _ => {
                    let message = "Must be `1` or `2`, a version of the PROXY protocol, or empty.";
                    fields.reject("proxy_proto", field.location, message);
                    return None;
                }
            },
        };
        Some(UpstreamProtocol { app_protocol, proxy_protocol, trust: UpstreamTrust::read(fields)? })
    }
}
