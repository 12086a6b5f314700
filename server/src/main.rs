//! The program `postern-server`: configuration, wiring, signals.

mod access_log;
mod addresses;
mod api_host;
mod api_listener;
mod certificates;
mod command_line;
mod configuration;
mod data_folder;
mod desk;
mod gate;
mod keys;
mod ledger;
mod live;
mod logs;
mod management;
mod metrics;
mod proofs;
mod rescue_socket;
mod run;
mod signals;
mod unlock;

use command_line::Asked;
use configuration::{Configuration, Written};
use postern_api::{Code, Error, Result};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::var_os("POSTERN_OWN_SESSION").is_some_and(|value| value == "1") {
        // The desktop app asks for it, so that the server outlives the app's own session. It fails only where
        // the process leads a group already, which is as good.
        let _ = rustix::process::setsid();
    }
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    rustls::crypto::aws_lc_rs::default_provider().install_default().ok();
    let mut format = logs::Format::default();
    match answer(command_line::read(), &mut format) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            logs::fatal(&error, format);
            ExitCode::FAILURE
        }
    }
}

fn answer(asked: Asked, format: &mut logs::Format) -> Result<()> {
    match asked {
        Asked::Run { flags, config } => run_with(flags, config, format),
        Asked::CreateApiKey { data_dir, description, admin } => {
            runtime()?.block_on(keys::create(data_dir, description, admin))
        }
        Asked::Unlock { data_dir } => runtime()?.block_on(unlock::unlock(data_dir)),
        Asked::Completion { shell } => {
            command_line::complete(shell).map_err(|error| unwritten("The script could not be printed", &error))
        }
        Asked::Manual { folder } => {
            let what = format!("The pages cannot be written into {}", folder.display());
            command_line::manual(&folder).map_err(|error| unwritten(&what, &error))
        }
    }
}

fn unwritten(what: &str, error: &std::io::Error) -> Error {
    Error::new(Code::Internal, format!("{what}: {error}."))
}

fn run_with(flags: Vec<(&'static str, String)>, config: Option<PathBuf>, format: &mut logs::Format) -> Result<()> {
    let (written, mistakes) = Written::gather(flags, |name| std::env::var(name).ok(), config.as_deref());
    // Mistakes are told in the format that was asked for, if that much could be read.
    *format = written.get("log_format").and_then(|given| given.text.parse().ok()).unwrap_or_default();
    let configuration = Configuration::check(&written, mistakes)?;
    logs::start(configuration.log_format, configuration.log_level);
    allow_many_connections();
    let runtime = runtime()?;
    let ended = runtime.block_on(run::run(configuration));
    // What was not finished within the drain timeout is not waited for.
    runtime.shutdown_background();
    ended
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(Code::Internal, format!("The system gives this process no threads: {error}.")))
}

/// Each visitor needs two open files; the usual soft limit of 1024 is soon used up.
fn allow_many_connections() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
}
