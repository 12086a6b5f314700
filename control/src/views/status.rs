//! Status of the server: from memory, except for the size of its files.

use crate::{files, resources::Resources};
use postern_api::{
    Result, Timestamp,
    published::Certificate,
    resource::{Configured, ExpiringCertificate, Ref, ServerStatus, StoreStatus, TlsCertificate},
};

/// Certificates shown, those that expire first.
const MAX_EXPIRING: usize = 10;

impl Resources {
    /// Current status.
    ///
    /// # Errors
    /// None at present.
    pub(crate) async fn status(&self) -> Result<ServerStatus> {
        let published = self.published.borrow().clone();
        let folder = self.settings.data_dir.clone();
        // A folder that cannot be read does not fail the whole status.
        let bytes = tokio::task::spawn_blocking(move || files::folder_size(&folder)).await.unwrap_or_default();
        let mut certificates: Vec<&Certificate> = published.certificates.iter().map(AsRef::as_ref).collect();
        certificates.sort_by_key(|certificate| certificate.not_after);
        let ((traffic, history), mut nodes_missing) = self.live.traffic_in_all().await;
        nodes_missing.extend(self.live.missing_nodes());
        nodes_missing.sort();
        nodes_missing.dedup();
        Ok(ServerStatus {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: self.first_start(),
            region: self.live.region(),
            domain: self.settings.domain.to_string(),
            https_port: self.live.https_port(),
            sessions: self.live.sessions().len() as u64,
            tunnels: self.live.tunnels().len() as u64,
            configured: Configured {
                https_edges: published.https_edges.size() as u64,
                tls_edges: published.tls_edges.size() as u64,
                tcp_edges: published.tcp_edges.size() as u64,
                backends: published.backends.size() as u64,
                tls_certificates: certificates.len() as u64,
                credentials: published.credentials.size() as u64,
            },
            store: StoreStatus { revision: published.revision.unsigned_abs(), bytes },
            expiring: certificates
                .into_iter()
                .take(MAX_EXPIRING)
                .map(|certificate| self.expiring(certificate))
                .collect(),
            traffic,
            history,
            nodes_missing,
        })
    }

    /// Start of the node that has been running longest.
    fn first_start(&self) -> Timestamp {
        let nodes = self.presence.as_ref().and_then(|presence| presence.nodes());
        let first = nodes.and_then(|nodes| nodes.borrow().records.values().map(|record| record.since).min());
        first.map_or(self.started_at, |first| first.min(self.started_at))
    }

    fn expiring(&self, certificate: &Certificate) -> ExpiringCertificate {
        let addresses = certificate.addresses.iter().map(ToString::to_string);
        ExpiringCertificate {
            certificate: Ref::by_text::<TlsCertificate>(self.base_url(), &certificate.id),
            names: certificate.names.iter().cloned().chain(addresses).collect(),
            not_after: certificate.not_after,
            renewed: certificate.issued_at.is_some(),
        }
    }
}
