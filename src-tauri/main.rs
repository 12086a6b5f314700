//! Postern's desktop app: starts and watches server and agent, and shows them in a window, an inspector and the tray.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod agent_api;
mod agent_configuration;
mod agent_view;
mod clipboard;
mod commands;
mod desk;
mod events;
mod failure;
mod journal;
mod keychain;
mod links;
mod management_api;
mod notifications;
mod places;
mod preferences;
mod private_file;
mod quit;
mod remote;
mod settings;
mod setup;
mod sse;
mod start;
mod state;
mod storage;
mod supervision;
mod tray;
mod trust;
mod tunnels;
mod windows;

use std::process::ExitCode;
use supervision::session_watch;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == session_watch::FLAG) {
        return arguments.next().map_or(ExitCode::FAILURE, |folder| session_watch::run(folder.as_ref()));
    }
    start::run()
}
