//! Visitors as the server tells about them: their connections, their departures, and their effect on the diagnosis.

use crate::world::World;
use postern_api::Code;
use postern_test_kit::{eventually, in_time, scripted_origin::ScriptedOrigin};
use postern_tunnel::StreamKind;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const HALF: &[u8] = b"POST /half HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf";
const WHOLE: &[u8] = b"GET /whole HTTP/1.1\r\nHost: h\r\n\r\n";

/// The error of the newest captured request.
async fn listed_error(world: &World) -> String {
    eventually("the request is listed with an error", async || {
        let list = world.get("/api/requests/http/summaries").await;
        list["requests"][0]["error"].as_str().map(str::to_owned)
    })
    .await
}

#[tokio::test]
async fn connections_are_those_that_the_server_reports() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("ok").await;
    world.tunnel("site", "http", origin.port()).await;
    let number = world.server.number("site").expect("bound");
    let session = world.server.newest_session();
    let shown = async |count: u64, gauge: u64| {
        eventually(&format!("{count} connections, {gauge} open"), async || {
            let conns = world.get("/api/tunnels/site").await["metrics"]["conns"].clone();
            ((&conns["count"], &conns["gauge"]) == (&json!(count), &json!(gauge))).then_some(conns)
        })
        .await
    };
    let stream = world.server.visit("site", StreamKind::Http).await;
    let visitors: Vec<_> = (0..3).filter_map(|_| session.count_visitor(number)).collect();
    assert_eq!(shown(3, 3).await["p50"], 0);
    drop((stream, visitors));
    assert!(shown(3, 0).await["p50"].as_u64() > Some(0));
    let _open = session.count_visitor(number);
    shown(4, 1).await;
    drop(session);
    world.server.crash();
    shown(4, 0).await;
}

#[tokio::test]
async fn a_visitor_who_leaves_says_nothing_about_the_local_service() {
    let world = World::start().await;
    let origin = ScriptedOrigin::serving(|mut connection| async move {
        connection.request_ending_in(b"never").await;
    })
    .await;
    world.tunnel("site", "http", origin.port()).await;
    for request in [HALF, WHOLE] {
        let before = origin.connections();
        let mut stream = world.server.visit("site", StreamKind::Http).await;
        stream.write_all(request).await.expect("written");
        stream.flush().await.expect("flushed");
        eventually("the service has the request", async || (origin.connections() > before).then_some(())).await;
        eventually("the request is listed", async || {
            let listed = world.get("/api/requests/http/summaries").await;
            listed["requests"][0]["open"].as_bool().filter(|open| *open)
        })
        .await;
        drop(stream);
        let error = listed_error(&world).await;
        assert!(error.contains("before a response came"), "{error}");
        assert_eq!(origin.connections(), before + 1, "nothing is probed");
        world.call("DELETE", "/api/requests/http", None).await;
    }
}

#[tokio::test]
async fn the_halves_of_a_tunnel_with_both_schemes_get_one_name() {
    let mut world =
        World::stopped("tunnels:\n  site:\n    proto: http\n    addr: 1\n    schemes: [http, https]\n").await;
    // Earlier agents remembered two names.
    let remembered =
        json!({ "tunnels": { "site": { "host": "one.localhost" }, "site (http)": { "host": "two.localhost" } } });
    let state = postern_agent::config::state_file::state_path(&world.config());
    for hosts in ["made-up-1.localhost", "one.localhost"] {
        world.run(postern_agent::agent::AutoStart::All).await;
        let urls = eventually("both halves are up", async || {
            let tunnels = world.get("/api/tunnels").await["tunnels"].clone();
            let urls = tunnels.as_array().expect("a list").iter().map(|tunnel| tunnel["public_url"].clone());
            Some(urls.collect::<Vec<_>>()).filter(|urls| urls.len() == 2)
        })
        .await;
        assert_eq!(urls, [format!("https://{hosts}"), format!("http://{hosts}")]);
        world.stop_agent().await;
        std::fs::write(&state, remembered.to_string()).expect("written");
    }
}

#[tokio::test]
async fn a_restart_by_the_operator_has_a_code_of_its_own() {
    let world = World::start().await;
    let mut feed = world.agent().context().feed.subscribe();
    world.server.newest_session().replace(Code::SessionRestarted.into());
    let reason = in_time(async {
        loop {
            let status = world.agent().context().session_status.current();
            if let Some(reason) = status.reason {
                return reason;
            }
            let _ = feed.recv().await;
        }
    })
    .await;
    assert_eq!(reason.code, Code::SessionRestarted, "{reason}");
    world.wait_until(|status, _| status["status"] == "online").await;
    assert_eq!(world.server.hellos().len(), 2);
}

/// Agents whose session is replaced, and requests that are sent to each meanwhile.
const REPLACED_SESSIONS: usize = 24;
const REQUESTS_PER_SESSION: usize = 16;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn requests_that_arrive_as_their_session_is_replaced_are_served() {
    let response = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let origin = ScriptedOrigin::closing_after_end(b"\r\n\r\n", response).await;
    for _ in 0..REPLACED_SESSIONS {
        let world = World::start().await;
        world.tunnel("site", "http", origin.port()).await;
        let mut streams = Vec::new();
        for _ in 0..REQUESTS_PER_SESSION {
            let mut stream = world.server.visit("site", StreamKind::Http).await;
            stream.write_all(WHOLE).await.expect("written");
            stream.flush().await.expect("flushed");
            streams.push(stream);
        }
        world.server.newest_session().replace(Code::SessionRestarted.into());
        for mut stream in streams {
            let mut served = Vec::new();
            in_time(stream.read_to_end(&mut served)).await.expect("a response");
            assert_eq!(served, response, "{}", String::from_utf8_lossy(&served));
        }
    }
}
