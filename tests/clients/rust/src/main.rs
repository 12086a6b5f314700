//! The published Rust SDK, unmodified: create, get, list over pages, update, every module, delete, not found. Its types
//! decode strictly: a member that is missing, or null where the SDK knows no null, fails the call.

mod domains;
mod given;
mod kinds;
mod live;
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
    report.tells("reserved_domains: parts", domains::parts(&api, &given).await);
    modules::all(&mut report, &api, &given).await;
    report.tells("tunnel_sessions", live::sessions(&api).await);
    report.tells("tunnels", live::tunnels(&api).await);
    report.tells("endpoints", live::endpoints(&api).await);
    report.tells("app/users", live::users(&api).await);
    report.tells("app/sessions", live::app_sessions(&api).await);
    // Last, because it ends the agent.
    report.tells("tunnel_sessions: commands", live::commands(&api).await);
    report.end()
}

/// Routes, which are nested and listed only in their edge.
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
    // The SDK cannot omit the match and sends empty strings.
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
