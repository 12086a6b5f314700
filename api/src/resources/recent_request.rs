//! One of the last requests of an edge, a route or a tunnel.

use crate::{resource::NodeName, trace::Decision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most requests in one list.
pub const RECENT_REQUESTS_LIMIT: usize = 1000;

/// A request of a visitor without headers, query and body. The server keeps the last ones of each edge, route and tunnel in
/// memory. Parts that it did not reach are empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecentRequest {
    /// Operation id on the visitor's error page and in the access log, `op_…`.
    pub id: String,
    /// Start time with microseconds, RFC 3339, UTC.
    pub at: String,
    /// The address of the visitor.
    pub ip: String,
    /// `https` or `http`.
    pub scheme: String,
    /// Such as `HTTP/1.1`.
    pub protocol: String,
    /// Requested host.
    pub host: String,
    /// The method.
    pub method: String,
    /// The path without its query, cut after 512 bytes.
    pub path: String,
    /// The status of the response.
    pub status: u16,
    /// Whether the response has ended; until then bytes are 0, and the duration is that until the response began.
    pub complete: bool,
    /// Time until the last byte of the response.
    pub duration_microseconds: u64,
    /// Bytes of the request's body.
    pub bytes_in: u64,
    /// Bytes of the response's body.
    pub bytes_out: u64,
    /// The edge; empty if the request came to the address of a tunnel.
    pub edge_id: String,
    /// The route of the edge.
    pub route_id: String,
    /// Backend of the edge or route.
    pub backend_id: String,
    /// The tunnel that served it, or was tried last.
    pub tunnel_id: String,
    /// The session of its agent.
    pub tunnel_session_id: String,
    /// The credential of its agent.
    pub credential_id: String,
    /// Why it was refused, as a code; empty if it was not.
    pub error_code: String,
    /// Why, in a sentence.
    pub msg: String,
    /// The party at fault if it was refused or failed: `visitor`, `configuration`, `agent`, `service` or `server`; otherwise
    /// empty.
    pub fault: String,
    /// The module that refused it; empty if none did.
    pub refused_by: String,
    /// Decisions of modules and restrictions, in order.
    pub decisions: Vec<Decision>,
    /// The node that the visitor reached; absent if the server uses its store alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeName>,
}

/// Which of the last requests are asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestFilter {
    /// At most this many, the newest.
    pub limit: usize,
    /// Only statuses from 100 times this number to 99 more.
    pub status_class: Option<u16>,
    /// Only those refused with this code.
    pub error_code: Option<String>,
    /// Only those whose id, method, host, path or visitor contains this text, in lowercase; empty for all.
    pub search: String,
}

impl RequestFilter {
    /// Whether a request is asked for.
    pub fn accepts(&self, request: &RecentRequest) -> bool {
        let RecentRequest { id, method, host, path, ip, .. } = request;
        let contains = |text: &String| text.to_lowercase().contains(&self.search);
        self.status_class.is_none_or(|class| request.status / 100 == class)
            && self.error_code.as_ref().is_none_or(|code| *code == request.error_code)
            && (self.search.is_empty() || [id, method, host, path, ip].into_iter().any(contains))
    }
}

/// Orders requests from several places, the newest first, and keeps as many as are asked for.
pub fn newest_requests(mut requests: Vec<RecentRequest>, limit: usize) -> Vec<RecentRequest> {
    requests.sort_by(|one, other| other.at.cmp(&one.at));
    requests.truncate(limit);
    requests
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(second: u8, path: &str, status: u16, code: &str) -> RecentRequest {
        let text = |text: &str| text.to_owned();
        RecentRequest {
            id: format!("op_{second}"),
            at: format!("2026-11-26T13:00:0{second}.000Z"),
            ip: text("192.0.2.7"),
            scheme: text("https"),
            protocol: text("HTTP/1.1"),
            host: text("shop.test"),
            method: text("GET"),
            path: text(path),
            status,
            complete: true,
            duration_microseconds: 1,
            bytes_in: 0,
            bytes_out: 0,
            edge_id: String::new(),
            route_id: String::new(),
            backend_id: String::new(),
            tunnel_id: String::new(),
            tunnel_session_id: String::new(),
            credential_id: String::new(),
            error_code: text(code),
            msg: String::new(),
            fault: String::new(),
            refused_by: String::new(),
            decisions: Vec::new(),
            node: None,
        }
    }

    #[test]
    fn every_part_of_a_filter_must_accept_a_request() {
        let all = RequestFilter { limit: 9, status_class: None, error_code: None, search: String::new() };
        let denied = request(1, "/Cart", 403, "POSTERN_4001");
        let search = |text: &str| RequestFilter { search: text.to_owned(), ..all.clone() };
        for (filter, accepted) in [
            (all.clone(), true),
            (RequestFilter { status_class: Some(4), ..all.clone() }, true),
            (RequestFilter { status_class: Some(5), ..all.clone() }, false),
            (RequestFilter { error_code: Some("POSTERN_4001".to_owned()), ..all.clone() }, true),
            (RequestFilter { error_code: Some(String::new()), ..all.clone() }, false),
            (search("/cart"), true),
            (search("192.0.2"), true),
            (search("op_1"), true),
            (search("other"), false),
            (RequestFilter { status_class: Some(2), ..search("/cart") }, false),
        ] {
            assert_eq!(filter.accepts(&denied), accepted, "{filter:?}");
        }
    }

    #[test]
    fn the_newest_come_first_and_no_more_than_asked_for() {
        let requests = [2, 3, 1].map(|second| request(second, "/", 200, ""));
        let ids: Vec<String> = newest_requests(requests.to_vec(), 2).into_iter().map(|request| request.id).collect();
        assert_eq!(ids, ["op_3", "op_2"]);
    }
}
