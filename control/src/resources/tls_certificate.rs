//! TLS certificates: judged and read when they are uploaded, the private key sealed and never shown.

use super::{Attachment, Call, Draft, Kept, Making, Modules, Resources, Rules};
use crate::certificates::{tls_chain::TlsChain, x509};
use postern_api::{
    KeyType, Result, Secret,
    resource::{
        SubjectAlternativeNames, TlsCertificate, TlsCertificateCreate, TlsCertificateStatus, TlsCertificateUpdate,
    },
};
use serde::{Deserialize, Serialize};

/// What is kept beside the chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Uploaded {
    pub(crate) private_key_pem: Secret,
    /// What the leaf says, read once.
    pub(crate) leaf: TlsCertificateStatus,
}

impl Rules for TlsCertificate {
    type Hidden = Uploaded;
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
