//! Running tunnels until a signal comes.

use super::{complain, flags::RunFlags, logging};
use crate::{
    agent::{Agent, Options, Start},
    config::Definition,
};
use postern_api::{Code, Error};

/// One tunnel from the command line. Ends with an error if the server does not want it.
pub(super) fn one(definition: Definition, flags: &RunFlags) -> Result<(), Error> {
    let name = definition.name.clone();
    run(flags, Start::None, vec![definition], Some(name))
}

/// Tunnels of the configuration file.
pub(super) fn configured(start: Start, flags: &RunFlags) -> Result<(), Error> {
    run(flags, start, Vec::new(), None)
}

fn run(flags: &RunFlags, start: Start, extra: Vec<Definition>, awaited: Option<String>) -> Result<(), Error> {
    let sources = flags.sources()?;
    let config = sources.load().map_err(|problems| problems.to_error())?;
    logging::start(&config.settings)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(Code::Internal, format!("The program could not start its threads: {error}.")))?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let agent = Agent::start(Options { sources, start, extra }).await?;
        let refused = match awaited {
            None => None,
            Some(name) => tokio::select! {
                () = signals.next() => None,
                result = agent.first_result(&name) => result.err(),
            },
        };
        if refused.is_none() && !signals.came {
            signals.next().await;
        }
        if refused.is_none() {
            tracing::info!("goodbye");
        }
        // A second signal does not wait for anybody.
        tokio::select! {
            () = agent.shutdown() => {}
            () = signals.next() => complain(&Error::new(Code::Unavailable, "Ended at once by a second signal.")),
        }
        refused.map_or(Ok(()), Err)
    })
}

/// The signals that end the program in good order.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
    came: bool,
}

impl Signals {
    fn listen() -> Result<Self, Error> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let refuse =
                |error: std::io::Error| Error::new(Code::Internal, format!("Signals cannot be received: {error}."));
            let terminate = signal(SignalKind::terminate()).map_err(refuse)?;
            let hangup = signal(SignalKind::hangup()).map_err(refuse)?;
            Ok(Signals { terminate, hangup, came: false })
        }
        #[cfg(not(unix))]
        Ok(Signals { came: false })
    }

    async fn next(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
        self.came = true;
    }
}
