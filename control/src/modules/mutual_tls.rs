//! The mutual TLS module. Its authorities cannot be deleted while they are named.

use crate::resources::{LinkRole, ModuleReferences, ModuleRules, NewLink, Resources, StoredModule};
use postern_api::{
    AnyId, Code, Error, Id, Result,
    module::{AUTHORITY_LIMIT, MutualTls, MutualTlsView},
    resource::{CertificateAuthority, Nothing, Ref},
};
use std::sync::Arc;

impl ModuleRules for MutualTls {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        check_authorities(self)
    }

    fn links(&self) -> Result<Vec<NewLink>> {
        let link = |id| NewLink::to(id, LinkRole::Needs).in_field("certificate_authority_ids");
        Ok(authorities(self)?.iter().map(link).collect())
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, ctx: &Resources) -> Result<MutualTlsView> {
        let refer = |id: &Id<CertificateAuthority>| Ref::to(ctx.base_url(), id);
        let certificate_authorities = authorities(&stored.module)?.iter().map(refer).collect();
        Ok(MutualTlsView { enabled: stored.module.enabled, certificate_authorities })
    }

    fn publish(stored: &StoredModule<Self>, references: &dyn ModuleReferences) -> Result<Vec<Arc<str>>> {
        Ok(references.authorities(&stored.module.certificate_authority_ids))
    }
}

fn check_authorities(module: &mut MutualTls) -> Result<()> {
    let sentence = match module.certificate_authority_ids.len() {
        0 => "`certificate_authority_ids` is empty: name at least one certificate authority. To request no \
              client certificate, remove the module."
            .to_owned(),
        1..=AUTHORITY_LIMIT => {
            module.certificate_authority_ids = authorities(module)?.iter().map(ToString::to_string).collect();
            return Ok(());
        }
        many => {
            format!("`certificate_authority_ids` names {many} authorities; at most {AUTHORITY_LIMIT} are allowed.")
        }
    };
    Err(Error::new(Code::MutualTlsCount, sentence).with("field", "certificate_authority_ids"))
}

/// Authorities in their order, deduplicated.
fn authorities(module: &MutualTls) -> Result<Vec<Id<CertificateAuthority>>> {
    let mut authorities = Vec::new();
    for id in &module.certificate_authority_ids {
        let authority = Id::parse(id).map_err(|error| error.with("field", "certificate_authority_ids"))?;
        if !authorities.contains(&authority) {
            authorities.push(authority);
        }
    }
    Ok(authorities)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "ca_0ujtsYcgvSTl8PAuAdqWYSMnLOv";

    fn checked(ids: &[&str]) -> Result<usize, Code> {
        let certificate_authority_ids = ids.iter().map(|id| (*id).to_owned()).collect();
        let mut module = MutualTls { enabled: true, certificate_authority_ids };
        check_authorities(&mut module).map(|()| module.certificate_authority_ids.len()).map_err(|error| {
            assert_eq!(error.details["field"], "certificate_authority_ids");
            error.code
        })
    }

    #[test]
    fn one_to_ten_authorities_can_be_named() {
        assert_eq!(checked(&[]), Err(Code::MutualTlsCount));
        assert_eq!(checked(&[ONE]), Ok(1));
        assert_eq!(checked(&[ONE; 10]), Ok(1), "each counts once");
        assert_eq!(checked(&[ONE; 11]), Err(Code::MutualTlsCount));
        assert_eq!(checked(&[ONE, "ca_short"]), Err(Code::IdShape));
        assert_eq!(checked(&["ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv"]), Err(Code::IdShape));
    }
}
