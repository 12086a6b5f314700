//! Challenges in DNS (`dns-01`, RFC 8555, section 8.4): TXT records that exist while an order runs.

use super::{AcmeError, hook, propagation};
use crate::dns::{DnsError, DnsRecordType, Resolver, TextChange, TsigKey, ask, change_text};
use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

/// Records of one order: a wildcard, and the name above it.
const MAX_RECORDS: u32 = 2;

/// How records for challenges in DNS are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsChallengeSettings {
    /// What makes them.
    pub provider: DnsProvider,
    /// Longest run of a hook program, and longest wait for the name servers of a zone to have a record.
    pub timeout: Duration,
}

/// What makes records in DNS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DnsProvider {
    /// A name server that takes dynamic updates (RFC 2136).
    NameServer {
        /// Host and port.
        server: String,
        /// The zone to change; `None` asks the name server for that of each name.
        zone: Option<String>,
        /// Key that signs the updates.
        key: TsigKey,
    },
    /// A program, called with `add` or `remove`, the name of the record, and its text.
    Hook(PathBuf),
}

/// Answers challenges in DNS.
#[derive(Clone)]
pub(super) struct DnsChallenges {
    settings: Arc<DnsChallengeSettings>,
    resolver: Resolver,
}

/// A record that is removed when this is dropped.
pub(super) struct PublishedRecord {
    challenges: DnsChallenges,
    /// The name of the record, behind all aliases.
    name: String,
    value: String,
}

impl DnsChallenges {
    pub(super) fn new(settings: DnsChallengeSettings, resolver: Resolver) -> Self {
        DnsChallenges { settings: Arc::new(settings), resolver }
    }

    /// Longest time that challenges of one order may take.
    pub(super) fn time_limit(&self) -> Duration {
        self.settings.timeout * (MAX_RECORDS + 1)
    }

    /// Makes the record that proves the control of a host name. It is made where an alias at its place leads.
    pub(super) async fn publish(&self, host: &str, value: &str) -> Result<PublishedRecord, AcmeError> {
        let name = self.resolver.canonical_name(&format!("_acme-challenge.{host}")).await;
        // It exists before the record, because an attempt that fails may have made it nevertheless.
        let record = PublishedRecord { challenges: self.clone(), name, value: value.to_owned() };
        self.change(TextChange::Add, &record.name, value).await?;
        tracing::info!(name = record.name, "a TXT record for a challenge was added");
        Ok(record)
    }

    /// Waits until the name servers of the records have them.
    pub(super) async fn until_visible(&self, records: &[PublishedRecord]) -> Result<(), AcmeError> {
        for record in records {
            let primary = match &self.settings.provider {
                DnsProvider::NameServer { server, .. } => Some(address(server).await?),
                DnsProvider::Hook(_) => None,
            };
            let servers = propagation::authoritative_servers(&self.resolver, primary, &record.name).await;
            propagation::until_visible(servers, (&record.name, &record.value), self.settings.timeout).await?;
        }
        Ok(())
    }

    async fn change(&self, change: TextChange, name: &str, value: &str) -> Result<(), AcmeError> {
        match &self.settings.provider {
            DnsProvider::Hook(program) => hook::run(program, change, (name, value), self.settings.timeout).await,
            DnsProvider::NameServer { server, zone, key } => {
                let server = address(server).await?;
                let zone = match zone {
                    Some(zone) => zone.clone(),
                    None => zone_of(server, name).await?,
                };
                if name != zone && !name.ends_with(&format!(".{zone}")) {
                    return Err(AcmeError(format!(
                        "`{name}` is not in the zone `{zone}` of --acme-dns-zone; make it an alias (CNAME) of a name there"
                    )));
                }
                Ok(change_text(server, key, &zone, change, (name, value)).await?)
            }
        }
    }
}

impl Drop for PublishedRecord {
    fn drop(&mut self) {
        let (challenges, name, value) = (self.challenges.clone(), self.name.clone(), std::mem::take(&mut self.value));
        tokio::spawn(async move {
            match challenges.change(TextChange::Remove, &name, &value).await {
                Ok(()) => tracing::info!(name, "the TXT record of a challenge was removed"),
                Err(AcmeError(reason)) => {
                    tracing::warn!(name, "the TXT record of a challenge could not be removed: {reason}");
                }
            }
        });
    }
}

impl From<DnsError> for AcmeError {
    fn from(DnsError(reason): DnsError) -> Self {
        AcmeError(reason)
    }
}

/// The zone of a name, as its name server says it.
async fn zone_of(server: SocketAddr, name: &str) -> Result<String, AcmeError> {
    let zone = ask(server, name, DnsRecordType::Soa, false).await?.zone;
    zone.ok_or_else(|| AcmeError(format!("the name server {server} has no zone for `{name}`; set --acme-dns-zone")))
}

/// Address of a host and port; a name may have another one each time.
async fn address(server: &str) -> Result<SocketAddr, AcmeError> {
    let unknown =
        |why: String| AcmeError(format!("the name server {server} of --acme-dns-server has no address: {why}"));
    let mut found = tokio::net::lookup_host(server).await.map_err(|error| unknown(error.to_string()))?;
    found.next().ok_or_else(|| unknown("none was found".to_owned()))
}
