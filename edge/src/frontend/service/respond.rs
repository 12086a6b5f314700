//! Phase 5, respond: runs the modules of the response, or tells them why there is none.

use crate::{
    modules::{Pipeline, ResponseContext},
    refusal::Refusal,
    telemetry::Trace,
    upstream::ResponseBody,
};
use hyper::Response;

/// Runs the modules from the upstream to the visitor. `passed` is what they kept of the request.
pub(super) fn respond(
    pipeline: Option<&Pipeline>,
    passed: Option<ResponseContext>,
    response: Result<Response<ResponseBody>, Refusal>,
    trace: &mut Trace,
) -> Result<Response<ResponseBody>, Refusal> {
    let Some((pipeline, passed)) = pipeline.zip(passed) else { return response };
    match response {
        Ok(response) => Ok(pipeline.transform_response(passed, response, trace)),
        Err(refusal) => {
            pipeline.record_failure(passed, &refusal);
            Err(refusal)
        }
    }
}
