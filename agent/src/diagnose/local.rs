//! The local services of the configured tunnels.

use super::report::{Report, Watch};
use crate::{
    config::Config,
    tunnels::{
        guard::Guard,
        local_dialer::{LocalConnectOptions, LocalDialer},
    },
};
use std::{sync::Arc, time::Duration};

/// A service that takes longer than this to be connected to is worth a look.
const SLOW: Duration = Duration::from_millis(500);

pub(super) async fn look_at(report: &mut Report, config: &Config) {
    let guard = Arc::new(Guard::default());
    guard.allow_metadata(config.settings.allow_metadata_addresses);
    let dial = LocalDialer::new(guard);
    for (name, definition) in &config.tunnels {
        let watch = Watch::start();
        let begun = std::time::Instant::now();
        let shown = definition.upstream.shown(definition.is_http());
        report.add(
            match dial.connect(&definition.upstream, &LocalConnectOptions::probe(&definition.upstream_protocol)).await {
                Ok(_) if begun.elapsed() > SLOW => {
                    let fix = "Visitors wait for this: is the service busy, or its name slow to look up?";
                    watch.warn("service", name, format!("{shown} is slow to connect to"), fix)
                }
                Ok(_) => watch.ok("service", name, format!("{shown} takes connections")),
                Err(error) => {
                    let fix = "Start the service, or correct `addr` of the tunnel.";
                    watch.fail("service", name, error.message, fix)
                }
            },
        );
    }
}
