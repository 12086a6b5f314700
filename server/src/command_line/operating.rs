//! Commands of operating a server: `setup`, `service`, `healthcheck`.

use super::Invocation;
use crate::{
    service::{DEFAULT_CONFIG, Installation},
    setup::Given,
};
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::path::PathBuf;

fn path(name: &'static str, flag: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(flag).value_name(value).help(help).value_parser(clap::value_parser!(PathBuf))
}

fn root() -> Arg {
    path("root", "root", "FOLDER", "Work below this folder, such as the root of an image")
}

pub(super) fn setup_command() -> Command {
    let text = |name: &'static str, flag: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(flag).value_name(value).help(help)
    };
    Command::new("setup")
        .about("Ask what a server needs to know, check DNS, ports and clock, and write the configuration file")
        .arg(path(
            "config",
            "config",
            "FILE",
            "File to write [default: /etc/postern/server.yml, or one in your home folder]",
        ))
        .arg(text("domain", "domain", "NAME", "Parent domain of generated host names"))
        .arg(text("mail", "mail", "MAIL", "E-mail address for Let's Encrypt; giving it accepts its terms of service"))
        .arg(text("https_port", "https-port", "PORT", "Port for HTTPS visitors and agents [default: 443]"))
        .arg(text("http_port", "http-port", "PORT", "Port for plain HTTP visitors [default: 80]"))
        .arg(path("data_dir", "data-dir", "DIR", "Data folder of the server"))
        .arg(Arg::new("force").long("force").action(ArgAction::SetTrue).help("Replace the file if it exists"))
}

pub(super) fn setup(setup: &ArgMatches) -> Invocation {
    let text = |name| setup.get_one::<String>(name).cloned();
    let path = |name| setup.get_one::<PathBuf>(name).cloned();
    Invocation::Setup(Given {
        config: path("config"),
        domain: text("domain"),
        mail: text("mail"),
        https_port: text("https_port"),
        http_port: text("http_port"),
        data_dir: path("data_dir"),
        force: setup.get_flag("force"),
    })
}

pub(super) fn service_command() -> Command {
    Command::new("service")
        .about("The server as a systemd service")
        .subcommand_required(true)
        .subcommand(
            Command::new("install")
                .about("Write the unit, make the system user `postern`, and start the service at boot")
                .arg(
                    path("config", "config", "FILE", "Configuration file of the service").default_value(DEFAULT_CONFIG),
                )
                .arg(root())
                .arg(path("program", "program", "FILE", "Program in the unit [default: this one]").hide(true))
                .arg(
                    Arg::new("dry_run")
                        .long("dry-run")
                        .action(ArgAction::SetTrue)
                        .help("Print the unit without changing anything"),
                ),
        )
        .subcommand(
            Command::new("uninstall")
                .about("Stop the service and remove the unit; configuration and data stay")
                .arg(root()),
        )
        .subcommand(
            Command::new("status").about("Whether the service is installed, starts at boot, and runs").arg(root()),
        )
}

pub(super) fn service(service: &ArgMatches) -> Invocation {
    let path = |matches: &ArgMatches, name| matches.get_one::<PathBuf>(name).cloned();
    match service.subcommand() {
        Some(("install", install)) => Invocation::InstallService(Installation {
            config: path(install, "config").unwrap_or_else(|| DEFAULT_CONFIG.into()),
            program: path(install, "program"),
            root: path(install, "root"),
            dry_run: install.get_flag("dry_run"),
        }),
        Some(("uninstall", uninstall)) => Invocation::UninstallService { root: path(uninstall, "root") },
        other => Invocation::ServiceStatus { root: other.and_then(|(_, status)| path(status, "root")) },
    }
}
