//! Configuration: raw settings (flags, environment, file) are resolved into typed values, all mistakes at once.

mod file;
mod limits;
pub(crate) mod oauth_apps;
mod raw;
mod resolve;
mod resolver;
mod settings;
mod shared_store;
mod values;

pub(crate) use raw::RawSettings;
pub(crate) use resolve::Configuration;
pub(crate) use settings::SETTINGS;
pub(crate) use shared_store::Node;

use postern_api::{Code, Error};

/// Default data folder: the platform's data folder + `postern/server`.
pub(crate) fn default_data_dir() -> Result<std::path::PathBuf, Error> {
    use etcetera::BaseStrategy;
    etcetera::choose_base_strategy().map(|strategy| strategy.data_dir().join("postern").join("server")).map_err(|_| {
        Error::new(
            Code::ConfigInvalid,
            "This account has no home folder, so the data folder must be set. Start with `--data-dir DIR`.",
        )
    })
}

/// One error for all mistakes.
pub(crate) fn mistakes(mistakes: &[String]) -> Error {
    let message = match mistakes {
        [one] => one.clone(),
        many => {
            let list: String = many.iter().map(|mistake| format!("\n  - {mistake}")).collect();
            format!("The configuration has {} mistakes:{list}\nNothing was started.", many.len())
        }
    };
    Error::new(Code::ConfigInvalid, message)
}
