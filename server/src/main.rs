//! The program `postern-server`: configuration, wiring, signals.

mod access_log;
mod acme_challenges;
mod address_claims;
mod addresses;
mod admin_handler;
mod admin_socket;
mod api_connections;
mod api_host;
mod api_listener;
mod audit_log;
mod backup;
mod certificates;
mod cluster;
mod command_line;
mod configuration;
mod copy_store;
mod create_api_key;
mod data_folder;
mod doctor;
mod edge_sync;
mod health_check;
mod held_names;
mod io_error;
mod ip_access;
mod live_edge;
mod log_output;
mod logs;
mod management;
mod management_runtime;
mod metrics;
mod node;
mod node_links;
mod peers;
mod run;
mod service;
mod service_account;
mod session_store;
mod setup;
mod signals;
mod tracked_body;
mod traffic_archive;
mod unlock;

use command_line::Invocation;
use configuration::{Configuration, RawSettings, SettingSources};
use postern_api::{Code, Error, Result};
use postern_control::Direction;
use run::ReadSettings;
use std::{path::PathBuf, process::ExitCode};

/// The system's allocator keeps what a burst of visitors needed; this one gives it back after a few seconds.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    postern_config::desktop_session::enter();
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    rustls::crypto::aws_lc_rs::default_provider().install_default().ok();
    let mut format = logs::Format::default();
    match execute(command_line::read(), &mut format) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            logs::fatal(&error, format);
            ExitCode::FAILURE
        }
    }
}

fn execute(invocation: Invocation, format: &mut logs::Format) -> Result<()> {
    match invocation {
        Invocation::Run { flags, config } => run_with(flags, config, format),
        Invocation::Setup(given) => runtime()?.block_on(setup::run(given)),
        Invocation::InstallService(installation) => service::install(&installation),
        Invocation::UninstallService { root } => service::uninstall(root),
        Invocation::ServiceStatus { root } => service::status(root),
        Invocation::CheckHealth { data_dir } => runtime()?.block_on(health_check::run(data_dir)),
        Invocation::CreateApiKey { data_dir, description, role } => {
            runtime()?.block_on(create_api_key::run(data_dir, description, role))
        }
        Invocation::Unlock { data_dir } => runtime()?.block_on(unlock::unlock(data_dir)),
        Invocation::Invite { data_dir, file } => runtime()?.block_on(cluster::invite(data_dir, file)),
        Invocation::Nodes { data_dir } => runtime()?.block_on(cluster::list_nodes(data_dir)),
        Invocation::CopyStore { direction, settings } => copy_store(direction, settings),
        Invocation::Backup { data_dir, file, with_keys, passphrase_file, force } => {
            backup::back_up(data_dir, &file, with_keys, passphrase_file.as_deref(), force)
        }
        Invocation::Restore { data_dir, file, key_file, passphrase_file } => {
            backup::restore(data_dir, &file, key_file, passphrase_file.as_deref())
        }
        Invocation::Doctor { data_dir, repair } => doctor::run(data_dir, repair),
        Invocation::Completion { shell } => {
            command_line::complete(shell).map_err(|error| write_error("The script could not be printed", &error))
        }
        Invocation::Manual { folder } => {
            let what = format!("The pages cannot be written into {}", folder.display());
            command_line::manual(&folder).map_err(|error| write_error(&what, &error))
        }
    }
}

fn write_error(what: &str, error: &std::io::Error) -> Error {
    Error::new(Code::Internal, format!("{what}: {error}."))
}

fn run_with(flags: Vec<(&'static str, String)>, config: Option<PathBuf>, format: &mut logs::Format) -> Result<()> {
    let sources = SettingSources::new(flags, config);
    let (raw, mistakes) = sources.gather();
    // Mistakes are logged in the configured format, if that setting can be read.
    *format = raw.get("log_format").and_then(|value| value.text.parse().ok()).unwrap_or_default();
    let configuration = Configuration::resolve(&raw, mistakes)?;
    let log_level = logs::start(configuration.log_format, configuration.log_level);
    let settings = ReadSettings::new(sources, raw, &configuration, log_level);
    allow_many_connections();
    let runtime = runtime()?;
    let result = runtime.block_on(run::run(configuration, settings));
    // Work that did not finish within the drain timeout is not awaited.
    runtime.shutdown_background();
    result
}

fn copy_store(direction: Direction, settings: Vec<(&'static str, String)>) -> Result<()> {
    let (raw, mistakes) = RawSettings::gather(settings, |name| std::env::var(name).ok(), None);
    let configuration = Configuration::resolve(&raw, mistakes)?;
    runtime()?.block_on(copy_store::run(direction, &configuration))
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        Error::new(Code::Internal, format!("The system cannot start threads for this process: {error}."))
    })
}

/// Raises the soft limit of open files: each visitor needs two, and the usual limit of 1024 is too low.
fn allow_many_connections() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::debug!(%error, "the limit of open files cannot be raised");
    }
}
