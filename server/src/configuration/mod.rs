//! The configuration: what was written (flags, environment, file) becomes what it means, all mistakes at once.

mod file;
mod limits;
mod meaning;
pub(crate) mod oauth_apps;
mod settings;
mod written;

pub(crate) use meaning::Configuration;
pub(crate) use settings::SETTINGS;
pub(crate) use written::{Written, plain};

use postern_api::{Code, Error};

/// The folder used when nobody names one: the platform's data folder + `postern/server`.
pub(crate) fn default_data_dir() -> Result<std::path::PathBuf, Error> {
    use etcetera::BaseStrategy;
    etcetera::choose_base_strategy().map(|strategy| strategy.data_dir().join("postern").join("server")).map_err(|_| {
        Error::new(
            Code::ConfigInvalid,
            "This account has no home folder, so the data folder must be named. Start with `--data-dir DIR`.",
        )
    })
}

/// One error out of all mistakes.
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
