//! Switching tunnels, and remembering which were on so that the next start switches them on again.

use crate::agent_api;
use crate::agent_view::{AgentView, Tunnel};
use crate::desk::Desk;
use crate::failure::{Failure, Result};
use postern_api::Code;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A state must stand this long before it is remembered: an agent that ends stops its tunnels first.
const SETTLED: Duration = Duration::from_millis(1500);

/// Starts or stops one tunnel of the configuration file.
pub(crate) async fn switch(desk: &Desk, name: &str, on: bool) -> Result<()> {
    let path = format!("/api/configured/{}/{}", segment(name), if on { "start" } else { "stop" });
    let answer = agent_api::request(desk, "POST", &path, Some("{}".to_owned())).await?;
    if answer.status < 400 {
        return Ok(());
    }
    let told = serde_json::from_str::<Value>(&answer.body).unwrap_or_default();
    let word = |pointer: &str| told.pointer(pointer).and_then(Value::as_str);
    let code = word("/details/code").and_then(|code| code.parse().ok()).unwrap_or(Code::Internal);
    let message = word("/details/err").or_else(|| word("/msg")).unwrap_or("The agent refused without saying why.");
    Err(Failure::new(code, message))
}

/// Stops every tunnel that is on and remembers them for `resume`.
pub(crate) async fn pause_all(desk: &Desk) -> Result<()> {
    let on: Vec<String> =
        desk.view.borrow().tunnels.iter().filter(|tunnel| tunnel.is_on()).map(|t| t.name.clone()).collect();
    desk.settings.change(|facts| facts.paused.extend(on.iter().cloned()));
    switch_each(desk, &on, false).await
}

/// Starts what `pause_all` stopped.
pub(crate) async fn resume(desk: &Desk) -> Result<()> {
    let paused: Vec<String> = desk.settings.facts().paused.into_iter().collect();
    desk.settings.change(|facts| facts.paused.clear());
    let known: BTreeSet<String> = desk.view.borrow().tunnels.iter().map(|tunnel| tunnel.name.clone()).collect();
    let paused: Vec<String> = paused.into_iter().filter(|name| known.contains(name)).collect();
    switch_each(desk, &paused, true).await
}

async fn switch_each(desk: &Desk, names: &[String], on: bool) -> Result<()> {
    let mut first_failure = Ok(());
    for name in names {
        let switched = switch(desk, name, on).await;
        if first_failure.is_ok() {
            first_failure = switched;
        }
    }
    first_failure
}

/// Restores the tunnels of a fresh agent and remembers every later change, as long as the app lives.
pub(crate) async fn remember(desk: Arc<Desk>) {
    let mut view = desk.view.subscribe();
    let mut known: Option<u32> = None;
    // Names to be switched on as soon as a fresh agent tells that it has them.
    let mut owed = BTreeSet::new();
    loop {
        let told = view.borrow_and_update().clone();
        let agent = desk.state.now().agent;
        // What an agent says before its list, or one that has ended meanwhile, says nothing about what is wanted.
        let counts = told.connected && told.tunnels_told && told.pid.is_some() && told.pid == agent.pid;
        if counts && known != told.pid {
            known = told.pid;
            owed = if agent.adopted { BTreeSet::new() } else { desk.settings.facts().tunnels_on };
            tracing::info!(pid = told.pid, adopted = agent.adopted, tunnels = ?owed, "an agent runs");
        }
        if counts && restore(&desk, &told, &mut owed).await {
            continue;
        }
        // A newer word makes this one void; silence makes it settled.
        match tokio::time::timeout(SETTLED, view.changed()).await {
            Ok(Ok(())) => continue,
            Ok(Err(_)) => return,
            Err(_) => {}
        }
        if counts && told.pid == desk.state.now().agent.pid && !desk.is_quitting() {
            note(&desk, &told.tunnels, &owed);
        }
        if view.changed().await.is_err() {
            return;
        }
    }
}

fn note(desk: &Desk, tunnels: &[Tunnel], owed: &BTreeSet<String>) {
    let on = tunnels.iter().filter(|tunnel| tunnel.saved && tunnel.is_wanted()).map(|tunnel| tunnel.name.clone());
    let on: BTreeSet<String> = on.chain(owed.iter().cloned()).collect();
    desk.settings.change(|facts| {
        facts.paused.retain(|name| !on.contains(name));
        facts.tunnels_on = on;
    });
}

/// Switches on what is owed and told of. Returns whether anything was switched.
async fn restore(desk: &Desk, told: &AgentView, owed: &mut BTreeSet<String>) -> bool {
    let mut switched = false;
    for tunnel in &told.tunnels {
        if owed.remove(&tunnel.name) && !tunnel.is_on() {
            switched = true;
            if let Err(failure) = switch(desk, &tunnel.name, true).await {
                tracing::warn!(tunnel = tunnel.name, %failure, "could not be switched on again");
            }
        }
    }
    switched
}

/// A tunnel's name as one segment of a path.
fn segment(name: &str) -> String {
    let mut segment = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'~' => segment.push(char::from(byte)),
            // A dot is escaped too: a name of dots only must not climb.
            _ => segment.push_str(&format!("%{byte:02X}")),
        }
    }
    segment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_one_segment() {
        assert_eq!(segment("site"), "site");
        assert_eq!(segment("a/b (http)"), "a%2Fb%20%28http%29");
        assert_eq!(segment(".."), "%2E%2E");
    }
}
