//! Logging to standard error, as text or JSON, one line per event.

use postern_api::Error;
use std::io::Write;
use tracing_subscriber::{EnvFilter, reload::Handle};

/// Log format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text for people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Minimum log level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level(tracing::Level);

impl Default for Level {
    fn default() -> Self {
        Level(tracing::Level::INFO)
    }
}

impl std::str::FromStr for Format {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Format::Text),
            "json" => Ok(Format::Json),
            _ => Err("is not a log format; write text or json".into()),
        }
    }
}

impl std::str::FromStr for Level {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "error" => Ok(Level(tracing::Level::ERROR)),
            "warn" => Ok(Level(tracing::Level::WARN)),
            "info" => Ok(Level(tracing::Level::INFO)),
            "debug" => Ok(Level(tracing::Level::DEBUG)),
            "trace" => Ok(Level(tracing::Level::TRACE)),
            _ => Err("is not a log level; write error, warn, info, debug or trace".into()),
        }
    }
}

/// Changes the minimum level of the log.
pub(crate) struct LevelHandle(Box<dyn Fn(EnvFilter) + Send + Sync>);

impl LevelHandle {
    fn new<S: 'static>(handle: Handle<EnvFilter, S>) -> Self {
        // It fails only if the subscriber is gone, which lives as long as the process.
        LevelHandle(Box::new(move |filter| drop(handle.reload(filter))))
    }

    /// Logs from this level on.
    pub(crate) fn set(&self, level: Level) {
        (self.0)(filter(level));
    }
}

/// Starts logging, once per process.
pub(crate) fn start(format: Format, level: Level) -> LevelHandle {
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter(level))
        .with_writer(std::io::stderr)
        // They would go to standard error as well, and end the process when that is closed.
        .log_internal_errors(false);
    // Another subscriber can only be that of a test, which is kept.
    match format {
        Format::Text => {
            let subscriber = subscriber.with_ansi(false).with_target(false).with_filter_reloading();
            let handle = LevelHandle::new(subscriber.reload_handle());
            let _ = subscriber.try_init();
            handle
        }
        Format::Json => {
            let subscriber = subscriber.json().flatten_event(true).with_filter_reloading();
            let handle = LevelHandle::new(subscriber.reload_handle());
            let _ = subscriber.try_init();
            handle
        }
    }
}

/// Dependencies log only from `warn` on, because at `debug` some of them print payloads.
fn filter(level: Level) -> EnvFilter {
    let level = level.0.as_str().to_ascii_lowercase();
    let dependencies = if level == "error" { "error" } else { "warn" };
    EnvFilter::new(format!("{dependencies},postern={level},{}", own_crates(&level)))
}

fn own_crates(level: &str) -> String {
    ["server", "control", "edge", "tunnel", "api"].map(|part| format!("postern_{part}={level}")).join(",")
}

/// Prints the error that ends the process, in the log format.
pub(crate) fn fatal(error: &Error, format: Format) {
    let mut stderr = std::io::stderr();
    // There is no other channel if standard error is closed.
    let _ = match format {
        Format::Text => writeln!(stderr, "postern-server: {error}"),
        Format::Json => {
            let line = serde_json::json!({
                "timestamp": postern_api::Timestamp::now(),
                "level": "ERROR",
                "message": error.message,
                "error_code": error.code,
            });
            writeln!(stderr, "{line}")
        }
    };
}
