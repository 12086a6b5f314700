//! SSH user certificates: signed when they are created.

use super::{
    CallContext, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources, Rules, StoredRecord,
    ssh_certificates::SshCertificateOrder,
};
use crate::certificates::ssh::Purpose;
use postern_api::{
    Result,
    resource::{SshCertificateStatus, SshUserCertificate, SshUserCertificateCreate, SshUserCertificateUpdate},
};
use std::collections::BTreeMap;

impl Rules for SshUserCertificate {
    type Hidden = SshCertificateStatus;
    const CACHEABLE: bool = true;

    async fn create(body: SshUserCertificateCreate, context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let order = SshCertificateOrder {
            purpose: Purpose::User,
            authority_id: body.ssh_certificate_authority_id,
            public_key: body.public_key,
            principals: body.principals.unwrap_or_default(),
            valid_after: body.valid_after,
            valid_until: body.valid_until,
            critical_options: body.critical_options.unwrap_or_default(),
            extensions: body.extensions.unwrap_or_else(default_extensions),
        };
        let signed = order.sign(context).await?;
        let spec = SshUserCertificate {
            ssh_certificate_authority_id: signed.authority,
            public_key: order.public_key,
            principals: order.principals,
            valid_after: signed.validity.after,
            valid_until: signed.validity.until,
            critical_options: order.critical_options,
            extensions: order.extensions,
        };
        Ok(NewRecord::new(spec, signed.status))
    }

    async fn update(
        _stored: &mut StoredRecord<Self>,
        _body: SshUserCertificateUpdate,
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

/// A terminal and the user's rc file, without any forwarding.
fn default_extensions() -> BTreeMap<String, String> {
    ["permit-pty", "permit-user-rc"].into_iter().map(|name| (name.to_owned(), String::new())).collect()
}
