//! TLS edges: host names whose connections go to one backend.

use super::{Attachment, Call, Claim, Draft, Kept, Making, Modules, Owner, Resources, Rules, hostports, owner};
use postern_api::{
    Error, Result,
    module::{Backend, IpRestriction},
    resource::{Nothing, TlsEdge, TlsEdgeCreate, TlsEdgeStatus, TlsEdgeUpdate},
};

impl Rules for TlsEdge {
    type Hidden = Nothing;
    const HAS_MODULES: bool = true;

    async fn create(mut body: TlsEdgeCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let modules = Self::take(&mut body);
        let hostports = hostports::canonical(body.hostports.unwrap_or_default())?;
        Ok(Draft { modules, ..Draft::new(TlsEdge { hostports }, Nothing {}) })
    }

    async fn change(kept: &mut Kept<Self>, mut body: TlsEdgeUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        let modules = Self::take(&mut body);
        if let Some(hostports) = body.hostports {
            kept.spec.hostports = hostports::canonical(hostports)?;
        }
        Ok(modules)
    }

    fn check(kept: &Kept<Self>, former: Option<&Kept<Self>>, here: &Resources) -> Result<()> {
        let former = former.map(|former| former.spec.hostports.as_slice()).unwrap_or_default();
        hostports::check(&kept.spec.hostports, former, here)
    }

    fn claims(kept: &Kept<Self>) -> Vec<Claim> {
        hostports::claims(&kept.spec.hostports)
    }

    fn taken(claim: &Claim, holder: &str) -> Error {
        hostports::taken(claim, holder)
    }

    async fn status(kept: &Kept<Self>, modules: &Modules, here: &Resources) -> Result<TlsEdgeStatus> {
        let mut status = TlsEdgeStatus::default();
        Self::show(&mut status, kept, modules, here)?;
        Ok(status)
    }
}

owner!(TlsEdge { backend: Backend, ip_restriction: IpRestriction });
