//! Makes this computer trust the local certificate authority, and undoes it.
//!
//! There are two stores: the system's (curl, most programs) and the browsers' (NSS databases of Chromium and Firefox).

mod browsers;
mod certificate;
mod system;

use crate::{
    app_config::AppConfig,
    app_state::AppState,
    desktop_state::{AuthorityState, TrustedStores},
    error::{DesktopError, Result},
};
use certificate::AuthorityCertificate;
use postern_api::Code;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The certificate stores to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TrustStore {
    System,
    Browsers,
    Both,
}

/// The steps that succeeded and those that failed, each as a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TrustOutcome {
    pub(crate) done: Vec<String>,
    pub(crate) failed: Vec<String>,
    pub(crate) trusted: TrustedStores,
}

/// Adds the authority's certificate to the stores.
///
/// # Errors
///
/// Fails if the certificate cannot be read, or if no step succeeded.
pub(crate) async fn trust(authority: &Path, store: TrustStore) -> Result<TrustOutcome> {
    let certificate = AuthorityCertificate::read(authority)?;
    run_blocking(move || {
        let mut outcome = TrustOutcome::default();
        if store != TrustStore::Browsers {
            outcome.record(system::trust(&certificate));
        }
        if store != TrustStore::System {
            for step in browsers::trust(&certificate) {
                outcome.record(step);
            }
        }
        outcome.finish(&certificate)
    })
    .await
}

/// Removes the certificate from every store.
///
/// # Errors
///
/// Fails if the certificate cannot be read, or if there was something to remove and no step succeeded.
pub(crate) async fn untrust(authority: &Path) -> Result<TrustOutcome> {
    let certificate = AuthorityCertificate::read(authority)?;
    run_blocking(move || {
        let mut outcome = TrustOutcome::default();
        if system::is_trusted(&certificate) {
            outcome.record(system::untrust(&certificate));
        }
        for step in browsers::untrust(&certificate) {
            outcome.record(step);
        }
        outcome.finish(&certificate)
    })
    .await
}

/// Updates the desktop state from the content of the stores.
pub(crate) async fn refresh_state(config: &AppConfig, state: &AppState) {
    let authority = config.paths.authority();
    let path = authority.is_file().then(|| authority.display().to_string());
    let trusted = match AuthorityCertificate::read(&authority) {
        Ok(certificate) => run_blocking(move || Ok(trusted_stores(&certificate))).await.unwrap_or_default(),
        Err(_) => TrustedStores::default(),
    };
    let offered = config.settings.current().trust_offer_answered;
    state.update_desktop(|state| state.authority = AuthorityState { trusted, path, offered });
}

fn trusted_stores(certificate: &AuthorityCertificate) -> TrustedStores {
    TrustedStores { system: system::is_trusted(certificate), browsers: browsers::are_trusting(certificate) }
}

impl TrustOutcome {
    fn record(&mut self, step: Result<String>) {
        match step {
            Ok(done) => self.done.push(done),
            Err(error) => self.failed.push(error.message),
        }
    }

    fn finish(mut self, certificate: &AuthorityCertificate) -> Result<TrustOutcome> {
        self.trusted = trusted_stores(certificate);
        if self.done.is_empty() && !self.failed.is_empty() {
            return Err(DesktopError::new(Code::Unavailable, self.failed.join(" ")));
        }
        Ok(self)
    }
}

/// Runs tools that block, one of which may ask the user for a password.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(DesktopError::local("The certificate stores could not be changed", error)))
}
