//! Components shared by all operations: parameters, headers, refusals, security schemes.

use crate::http::{api_version, query};
use http::StatusCode;
use postern_api::{
    resource::{AuditFilter, AuditOperation, RECENT_REQUESTS_LIMIT},
    traffic::TrafficRange,
};
use serde_json::{Map, Value, json};

/// Refusals: status, name of the response, and description.
const REFUSALS: [(StatusCode, &str, &str); 8] = [
    (StatusCode::BAD_REQUEST, "BadRequest", "The request is invalid; `error_code` says why."),
    (StatusCode::UNAUTHORIZED, "Unauthorized", "The API key is missing or unknown."),
    (StatusCode::FORBIDDEN, "Forbidden", "The caller may not do this, or not from this address."),
    (StatusCode::NOT_FOUND, "NotFound", "There is no such resource, or the module is not set."),
    (StatusCode::CONFLICT, "Conflict", "Another caller changed the same record at the same time."),
    (StatusCode::PAYLOAD_TOO_LARGE, "TooLarge", "The body is too large."),
    (StatusCode::INTERNAL_SERVER_ERROR, "Internal", "The server failed internally."),
    (StatusCode::SERVICE_UNAVAILABLE, "Unavailable", "The server cannot do this at the moment."),
];

/// Schema of the body of every refusal.
pub(super) fn error() -> Value {
    json!({
        "description": "What went wrong.",
        "type": "object",
        "properties": {
            "error_code": {
                "description": "Stable code of the error.",
                "type": "string",
                "pattern": "^ERR_POSTERN_[0-9]+$",
            },
            "status_code": {
                "description": "The status of the response.",
                "type": "integer",
                "minimum": 400,
                "maximum": 599,
            },
            "msg": { "description": "What is wrong and what to do about it.", "type": "string" },
            "details": {
                "description": "Further facts, such as the name of the field.",
                "type": "object",
                "properties": {
                    "operation_id": { "description": "The id of the call in the server's log.", "type": "string" },
                },
                "required": ["operation_id"],
                "additionalProperties": { "type": "string" },
            },
        },
        "required": ["error_code", "status_code", "msg", "details"],
    })
}

pub(super) fn parameters() -> Value {
    json!({
        "ServiceVersion": {
            "name": api_version::HEADER,
            "in": "header",
            "description": "The version of the API that the caller uses.",
            "required": true,
            "schema": { "type": "string", "enum": [api_version::SUPPORTED] },
        },
        "Limit": {
            "name": "limit",
            "in": "query",
            "description": "The largest number of records on a page.",
            "schema": { "type": "integer", "minimum": 1, "maximum": query::MAX_PAGE_SIZE, "default": query::MAX_PAGE_SIZE },
        },
        "Search": {
            "name": "search",
            "in": "query",
            "description": "Only records that contain all of these words, in any case; empty is the same as absent.",
            "schema": { "type": "string" },
        },
    })
}

/// Query parameters that restrict the list of audit events.
pub(super) fn audit_filters() -> Vec<Value> {
    let word = json!({ "type": "string", "pattern": "^[0-9A-Za-z_]{0,64}$" });
    let operations = AuditOperation::ALL.map(AuditOperation::as_str).into_iter().chain([""]).collect::<Vec<_>>();
    let time = json!({ "anyOf": [{ "type": "string", "format": "date-time" }, { "const": "" }] });
    let about = [
        ("Only changes by this user, bot user, visitor or API key.", word.clone()),
        ("Only changes of this record.", word.clone()),
        ("Only changes of records of this kind, `ip_policy` for example.", word),
        ("Only this operation.", json!({ "type": "string", "enum": operations })),
        ("Only changes at or after this time.", time.clone()),
        ("Only changes before this time.", time),
    ];
    let described = AuditFilter::PARAMETERS.into_iter().zip(about);
    let parameter = |(name, (about, schema)): (&str, (&str, Value))| {
        let about = format!("{about} Empty is the same as absent.");
        json!({ "name": name, "in": "query", "description": about, "schema": schema })
    };
    described.map(parameter).collect()
}

/// Query parameters that restrict a list of the last requests.
pub(super) fn request_filters() -> Vec<Value> {
    let classes = query::STATUS_CLASSES.into_iter().chain([""]).collect::<Vec<_>>();
    vec![
        json!({
            "name": "limit",
            "in": "query",
            "description": "The largest number of requests.",
            "schema": {
                "type": "integer",
                "minimum": 1,
                "maximum": RECENT_REQUESTS_LIMIT,
                "default": query::MAX_PAGE_SIZE,
            },
        }),
        json!({
            "name": "status",
            "in": "query",
            "description": "Only requests whose status is of this class. Empty is the same as absent.",
            "schema": { "type": "string", "enum": classes },
        }),
        json!({
            "name": "error_code",
            "in": "query",
            "description": "Only requests that were refused with this code. Empty is the same as absent.",
            "schema": { "type": "string", "pattern": "^[0-9A-Za-z_]{0,64}$" },
        }),
        json!({
            "name": "search",
            "in": "query",
            "description": "Only requests whose id, method, host, path or visitor's address contains this text, in any case. Empty is the same as absent.",
            "schema": { "type": "string" },
        }),
    ]
}

/// Query parameter of traffic series.
pub(super) fn traffic_range() -> Value {
    let ranges = TrafficRange::ALL.map(TrafficRange::as_str).into_iter().chain([""]).collect::<Vec<_>>();
    json!({
        "name": "range",
        "in": "query",
        "description": "The last hour or day by minute, or the last 7 (`week`) or 90 days (`quarter`) by hour. Empty is the same as absent.",
        "schema": { "type": "string", "enum": ranges, "default": TrafficRange::default().as_str() },
    })
}

pub(super) fn headers() -> Value {
    json!({
        "OperationId": {
            "description": "The id of the call in the server's log.",
            "required": true,
            "schema": { "type": "string", "pattern": "^op_[0-9A-Za-z]{27}$" },
        },
        "SessionCookie": {
            "description": "The cookie of a console session. It is valid in requests of the console itself only.",
            "required": false,
            "schema": { "type": "string" },
        },
        "Warning": {
            "description": "What the stored module cannot do on this server as it is configured, and what is needed.",
            "required": false,
            "schema": { "type": "string" },
        },
    })
}

/// Refusals as components.
pub(super) fn refusals() -> Map<String, Value> {
    REFUSALS
        .iter()
        .map(|(status, name, about)| {
            let mut component = response(about, Some(json!({ "$ref": "#/components/schemas/Error" })));
            if *status == StatusCode::UNAUTHORIZED {
                component["headers"]["WWW-Authenticate"] =
                    json!({ "description": "The authentication scheme to use.", "schema": { "type": "string" } });
            }
            ((*name).to_owned(), component)
        })
        .collect()
}

/// One response, with or without a body.
pub(super) fn response(about: &str, schema: Option<Value>) -> Value {
    let mut component = json!({
        "description": about,
        "headers": { "postern-operation-id": { "$ref": "#/components/headers/OperationId" } },
    });
    if let Some(schema) = schema {
        component["content"] = json!({ "application/json": { "schema": schema } });
    }
    component
}

/// References to the refusals with these statuses, by status.
pub(super) fn refused(statuses: &[StatusCode]) -> impl Iterator<Item = (String, Value)> {
    let named = REFUSALS.iter().filter(|(status, ..)| statuses.contains(status));
    named.map(|(status, name, _)| {
        (status.as_str().to_owned(), json!({ "$ref": format!("#/components/responses/{name}") }))
    })
}

pub(super) fn security_schemes() -> Value {
    json!({
        "bearer": { "type": "http", "scheme": "bearer", "description": "An API key." },
        "basic": { "type": "http", "scheme": "basic", "description": "An API key as user name or password." },
    })
}
