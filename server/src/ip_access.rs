//! Access to the management API and the console by IP restrictions, evaluated for the peer address of the socket.

use axum::extract::ConnectInfo;
use http::Extensions;
use postern_api::{
    Result,
    published::{self, Published, Ruling},
    resource::RestrictionType,
};
use postern_control::AdmissionCheck;
use postern_edge::Geo;
use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};
use tokio::sync::watch;

/// Evaluates the published IP restrictions.
#[derive(Clone)]
pub(crate) struct IpAccess {
    published: watch::Receiver<Arc<Published>>,
    geo: Geo,
}

impl IpAccess {
    pub(crate) fn new(published: watch::Receiver<Arc<Published>>, geo: Geo) -> Self {
        IpAccess { published, geo }
    }

    /// Admission of the management API. A session of the console needs an address that may use the console, too.
    pub(crate) fn admission(&self) -> AdmissionCheck {
        let access = self.clone();
        Arc::new(move |parts, caller| {
            access.admit(RestrictionType::Api, &parts.extensions)?;
            if caller.console { access.admit(RestrictionType::Dashboard, &parts.extensions) } else { Ok(()) }
        })
    }

    /// Evaluates a request by the peer address that its listener has set.
    pub(crate) fn admit(&self, part: RestrictionType, extensions: &Extensions) -> Result<()> {
        let restrictions = self.published.borrow().ip_restrictions.clone();
        if restrictions.is_empty() {
            return Ok(());
        }
        // Every listener sets it. A request without an address is admitted only if any address is.
        let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        let address = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)).to_canonical();
        let kind = part.as_str();
        let passes = published::admits(&restrictions, part, address, &self.geo, |restriction, ruling, rule| {
            let (restriction, rule) = (&restriction.id, rule.as_deref());
            match ruling {
                Ruling::Passes => {}
                Ruling::Warns => {
                    metrics::counter!("postern_ip_restriction_warnings_total", "type" => kind).increment(1);
                    tracing::warn!(%address, restriction, rule, kind, "an address would be refused if its IP restriction were enforced");
                }
                Ruling::Refuses => {
                    metrics::counter!("postern_ip_restriction_refusals_total", "type" => kind).increment(1);
                    tracing::warn!(%address, restriction, rule, kind, "an address was refused by an IP restriction");
                }
            }
        });
        if passes { Ok(()) } else { Err(published::denied(part, address)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::{
        Code,
        ip_rules::{Action, IpRule, IpRules, parse_cidr},
        published::IpRestriction,
    };

    fn from(address: Option<&str>) -> Extensions {
        let mut extensions = Extensions::new();
        if let Some(address) = address {
            let peer = SocketAddr::new(address.parse().expect("an address"), 5000);
            extensions.insert(ConnectInfo(peer));
        }
        extensions
    }

    #[test]
    fn published_restrictions_apply_at_once_and_to_their_part_only() {
        let (publish, published) = watch::channel(Arc::new(Published::default()));
        let ip_access = IpAccess::new(published, Geo::default());
        assert!(ip_access.admit(RestrictionType::Api, &from(Some("192.0.2.1"))).is_ok());
        let network = parse_cidr("10.0.0.0/8").expect("a CIDR");
        let rules = Arc::new(IpRules::new(vec![IpRule { network, action: Action::Allow, id: "ipr_1".into() }]));
        let restriction =
            IpRestriction { id: "ipx_1".to_owned(), guards: RestrictionType::Dashboard, enforced: true, rules };
        publish.send_modify(|now| Arc::make_mut(&mut Arc::make_mut(now).ip_restrictions).push(Arc::new(restriction)));
        let code = |part, address| ip_access.admit(part, &from(address)).map_err(|error| error.code);
        assert_eq!(code(RestrictionType::Dashboard, Some("192.0.2.1")), Err(Code::ConsoleAddressDenied));
        assert_eq!(code(RestrictionType::Dashboard, None), Err(Code::ConsoleAddressDenied));
        assert_eq!(code(RestrictionType::Dashboard, Some("::ffff:10.1.2.3")), Ok(()));
        assert_eq!(code(RestrictionType::Api, Some("192.0.2.1")), Ok(()));
    }
}
