//! The command line: `run`, `setup`, `service`, `healthcheck`, `api-key create`, `unlock`, `cluster`, `store`, `backup`,
//! `restore`, `doctor`, and what packages are made of: completions and manual pages.

mod operating;

use crate::{
    configuration::{Applied, SETTINGS},
    service::Installation,
    setup::Given,
};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use clap_complete::Shell;
use postern_api::Role;
use postern_control::Direction;
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Parsed command line.
#[derive(Debug)]
pub(crate) enum Invocation {
    Run { flags: Vec<(&'static str, String)>, config: Option<PathBuf> },
    Setup(Given),
    InstallService(Installation),
    UninstallService { root: Option<PathBuf> },
    ServiceStatus { root: Option<PathBuf> },
    CheckHealth { data_dir: Option<PathBuf> },
    CreateApiKey { data_dir: Option<PathBuf>, description: String, role: Role },
    Unlock { data_dir: Option<PathBuf> },
    Invite { data_dir: Option<PathBuf>, file: Option<PathBuf> },
    Nodes { data_dir: Option<PathBuf> },
    CopyStore { direction: Direction, settings: Vec<(&'static str, String)> },
    Backup { data_dir: Option<PathBuf>, file: PathBuf, with_keys: bool, passphrase_file: Option<PathBuf>, force: bool },
    Restore { data_dir: Option<PathBuf>, file: PathBuf, key_file: Option<PathBuf>, passphrase_file: Option<PathBuf> },
    Doctor { data_dir: Option<PathBuf>, repair: bool },
    Completion { shell: Shell },
    Manual { folder: PathBuf },
}

/// Parses the arguments. Invalid ones end the process with clap's help.
pub(crate) fn read() -> Invocation {
    parse(&command().get_matches())
}

fn chosen_role(create: &ArgMatches) -> Role {
    if create.get_flag("admin") {
        return Role::Admin;
    }
    let named = create.get_one::<String>("role");
    Role::ALL.into_iter().find(|role| named.is_some_and(|named| role.as_str() == named)).unwrap_or(Role::Editor)
}

fn parse(matches: &ArgMatches) -> Invocation {
    match matches.subcommand() {
        Some(("run", run)) => Invocation::Run {
            flags: SETTINGS
                .iter()
                .filter_map(|setting| Some((setting.key, run.get_one::<String>(setting.key)?.clone())))
                .collect(),
            config: run.get_one::<PathBuf>("config").cloned(),
        },
        Some(("setup", setup)) => operating::setup(setup),
        Some(("service", service)) => operating::service(service),
        Some(("healthcheck", check)) => {
            Invocation::CheckHealth { data_dir: check.get_one::<PathBuf>("data_dir").cloned() }
        }
        Some(("api-key", key)) => {
            let create = key.subcommand_matches("create").expect("clap requires the subcommand");
            Invocation::CreateApiKey {
                data_dir: create.get_one::<PathBuf>("data_dir").cloned(),
                description: create.get_one::<String>("description").cloned().unwrap_or_default(),
                role: chosen_role(create),
            }
        }
        Some(("cluster", cluster)) => match cluster.subcommand() {
            Some(("invite", invite)) => Invocation::Invite {
                data_dir: invite.get_one::<PathBuf>("data_dir").cloned(),
                file: invite.get_one::<PathBuf>("file").cloned(),
            },
            other => Invocation::Nodes {
                data_dir: other.and_then(|(_, nodes)| nodes.get_one::<PathBuf>("data_dir").cloned()),
            },
        },
        Some(("store", store)) => copy_store(store.subcommand_matches("copy").expect("clap requires the subcommand")),
        Some(("backup", backup)) => Invocation::Backup {
            data_dir: backup.get_one::<PathBuf>("data_dir").cloned(),
            file: backup.get_one::<PathBuf>("file").cloned().expect("clap requires the file"),
            with_keys: backup.get_flag("with_keys"),
            passphrase_file: backup.get_one::<PathBuf>("passphrase_file").cloned(),
            force: backup.get_flag("force"),
        },
        Some(("restore", restore)) => Invocation::Restore {
            data_dir: restore.get_one::<PathBuf>("data_dir").cloned(),
            file: restore.get_one::<PathBuf>("file").cloned().expect("clap requires the file"),
            key_file: restore.get_one::<PathBuf>("key_file").cloned(),
            passphrase_file: restore.get_one::<PathBuf>("passphrase_file").cloned(),
        },
        Some(("doctor", doctor)) => Invocation::Doctor {
            data_dir: doctor.get_one::<PathBuf>("data_dir").cloned(),
            repair: doctor.get_flag("repair"),
        },
        Some(("completion", completion)) => {
            Invocation::Completion { shell: *completion.get_one("shell").expect("clap requires the shell") }
        }
        Some(("man", man)) => {
            Invocation::Manual { folder: man.get_one::<PathBuf>("folder").cloned().expect("clap requires the folder") }
        }
        other => {
            let unlock = other.map(|(_, unlock)| unlock);
            Invocation::Unlock { data_dir: unlock.and_then(|unlock| unlock.get_one::<PathBuf>("data_dir").cloned()) }
        }
    }
}

/// Settings of `run` that `store copy` has, too.
const OF_THE_STORE: [&str; 7] =
    ["data_dir", "join_file", "store_ca", "store_cert", "store_key", "store_user", "store_password_file"];

fn copy_store(copy: &ArgMatches) -> Invocation {
    let (direction, address) = match copy.get_one::<String>("to") {
        Some(address) => (Direction::ToShared, address),
        None => (Direction::FromShared, copy.get_one("from").expect("clap requires one of both")),
    };
    let others = OF_THE_STORE.iter().filter_map(|key| Some((*key, copy.get_one::<String>(key)?.clone())));
    Invocation::CopyStore { direction, settings: others.chain([("store", address.clone())]).collect() }
}

/// Keys of the settings that are applied on SIGHUP.
fn reloaded_settings() -> String {
    let reloaded = SETTINGS.iter().filter(|setting| setting.applied == Applied::AtReload);
    reloaded.map(|setting| setting.key).collect::<Vec<_>>().join(", ")
}

fn etcd_address(text: &str) -> Result<String, &'static str> {
    let is_etcd = text.starts_with("etcd://") || text.starts_with("etcds://");
    is_etcd.then(|| text.to_owned()).ok_or("an address that begins with etcd:// or etcds:// is needed")
}

fn store_command() -> Command {
    let address = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("etcd://HOST:PORT,…[/PREFIX]").value_parser(etcd_address).help(help)
    };
    let mut copy = Command::new("copy")
        .about("Copy what a stopped server stores from its data folder into an etcd, or back")
        .arg(address("to", "Copy from the database of the data folder into this store"))
        .arg(address("from", "Copy from this store into the database of the data folder"))
        .group(ArgGroup::new("direction").args(["to", "from"]).required(true));
    for setting in SETTINGS.iter().filter(|setting| OF_THE_STORE.contains(&setting.key)) {
        copy = copy.arg(Arg::new(setting.key).long(setting.flag).value_name(setting.value).help(setting.help));
    }
    Command::new("store").about("The store of a server that does not run").subcommand_required(true).subcommand(copy)
}

fn command() -> Command {
    let mut run = Command::new("run")
        .about("Serve the public edge and the management API")
        .long_about(format!(
            "Serve the public edge and the management API.\n\nEach flag is also an environment variable \
             (--api-addr: POSTERN_API_ADDR) and a key of the file given by --config (api_addr). A flag overrides the \
             environment, which overrides the file.\n\nSIGHUP reads the settings again and applies these without \
             closing a connection: {}. Changes of all others need a restart.",
            reloaded_settings()
        ))
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .help("YAML file with settings")
                .value_parser(clap::value_parser!(PathBuf)),
        );
    for setting in SETTINGS {
        run = run.arg(Arg::new(setting.key).long(setting.flag).value_name(setting.value).help(setting.help));
    }
    let data_dir = || {
        Arg::new("data_dir")
            .long("data-dir")
            .value_name("DIR")
            .env("POSTERN_DATA_DIR")
            .help("Data folder of the server")
            .value_parser(clap::value_parser!(PathBuf))
    };
    let create = Command::new("create")
        .about("Create an API key and print it alone on the last line; also works while the server runs")
        .arg(data_dir())
        .arg(Arg::new("description").long("description").value_name("TEXT").help("Purpose or user of the key"))
        .arg(
            Arg::new("role")
                .long("role")
                .value_name("ROLE")
                .value_parser(Role::ALL.map(Role::as_str))
                .default_value(Role::Editor.as_str())
                .help("Role of the new user that the key belongs to; with `admin` it belongs to the administrator"),
        )
        .arg(
            Arg::new("admin")
                .long("admin")
                .action(ArgAction::SetTrue)
                .conflicts_with("role")
                .help("The same as --role admin"),
        );
    let path = |name: &'static str, flag: &'static str, help: &'static str| {
        Arg::new(name).long(flag).value_name("FILE").help(help).value_parser(clap::value_parser!(PathBuf))
    };
    let file = |help: &'static str| {
        Arg::new("file").value_name("FILE").required(true).help(help).value_parser(clap::value_parser!(PathBuf))
    };
    let passphrase =
        || path("passphrase_file", "passphrase-file", "File whose first line is the passphrase of the keys");
    Command::new("postern-server")
        .about("Server that publishes local services at public addresses")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(run)
        .subcommand(operating::setup_command())
        .subcommand(operating::service_command())
        .subcommand(Command::new("healthcheck").about("Ask the running server whether it is healthy").arg(data_dir()))
        .subcommand(Command::new("api-key").about("API keys").subcommand_required(true).subcommand(create))
        .subcommand(
            Command::new("unlock")
                .about("Undo a lock-out: suspend the IP restrictions of types api and dashboard")
                .arg(data_dir()),
        )
        .subcommand(
            Command::new("cluster")
                .about("Servers that share a store")
                .subcommand_required(true)
                .subcommand(
                    Command::new("invite")
                        .about(
                            "Print what another server needs to join, for its --join-file; it holds the key of all secrets",
                        )
                        .arg(data_dir())
                        .arg(
                            Arg::new("file")
                                .long("file")
                                .value_name("FILE")
                                .help("Write it into this file, which only this account can read, instead of printing it")
                                .value_parser(clap::value_parser!(PathBuf)),
                        ),
                )
                .subcommand(
                    Command::new("nodes").about("List the servers that use the store of the running one").arg(data_dir()),
                ),
        )
        .subcommand(store_command())
        .subcommand(
            Command::new("backup")
                .about("Back the data folder up into a file; also works while the server runs")
                .arg(file("The new file"))
                .arg(data_dir())
                .arg(Arg::new("force").long("force").action(ArgAction::SetTrue).help("Replace the file if it exists"))
                .arg(
                    Arg::new("with_keys")
                        .long("with-keys")
                        .action(ArgAction::SetTrue)
                        .requires("passphrase_file")
                        .help("Include the key of all secrets, sealed with a passphrase"),
                )
                .arg(passphrase().requires("with_keys")),
        )
        .subcommand(
            Command::new("restore")
                .about("Restore a backup into an empty data folder")
                .arg(file("The backup"))
                .arg(data_dir())
                .arg(path("key_file", "key-file", "`seal.key` of the former folder, for a backup without keys"))
                .arg(passphrase()),
        )
        .subcommand(
            Command::new("doctor").about("Examine the stored data while no server runs: damage, and what is orphaned").arg(data_dir()).arg(
                Arg::new("repair")
                    .long("repair")
                    .action(ArgAction::SetTrue)
                    .help("Delete damaged and orphaned entries, and go on without a log that is missing. Copy the folder before"),
            ),
        )
        .subcommand(
            Command::new("completion")
                .about("Print a shell completion script")
                .arg(Arg::new("shell").required(true).help("Shell").value_parser(clap::value_parser!(Shell))),
        )
        .subcommand(
            Command::new("man")
                .about("Write manual pages to a folder")
                .hide(true)
                .arg(Arg::new("folder").required(true).help("Folder").value_parser(clap::value_parser!(PathBuf))),
        )
}

/// Prints a shell completion script.
pub(crate) fn complete(shell: Shell) -> io::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "postern-server", &mut script);
    io::stdout().write_all(&script)
}

/// Writes a manual page for each command.
pub(crate) fn manual(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(command(), folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_a_flag() {
        command().debug_assert();
        let invocation = command()
            .try_get_matches_from(["postern-server", "run", "--api-addr", "127.0.0.1:0", "--config", "c.yml"])
            .map(|matches| parse(&matches))
            .expect("valid");
        let Invocation::Run { flags, config } = invocation else { panic!("another command") };
        assert_eq!(flags, [("api_addr", "127.0.0.1:0".to_owned())]);
        assert_eq!(config, Some(PathBuf::from("c.yml")));
    }

    #[test]
    fn an_invitation_is_printed_or_written() {
        let parse = |arguments: &[&str]| {
            let all = ["postern-server", "cluster"].iter().chain(arguments);
            command().try_get_matches_from(all).map(|matches| parse(&matches)).expect("valid")
        };
        let Invocation::Invite { data_dir, file } = parse(&["invite", "--data-dir", "d", "--file", "f"]) else {
            panic!("another command")
        };
        assert_eq!((data_dir, file), (Some("d".into()), Some("f".into())));
        assert!(matches!(parse(&["nodes", "--data-dir", "d"]), Invocation::Nodes { data_dir: Some(_) }));
    }

    #[test]
    fn packages_get_a_manual_page_for_each_command() {
        let folder = tempfile::tempdir().expect("a folder");
        manual(folder.path()).expect("written");
        let page = std::fs::read_to_string(folder.path().join("postern-server-run.1")).expect("a page");
        assert!(page.contains("api\\-addr") && folder.path().join("postern-server.1").is_file(), "{page}");
    }

    #[test]
    fn a_key_is_described_and_given_rights() {
        let invocation = command()
            .try_get_matches_from([
                "postern-server",
                "api-key",
                "create",
                "--data-dir",
                "d",
                "--admin",
                "--description",
                "ci",
            ])
            .map(|matches| parse(&matches))
            .expect("valid");
        let Invocation::CreateApiKey { data_dir, description, role } = invocation else { panic!("another command") };
        assert_eq!((data_dir, description.as_str(), role), (Some(PathBuf::from("d")), "ci", Role::Admin));
    }
}
