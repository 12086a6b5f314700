//! Log lines: plain text or JSON, to standard error by default.

use crate::{
    config::{
        AgentSettings,
        settings::{LogFormat, LogTarget},
    },
    console::LogTail,
};
use postern_api::{Code, Error};
use std::io::IsTerminal;
use tracing_subscriber::{EnvFilter, fmt::writer::BoxMakeWriter};

/// Starts logging. Libraries log from warnings on only. While the console is shown, its log tail takes warnings and
/// errors.
pub(super) fn start(settings: &AgentSettings, console: Option<&LogTail>) -> Result<(), Error> {
    let level = settings.log_level;
    let (writer, colours) = match (&settings.log, console) {
        (LogTarget::Usual, Some(log_tail)) => {
            let lines = tracing_subscriber::fmt().without_time().with_ansi(false).with_target(false);
            let filter = EnvFilter::new("error,postern_agent=warn,postern_agent::session=error");
            return started(lines.with_env_filter(filter).with_writer(log_tail.clone()).try_init());
        }
        (LogTarget::Usual | LogTarget::Stderr, _) => {
            (BoxMakeWriter::new(std::io::stderr), std::io::stderr().is_terminal())
        }
        (LogTarget::Stdout, _) => (BoxMakeWriter::new(std::io::stdout), std::io::stdout().is_terminal()),
        (LogTarget::File(path), _) => {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(path).map_err(|error| {
                Error::new(Code::ConfigInvalid, format!("The log file {} cannot be opened: {error}.", path.display()))
            })?;
            (BoxMakeWriter::new(std::sync::Mutex::new(file)), false)
        }
    };
    let filter = EnvFilter::new(format!(
        "warn,rustls_platform_verifier=off,postern={level},postern_agent={level},postern_tunnel={level}"
    ));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_target(false);
    started(match settings.log_format {
        LogFormat::Text => lines.with_ansi(colours && std::env::var_os("NO_COLOR").is_none()).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    })
}

fn started(made: Result<(), Box<dyn std::error::Error + Send + Sync>>) -> Result<(), Error> {
    made.map_err(|error| Error::new(Code::Internal, format!("Logging could not be started: {error}.")))
}
