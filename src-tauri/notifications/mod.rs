//! What is worth telling somebody who does not look at a window: few things, seldom, and each can be switched off.

#[cfg_attr(target_os = "linux", path = "bus.rs")]
#[cfg_attr(not(target_os = "linux"), path = "native.rs")]
mod deliver;
mod throttle;
mod wording;

use crate::agent_view::AgentView;
use crate::desk::Desk;
use crate::windows;
use deliver::Post;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tauri::{AppHandle, Manager};
use throttle::Throttle;
use tokio::sync::mpsc;

/// How many notes may wait; more at once are of no use to anybody.
const WAITING: usize = 32;
/// So many requests are remembered as told.
const REMEMBERED: usize = 256;
/// A session that is lost for a shorter time is not worth a word.
const BLIP: Duration = Duration::from_secs(3);

/// What a note is about. Each kind is switched by itself, and has one note on the screen at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// The session with the server was lost, or is back.
    Connection,
    /// A tunnel that is wanted does not work.
    Tunnels,
    /// Visitors were answered with an error.
    Errors,
}

/// Which kinds are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Wanted {
    pub(crate) connection: bool,
    pub(crate) tunnels: bool,
    pub(crate) errors: bool,
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted { connection: true, tunnels: true, errors: false }
    }
}

impl Wanted {
    fn wants(self, kind: Kind) -> bool {
        match kind {
            Kind::Connection => self.connection,
            Kind::Tunnels => self.tunnels,
            Kind::Errors => self.errors,
        }
    }
}

/// One note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) kind: Kind,
    pub(crate) title: String,
    pub(crate) text: String,
}

/// What happened, as far as it may be worth a note.
#[derive(Debug)]
enum News {
    Note(Note),
    /// What a kind had said is true no longer.
    Over(Kind),
}

/// Where events of the agent's feed are handed in.
#[derive(Clone)]
pub(crate) struct Mouth {
    news: mpsc::Sender<News>,
    /// Requests that were told of: a pin or a note on one tells of it again.
    told: Arc<Mutex<VecDeque<String>>>,
}

impl Mouth {
    /// Looks at one captured request of the feed.
    pub(crate) fn heard(&self, event: &str, data: &Value) {
        if event == "request"
            && let Some(note) = wording::of_request(data)
            && self.is_new(data.get("id").and_then(Value::as_str).unwrap_or_default())
        {
            let _ = self.news.try_send(News::Note(note));
        }
    }

    fn is_new(&self, id: &str) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.iter().any(|known| known == id) {
            return false;
        }
        if told.len() == REMEMBERED {
            told.pop_front();
        }
        told.push_back(id.to_owned());
        true
    }
}

/// Begins to tell, as long as the app lives.
pub(crate) fn begin(app: &AppHandle, desk: &Arc<Desk>) -> Mouth {
    let (send, news) = mpsc::channel(WAITING);
    tauri::async_runtime::spawn(watch(desk.clone(), send.clone()));
    tauri::async_runtime::spawn(tell(app.clone(), desk.clone(), news));
    Mouth { news: send, told: Arc::default() }
}

/// Compares what the agent says with what it said before.
async fn watch(desk: Arc<Desk>, news: mpsc::Sender<News>) {
    let mut view = desk.view.subscribe();
    let mut before = AgentView::default();
    let mut told_offline = false;
    loop {
        let now = view.borrow_and_update().clone();
        for note in wording::of_tunnels(&before, &now) {
            let _ = news.send(News::Note(note)).await;
        }
        if wording::tunnels_are_well(&now) {
            let _ = news.send(News::Over(Kind::Tunnels)).await;
        }
        let online = |view: &AgentView| view.session.as_ref().is_some_and(|session| session.state == "online");
        if told_offline && online(&now) {
            told_offline = false;
            let _ = news.send(News::Note(wording::online_again(&now))).await;
        }
        let was_online = online(&before);
        // An agent that is started anew says nothing about the session it had.
        before = if now.connected { now.clone() } else { AgentView { connected: false, ..before } };
        if was_online && now.connected && !online(&now) && !desk.is_quitting() {
            let lost = tokio::time::timeout(BLIP, view.wait_for(online)).await.is_err();
            if lost {
                let last = desk.view.borrow().clone();
                told_offline = true;
                let _ = news.send(News::Note(wording::offline(&last))).await;
            }
            continue;
        }
        if view.changed().await.is_err() {
            return;
        }
    }
}

async fn tell(app: AppHandle, desk: Arc<Desk>, mut news: mpsc::Receiver<News>) {
    let mut post = Post::open(app.clone()).await;
    let mut throttle = Throttle::default();
    loop {
        let due = throttle.next(Instant::now());
        let heard = tokio::select! {
            heard = news.recv() => match heard {
                Some(heard) => Some(heard),
                None => return,
            },
            () = tokio::time::sleep(due.unwrap_or(Duration::MAX)), if due.is_some() => None,
        };
        match heard {
            Some(News::Note(note)) => throttle.take(note),
            Some(News::Over(kind)) => {
                throttle.forget(kind);
                post.withdraw(kind).await;
            }
            None => {}
        }
        for note in throttle.due(Instant::now()) {
            let wanted = desk.settings.facts().notifications.wants(note.kind);
            if wanted && !desk.is_quitting() && !somebody_looks(&app) {
                tracing::info!(kind = ?note.kind, title = note.title, "notification");
                post.send(&note).await;
            }
        }
    }
}

/// Whether a window of ours can be seen: then it says everything itself.
fn somebody_looks(app: &AppHandle) -> bool {
    app.webview_windows()
        .values()
        .any(|window| window.is_visible().unwrap_or(false) && !window.is_minimized().unwrap_or(false))
}

/// Somebody clicked a note.
fn clicked(app: &AppHandle) {
    let handle = app.clone();
    let _ = app.run_on_main_thread(move || {
        if let Err(failure) = windows::show_main(&handle) {
            tracing::warn!(%failure, "the window asked for cannot be shown");
        }
    });
}
