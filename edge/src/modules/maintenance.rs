//! Responses in place of the backend for a while. After its end the stage does nothing, without any call.

use super::Trace;
use crate::refusal::{CustomResponse, Fault, Refusal};
use hyper::{StatusCode, header::HeaderValue};
use ipnet::IpNet;
use jiff::Timestamp;
use postern_api::{Code, Error, ip_rules::parse_cidr, module};
use std::{net::IpAddr, sync::Arc, time::Duration};
use tokio::time::Instant;

const NAME: &str = "maintenance";
/// The `Retry-After` of a maintenance without an end.
const RETRY_AFTER: Duration = Duration::from_secs(300);

type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The maintenance of one owner.
pub(super) struct Maintenance {
    until: Option<i64>,
    response: CustomResponse,
    allow: Vec<IpNet>,
    clock: Clock,
}

impl Maintenance {
    /// # Errors
    /// If a value is not valid.
    pub(super) fn of(module: &module::Maintenance, clock: &Clock) -> Result<Self, Error> {
        let status = StatusCode::from_u16(module.status_code).map_err(|_| Code::MaintenanceStatus)?;
        let content_type = HeaderValue::try_from(&module.content_type).map_err(|_| Code::MaintenanceType)?;
        let body = (!module.body.is_empty()).then(|| (content_type, module.body.clone().into()));
        let allow = module.allow.iter().map(|network| parse_cidr(network)).collect::<Result<_, _>>()?;
        let until = module.until.map(postern_api::Timestamp::seconds);
        Ok(Maintenance { until, response: CustomResponse { status, body }, allow, clock: clock.clone() })
    }
}

/// Checks one request.
pub(super) fn stage(maintenance: &Maintenance, visitor: IpAddr, trace: &mut Trace) -> Result<(), Refusal> {
    let (began, now) = (Instant::now(), (maintenance.clock)().as_second());
    let retry_after = match maintenance.until {
        Some(until) if until <= now => return Ok(()),
        Some(until) => Duration::from_secs(until.abs_diff(now)),
        None => RETRY_AFTER,
    };
    let visitor = visitor.to_canonical();
    let allowed = maintenance.allow.iter().find(|network| network.contains(&visitor));
    trace.record(NAME, allowed.map(ToString::to_string), allowed.is_some(), began);
    if allowed.is_some() {
        return Ok(());
    }
    let message = "This address is under maintenance. Try again later.";
    let refusal = Refusal::new(Fault::Route, Error::new(Code::Maintenance, message)).retry_after(retry_after);
    Err(refusal.with_response(maintenance.response.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicI64, Ordering};

    fn at(seconds: &Arc<AtomicI64>) -> Clock {
        let seconds = seconds.clone();
        Arc::new(move || Timestamp::from_second(seconds.load(Ordering::Relaxed)).expect("a time"))
    }

    fn judged(maintenance: &Maintenance, visitor: &str) -> (Option<Refusal>, String) {
        let mut trace = Trace::default();
        let refusal = stage(maintenance, visitor.parse().expect("an address"), &mut trace).err();
        (refusal, trace.to_string())
    }

    #[test]
    fn it_ends_by_itself() {
        let now = Arc::new(AtomicI64::new(1000));
        let until = Timestamp::from_second(1060).map(postern_api::Timestamp::new).ok();
        let module = module::Maintenance { until, ..module::Maintenance::default() };
        let maintenance = Maintenance::of(&module, &at(&now)).expect("valid");
        let (refusal, trace) = judged(&maintenance, "203.0.113.1");
        let refusal = refusal.expect("refused");
        assert_eq!((refusal.status(), refusal.retry_after), (503, Some(Duration::from_secs(60))));
        assert!(trace.starts_with("maintenance refused"), "{trace}");
        now.store(1059, Ordering::Relaxed);
        assert_eq!(judged(&maintenance, "203.0.113.1").0.expect("refused").retry_after, Some(Duration::from_secs(1)));
        now.store(1060, Ordering::Relaxed);
        let (refusal, trace) = judged(&maintenance, "203.0.113.1");
        assert!(refusal.is_none() && trace.is_empty(), "over, it does nothing");
    }

    #[test]
    fn allowed_networks_pass_and_others_get_the_response() {
        let module = module::Maintenance {
            status_code: 200,
            body: "soon".to_owned(),
            content_type: "text/plain".to_owned(),
            allow: vec!["203.0.113.0/24".to_owned(), "2001:db8::/32".to_owned()],
            ..module::Maintenance::default()
        };
        let maintenance = Maintenance::of(&module, &at(&Arc::default())).expect("valid");
        for (visitor, passes) in
            [("203.0.113.9", true), ("::ffff:203.0.113.9", true), ("2001:db8::1", true), ("198.51.100.1", false)]
        {
            assert_eq!(judged(&maintenance, visitor).0.is_none(), passes, "{visitor}");
        }
        let refusal = judged(&maintenance, "198.51.100.1").0.expect("refused");
        assert_eq!((refusal.status(), refusal.retry_after), (200, Some(RETRY_AFTER)));
    }
}
