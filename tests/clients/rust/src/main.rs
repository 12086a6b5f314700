//! The published Rust SDK, unmodified: create, get, list over pages, update, every module, delete, not found. Its types
//! decode strictly: a member that is missing, or null where the SDK knows no null, fails the call.

mod given;
mod kinds;
mod modules;
mod report;

use given::Given;
use ngrok_api::{Client, types};
use report::{Report, Step, gone, same};
use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let given = Given::from_environment();
    let api = given.client();
    let mut report = Report::default();
    kinds::all(&mut report, &api, &given).await;
    report.tells("edges/https/routes", routes(&api).await);
    modules::all(&mut report, &api, &given).await;
    report.tells("tunnel_sessions", sessions(&api).await);
    report.tells("tunnels", tunnels(&api).await);
    report.tells("endpoints", endpoints(&api).await);
    report.end()
}

/// Routes: nested, and listed in their edge only.
async fn routes(api: &Client) -> Step {
    let edge = api
        .edges()
        .https()
        .create(&types::HTTPSEdgeCreate {
            hostports: Some(vec!["routes.clients.test:443".into()]),
            ..Default::default()
        })
        .await?
        .id;
    let client = api.edges().https_routes();
    let root = client
        .create(&types::HTTPSEdgeRouteCreate {
            edge_id: edge.clone(),
            match_type: "path_prefix".into(),
            r#match: "/".into(),
            description: "all".into(),
            ..Default::default()
        })
        .await?;
    let item = types::EdgeRouteItem { edge_id: edge.clone(), id: root.id.clone() };
    same("the route read back", &client.get(&item).await?, &root)?;
    let shown = api.edges().https().get(&edge).await?;
    same("the edge's only route", &shown.routes, &vec![root.clone()])?;
    // The SDK has no way to leave the match out: it sends empty strings.
    let update = types::HTTPSEdgeRouteUpdate {
        edge_id: edge.clone(),
        id: root.id.clone(),
        description: "changed".into(),
        ..Default::default()
    };
    let changed = client.update(&update).await?;
    same(
        "the route after the update",
        &changed,
        &types::HTTPSEdgeRoute { description: "changed".into(), ..root.clone() },
    )?;
    client.delete(&item).await?;
    gone(client.get(&item).await)?;
    gone(client.update(&update).await)?;
    api.edges().https().delete(&edge).await?;
    Ok("created, read, shown in the edge, changed, deleted, gone".into())
}

async fn sessions(api: &Client) -> Step {
    let client = api.tunnel_sessions();
    let shown = report::collect(client.list(types::FilteredPaging::default()).tunnel_sessions().await).await?;
    for one in &shown {
        same("the session read by its id", &client.get(&one.id).await?, one)?;
    }
    gone(client.get("ts_000000000000000000000000000").await)?;
    viewed(shown.len())
}

async fn tunnels(api: &Client) -> Step {
    let client = api.tunnels();
    let shown = report::collect(client.list(types::Paging::default()).tunnels().await).await?;
    for one in &shown {
        same("the tunnel read by its id", &client.get(&one.id).await?, one)?;
    }
    gone(client.get("tn_000000000000000000000000000").await)?;
    viewed(shown.len())
}

/// The SDK cannot encode the empty lists of its own arguments, so its list of endpoints never leaves the machine: they
/// are found through their tunnels.
async fn endpoints(api: &Client) -> Step {
    let client = api.endpoints();
    let unsent = report::collect(client.list(types::EndpointListArgs::default()).endpoints().await).await;
    if unsent.is_ok() {
        return Err("the SDK can list endpoints now: use that".into());
    }
    let tunnels = report::collect(api.tunnels().list(types::Paging::default()).tunnels().await).await?;
    let known: Vec<_> = tunnels.iter().filter_map(|tunnel| tunnel.endpoint.as_ref()).collect();
    for endpoint in &known {
        let shown = client.get(&endpoint.id).await?;
        same("the endpoint's id", &shown.id, &endpoint.id)?;
        same("the endpoint's address", &shown.uri, &endpoint.uri)?;
    }
    gone(client.get("ep_000000000000000000000000000").await)?;
    viewed(known.len())
}

fn viewed(count: usize) -> Step {
    if count == 0 {
        return Err("the running agent is not seen".into());
    }
    Ok(format!("{count} listed, read, an unknown one is not found"))
}
