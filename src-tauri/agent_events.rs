//! The agent's event stream: relayed to the windows, and applied to the agent's view in the app state.

use crate::{agent_view::AgentView, app_state::AppState, notifications::RequestObserver, sse::SseParser};
use futures::StreamExt;
use postern_api::local::LocalEvent;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tauri::{AppHandle, Emitter};

/// The delay before a broken stream is reopened. The agent then sends its whole state again.
const RECONNECT_DELAY: Duration = Duration::from_millis(200);
/// Longer than the interval of the agent's keep-alive comments.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// Follows the event stream of the running agent while the app runs. `http` is a client for loopback addresses.
pub(crate) async fn follow(state: Arc<AppState>, http: reqwest::Client, app: AppHandle, requests: RequestObserver) {
    let mut changes = state.subscribe_desktop();
    loop {
        let address = match changes.wait_for(|state| state.agent.web_addr.is_some()).await {
            Ok(state) => state.agent.web_addr,
            Err(_) => return,
        };
        if let Some(address) = address {
            tokio::select! {
                end = read_stream(&state, &http, &app, &requests, address) => if let Err(error) = end {
                    tracing::debug!(%error, "the agent's event stream ended");
                },
                _ = changes.wait_for(|state| state.agent.web_addr != Some(address)) => {}
            }
        }
        state.update_agent_view(|view| *view = AgentView::default());
        tokio::time::sleep(RECONNECT_DELAY).await;
    }
}

async fn read_stream(
    state: &AppState,
    http: &reqwest::Client,
    app: &AppHandle,
    requests: &RequestObserver,
    address: SocketAddr,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let request = http.get(format!("http://{address}/api/events")).header("accept", "text/event-stream");
    let response = request.send().await?.error_for_status()?;
    let mut chunks = response.bytes_stream();
    let mut parser = SseParser::default();
    while let Some(chunk) = tokio::time::timeout(IDLE_TIMEOUT, chunks.next()).await? {
        for event in parser.push(&chunk?)? {
            let Ok(data) = serde_json::from_str::<Value>(&event.data) else { continue };
            let relayed = json!({"event": event.name, "data": data});
            // The windows may know an event of a newer agent that this program does not.
            let event = LocalEvent::deserialize(&relayed).ok();
            state.update_agent_view(|view| {
                view.connected = true;
                event.iter().for_each(|event| view.apply_event(event));
            });
            if let Some(LocalEvent::Request(summary)) = &event {
                requests.observe(summary);
            }
            let _ = app.emit("agent-event", relayed);
        }
    }
    Ok(())
}
