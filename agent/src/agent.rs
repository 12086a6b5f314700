//! A running agent: the composition of its parts, start and shutdown.

pub use crate::context::AutoStart;

use crate::{
    config::{Definition, Sources},
    context::AgentContext,
    local_api,
    session::SessionState,
    tunnels::StartOutcome,
};
use postern_api::{Code, Error};
use std::{sync::Arc, time::Duration};
use tokio_util::task::TaskTracker;

/// Time that connections get to end before a shutdown stops waiting for them.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(6);

/// How to run an agent.
pub struct AgentOptions {
    /// Where the configuration comes from.
    pub sources: Sources,
    /// The configured tunnels that start with the agent.
    pub auto_start: AutoStart,
    /// Tunnels that are not in the configuration.
    pub extra: Vec<Definition>,
}

/// A running agent.
pub struct Agent {
    context: Arc<AgentContext>,
    tasks: TaskTracker,
}

impl Agent {
    /// Reads the configuration, opens the local API and begins to connect. Does not wait for the server.
    ///
    /// # Errors
    /// All problems of the configuration as one error; `TunnelUnknown` for a tunnel to start that is not
    /// configured; `ListenFailed` if the local API's address is not available; the first error of an extra tunnel.
    pub async fn start(options: AgentOptions) -> Result<Agent, Error> {
        let AgentOptions { sources, auto_start, extra } = options;
        let config = Arc::new(sources.load().map_err(|problems| problems.to_error())?);
        auto_start.check(&config)?;
        let listener = local_api::listen(&config.settings.web).await?;
        let context = Arc::new(AgentContext::new(sources, auto_start, config));
        let tasks = TaskTracker::new();
        if let Some((listener, address)) = listener {
            context.set_web_addr(address);
            tracing::info!(url = format!("http://{address}"), "the inspector and the local API listen");
            tasks.spawn(local_api::serve(listener, context.clone()));
        }
        context.state.record_start(context.web_addr().map(|address| address.to_string()));
        for session in context.session_loops() {
            tasks.spawn(session.run());
        }
        context.apply_initial().await;
        let started = start_extra(&context, extra).await;
        match context.watch_files() {
            Ok(watch) => {
                tasks.spawn(context.clone().reload_on_save(watch));
            }
            Err(error) => tracing::debug!(%error, "the configuration file is not watched"),
        }
        tasks.close();
        let agent = Agent { context, tasks };
        if let Err(error) = started {
            agent.shutdown().await;
            return Err(error);
        }
        Ok(agent)
    }

    /// The state that the agent's parts share.
    pub fn context(&self) -> &Arc<AgentContext> {
        &self.context
    }

    /// Waits until a tunnel given on the command line is published or refused.
    ///
    /// # Errors
    /// The server's refusal of the session or of the tunnel. An unreachable server is no error: the agent keeps
    /// trying.
    pub async fn first_result(&self, name: &str) -> Result<(), Error> {
        let mut status = self.context.session_status.watch();
        let mut tunnels = self.context.tunnels.changes();
        loop {
            tunnels.mark_unchanged();
            match self.context.tunnels.start_outcome(name).await {
                StartOutcome::Refused(error) => return Err(error),
                StartOutcome::Running | StartOutcome::Stopped => return Ok(()),
                StartOutcome::Waiting => {}
            }
            let now = status.borrow_and_update().clone();
            if now.state == SessionState::Refused {
                return Err(now.reason.unwrap_or_else(|| Code::TokenUnknown.into()));
            }
            // The session may have come up since the tunnel was read: both are watched.
            let closed = tokio::select! {
                changed = status.changed() => changed.is_err(),
                changed = tunnels.changed() => changed.is_err(),
            };
            if closed {
                return Ok(());
            }
        }
    }

    /// Ends the local API and all tunnels, waits for open connections for at most the configured `drain_timeout`, and ends
    /// the session.
    pub async fn drain(self) {
        let timeout = self.context.config().settings.drain_timeout;
        let _ = self.context.drain_timeout.set(timeout);
        self.end(timeout + SHUTDOWN_TIMEOUT).await;
    }

    /// Ends the session, the local API and all tunnels.
    pub async fn shutdown(self) {
        self.end(SHUTDOWN_TIMEOUT).await;
    }

    async fn end(self, timeout: Duration) {
        self.context.stop.cancel();
        if tokio::time::timeout(timeout, self.tasks.wait()).await.is_err() {
            tracing::warn!("some connections did not end in time");
        }
        self.context.tunnels.stop_all();
        self.context.state.record_stop();
    }
}

/// Starts all extra tunnels; the first error is returned after the last start.
async fn start_extra(context: &AgentContext, extra: Vec<Definition>) -> Result<(), Error> {
    let mut result = Ok(());
    for definition in extra {
        result = result.and(context.tunnels.start(Arc::new(definition)).await);
    }
    result
}
