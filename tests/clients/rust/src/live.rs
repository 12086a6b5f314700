//! Views of agents, and commands to them.

use crate::report::{Step, collect, gone, same};
use ngrok_api::{Client, types};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The time in which an agent must reconnect.
const WITHIN: Duration = Duration::from_secs(60);
/// The error for a remote update of an agent.
const UPDATES: &str = "ERR_POSTERN_805";

/// The sessions of agents.
pub async fn sessions(api: &Client) -> Step {
    let client = api.tunnel_sessions();
    let shown = collect(client.list(types::FilteredPaging::default()).tunnel_sessions().await).await?;
    for one in &shown {
        same("the session read by its id", &client.get(&one.id).await?, one)?;
    }
    gone(client.get("ts_000000000000000000000000000").await)?;
    viewed(shown.len())
}

/// Their tunnels.
pub async fn tunnels(api: &Client) -> Step {
    let client = api.tunnels();
    let shown = collect(client.list(types::Paging::default()).tunnels().await).await?;
    for one in &shown {
        same("the tunnel read by its id", &client.get(&one.id).await?, one)?;
    }
    gone(client.get("tn_000000000000000000000000000").await)?;
    viewed(shown.len())
}

/// The SDK cannot encode its own empty list arguments, so it cannot request the list of endpoints. They are found through their
/// tunnels.
pub async fn endpoints(api: &Client) -> Step {
    let client = api.endpoints();
    let unsent = collect(client.list(types::EndpointListArgs::default()).endpoints().await).await;
    if unsent.is_ok() {
        return Err("the SDK can list endpoints now: use that".into());
    }
    let tunnels = collect(api.tunnels().list(types::Paging::default()).tunnels().await).await?;
    let known: Vec<_> = tunnels.iter().filter_map(|tunnel| tunnel.endpoint.as_ref()).collect();
    for endpoint in &known {
        let shown = client.get(&endpoint.id).await?;
        same("the endpoint's id", &shown.id, &endpoint.id)?;
        same("the endpoint's address", &shown.uri, &endpoint.uri)?;
    }
    gone(client.get("ep_000000000000000000000000000").await)?;
    viewed(known.len())
}

/// Users who have logged in: none during the run.
pub async fn users(api: &Client) -> Step {
    let client = api.application_users();
    let shown = collect(client.list(types::Paging::default()).application_users().await).await?;
    same("how many there are", &shown.len(), &0)?;
    gone(client.get("au_000000000000000000000000000").await)?;
    gone(client.delete("au_000000000000000000000000000").await)?;
    Ok("an empty list, an unknown one is neither found nor deleted".into())
}

/// Sessions of users: none during the run.
pub async fn app_sessions(api: &Client) -> Step {
    let client = api.application_sessions();
    let shown = collect(client.list(types::Paging::default()).application_sessions().await).await?;
    same("how many there are", &shown.len(), &0)?;
    gone(client.get("as_000000000000000000000000000").await)?;
    gone(client.delete("as_000000000000000000000000000").await)?;
    Ok("an empty list, an unknown one is neither found nor deleted".into())
}

/// Restarts the session of the agent, then stops it.
pub async fn commands(api: &Client) -> Step {
    let client = api.tunnel_sessions();
    let Some(first) = all(api).await?.pop() else { return Err("the running agent is not seen".into()) };
    match client.update(&first).await {
        Err(ngrok_api::Error::Ngrok(refused)) if refused.error_code == UPDATES => {}
        other => return Err(format!("an agent cannot update itself, and yet {other:?}").as_str().into()),
    }
    client.restart(&first).await?;
    let deadline = Instant::now() + WITHIN;
    let second = loop {
        let now = all(api).await?;
        match now.as_slice() {
            [only] if *only != first => break only.clone(),
            _ if Instant::now() > deadline => return Err(format!("no new session but {now:?}").as_str().into()),
            _ => sleep(Duration::from_millis(100)).await,
        }
    };
    gone(client.restart(&first).await)?;
    gone(client.stop(&first).await)?;
    gone(client.update(&first).await)?;
    client.stop(&second).await?;
    if !all(api).await?.is_empty() {
        return Err("the session is not over when the answer is there".into());
    }
    Ok("restarted, stopped, gone".into())
}

async fn all(api: &Client) -> Step<Vec<String>> {
    let pages = types::FilteredPaging::default();
    let shown = collect(api.tunnel_sessions().list(pages).tunnel_sessions().await).await?;
    Ok(shown.into_iter().map(|session| session.id).collect())
}

fn viewed(count: usize) -> Step {
    if count == 0 {
        return Err("the running agent is not seen".into());
    }
    Ok(format!("{count} listed, read, an unknown one is not found"))
}
