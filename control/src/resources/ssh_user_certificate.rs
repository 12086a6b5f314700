//! SSH user certificates: signed once, when they are made.

use super::{Attachment, Call, Draft, Kept, Link, Making, Modules, Resources, Role, Rules, ssh_certificates::Order};
use crate::certificates::ssh::Purpose;
use postern_api::{
    Result,
    resource::{SshCertificateStatus, SshUserCertificate, SshUserCertificateCreate, SshUserCertificateUpdate},
};
use std::collections::BTreeMap;

impl Rules for SshUserCertificate {
    type Hidden = SshCertificateStatus;
    const LASTING: bool = true;

    async fn create(body: SshUserCertificateCreate, making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let order = Order {
            purpose: Purpose::User,
            authority_id: body.ssh_certificate_authority_id,
            public_key: body.public_key,
            principals: body.principals.unwrap_or_default(),
            valid_after: body.valid_after,
            valid_until: body.valid_until,
            critical_options: body.critical_options.unwrap_or_default(),
            extensions: body.extensions.unwrap_or_else(usual_extensions),
        };
        let signed = order.sign(making).await?;
        let spec = SshUserCertificate {
            ssh_certificate_authority_id: signed.authority,
            public_key: order.public_key,
            principals: order.principals,
            valid_after: signed.validity.after,
            valid_until: signed.validity.until,
            critical_options: order.critical_options,
            extensions: order.extensions,
        };
        Ok(Draft::new(spec, signed.status))
    }

    async fn change(
        _kept: &mut Kept<Self>,
        _body: SshUserCertificateUpdate,
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

/// A terminal and the user's own start file, and no forwarding of anything.
fn usual_extensions() -> BTreeMap<String, String> {
    ["permit-pty", "permit-user-rc"].into_iter().map(|name| (name.to_owned(), String::new())).collect()
}
