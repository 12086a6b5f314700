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
mod external;
mod ipc;
mod keychain;
mod log_file;
mod logging;
mod management_api;
mod management_key;
mod notifications;
mod page_settings;
mod paths;
mod preferences;
mod remote_server;
mod server_addresses;
mod settings;
mod shutdown;
mod single_instance;
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

fn main() -> ExitCode {
    start::run()
}
