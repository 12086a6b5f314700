//! TLS edges: host names whose connections go to one backend.

use super::{
    Attachment, Call, Claim, Draft, Kept, Making, Modules, Owner, Resources, Rules, hostports, owner, plan::Plan,
};
use crate::Wanted;
use postern_api::{
    Code, Error, Result,
    module::{Backend, IpRestriction, MutualTls, TerminateAt, TlsTermination},
    resource::{Nothing, TlsEdge, TlsEdgeCreate, TlsEdgeStatus, TlsEdgeUpdate},
};

impl Rules for TlsEdge {
    type Hidden = Nothing;
    const LASTING: bool = true;
    const HAS_MODULES: bool = true;
    const MODULES_DEPEND: bool = true;

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

    hostports::hooks!();

    /// What passes through unread shows no certificate that could be judged.
    fn fit(modules: &Modules, here: &Resources) -> Result<()> {
        let asks = modules.read::<MutualTls>(here)?.is_some_and(|module| module.enabled);
        let ends_here = match modules.read::<TlsTermination>(here)? {
            Some(module) => module.enabled && module.place()? == TerminateAt::Edge,
            None => false,
        };
        if !asks || ends_here {
            return Ok(());
        }
        let sentence = "Visitors' certificates can be judged only where their TLS ends: with `mutual_tls`, \
                        `tls_termination` must be set, enabled and say `edge`.";
        Err(Error::new(Code::PlaintextNeeded, sentence).with("field", "tls_termination"))
    }

    async fn status(kept: &Kept<Self>, modules: &Modules, here: &Resources) -> Result<TlsEdgeStatus> {
        let mut status = TlsEdgeStatus::default();
        Self::show(&mut status, kept, modules, here)?;
        Ok(status)
    }
}

owner!(TlsEdge {
    backend: Backend,
    ip_restriction: IpRestriction,
    mutual_tls: MutualTls,
    tls_termination: TlsTermination,
});
