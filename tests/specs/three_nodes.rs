//! Specifications of one server, on three nodes: a few of those that `tests/three-nodes` runs, so that this stays possible.

use crate::{publishing, recovery, tcp_edges, traffic};
use postern_tests::nodes::on_three_nodes;

#[test]
fn a_local_service_is_published() {
    on_three_nodes(publishing::the_origin_receives_the_request_as_sent_and_the_visitors_address);
}

#[test]
fn an_edge_is_changed_while_connections_are_open() {
    on_three_nodes(tcp_edges::backend_and_rules_change_under_open_connections);
}

#[test]
fn traffic_is_counted() {
    on_three_nodes(traffic::requests_count_for_their_edge_route_and_tunnel_and_failures_for_their_cause);
}

#[test]
fn after_kill_9_of_all_nodes_the_same_addresses_answer() {
    on_three_nodes(recovery::after_kill_9_of_the_server_the_same_addresses_answer_within_five_seconds);
}
