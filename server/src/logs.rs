//! Logs, to standard error: one line of text or one JSON object each.

use postern_api::Error;
use std::io::Write;
use tracing_subscriber::EnvFilter;

/// How a line of the log looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs: one object a line.
    Json,
}

/// What is worth a line.
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

/// Starts logging, once in the life of the process. Other people's crates speak from `warn` on only, whatever the
/// level: at `debug` some of them print what they carry.
pub(crate) fn start(format: Format, level: Level) {
    let level = level.0.as_str().to_ascii_lowercase();
    let theirs = if level == "error" { "error" } else { "warn" };
    let filter = EnvFilter::new(format!("{theirs},postern={level},{}", ours(&level)));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second subscriber can only be a test's own; that one stays.
    let _ = match format {
        Format::Text => subscriber.with_ansi(false).with_target(false).try_init(),
        Format::Json => subscriber.json().flatten_event(true).try_init(),
    };
}

fn ours(level: &str) -> String {
    ["server", "control", "edge", "tunnel", "api"].map(|part| format!("postern_{part}={level}")).join(",")
}

/// Tells why the program ends: a sentence and its code, in the format of the log.
pub(crate) fn fatal(error: &Error, format: Format) {
    let mut stderr = std::io::stderr();
    // Nobody is left to be told when standard error is gone.
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
