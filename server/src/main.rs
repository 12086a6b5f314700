//! The program `postern-server`: configuration, wiring, signals.

mod addresses;
mod api_listener;
mod command_line;
mod configuration;
mod data_folder;
mod logs;
mod management;
mod metrics;
mod rescue_socket;
mod signals;

fn main() {
    let _ = command_line::read();
}
