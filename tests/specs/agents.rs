//! The view of agents: who they are and whether they are there, also after they are gone and the server was started again.

use postern_api::{
    Code,
    resource::{Agent, AgentState, TunnelSession},
};
use postern_tests::{Operator, Origin, World, agent::AgentSetup, cluster::Cluster, eventually};

/// The only agent that the server knows, once it is in a state.
async fn only_agent(operator: &Operator, state: AgentState) -> Agent {
    let client = operator.client();
    let agents = client.views::<Agent>();
    eventually(&format!("one agent is {state:?}"), async || {
        let known = agents.list().await.ok()?;
        (known.len() == 1 && known[0].state == state).then(|| known[0].clone())
    })
    .await
}

/// An agent connects, and ends as soon as that is stored. Gives it as it was, once it is away.
async fn connect_and_end(world: &World, setup: AgentSetup) -> Agent {
    let agent = setup.start().await;
    let client = world.operator().client();
    let agents = client.views::<Agent>();
    let online = eventually("it is connected", async || {
        agents.list().await.ok()?.into_iter().find(|agent| agent.state == AgentState::Online)
    })
    .await;
    let change = serde_json::to_string(&online.changes[0]).expect("a change");
    eventually("it is stored", async || has(&world.stored(), &change).then_some(())).await;
    agent.process.terminate();
    let is_away = async || (agents.get(&online.id).await.ok()?.state == AgentState::Away).then_some(());
    eventually("it is away", is_away).await;
    online
}

/// An agent, once it is stored that it is gone.
async fn recorded_as_gone(operator: &Operator, agent: &Agent) -> Agent {
    eventually("it is recorded that it is gone", async || {
        let away = operator.client().views::<Agent>().get(&agent.id).await.ok()?;
        (away.changes.first()?.state == AgentState::Away).then_some(away)
    })
    .await
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// What a command says in one line.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = std::process::Command::new(program).args(arguments).output().expect("it runs");
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

#[tokio::test]
async fn an_agent_is_known_by_its_host_while_it_is_away_and_after_a_restart_of_the_server() {
    let world = World::start().await;
    let operator = world.operator();
    let site = Origin::start("hello").await;
    let (credential, token) = operator.credential(&[]).await;
    let setup = world.agent_setup("agent", &token).with_one_session();
    let agent = setup.clone().start().await;
    agent.https("site", &site).await;

    let online = only_agent(&operator, AgentState::Online).await;
    assert_eq!((online.host_name, online.account), (said("uname", &["-n"]), said("id", &["-un"])));
    assert!(online.os.starts_with(std::env::consts::OS), "{}", online.os);
    assert_eq!((online.agent_version.as_str(), online.ip.as_str()), (env!("CARGO_PKG_VERSION"), "127.0.0.1"));
    assert_eq!((online.credential.id.as_str(), online.tunnels), (credential.as_str(), 1));
    assert!(online.owner_id.is_some() && online.connected_since.is_some() && online.last_seen.is_none());
    let sessions = operator.client().views::<TunnelSession>().list().await.expect("a list");
    assert_eq!(sessions[0].host_name.as_deref(), Some(said("uname", &["-n"]).as_str()));
    assert_eq!(sessions[0].account.as_deref(), Some(said("id", &["-un"]).as_str()));
    assert_eq!(sessions[0].agent.as_ref().map(|agent| &agent.id), Some(&online.id.any()));
    assert_eq!(online.tunnel_sessions[0].id, sessions[0].id.any());
    let refused = operator.client().views::<Agent>().delete(&online.id).await.expect_err("it is connected");
    assert_eq!(refused.code, Code::AgentConnected);
    eventually("it is stored", async || has(&world.stored(), online.id.as_str()).then_some(())).await;

    agent.process.terminate();
    agent.process.wait_for_exit().await;
    let away = eventually("it has come and gone", async || {
        let away = operator.client().views::<Agent>().get(&online.id).await.ok()?;
        (away.state == AgentState::Away && away.changes.len() == 2).then_some(away)
    })
    .await;
    assert_eq!((away.host_name.as_str(), away.tunnels), (said("uname", &["-n"]).as_str(), 0));
    assert!(away.connected_since.is_none() && away.tunnel_sessions.is_empty(), "{away:?}");
    assert_eq!((away.changes[0].state, away.changes[1].state), (AgentState::Away, AgentState::Online));
    assert_eq!(away.last_seen, Some(away.changes[0].at));

    let world = world.restart_server(|_| {}).await;
    let operator = world.operator();
    assert_eq!(only_agent(&operator, AgentState::Away).await, away, "nothing is lost");

    let agent = setup.start().await;
    let back = only_agent(&operator, AgentState::Online).await;
    assert_eq!((back.id, back.first_seen), (away.id.clone(), away.first_seen), "it is the same agent");
    agent.process.terminate();
    only_agent(&operator, AgentState::Away).await;
    let client = operator.client();
    let agents = client.views::<Agent>();
    agents.delete(&away.id).await.expect("it is forgotten");
    assert!(agents.list().await.expect("a list").is_empty());
    assert_eq!(agents.get(&away.id).await.expect_err("unknown").code, Code::NotFound);
}

#[tokio::test]
async fn an_agent_that_is_forgotten_as_soon_as_it_is_away_stays_forgotten_with_its_history() {
    let world = World::start().await;
    let operator = world.operator();
    let (_, token) = operator.credential(&[]).await;
    let (_, token_of_other) = operator.credential(&[]).await;
    let setup = world.agent_setup("forgotten", &token).with_one_session();
    let client = operator.client();
    let agents = client.views::<Agent>();
    let forgotten = connect_and_end(&world, setup.clone()).await;
    agents.delete(&forgotten.id).await.expect("it is forgotten");

    let other = connect_and_end(&world, world.agent_setup("other", &token_of_other).with_one_session()).await;
    recorded_as_gone(&operator, &other).await;
    let known: Vec<_> = agents.list().await.expect("a list").into_iter().map(|agent| agent.id).collect();
    assert_eq!(known, [other.id], "the end of another agent is recorded, and the first one stays forgotten");

    let back = connect_and_end(&world, setup).await;
    let back = recorded_as_gone(&operator, &back).await;
    assert_eq!((back.id, back.changes.len()), (forgotten.id, 2), "its history begins anew");
    assert!(back.first_seen > forgotten.first_seen, "{:?}", back.first_seen);
}

#[tokio::test]
async fn an_agent_whose_server_was_killed_is_away_since_then() {
    let world = World::start().await;
    let (_, token) = world.operator().credential(&[]).await;
    let agent = world.agent_setup("agent", &token).with_one_session().start().await;
    let online = eventually("it is stored", async || {
        let known = only_agent(&world.operator(), AgentState::Online).await;
        (!known.changes.is_empty() && has(&world.stored(), known.id.as_str())).then_some(known)
    })
    .await;
    world.kill_server();
    agent.process.kill();
    let world = world.kill_and_restart_server().await;
    let away = only_agent(&world.operator(), AgentState::Away).await;
    assert_eq!(away.id, online.id);
    assert!(away.last_seen >= Some(online.first_seen), "{away:?}");
}

#[tokio::test]
async fn an_agent_may_keep_its_host_to_itself_as_older_agents_do() {
    let world = World::start().await;
    let operator = world.operator();
    let (_, token) = operator.credential(&[]).await;
    let setup = world.agent_setup("agent", &token).with_one_session().setting("report_host", "false");
    let _agent = setup.start().await;
    let online = only_agent(&operator, AgentState::Online).await;
    assert_eq!((online.host_name.as_str(), online.account.as_str()), ("", ""));
    let session = operator.get("/tunnel_sessions").await.ok().body["tunnel_sessions"][0].clone();
    assert!(session.get("host_name").is_none() && session.get("account").is_none(), "{session}");
    assert!(session.get("agent").is_some(), "{session}");
}

#[tokio::test]
async fn every_node_shows_the_agents_of_all_nodes() {
    let cluster = Cluster::start(2).await;
    cluster.until_linked().await;
    let (_, token) = cluster.operator(0).credential(&[]).await;
    let servers: Vec<String> = cluster.nodes.iter().map(|node| node.agent_address()).collect();
    let agent = cluster.agent_setup(0, "agent", &token).setting("server_addr", &servers.join(",")).start().await;
    let mut shown = Vec::new();
    for node in 0..2 {
        shown.push(
            eventually("the agent is at both nodes", async || {
                let known = only_agent(&cluster.operator(node), AgentState::Online).await;
                (known.nodes.len() == 2 && known.tunnel_sessions.len() == 2).then_some(known)
            })
            .await,
        );
    }
    assert_eq!((&shown[0].id, &shown[0].host_name), (&shown[1].id, &shown[1].host_name));
    assert_eq!(shown[0].host_name, said("uname", &["-n"]));
    agent.process.terminate();
    for node in 0..2 {
        eventually("both nodes know since when it is away", async || {
            let known = only_agent(&cluster.operator(node), AgentState::Away).await;
            (known.changes.first()?.state == AgentState::Away && known.last_seen == Some(known.changes[0].at))
                .then_some(())
        })
        .await;
    }
}
