//! The architecture: inside each crate a module imports only modules of lower floors.

use postern_tests::imports::Crate;
use std::path::Path;

/// Checks a crate's modules against its floors, from top to bottom. Modules of one floor do not import each other.
#[track_caller]
fn stands(root: &str, floors: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(root);
    if let Err(mistakes) = Crate::read(&path).check(floors) {
        panic!("the floors of {root} are broken:\n{}", mistakes.join("\n"));
    }
}

#[test]
fn the_edge_is_read_downwards() {
    stands(
        "edge/src/lib.rs",
        &[
            "edge",
            "live",
            "frontend",
            "settings",
            "links",
            "tunnels",
            "tcp",
            "access routing",
            "modules",
            "upstream",
            "net",
            "http",
            "telemetry",
            "tls",
            "geo limits refusal",
        ],
    );
}

#[test]
fn the_agent_is_read_downwards() {
    stands(
        "agent/src/lib.rs",
        &[
            "cli",
            "agent",
            "console local_api",
            "context",
            "diagnose session",
            "tunnels",
            "capture net",
            "config metrics ports",
        ],
    );
}

#[test]
fn the_management_api_is_read_downwards() {
    stands(
        "control/src/lib.rs",
        &[
            "control",
            "http",
            "publishing views",
            "acme consistency console_sessions events logins modules",
            "agents",
            "resources",
            "backup console_provider relocation",
            "cluster",
            "certificates",
            "sealing settings",
            "dns store",
            "files live_state",
        ],
    );
}

#[test]
fn the_tunnel_is_read_downwards() {
    stands(
        "tunnel/src/io.rs",
        &[
            "accept agent",
            "data_connections forward server",
            "incoming multiplexer questions shared_connections visitor_counts",
            "cork pool shared_driver stream",
            "dial handshake relay session stream_transport tls",
            "buffers cancellation overflow_credit session_end sockets stream_metadata transport",
            "last_received shrinking",
        ],
    );
}

#[test]
fn the_server_is_read_downwards() {
    stands(
        "server/src/main.rs",
        &[
            "run",
            "node_links",
            "admin_handler backup cluster command_line copy_store create_api_key doctor health_check node unlock",
            "setup",
            "service",
            "addresses admin_socket configuration held_names management_runtime traffic_archive",
            "access_log api_listener audit_log certificates data_folder management service_account session_store signals",
            "acme_challenges address_claims api_connections api_host edge_sync io_error ip_access live_edge log_output logs metrics peers tracked_body",
        ],
    );
}

#[test]
fn the_desktop_app_is_read_downwards() {
    stands(
        "src-tauri/main.rs",
        &[
            "start",
            "command_table",
            "commands remote_server tray",
            "shutdown",
            "certificate_expiry supervision",
            "agent_events agent_setup management_api tunnels",
            "agent_api management_key notifications preferences state_events storage trust",
            "app_config app_state deep_links keychain logging",
            "agent_configuration bundled_programs clipboard desktop_state external log_file paths settings windows",
            "agent_view error ipc page_settings server_addresses single_instance sse",
        ],
    );
}

#[test]
fn logins_are_read_downwards() {
    stands(
        "logins/src/lib.rs",
        &[
            "flow",
            "logins",
            "realm",
            "settings",
            "openid_provider",
            "oauth oidc",
            "code_grant login_nodes saml",
            "login_attempts login_request login_response session_cache session_key",
            "clock cookies crypto identity_headers last_used origin pages provider_client return_path session_store",
        ],
    );
}
