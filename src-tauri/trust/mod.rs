//! Making this computer trust the local authority, saying exactly what that does, and taking it back.
//!
//! Two stores: the system's (curl, most programs) and the browsers' own (NSS databases of Chromium and Firefox).

mod browsers;
mod certificate;
mod system;

use crate::desk::Desk;
use crate::failure::{Failure, Result};
use crate::state::{AuthorityState, Trusted};
use certificate::Certificate;
use postern_api::Code;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Which stores are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Where {
    System,
    Browsers,
    Both,
}

/// What was done, step by step, and what could not be, each as a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Outcome {
    pub(crate) done: Vec<String>,
    pub(crate) failed: Vec<String>,
    pub(crate) trusted: Trusted,
}

/// Puts the authority's certificate into the stores. An error only if nothing at all could be done.
pub(crate) async fn trust(authority: &Path, place: Where) -> Result<Outcome> {
    let certificate = Certificate::read(authority)?;
    in_background(move || {
        let mut outcome = Outcome::default();
        if place != Where::Browsers {
            outcome.take(system::trust(&certificate));
        }
        if place != Where::System {
            for step in browsers::trust(&certificate) {
                outcome.take(step);
            }
        }
        outcome.judged(&certificate)
    })
    .await
}

/// Takes the certificate out of every store it is in.
pub(crate) async fn untrust(authority: &Path) -> Result<Outcome> {
    let certificate = Certificate::read(authority)?;
    in_background(move || {
        let mut outcome = Outcome::default();
        if system::is_trusted(&certificate) {
            outcome.take(system::untrust(&certificate));
        }
        for step in browsers::untrust(&certificate) {
            outcome.take(step);
        }
        outcome.judged(&certificate)
    })
    .await
}

/// Brings the state up to date with what the stores hold.
pub(crate) async fn look_again(desk: &Desk) {
    let authority = desk.places.authority();
    let path = authority.is_file().then(|| authority.display().to_string());
    let trusted = match Certificate::read(&authority) {
        Ok(certificate) => in_background(move || Ok(trusted(&certificate))).await.unwrap_or_default(),
        Err(_) => Trusted::default(),
    };
    let offered = desk.settings.facts().trust_offer_answered;
    desk.state.change(|state| state.authority = AuthorityState { trusted, path, offered });
}

fn trusted(certificate: &Certificate) -> Trusted {
    Trusted { system: system::is_trusted(certificate), browsers: browsers::are_trusting(certificate) }
}

impl Outcome {
    fn take(&mut self, step: Result<String>) {
        match step {
            Ok(done) => self.done.push(done),
            Err(failure) => self.failed.push(failure.message),
        }
    }

    fn judged(mut self, certificate: &Certificate) -> Result<Outcome> {
        self.trusted = trusted(certificate);
        if self.done.is_empty() && !self.failed.is_empty() {
            return Err(Failure::new(Code::Unavailable, self.failed.join(" ")));
        }
        Ok(self)
    }
}

/// The tools block, and one of them may ask the person for a password.
async fn in_background<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(Failure::local("The stores of trusted certificates could not be changed", error)))
}
