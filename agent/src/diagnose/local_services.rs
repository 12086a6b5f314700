//! The local services of the configured tunnels.

use super::report::{self, CheckTimer};
use crate::{
    config::Config,
    tunnels::{
        guard::Guard,
        local_dialer::{LocalConnectOptions, LocalDialer},
    },
};
use postern_api::local::DiagnosisReport;
use std::{sync::Arc, time::Duration};

/// Connecting for longer than this causes a warning.
const SLOW_CONNECT: Duration = Duration::from_millis(500);

pub(super) async fn check(report: &mut DiagnosisReport, config: &Config) {
    let guard = Arc::new(Guard::default());
    guard.allow_metadata(config.settings.allow_metadata_addresses);
    let dial = LocalDialer::new(guard);
    for (name, definition) in &config.tunnels {
        let timer = CheckTimer::start();
        let started = tokio::time::Instant::now();
        let shown = definition.upstream.shown(definition.is_http());
        let check = match dial
            .connect(&definition.upstream, &LocalConnectOptions::probe(&definition.upstream_protocol))
            .await
        {
            Ok(_) if started.elapsed() > SLOW_CONNECT => {
                let fix = "Visitors wait for this: is the service busy, or its name slow to look up?";
                timer.warn("service", name, format!("{shown} is slow to connect to"), fix)
            }
            Ok(_) => timer.ok("service", name, format!("{shown} accepts connections")),
            Err(error) => {
                let fix = "Start the service, or correct `addr` of the tunnel.";
                timer.fail("service", name, error.message, fix)
            }
        };
        report::add(report, check);
    }
}
