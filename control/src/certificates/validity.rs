//! Time of certificates: where it comes from, and how it is written into a certificate.

use jiff::Timestamp;
use rcgen::CertificateParams;
use std::{sync::Arc, time::Duration};

/// A day in seconds.
pub(crate) const DAY: i64 = 24 * 3600;

/// Source of the current time.
pub(crate) type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Sets the validity of a certificate, in seconds since 1970.
pub(crate) fn set_validity(params: &mut CertificateParams, from: i64, until: i64) {
    let at = |seconds: i64| rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds.max(0).unsigned_abs());
    params.not_before = at(from);
    params.not_after = at(until);
}
