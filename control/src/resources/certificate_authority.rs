//! Certificate authorities: validated and parsed when they are uploaded.

use super::{CallContext, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord};
use crate::certificates::{trusted, x509};
use postern_api::{
    Code, Result,
    resource::{
        CertificateAuthority, CertificateAuthorityCreate, CertificateAuthorityStatus, CertificateAuthorityUpdate,
    },
};

impl Rules for CertificateAuthority {
    /// Properties of the certificate, parsed once.
    type Hidden = CertificateAuthorityStatus;
    const CACHEABLE: bool = true;
    const UNKNOWN: Code = Code::AuthorityUnknown;
    const IN_USE: Code = Code::AuthorityInUse;

    async fn create(body: CertificateAuthorityCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let facts = trusted::read(&body.ca_pem)?;
        let status = CertificateAuthorityStatus {
            subject_common_name: facts.subject_common_name,
            not_before: x509::moment(facts.not_before),
            not_after: x509::moment(facts.not_after),
            key_usages: facts.key_usages,
            extended_key_usages: facts.extended_key_usages,
        };
        Ok(NewRecord::new(CertificateAuthority { ca_pem: body.ca_pem }, status))
    }

    async fn update(
        _stored: &mut StoredRecord<Self>,
        _body: CertificateAuthorityUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        Ok(Vec::new())
    }

    async fn status(
        stored: &StoredRecord<Self>,
        _modules: &Modules,
        _ctx: &Resources,
    ) -> Result<CertificateAuthorityStatus> {
        Ok(stored.hidden.clone())
    }
}
