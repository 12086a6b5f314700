//! Threads of the management API. Its work runs there, so that a long call never holds a thread that serves visitors.

use crate::management::refusal;
use axum::{
    Router,
    extract::Request,
    middleware::{self, Next},
    response::Response,
};
use postern_api::{Code, Error, Result};
use std::num::NonZero;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::task::AbortOnDropHandle;

/// Most threads that run calls; reads of the store have threads of their own.
const MAX_THREADS: usize = 4;
/// Priority of the threads below that of visitors, in the units of `nice`.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// Runs calls of the management API.
pub(crate) struct ManagementRuntime(Option<Runtime>);

impl ManagementRuntime {
    /// Starts the threads: half as many as there are processors.
    ///
    /// # Errors
    /// [`Code::Internal`] if the system refuses them.
    pub(crate) fn start() -> Result<Self> {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let runtime = Builder::new_multi_thread()
            .worker_threads((processors / 2).clamp(1, MAX_THREADS))
            .thread_name("management")
            .on_thread_start(lower_priority)
            .enable_all()
            .build()
            .map_err(|error| {
                Error::new(Code::Internal, format!("The system cannot start threads for the management API: {error}."))
            })?;
        Ok(ManagementRuntime(Some(runtime)))
    }

    /// Runs what starts tasks so that they run on the threads of this runtime: a listener, and all its connections.
    pub(crate) fn within<T>(&self, start: impl FnOnce() -> T) -> T {
        let _entered = self.0.as_ref().map(Runtime::enter);
        start()
    }

    /// A router for connections of other threads whose calls run on those of this runtime. A call ends when its caller
    /// leaves.
    pub(crate) fn layer(&self, router: Router) -> Router {
        let Some(handle) = self.0.as_ref().map(Runtime::handle).cloned() else { return router };
        router.layer(middleware::from_fn(move |request, next| run(handle.clone(), request, next)))
    }
}

impl Drop for ManagementRuntime {
    /// Without waiting: calls were given time to end when the listener was drained.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

async fn run(handle: Handle, request: Request, next: Next) -> Response {
    let call = AbortOnDropHandle::new(handle.spawn(next.run(request)));
    call.await.unwrap_or_else(|_| refusal(&Code::Internal.into()))
}

/// On Linux the priority of process 0 is that of the calling thread; elsewhere it would be that of the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "the priority of a management thread cannot be lowered");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{body::Body, routing::get};
    use tower::ServiceExt;

    #[tokio::test]
    async fn calls_run_on_threads_of_their_own() {
        let runtime = ManagementRuntime::start().expect("threads");
        let name = async || std::thread::current().name().unwrap_or_default().to_owned();
        let router = runtime.layer(Router::new().route("/", get(name)));
        let response = router.oneshot(Request::get("/").body(Body::empty()).expect("a request")).await;
        let body = axum::body::to_bytes(response.expect("a response").into_body(), 64).await.expect("a body");
        assert_eq!(body, "management");
    }
}
