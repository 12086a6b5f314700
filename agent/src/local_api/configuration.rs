//! The configuration file as text, without its secrets: to be read, checked and saved by a page.

use super::{ApiError, wire};
use crate::{
    config::{Problems, tree::MAX_BYTES},
    context::{AgentContext, EditOutcome},
};
use axum::{body::Body, extract::State, http::StatusCode, response::Response};
use postern_api::{Code, Error};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// A text in JSON takes more room than the text itself.
const MOST: usize = 2 * MAX_BYTES;

pub(super) async fn show(State(context): State<Arc<AgentContext>>) -> Result<Response, ApiError> {
    body(&context).map(|body| wire::ok(&body))
}

/// 200 whether it is valid or not: what was asked for is the verdict.
pub(super) async fn check(State(context): State<Arc<AgentContext>>, body: Body) -> Result<Response, ApiError> {
    let (text, revision) = edited(wire::object_within(body, MOST).await?)?;
    let problems = match context.check_configuration(&text, &revision)? {
        EditOutcome::Valid => Problems::default(),
        EditOutcome::Invalid(problems) => problems,
    };
    Ok(wire::ok(&json!({"valid": problems.is_empty(), "problems": listed(&problems)})))
}

pub(super) async fn save(State(context): State<Arc<AgentContext>>, given: Body) -> Result<Response, ApiError> {
    let (text, revision) = edited(wire::object_within(given, MOST).await?)?;
    match context.save_configuration(&text, &revision).await? {
        EditOutcome::Valid => body(&context).map(|body| wire::ok(&body)),
        EditOutcome::Invalid(problems) => {
            let mut body = ApiError::from(problems.to_error()).body();
            body["details"]["problems"] = listed(&problems);
            Ok(wire::answer(StatusCode::BAD_REQUEST, &body))
        }
    }
}

fn body(context: &AgentContext) -> Result<Json, ApiError> {
    let text = context.configuration()?;
    Ok(json!({
        "path": context.config_path(),
        "other_files": context.other_files(),
        "text": text.text,
        "revision": text.revision,
        "kept_secrets": text.kept,
        "uri": "/api/configuration",
    }))
}

fn edited(mut members: Map<String, Json>) -> Result<(String, String), ApiError> {
    let missing = |name: &str| Error::new(Code::FieldMissing, format!("`{name}` is missing."));
    let text = wire::text(&mut members, "text")?.ok_or_else(|| missing("text"))?;
    let revision = wire::text(&mut members, "revision")?.ok_or_else(|| missing("revision"))?;
    wire::nothing_else(&members)?;
    Ok((text, revision))
}

fn listed(problems: &Problems) -> Json {
    let one = |problem: &crate::config::Problem| {
        json!({
            "line": problem.location.line,
            "column": problem.location.column,
            "key": problem.key,
            "message": problem.message,
            "code": problem.code.to_string(),
        })
    };
    problems.0.iter().map(one).collect()
}
