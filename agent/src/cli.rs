//! The command line: parses commands and runs them.

mod api;
mod configuration;
mod diagnose;
mod flags;
mod logging;
mod run;
mod service;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use flags::{RunFlags, TunnelFlags};
use postern_api::{Code, Error};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Publishes local services through a Postern server.
#[derive(Debug, Parser)]
#[command(name = "postern", version, arg_required_else_help = true, propagate_version = false)]
struct Cli {
    /// Configuration file; may be given several times, later files win
    #[arg(long, global = true, env = "POSTERN_CONFIG", value_name = "FILE", value_delimiter = ',')]
    config: Vec<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Publish a local HTTP service: a port, host:port or URL
    Http {
        /// Where the service listens: 8080, localhost:8080, https://localhost:8443
        addr: String,
        #[command(flatten)]
        tunnel: Box<TunnelFlags>,
        #[command(flatten)]
        run: Box<RunFlags>,
    },
    /// Publish a local TCP service
    Tcp {
        /// Where the service listens: 22, localhost:22
        addr: String,
        #[command(flatten)]
        tunnel: Box<TunnelFlags>,
        #[command(flatten)]
        run: Box<RunFlags>,
    },
    /// Publish a local TLS service, routed by the server name (SNI)
    Tls {
        /// Where the service listens
        addr: String,
        #[command(flatten)]
        tunnel: Box<TunnelFlags>,
        #[command(flatten)]
        run: Box<RunFlags>,
    },
    /// Publish a local service under labels that edges select
    Tunnel {
        /// Where the service listens
        addr: String,
        #[command(flatten)]
        tunnel: Box<TunnelFlags>,
        #[command(flatten)]
        run: Box<RunFlags>,
    },
    /// Run tunnels of the configuration file
    Start {
        /// Names of tunnels
        #[arg(required_unless_present_any = ["all", "none"])]
        names: Vec<String>,
        /// All tunnels, also those added to the file later
        #[arg(long, conflicts_with_all = ["names", "none"])]
        all: bool,
        /// None; start tunnels by the local API
        #[arg(long, conflicts_with = "names")]
        none: bool,
        #[command(flatten)]
        run: Box<RunFlags>,
    },
    /// Read and change the configuration file
    Config {
        /// The file; default: the usual location
        #[arg(long, global = true, env = "POSTERN_CONFIG", value_name = "FILE", value_delimiter = ',')]
        config: Vec<PathBuf>,
        #[command(subcommand)]
        command: configuration::ConfigCommand,
    },
    /// Print the version
    Version,
    /// Print a shell completion script
    Completion {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write manual pages to a folder
    #[command(hide = true)]
    Man {
        /// The folder
        folder: PathBuf,
    },
    /// Run the agent as a system service
    Service {
        #[command(subcommand)]
        command: service::ServiceCommand,
    },
    /// Check everything a tunnel needs and say how to fix what does not work
    Diagnose(diagnose::DiagnoseFlags),
}

/// Runs the program: exit code 0 for success, 1 for an error, 2 for an invalid command line.
pub fn main() -> ExitCode {
    postern_config::desktop_session::enter();
    let api = std::env::args_os().skip(1).any(|word| word == "api");
    let matches = if api { full_command() } else { Cli::command().subcommand(api::stub_command()) }.get_matches();
    let done = match matches.subcommand() {
        Some(("api", below)) => api::run(below),
        _ => Cli::from_arg_matches(&matches).map_or_else(|error| error.exit(), |cli| dispatch(cli.command)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&error);
            ExitCode::FAILURE
        }
    }
}

/// The command line with all commands of the API. They are built from the API description, which takes a moment, so
/// other commands leave them out.
fn full_command() -> clap::Command {
    Cli::command().subcommand(api::command())
}

fn dispatch(command: Command) -> Result<(), Error> {
    match command {
        Command::Http { addr, tunnel, run } => run::one(tunnel.definition("http", &addr)?, &run),
        Command::Tcp { addr, tunnel, run } => run::one(tunnel.definition("tcp", &addr)?, &run),
        Command::Tls { addr, tunnel, run } => run::one(tunnel.definition("tls", &addr)?, &run),
        Command::Tunnel { addr, tunnel, run } => run::one(tunnel.labelled(&addr)?, &run),
        Command::Start { names, all, none, run } => {
            let start = match (all, none) {
                (true, _) => crate::agent::AutoStart::All,
                (_, true) => crate::agent::AutoStart::None,
                _ => crate::agent::AutoStart::Named(names),
            };
            run::configured(start, &run)
        }
        Command::Config { config, command } => configuration::run(command, config),
        Command::Version => say(&format!("postern {}", env!("CARGO_PKG_VERSION"))),
        Command::Completion { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut full_command(), "postern", &mut script);
            write_result(io::stdout().write_all(&script))
        }
        Command::Man { folder } => manual(&folder),
        Command::Service { command } => service::run(command),
        Command::Diagnose(flags) => diagnose::run(&flags),
    }
}

/// Writes a page for the program and for every command; `postern api help` describes those of the API.
fn manual(folder: &Path) -> Result<(), Error> {
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command().subcommand(api::stub_command()), folder));
    written.map_err(|error| {
        Error::new(Code::Internal, format!("The pages cannot be written to {}: {error}.", folder.display()))
    })
}

/// Writes a line to standard output.
fn say(line: &str) -> Result<(), Error> {
    write_result(writeln!(io::stdout(), "{line}"))
}

/// The result of writing output. A closed pipe, as with `head`, is no error.
fn write_result(written: io::Result<()>) -> Result<(), Error> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::new(Code::Internal, format!("The output could not be written: {error}.")))
        }
        _ => Ok(()),
    }
}

fn print_error(error: &Error) {
    let _ = writeln!(io::stderr(), "error: {} ({})", error.message, error.code);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        full_command().debug_assert();
    }

    #[test]
    fn the_configuration_file_can_be_named_before_or_after_the_command() {
        for arguments in [["--config", "a.yml", "start", "site"], ["start", "--config", "a.yml", "site"]] {
            let command = full_command();
            let matches = command.try_get_matches_from(["postern"].iter().chain(&arguments)).expect("valid");
            let start = matches.subcommand_matches("start").expect("the command");
            let files: Vec<_> = start.get_many::<PathBuf>("config").expect("files").collect();
            assert_eq!(files, [Path::new("a.yml")]);
        }
    }

    #[test]
    fn start_needs_names_or_all_or_none() {
        assert!(Cli::try_parse_from(["postern", "start"]).is_err());
        assert!(Cli::try_parse_from(["postern", "start", "--all", "site"]).is_err());
        assert!(Cli::try_parse_from(["postern", "start", "site", "shell", "--web-addr", "false"]).is_ok());
        assert!(Cli::try_parse_from(["postern", "http", "8080", "--inspect=false", "--schemes", "http,https"]).is_ok());
    }
}
