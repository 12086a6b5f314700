//! SIGHUP: the settings are read again, and those that can change while the server runs are applied.

use super::Server;
use crate::{
    certificates,
    configuration::{Applied, Configuration, RawSettings, SettingSources, oauth_apps},
    logs::{Level, LevelHandle},
};
use postern_control::{AcmeSettings, ConsoleProviderSettings};
use postern_edge::{Limits, Proxies};
use postern_logins::OAuthProviders;
use rustls::sign::CertifiedKey;
use std::sync::Arc;

/// The settings of this process: where they are read from, and what was read.
pub(crate) struct ReadSettings {
    sources: SettingSources,
    /// Those of the start: settings that need a restart are compared with them.
    started: RawSettings,
    latest: RawSettings,
    in_force: InForce,
    log_level: LevelHandle,
}

/// Values that can change while the server runs.
struct InForce {
    log_level: Level,
    limits: Limits,
    proxies: Proxies,
    oauth_apps: OAuthProviders,
    acme: Option<AcmeSettings>,
    console_oidc: Option<ConsoleProviderSettings>,
}

impl InForce {
    fn of(configuration: &Configuration) -> Self {
        InForce {
            log_level: configuration.log_level,
            limits: configuration.limits.clone(),
            proxies: configuration.proxies.clone(),
            oauth_apps: configuration.oauth_apps.clone(),
            acme: configuration.acme.clone(),
            console_oidc: configuration.console_oidc.clone(),
        }
    }
}

/// Valid settings that were read again.
struct NewSettings {
    raw: RawSettings,
    configuration: Configuration,
    certificate: Option<Arc<CertifiedKey>>,
}

impl ReadSettings {
    /// What the server is started with.
    pub(crate) fn new(
        sources: SettingSources,
        raw: RawSettings,
        configuration: &Configuration,
        log_level: LevelHandle,
    ) -> Self {
        ReadSettings { sources, started: raw.clone(), latest: raw, in_force: InForce::of(configuration), log_level }
    }

    /// Reads all sources, and the files that settings name. Returns all mistakes in one line if there are any.
    async fn read_again(&self) -> Result<NewSettings, String> {
        let sources = self.sources.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let (raw, mistakes) = sources.gather();
            let configuration = Configuration::resolve(&raw, mistakes).map_err(|mistakes| mistakes.one_line())?;
            let certificate = match &configuration.certificate {
                Some((chain, key)) => Some(certificates::read(chain, key).map_err(|error| error.message)?),
                None => None,
            };
            Ok(NewSettings { raw, configuration, certificate })
        });
        reading.await.unwrap_or_else(|error| Err(format!("Reading them did not finish: {error}.")))
    }
}

impl Server {
    /// Reads the settings again. A mistake changes nothing; open connections go on in any case.
    pub(super) async fn reload(&mut self, settings: &mut ReadSettings) {
        match settings.read_again().await {
            Ok(new) => self.apply(settings, new).await,
            Err(mistakes) => {
                tracing::error!("SIGHUP: the settings have mistakes, so none of them was changed. {mistakes}");
            }
        }
    }

    async fn apply(&mut self, settings: &mut ReadSettings, new: NewSettings) {
        let NewSettings { raw, configuration, certificate } = new;
        let before = std::mem::replace(&mut settings.in_force, InForce::of(&configuration));
        let changed = raw.changed_since(&settings.latest);
        let mut changed: Vec<_> =
            changed.iter().filter(|one| one.applied == Applied::AtReload).map(|one| one.key).collect();
        if configuration.limits != before.limits {
            self.edge.set_limits(configuration.limits);
        }
        if configuration.proxies != before.proxies {
            self.edge.set_proxies(configuration.proxies);
        }
        if configuration.oauth_apps != before.oauth_apps {
            note(&mut changed, "oauth_apps");
            let has_tenants = oauth_apps::has_microsoft_tenants(&configuration.oauth_apps);
            self.control.set_oauth_apps(&oauth_apps::apps(&configuration.oauth_apps), has_tenants);
            self.edge.set_login_providers(configuration.oauth_apps).await;
        }
        if configuration.acme != before.acme {
            if let (Some(new), Some(former)) = (&configuration.acme, &before.acme)
                && changed.iter().all(|key| !key.starts_with("acme"))
                && new.dns != former.dns
            {
                note(&mut changed, "acme_dns_secret_file");
            }
            // The former one is ended first.
            drop(self.acme.take());
            self.acme = configuration.acme.map(|acme| self.control.certify(acme, self.challenges.clone()));
        }
        if configuration.console_oidc != before.console_oidc {
            if changed.iter().all(|key| !key.starts_with("console_oidc")) {
                note(&mut changed, "console_oidc_client_secret_file");
            }
            if let Err(error) = self.set_console_provider(configuration.console_oidc) {
                tracing::error!(%error, "SIGHUP: the OpenID provider of the console stays as it was");
            }
        }
        let former = self.certificates.given.swap(certificate.clone());
        if former.map(|former| former.cert.clone()) != certificate.map(|given| given.cert.clone()) {
            note(&mut changed, "certificate");
        }
        (self.drain_delay, self.drain_timeout) = (configuration.drain_delay, configuration.drain_timeout);
        if configuration.log_level != before.log_level {
            settings.log_level.set(configuration.log_level);
        }
        report(&changed, &raw, &settings.started);
        settings.latest = raw;
    }
}

/// Adds a setting whose file has changed.
fn note(changed: &mut Vec<&'static str>, key: &'static str) {
    if !changed.contains(&key) {
        changed.push(key);
    }
}

/// Logs what is in force from now on, and what will not be before a restart.
fn report(changed: &[&str], raw: &RawSettings, started: &RawSettings) {
    if changed.is_empty() {
        tracing::info!("SIGHUP: the settings were read again; none that can be applied now has changed");
    } else {
        tracing::info!(changed = changed.join(", "), "SIGHUP: the settings were read again and are in force");
    }
    let waiting = raw.changed_since(started).into_iter().filter(|one| one.applied == Applied::AtRestart);
    let waiting: Vec<_> = waiting.map(|setting| setting.key).collect();
    if !waiting.is_empty() {
        tracing::warn!(
            settings = waiting.join(", "),
            "SIGHUP: these settings have changed and need a restart of the server"
        );
    }
}
