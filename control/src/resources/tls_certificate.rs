//! TLS certificates: judged and read when they are uploaded, the private key sealed and never shown.

use super::{Attachment, Call, Draft, Kept, Making, Modules, Resources, Rules, operations, plan::Plan};
use crate::{
    certificates::{tls_chain::TlsChain, x509},
    store::Revision,
};
use postern_api::{
    AnyId, Code, Id, KeyType, Result, Secret, Timestamp,
    host::HostName,
    published::Certificate,
    resource::{
        SubjectAlternativeNames, TlsCertificate, TlsCertificateCreate, TlsCertificateStatus, TlsCertificateUpdate,
    },
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is kept beside the chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Uploaded {
    pub(crate) private_key_pem: Secret,
    /// What the leaf says, read once.
    pub(crate) leaf: TlsCertificateStatus,
}

impl Rules for TlsCertificate {
    type Hidden = Uploaded;
    const LASTING: bool = true;
    const SECRETS: &'static [&'static str] = &["/hidden/private_key_pem"];

    async fn create(body: TlsCertificateCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let TlsCertificateCreate { certificate_pem, private_key_pem, .. } = body;
        let chain = TlsChain::read(&certificate_pem, &private_key_pem)?;
        let leaf = status(chain.facts, chain.key_type);
        Ok(Draft::new(TlsCertificate { certificate_pem }, Uploaded { private_key_pem, leaf }))
    }

    async fn change(_kept: &mut Kept<Self>, _body: TlsCertificateUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        Ok(Vec::new())
    }

    async fn status(kept: &Kept<Self>, _modules: &Modules, _here: &Resources) -> Result<TlsCertificateStatus> {
        Ok(kept.hidden.leaf.clone())
    }
}

impl Resources {
    /// Stores a certificate that the server got by itself for a name, in the place of the one it had for it.
    pub(crate) async fn keep_issued(
        &self,
        name: &HostName,
        certificate_pem: String,
        private_key_pem: Secret,
        now: Timestamp,
    ) -> Result<()> {
        let chain = TlsChain::read(&certificate_pem, &private_key_pem)?;
        let leaf = TlsCertificateStatus { issued_at: Some(now), ..status(chain.facts, chain.key_type) };
        let (spec, hidden) = (TlsCertificate { certificate_pem }, Uploaded { private_key_pem, leaf });
        for attempt in 0..operations::ATTEMPTS {
            let moment = jiff::Timestamp::now();
            let (kept, revision) = match self.issued_for(name).await? {
                Some((former, revision)) => {
                    (Kept { spec: spec.clone(), hidden: hidden.clone(), ..former }, Some(revision))
                }
                None => {
                    let kept = Kept {
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
                    (kept, None)
                }
            };
            let mut plan = Plan::default();
            plan.unchanged(&kept.key(), revision);
            plan.put(&kept.key(), self.codec.record(&kept)?);
            let what = if revision.is_some() { "tls_certificate_updated" } else { "tls_certificate_created" };
            plan.event(what, kept.id.as_str(), &AnyId::from_text("acme"), moment)?;
            if let Some(revision) = self.attempt::<TlsCertificate>(&plan).await? {
                return self.seen(revision).await;
            }
            operations::pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// The newest that the server got by itself for a name.
    async fn issued_for(&self, name: &HostName) -> Result<Option<(Kept<TlsCertificate>, Revision)>> {
        let published = self.published.borrow().clone();
        let automatic = published.certificates.iter().filter(|certificate| crate::acme::automatic(certificate, name));
        let Some(newest) = automatic.max_by(|a, b| a.age().cmp(&b.age())).map(|newest: &Arc<Certificate>| &newest.id)
        else {
            return Ok(None);
        };
        self.stored(&Id::parse(newest)?).await
    }
}

fn status(facts: x509::Facts, private_key_type: KeyType) -> TlsCertificateStatus {
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
