//! The configuration file as text without its secrets, for an editor: read, check and save.

use super::{ApiError, json};
use crate::{
    config::{Problem, Problems, tree::MAX_BYTES},
    context::{AgentContext, EditOutcome},
};
use axum::{body::Body, extract::State, http::StatusCode, response::Response};
use postern_api::{
    Code, Error,
    local::{ConfigurationCheck, ConfigurationProblem, ConfigurationText},
};
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// A text takes more bytes in JSON than by itself.
const MAX_BODY_BYTES: usize = 2 * MAX_BYTES;

pub(super) async fn show(State(context): State<Arc<AgentContext>>) -> Result<Response, ApiError> {
    text(&context).map(|text| json::ok(&text))
}

/// 200 for an invalid text too: the problems are the result.
pub(super) async fn check(State(context): State<Arc<AgentContext>>, body: Body) -> Result<Response, ApiError> {
    let (text, revision) = edit(json::object_within(body, MAX_BODY_BYTES).await?)?;
    let problems = match context.check_configuration(&text, &revision)? {
        EditOutcome::Valid => Problems::default(),
        EditOutcome::Invalid(problems) => problems,
    };
    Ok(json::ok(&ConfigurationCheck { valid: problems.is_empty(), problems: problem_list(&problems) }))
}

pub(super) async fn save(State(context): State<Arc<AgentContext>>, body: Body) -> Result<Response, ApiError> {
    let (edited, revision) = edit(json::object_within(body, MAX_BODY_BYTES).await?)?;
    match context.save_configuration(&edited, &revision).await? {
        EditOutcome::Valid => text(&context).map(|text| json::ok(&text)),
        EditOutcome::Invalid(problems) => {
            let mut body = ApiError::from(problems.to_error()).body();
            body.details.problems = Some(problem_list(&problems));
            Ok(json::response(StatusCode::BAD_REQUEST, &body))
        }
    }
}

fn text(context: &AgentContext) -> Result<ConfigurationText, ApiError> {
    let text = context.configuration()?;
    Ok(ConfigurationText {
        path: context.config_path(),
        other_files: context.other_files(),
        text: text.text,
        revision: text.revision,
        kept_secrets: text.kept as u64,
        uri: "/api/configuration".to_owned(),
    })
}

/// The text and the revision of an edit.
fn edit(mut members: Map<String, Json>) -> Result<(String, String), ApiError> {
    let missing = |name: &str| Error::new(Code::FieldMissing, format!("`{name}` is missing."));
    let text = json::take_text(&mut members, "text")?.ok_or_else(|| missing("text"))?;
    let revision = json::take_text(&mut members, "revision")?.ok_or_else(|| missing("revision"))?;
    json::reject_unknown(&members)?;
    Ok((text, revision))
}

fn problem_list(problems: &Problems) -> Vec<ConfigurationProblem> {
    let view = |problem: &Problem| ConfigurationProblem {
        line: problem.location.line as u64,
        column: problem.location.column as u64,
        key: problem.key.clone(),
        message: problem.message.clone(),
        code: problem.code.to_string(),
    };
    problems.0.iter().map(view).collect()
}
