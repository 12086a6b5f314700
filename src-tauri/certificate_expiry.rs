//! Certificates of the server that expire soon: its events 30, 14 and 3 days before are notified once each, also over restarts
//! of the app.

use crate::{
    app_config::AppConfig, app_state::AppState, desktop_state::RunState, error::DesktopError,
    management_api::ManagementClient, notifications::CertificateObserver,
};
use postern_api::resource::AuditEvent;
use serde::Deserialize;
use std::{sync::Arc, time::Duration};
use tauri::{AppHandle, Manager};

/// The newest events of the server. Of one certificate there are at most three.
const EVENTS_PATH: &str = "/audit_events?kind=certificate_expiry&limit=20";
/// The interval between two looks at the server. The events come days before the end of a certificate.
const EXAMINATION_INTERVAL: Duration = Duration::from_secs(3600);
/// The time that a server which has just started has for its own examination.
const START_DELAY: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct EventList {
    audit_events: Vec<AuditEvent>,
}

/// Notifies the events of the server for as long as the app runs.
pub(crate) async fn watch(app: AppHandle, config: Arc<AppConfig>, state: Arc<AppState>, observer: CertificateObserver) {
    let mut changes = state.subscribe_desktop();
    loop {
        if changes.wait_for(|state| state.server.state == RunState::Running).await.is_err() {
            return;
        }
        tokio::time::sleep(START_DELAY).await;
        match newest_events(&app).await {
            Ok(events) => report(&config, &observer, &events),
            Err(error) => tracing::debug!(%error, "the expiry of certificates is not known"),
        }
        tokio::time::sleep(EXAMINATION_INTERVAL).await;
    }
}

async fn newest_events(app: &AppHandle) -> Result<Vec<AuditEvent>, DesktopError> {
    let response = app.state::<ManagementClient>().request("GET", EVENTS_PATH, None).await?;
    let list: EventList = serde_json::from_str(&response.body)
        .map_err(|error| DesktopError::local(format!("The server answered with status {}", response.status), error))?;
    Ok(list.audit_events)
}

/// Reports the events that were not reported before, oldest first.
fn report(config: &AppConfig, observer: &CertificateObserver, events: &[AuditEvent]) {
    let known = config.settings.current().certificate_events;
    for event in events.iter().rev().filter(|event| !known.contains(event.id.as_str())) {
        observer.observe(event);
    }
    let reported = events.iter().map(|event| event.id.to_string()).collect();
    config.settings.update(|settings| settings.certificate_events = reported);
}
