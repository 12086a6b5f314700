//! Certificate authorities: judged and read when they are uploaded.

use super::{Attachment, Call, Draft, Kept, Making, Modules, Resources, Rules};
use crate::certificates::{trusted, x509};
use postern_api::{
    Result,
    resource::{
        CertificateAuthority, CertificateAuthorityCreate, CertificateAuthorityStatus, CertificateAuthorityUpdate,
    },
};

impl Rules for CertificateAuthority {
    /// What the certificate says, read once.
    type Hidden = CertificateAuthorityStatus;
    const LASTING: bool = true;

    async fn create(body: CertificateAuthorityCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let facts = trusted::read(&body.ca_pem)?;
        let status = CertificateAuthorityStatus {
            subject_common_name: facts.subject_common_name,
            not_before: x509::moment(facts.not_before),
            not_after: x509::moment(facts.not_after),
            key_usages: facts.key_usages,
            extended_key_usages: facts.extended_key_usages,
        };
        Ok(Draft::new(CertificateAuthority { ca_pem: body.ca_pem }, status))
    }

    async fn change(
        _kept: &mut Kept<Self>,
        _body: CertificateAuthorityUpdate,
        _call: &Call<'_>,
    ) -> Result<Vec<Attachment>> {
        Ok(Vec::new())
    }

    async fn status(kept: &Kept<Self>, _modules: &Modules, _here: &Resources) -> Result<CertificateAuthorityStatus> {
        Ok(kept.hidden.clone())
    }
}
