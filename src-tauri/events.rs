//! The agent's live feed: relayed to the windows as it comes, and kept as the view that tray and memory use.

use crate::agent_view::AgentView;
use crate::desk::Desk;
use crate::notifications::Mouth;
use crate::sse::Parser;
use crate::state::Condition;
use futures::StreamExt;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tauri::{AppHandle, Emitter};

/// The pause after a feed broke. The agent says everything again when it is opened anew.
const PAUSE: Duration = Duration::from_millis(200);
/// A feed this silent is dead: the agent sends a comment more often.
const SILENCE: Duration = Duration::from_secs(60);
/// When the last state is sent once more.
const REPEAT: Duration = Duration::from_secs(1);

/// Follows the feed of whatever agent runs, as long as the app lives.
pub(crate) async fn follow(desk: Arc<Desk>, app: AppHandle, mouth: Mouth) {
    let mut state = desk.state.watch();
    loop {
        let address = match state.wait_for(|state| state.agent.web_addr.is_some()).await {
            Ok(state) => state.agent.web_addr,
            Err(_) => return,
        };
        if let Some(address) = address {
            tokio::select! {
                end = listen(&desk, &app, &mouth, address) => if let Err(error) = end {
                    tracing::debug!(%error, "the agent's feed ended");
                },
                _ = state.wait_for(|state| state.agent.web_addr != Some(address)) => {}
            }
        }
        desk.view.send_if_modified(|view| std::mem::take(view) != AgentView::default());
        tokio::time::sleep(PAUSE).await;
    }
}

async fn listen(
    desk: &Desk,
    app: &AppHandle,
    mouth: &Mouth,
    address: SocketAddr,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let request = desk.http.get(format!("http://{address}/api/events")).header("accept", "text/event-stream");
    let answer = request.send().await?.error_for_status()?;
    let mut pieces = answer.bytes_stream();
    let mut parser = Parser::default();
    while let Some(piece) = tokio::time::timeout(SILENCE, pieces.next()).await? {
        for event in parser.push(&piece?)? {
            let Ok(data) = serde_json::from_str::<Value>(&event.data) else { continue };
            desk.view.send_if_modified(|view| {
                let before = view.clone();
                view.connected = true;
                view.hear(&event.name, &data);
                *view != before
            });
            mouth.heard(&event.name, &data);
            let _ = app.emit("agent-event", json!({"event": event.name, "data": data}));
        }
    }
    Ok(())
}

/// Sends every change of the desktop's state to the windows.
pub(crate) async fn announce_state(desk: Arc<Desk>, app: AppHandle) {
    let mut state = desk.state.watch();
    loop {
        let now = state.borrow_and_update().clone();
        let _ = app.emit("desktop-state", &now);
        // An event may overtake the answer to an older `desktop_state`, which would then be believed. Once more, later.
        let changed = match tokio::time::timeout(REPEAT, state.changed()).await {
            Ok(changed) => changed,
            Err(_) => {
                let _ = app.emit("desktop-state", &now);
                state.changed().await
            }
        };
        if changed.is_err() {
            return;
        }
    }
}

/// With a server elsewhere nobody watches its process: whether it is there follows from the agent's session.
///
/// Why it is not there is the session's to say; an error here would be one of a program this app looks after.
pub(crate) async fn judge_remote_server(desk: Arc<Desk>) {
    let mut view = desk.view.subscribe();
    loop {
        let session = view.borrow_and_update().session.clone();
        desk.state.change(|state| {
            let online = session.as_ref().is_some_and(|session| session.state == "online");
            state.server.state = if online { Condition::Running } else { Condition::Starting };
            if let Some(session) = session {
                state.server.address = Some(session.server_addr);
            }
        });
        if view.changed().await.is_err() {
            return;
        }
    }
}
