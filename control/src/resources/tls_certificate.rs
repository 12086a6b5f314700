//! TLS certificates: validated when they are uploaded; the private key is sealed and never shown.

use super::{
    CallContext, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord,
    audit::{EventAuthor, NewEvent, Settings},
    commit_plan::CommitPlan,
    retry::commit_with_retry,
};
use crate::{
    certificates::{is_issued_for, ordered_names, tls_chain::TlsChain, x509},
    store::Revision,
};
use postern_api::{
    Code, Id, KeyType, Result, Secret, Timestamp,
    host::HostName,
    published::Certificate,
    resource::{
        AuditOperation, SubjectAlternativeNames, TlsCertificate, TlsCertificateCreate, TlsCertificateStatus,
        TlsCertificateUpdate,
    },
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Private key of a certificate, and the properties of its leaf.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CertificateKey {
    pub(crate) private_key_pem: Secret,
    /// Properties of the leaf, parsed once.
    pub(crate) leaf: TlsCertificateStatus,
}

impl Rules for TlsCertificate {
    type Hidden = CertificateKey;
    const CACHEABLE: bool = true;
    const UNKNOWN: Code = Code::CertificateUnknown;
    const IN_USE: Code = Code::CertificateInUse;
    const SECRETS: &'static [&'static str] = &["/hidden/private_key_pem"];

    async fn create(body: TlsCertificateCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let TlsCertificateCreate { certificate_pem, private_key_pem, .. } = body;
        let chain = TlsChain::read(&certificate_pem, &private_key_pem)?;
        let leaf = status(chain.facts, chain.key_type);
        Ok(NewRecord::new(TlsCertificate { certificate_pem }, CertificateKey { private_key_pem, leaf }))
    }

    async fn update(
        _stored: &mut StoredRecord<Self>,
        _body: TlsCertificateUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        Ok(Vec::new())
    }

    async fn status(stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<TlsCertificateStatus> {
        Ok(stored.hidden.leaf.clone())
    }
}

impl Resources {
    /// Stores a certificate that the server got by itself for a name, in place of the former one.
    ///
    /// # Errors
    /// If the certificate cannot be used, or the store fails.
    pub(crate) async fn store_issued_certificate(
        &self,
        name: &HostName,
        certificate_pem: String,
        private_key_pem: Secret,
        now: Timestamp,
    ) -> Result<()> {
        let chain = TlsChain::read(&certificate_pem, &private_key_pem)?;
        let leaf = TlsCertificateStatus { issued_at: Some(now), ..status(chain.facts, chain.key_type) };
        let (spec, hidden) = (&TlsCertificate { certificate_pem }, &CertificateKey { private_key_pem, leaf });
        commit_with_retry(move |_| async move {
            let moment = postern_api::clock::now();
            let mut before = None;
            let (stored, revision) = match self.find_issued_certificate(name).await? {
                Some((former, revision)) => {
                    before = Some(Settings::of_record(&former)?);
                    (StoredRecord { spec: spec.clone(), hidden: hidden.clone(), ..former }, Some(revision))
                }
                None => {
                    let stored = StoredRecord {
                        id: Id::new(moment),
                        parent: None,
                        created_at: Timestamp::new(moment),
                        description: format!("got by ACME for {name}"),
                        metadata: String::new(),
                        spec: spec.clone(),
                        hidden: hidden.clone(),
                        claims: Vec::new(),
                        links: Vec::new(),
                    };
                    (stored, None)
                }
            };
            let mut plan = CommitPlan::default();
            plan.expect_revision(&stored.key(), revision);
            plan.put(&stored.key(), self.codec.record(&stored)?);
            let operation = if before.is_some() { AuditOperation::Updated } else { AuditOperation::Created };
            let secrets_changed = before.is_some();
            let event = NewEvent { before, secrets_changed, ..NewEvent::of_record(operation, &stored)? };
            plan.record_event(&EventAuthor::server("acme"), event, moment)?;
            match self.commit::<TlsCertificate>(&plan).await? {
                Some(revision) => self.wait_until_published(revision).await.map(Some),
                None => Ok(None),
            }
        })
        .await
    }

    /// Newest certificate that the server got by itself for a name.
    async fn find_issued_certificate(
        &self,
        name: &HostName,
    ) -> Result<Option<(StoredRecord<TlsCertificate>, Revision)>> {
        let published = self.published.borrow().clone();
        let names = ordered_names(name, &self.settings.domain);
        let issued = published.certificates.iter().filter(|certificate| is_issued_for(certificate, &names));
        let Some(newest) = issued.max_by(|a, b| a.age().cmp(&b.age())).map(|newest: &Arc<Certificate>| &newest.id)
        else {
            return Ok(None);
        };
        self.load(&Id::parse(newest)?).await
    }
}

fn status(facts: x509::CertificateFacts, private_key_type: KeyType) -> TlsCertificateStatus {
    TlsCertificateStatus {
        subject_common_name: facts.subject_common_name,
        subject_alternative_names: SubjectAlternativeNames { dns_names: facts.dns_names, ips: facts.ips },
        issued_at: None,
        not_before: x509::moment(facts.not_before),
        not_after: x509::moment(facts.not_after),
        key_usages: facts.key_usages,
        extended_key_usages: facts.extended_key_usages,
        private_key_type,
        issuer_common_name: facts.issuer_common_name,
        serial_number: facts.serial_number,
        subject_organization: facts.subject_organization,
        subject_organizational_unit: facts.subject_organizational_unit,
        subject_locality: facts.subject_locality,
        subject_province: facts.subject_province,
        subject_country: facts.subject_country,
    }
}
