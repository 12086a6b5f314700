//! Configuration: raw settings (flags, environment, file) are resolved into typed values, all mistakes at once.

mod acme;
mod console_oidc;
mod file;
mod limits;
pub(crate) mod oauth_apps;
mod raw;
mod resolve;
mod resolver;
mod settings;
mod shared_store;
mod sources;
mod values;

pub(crate) use raw::RawSettings;
pub(crate) use resolve::Configuration;
pub(crate) use settings::{Applied, SETTINGS};
pub(crate) use shared_store::Node;
pub(crate) use sources::SettingSources;
pub(crate) use values::{mail, plain_name};

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

/// All mistakes in the settings, each as a sentence.
#[derive(Debug)]
pub(crate) struct Mistakes(Vec<String>);

impl Mistakes {
    /// All of them in one line.
    pub(crate) fn one_line(&self) -> String {
        self.0.join(" ")
    }
}

impl From<Error> for Mistakes {
    fn from(error: Error) -> Self {
        Mistakes(vec![error.message])
    }
}

/// The error that ends a start.
impl From<Mistakes> for Error {
    fn from(Mistakes(mistakes): Mistakes) -> Self {
        let message = match &mistakes[..] {
            [one] => one.clone(),
            many => {
                let list: String = many.iter().map(|mistake| format!("\n  - {mistake}")).collect();
                format!("The configuration has {} mistakes:{list}\nNothing was started.", many.len())
            }
        };
        Error::new(Code::ConfigInvalid, message)
    }
}
