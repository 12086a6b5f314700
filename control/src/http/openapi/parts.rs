//! What all operations share: parameters, headers, refusals, how callers prove themselves.

use crate::http::{query, version};
use http::StatusCode;
use serde_json::{Map, Value, json};

/// Why a call can be refused, each with the name of the answer.
const REFUSALS: [(StatusCode, &str, &str); 8] = [
    (StatusCode::BAD_REQUEST, "BadRequest", "Something about the request is wrong; `error_code` says what."),
    (StatusCode::UNAUTHORIZED, "Unauthorized", "There is no API key, or it is not known."),
    (StatusCode::FORBIDDEN, "Forbidden", "The caller may not do this, or not from there."),
    (StatusCode::NOT_FOUND, "NotFound", "There is no such resource, or the module is not set."),
    (StatusCode::CONFLICT, "Conflict", "Somebody else changed the same record at the same moment."),
    (StatusCode::PAYLOAD_TOO_LARGE, "TooLarge", "The body is larger than allowed."),
    (StatusCode::INTERNAL_SERVER_ERROR, "Internal", "Something went wrong inside the server."),
    (StatusCode::SERVICE_UNAVAILABLE, "Unavailable", "The server cannot do this at the moment."),
];

/// The body of every refusal.
pub(super) fn error() -> Value {
    json!({
        "description": "What went wrong.",
        "type": "object",
        "properties": {
            "error_code": {
                "description": "The stable code to act on.",
                "type": "string",
                "pattern": "^ERR_POSTERN_[0-9]+$",
            },
            "status_code": {
                "description": "The status of the answer.",
                "type": "integer",
                "minimum": 400,
                "maximum": 599,
            },
            "msg": { "description": "What is wrong and what to do about it.", "type": "string" },
            "details": {
                "description": "Further facts, such as the name of the field.",
                "type": "object",
                "properties": {
                    "operation_id": { "description": "What the server's log knows the call by.", "type": "string" },
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
            "name": version::HEADER,
            "in": "header",
            "description": "The version of the API that the caller speaks.",
            "required": true,
            "schema": { "type": "string", "enum": [version::SUPPORTED] },
        },
        "Limit": {
            "name": "limit",
            "in": "query",
            "description": "The most records a page may hold.",
            "schema": { "type": "integer", "minimum": 1, "maximum": query::LIMIT, "default": query::LIMIT },
        },
        "Search": {
            "name": "search",
            "in": "query",
            "description": "Only records in which all of these words stand somewhere, in any case; empty is the same as none.",
            "schema": { "type": "string" },
        },
    })
}

pub(super) fn headers() -> Value {
    json!({
        "OperationId": {
            "description": "What the server's log knows the call by.",
            "required": true,
            "schema": { "type": "string", "pattern": "^op_[0-9A-Za-z]{27}$" },
        },
    })
}

/// The refusals as components.
pub(super) fn refusals() -> Map<String, Value> {
    REFUSALS
        .iter()
        .map(|(status, name, about)| {
            let mut answer = answer(about, Some(json!({ "$ref": "#/components/schemas/Error" })));
            if *status == StatusCode::UNAUTHORIZED {
                answer["headers"]["WWW-Authenticate"] =
                    json!({ "description": "How to prove oneself.", "schema": { "type": "string" } });
            }
            ((*name).to_owned(), answer)
        })
        .collect()
}

/// One answer, with a body or without.
pub(super) fn answer(about: &str, schema: Option<Value>) -> Value {
    let mut answer = json!({
        "description": about,
        "headers": { "postern-operation-id": { "$ref": "#/components/headers/OperationId" } },
    });
    if let Some(schema) = schema {
        answer["content"] = json!({ "application/json": { "schema": schema } });
    }
    answer
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
        "basic": { "type": "http", "scheme": "basic", "description": "An API key for user name or for password." },
    })
}
