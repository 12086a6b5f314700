//! SSH host certificates: signed when they are created.

use super::{
    CallContext, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources, Rules, StoredRecord,
    ssh_certificates::SshCertificateOrder,
};
use crate::certificates::ssh::Purpose;
use postern_api::{
    Result,
    resource::{SshCertificateStatus, SshHostCertificate, SshHostCertificateCreate, SshHostCertificateUpdate},
};
use std::collections::BTreeMap;

impl Rules for SshHostCertificate {
    type Hidden = SshCertificateStatus;
    const CACHEABLE: bool = true;

    async fn create(body: SshHostCertificateCreate, context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let order = SshCertificateOrder {
            purpose: Purpose::Host,
            authority_id: body.ssh_certificate_authority_id,
            public_key: body.public_key,
            principals: body.principals.unwrap_or_default(),
            valid_after: body.valid_after,
            valid_until: body.valid_until,
            critical_options: BTreeMap::new(),
            extensions: BTreeMap::new(),
        };
        let signed = order.sign(context).await?;
        let spec = SshHostCertificate {
            ssh_certificate_authority_id: signed.authority,
            public_key: order.public_key,
            principals: order.principals,
            valid_after: signed.validity.after,
            valid_until: signed.validity.until,
        };
        Ok(NewRecord::new(spec, signed.status))
    }

    async fn update(
        _stored: &mut StoredRecord<Self>,
        _body: SshHostCertificateUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        Ok(Vec::new())
    }

    fn links(stored: &StoredRecord<Self>) -> Vec<NewLink> {
        vec![NewLink::to(&stored.spec.ssh_certificate_authority_id, LinkRole::Needs)]
    }

    async fn status(stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<SshCertificateStatus> {
        Ok(stored.hidden.clone())
    }
}
