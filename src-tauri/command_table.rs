//! The table of the commands that windows can call.

use crate::{commands, preferences, remote_server, storage};
use tauri::{Wry, ipc::Invoke};

/// Makes the handler, and in tests the description, of every command.
macro_rules! commands {
    ($($module:ident :: $name:ident,)+) => {
        /// Calls the command that a window names.
        pub(crate) fn handler() -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
            tauri::generate_handler![$($module::$name),+]
        }

        #[cfg(test)]
        fn describe(description: &mut description::Description) {
            $(description.command(stringify!($name), $module::$name);)+
        }
    };
}

commands! {
    commands::agent_request,
    commands::management_request,
    commands::agent_bytes,
    commands::desktop_state,
    commands::open_inspector,
    commands::open_external,
    commands::copy_text,
    commands::trust_authority,
    commands::untrust_authority,
    commands::dismiss_trust_offer,
    commands::restart_part,
    commands::reveal_logs,
    commands::quit,
    preferences::preferences,
    preferences::set_autostart,
    preferences::set_notifications,
    remote_server::use_remote_server,
    remote_server::use_local_server,
    storage::data_sizes,
    storage::log_end,
}

#[cfg(test)]
mod description;
