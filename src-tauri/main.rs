//! Postern's desktop app: supervises server and agent, and shows them in the main window, the inspector and the tray.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod agent_api;
mod agent_configuration;
mod agent_events;
mod agent_setup;
mod agent_view;
mod app_config;
mod app_state;
mod bundled_programs;
mod certificate_expiry;
mod clipboard;
mod command_table;
mod commands;
mod deep_links;
mod desktop_state;
mod error;
mod ipc;
mod keychain;
mod log_file;
mod logging;
mod management_api;
mod management_key;
mod notifications;
mod paths;
mod preferences;
mod remote_server;
mod server_addresses;
mod settings;
mod shutdown;
mod sse;
mod start;
mod state_events;
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
