//! Table of all kinds: paths, bodies to create and change records, and members.

use crate::{
    certificates::{SSH_KEY, authority_pem, tls_certificate},
    kit::Caller,
};
use serde_json::{Value, json};

/// A kind, and how to create its records.
pub(crate) struct Kind {
    /// Path of the collection; that of a nested kind contains `{edge_id}` and has no list.
    pub(crate) path: &'static str,
    pub(crate) list: &'static str,
    pub(crate) prefix: &'static str,
    /// A change, and the expected members after it.
    pub(crate) change: Value,
    /// All members of a record besides the five common ones and its modules.
    pub(crate) members: &'static [&'static str],
}

pub(crate) fn kinds() -> Vec<Kind> {
    let kind = |path, list, prefix, change, members| Kind { path, list, prefix, change, members };
    vec![
        kind(
            "/alert_rules",
            "alert_rules",
            "alr_",
            json!({"threshold": 7, "window_minutes": 60, "enabled": false}),
            &[
                "measure",
                "subject_id",
                "threshold",
                "period",
                "window_minutes",
                "minimum_requests",
                "enabled",
                "subject_parent_id",
                "state",
                "state_since",
                "value",
                "value_at",
            ],
        ),
        kind("/api_keys", "keys", "ak_", json!({"role": "viewer"}), &["owner_id", "role", "token"]),
        kind(
            "/bot_users",
            "bot_users",
            "bot_",
            json!({"name": "another bot", "active": false, "admin": true}),
            &["name", "active", "admin", "role"],
        ),
        kind(
            "/certificate_authorities",
            "certificate_authorities",
            "ca_",
            json!({}),
            &["ca_pem", "subject_common_name", "not_before", "not_after", "key_usages", "extended_key_usages"],
        ),
        kind("/credentials", "credentials", "cr_", json!({"acl": ["bind:*.a.test"]}), &["acl", "owner_id", "token"]),
        kind(
            "/event_destinations",
            "event_destinations",
            "ed_",
            json!({"enabled": false, "url": "http://127.0.0.1:9/other", "kinds": ["user"], "operations": ["deleted"]}),
            &["url", "enabled", "kinds", "operations", "secret", "last_delivery", "pending", "skipped"],
        ),
        kind("/backends/failover", "backends", "bkdfo_", json!({"backends": []}), &["backends"]),
        kind(
            "/backends/http_response",
            "backends",
            "bkdhr_",
            json!({"body": "", "headers": {"x-other": "1"}, "status_code": 503}),
            &["body", "headers", "status_code"],
        ),
        kind(
            "/backends/static",
            "backends",
            "bkdsc_",
            json!({"address": "[2001:db8::7]:443", "tls": {"enabled": true}}),
            &["address", "tls"],
        ),
        kind("/backends/weighted", "backends", "bkdwd_", json!({"backends": {}}), &["backends"]),
        kind("/ip_policies", "ip_policies", "ipp_", json!({}), &[]),
        kind("/edges/https", "https_edges", "edghts_", json!({"hostports": ["b.test:4443"]}), &["hostports", "routes"]),
        kind(
            "/edges/https/{edge_id}/routes",
            "routes",
            "edghtsrt_",
            json!({"match_type": "exact_path", "match": "/other"}),
            &["edge_id", "match_type", "match"],
        ),
        kind(
            "/ip_policy_rules",
            "ip_policy_rules",
            "ipr_",
            json!({"cidr": "2001:db8::/32"}),
            &["cidr", "action", "ip_policy"],
        ),
        kind("/reserved_addrs", "reserved_addrs", "ra_", json!({}), &["addr", "region", "owner_id"]),
        kind(
            "/reserved_domains",
            "reserved_domains",
            "rd_",
            json!({
                "certificate_management_policy": {"authority": "letsencrypt", "private_key_type": "rsa"},
                "resolves_to": [{"value": "global"}],
            }),
            &[
                "domain",
                "region",
                "cname_target",
                "certificate",
                "certificate_management_policy",
                "certificate_management_status",
                "acme_challenge_cname_target",
                "resolves_to",
                "owner_id",
            ],
        ),
        kind(
            "/ip_restrictions",
            "ip_restrictions",
            "ipx_",
            json!({"enforced": true}),
            &["enforced", "type", "ip_policies"],
        ),
        kind(
            "/ssh_certificate_authorities",
            "ssh_certificate_authorities",
            "sshca_",
            json!({}),
            &["public_key", "key_type"],
        ),
        kind(
            "/ssh_host_certificates",
            "ssh_host_certificates",
            "shcrt_",
            json!({}),
            &[
                "ssh_certificate_authority_id",
                "public_key",
                "key_type",
                "principals",
                "valid_after",
                "valid_until",
                "certificate",
            ],
        ),
        kind(
            "/ssh_user_certificates",
            "ssh_user_certificates",
            "sucrt_",
            json!({}),
            &[
                "ssh_certificate_authority_id",
                "public_key",
                "key_type",
                "principals",
                "valid_after",
                "valid_until",
                "critical_options",
                "extensions",
                "certificate",
            ],
        ),
        kind(
            "/tls_certificates",
            "tls_certificates",
            "cert_",
            json!({}),
            &[
                "certificate_pem",
                "subject_common_name",
                "subject_alternative_names",
                "issued_at",
                "not_before",
                "not_after",
                "key_usages",
                "extended_key_usages",
                "private_key_type",
                "issuer_common_name",
                "serial_number",
                "subject_organization",
                "subject_organizational_unit",
                "subject_locality",
                "subject_province",
                "subject_country",
            ],
        ),
        kind("/edges/tcp", "tcp_edges", "edgtcp_", json!({"hostports": ["tunnels.test:24999"]}), &["hostports"]),
        kind("/edges/tls", "tls_edges", "edgtls_", json!({"hostports": ["*.b.test:443"]}), &["hostports"]),
        kind(
            "/backends/tunnel_group",
            "backends",
            "bkdtg_",
            json!({"labels": {"other": "label", "more": ""}}),
            &["labels", "tunnels"],
        ),
        kind(
            "/users",
            "users",
            "usr_",
            json!({"name": "another user", "admin": true}),
            &["name", "admin", "role", "email"],
        ),
    ]
}

impl Kind {
    /// A body to create a record; each number gives a different one.
    pub(crate) async fn body(&self, caller: &Caller, number: usize) -> Value {
        match self.path {
            "/ip_policy_rules" => {
                json!({"cidr": format!("10.{number}.0.0/16"), "action": "allow", "ip_policy_id": caller.policy().await})
            }
            "/alert_rules" => json!({"measure": "requests", "threshold": number + 1}),
            "/ip_restrictions" => {
                let kind = ["dashboard", "api", "agent", "endpoints"][number % 4];
                json!({"type": kind, "ip_policy_ids": [caller.policy().await]})
            }
            "/event_destinations" => {
                json!({"url": format!("https://receiver-{number}.test/"), "kinds": ["tls_certificate"]})
            }
            "/edges/https" => json!({"hostports": [format!("https-{number}.test:443")]}),
            "/edges/https/{edge_id}/routes" => json!({"match_type": "path_prefix", "match": format!("/{number}")}),
            "/edges/tls" => json!({"hostports": [format!("tls-{number}.test:443")]}),
            "/edges/tcp" => json!({"hostports": [format!("tunnels.test:{}", 24000 + number)]}),
            "/backends/failover" => json!({"backends": [caller.group().await, caller.group().await]}),
            "/backends/http_response" => json!({"body": "gone", "headers": {"x-number": number.to_string()}}),
            "/backends/static" => json!({"address": format!("host-{number}:80")}),
            "/backends/tunnel_group" => json!({"labels": {"number": number.to_string()}}),
            "/reserved_addrs" => json!({"addr": format!("tunnels.test:{}", 24100 + number)}),
            "/reserved_domains" => json!({"domain": format!("reserved-{number}.test")}),
            "/certificate_authorities" => json!({"ca_pem": authority_pem()}),
            "/ssh_host_certificates" | "/ssh_user_certificates" => {
                let authority = caller.id("/ssh_certificate_authorities", &json!({})).await;
                json!({"ssh_certificate_authority_id": authority, "public_key": SSH_KEY, "principals": [number.to_string()]})
            }
            "/tls_certificates" => tls_certificate(),
            "/backends/weighted" => json!({"backends": {caller.group().await: number}}),
            "/bot_users" => json!({"name": format!("bot {number}")}),
            "/users" => json!({"name": format!("user {number}")}),
            _ => json!({}),
        }
    }

    /// A collection to create records in; a nested kind gets a new parent.
    pub(crate) async fn collection(&self, caller: &Caller) -> String {
        match self.path.split_once("/{edge_id}") {
            Some((parents, _)) => self.path.replace("{edge_id}", &caller.id(parents, &json!({})).await),
            None => self.path.to_owned(),
        }
    }

    /// Creates a record and gives its id.
    pub(crate) async fn one(&self, caller: &Caller, collection: &str, number: usize) -> String {
        caller.id(collection, &self.body(caller, number).await).await
    }

    pub(crate) fn nested(&self) -> bool {
        self.path.contains('{')
    }
}
