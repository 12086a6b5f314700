//! Phase 5, respond: runs the modules of the response, or tells them why there is none.

use crate::{
    modules::{Column, Passed},
    refusal::Refusal,
    telemetry::Trace,
    upstream::ResponseBody,
};
use hyper::Response;

/// Runs the modules from the upstream to the visitor. `passed` is what they kept of the request.
pub(super) fn respond(
    pipeline: Option<&Column>,
    passed: Option<Passed>,
    response: Result<Response<ResponseBody>, Refusal>,
    trace: &mut Trace,
) -> Result<Response<ResponseBody>, Refusal> {
    let Some((pipeline, passed)) = pipeline.zip(passed) else { return response };
    match response {
        Ok(response) => Ok(pipeline.answer(passed, response, trace)),
        Err(refusal) => {
            pipeline.failure(passed, &refusal);
            Err(refusal)
        }
    }
}
