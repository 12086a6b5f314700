//! SSH host certificates: signed once, when they are made.

use super::{Attachment, Call, Draft, Kept, Link, Making, Modules, Resources, Role, Rules, ssh_certificates::Order};
use crate::certificates::ssh::Purpose;
use postern_api::{
    Result,
    resource::{SshCertificateStatus, SshHostCertificate, SshHostCertificateCreate, SshHostCertificateUpdate},
};
use std::collections::BTreeMap;

impl Rules for SshHostCertificate {
    type Hidden = SshCertificateStatus;
    const LASTING: bool = true;

    async fn create(body: SshHostCertificateCreate, making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let order = Order {
            purpose: Purpose::Host,
            authority_id: body.ssh_certificate_authority_id,
            public_key: body.public_key,
            principals: body.principals.unwrap_or_default(),
            valid_after: body.valid_after,
            valid_until: body.valid_until,
            critical_options: BTreeMap::new(),
            extensions: BTreeMap::new(),
        };
        let signed = order.sign(making).await?;
        let spec = SshHostCertificate {
            ssh_certificate_authority_id: signed.authority,
            public_key: order.public_key,
            principals: order.principals,
            valid_after: signed.validity.after,
            valid_until: signed.validity.until,
        };
        Ok(Draft::new(spec, signed.status))
    }

    async fn change(
        _kept: &mut Kept<Self>,
        _body: SshHostCertificateUpdate,
        _call: &Call<'_>,
    ) -> Result<Vec<Attachment>> {
        Ok(Vec::new())
    }

    fn links(kept: &Kept<Self>) -> Vec<Link> {
        vec![Link::to(&kept.spec.ssh_certificate_authority_id, Role::Needs)]
    }

    async fn status(kept: &Kept<Self>, _modules: &Modules, _here: &Resources) -> Result<SshCertificateStatus> {
        Ok(kept.hidden.clone())
    }
}
