//! Trays on Linux: a program of the desktop owns a name on the session bus.

use super::TrayHost;
use futures::{Stream, StreamExt};
use std::{future::ready, pin::pin, sync::atomic::Ordering, time::Duration};
use tauri::{AppHandle, Manager};
use tokio::time::sleep;
use zbus::{
    fdo::{DBusProxy, NameOwnerChanged},
    names::BusName,
};

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
/// The time that a tray has to come back: panels restart, and are restarted after a crash.
const RETURN_TIMEOUT: Duration = Duration::from_secs(10);

/// Keeps `TrayHost` up to date. If the tray disappears and does not come back, the main window is shown.
pub(crate) async fn watch(app: AppHandle) {
    let show_main = || {
        let handle = app.clone();
        let _ = app.run_on_main_thread(move || {
            let _ = crate::windows::show_main(&handle);
        });
    };
    match availability().await {
        Ok(availability) => follow(availability, &app.state::<TrayHost>(), show_main).await,
        Err(error) => tracing::info!(%error, "the tray is not available without a session bus"),
    }
}

/// Whether a tray is available now, and each change of it. Ends with the session bus.
async fn availability() -> zbus::Result<impl Stream<Item = bool>> {
    let bus = zbus::Connection::session().await?;
    let names = DBusProxy::new(&bus).await?;
    let changes = names.receive_name_owner_changed_with_args(&[(0, WATCHER)]).await?;
    let now = names.name_has_owner(BusName::try_from(WATCHER)?).await?;
    let has_owner = |change: NameOwnerChanged| ready(change.args().ok().map(|change| change.new_owner().is_some()));
    Ok(futures::stream::once(ready(now)).chain(changes.filter_map(has_owner)))
}

/// Calls `show_window` once for each tray that disappears and does not come back in time.
async fn follow(availability: impl Stream<Item = bool>, host: &TrayHost, show_window: impl Fn()) {
    let mut availability = pin!(availability);
    let mut disappeared = false;
    loop {
        tokio::select! {
            next = availability.next() => {
                let available = next.unwrap_or(false);
                tracing::info!(available, "tray");
                let was_available = host.0.swap(available, Ordering::Relaxed);
                disappeared = !available && (was_available || disappeared);
                if next.is_none() {
                    break;
                }
            }
            () = sleep(RETURN_TIMEOUT), if disappeared => {
                disappeared = false;
                show_window();
            }
        }
    }
    if disappeared {
        show_window();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::channel::mpsc::{UnboundedSender, unbounded};
    use std::sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize},
    };

    /// What `follow` does with a tray whose availability the test sends.
    struct Desktop {
        tray: UnboundedSender<bool>,
        host: Arc<TrayHost>,
        shown: Arc<AtomicUsize>,
    }

    fn desktop() -> Desktop {
        let (tray, availability) = unbounded();
        let host = Arc::new(TrayHost(AtomicBool::new(false)));
        let shown = Arc::new(AtomicUsize::new(0));
        let (follows, counts) = (host.clone(), shown.clone());
        tokio::spawn(async move {
            let show_window = || {
                counts.fetch_add(1, Ordering::Relaxed);
            };
            follow(availability, &follows, show_window).await;
        });
        Desktop { tray, host, shown }
    }

    impl Desktop {
        async fn tray_is(&self, available: bool) {
            self.tray.unbounded_send(available).unwrap();
            sleep(Duration::from_millis(1)).await;
            assert_eq!(self.host.is_available(), available);
        }

        async fn loses_its_tray(&self) {
            self.tray_is(true).await;
            self.tray_is(false).await;
        }

        fn shown(&self) -> usize {
            self.shown.load(Ordering::Relaxed)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_tray_that_comes_back_in_time_shows_no_window() {
        let desktop = desktop();
        desktop.loses_its_tray().await;
        sleep(RETURN_TIMEOUT / 2).await;
        desktop.tray_is(true).await;
        sleep(RETURN_TIMEOUT * 3).await;
        assert_eq!(desktop.shown(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_tray_that_stays_away_shows_the_window_once() {
        let desktop = desktop();
        desktop.loses_its_tray().await;
        sleep(RETURN_TIMEOUT * 3).await;
        assert_eq!(desktop.shown(), 1);
        desktop.loses_its_tray().await;
        sleep(RETURN_TIMEOUT * 3).await;
        assert_eq!(desktop.shown(), 2, "another tray that disappears");
    }

    #[tokio::test(start_paused = true)]
    async fn a_desktop_that_never_had_a_tray_is_left_to_the_start_of_the_app() {
        let desktop = desktop();
        desktop.tray_is(false).await;
        sleep(RETURN_TIMEOUT * 3).await;
        assert_eq!(desktop.shown(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_bus_that_ends_shows_the_window_at_once() {
        let desktop = desktop();
        desktop.tray_is(true).await;
        desktop.tray.close_channel();
        sleep(RETURN_TIMEOUT / 2).await;
        assert_eq!(desktop.shown(), 1);
        assert!(!desktop.host.is_available());
    }
}
