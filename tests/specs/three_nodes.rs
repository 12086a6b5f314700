//! Specifications of one server, on three nodes: a few of those that `tests/three-nodes` runs, so that they stay possible.

use crate::{publishing, restart_in_place, tcp_edges};
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
fn a_node_is_replaced_in_place_while_its_visitors_have_connections_open() {
    on_three_nodes(restart_in_place::the_next_server_serves_while_the_last_one_finishes_open_connections);
}

#[test]
fn a_session_that_is_restarted_continues_at_another_node_and_cuts_no_stream() {
    on_three_nodes(restart_in_place::a_session_that_the_operator_restarts_cuts_no_stream);
}
