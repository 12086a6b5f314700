//! TLS edges: host names whose connections go to one backend.

use super::{
    CallContext, Claim, CreateContext, ModuleOwner, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord,
    commit_plan::CommitPlan, hostports, owner, tcp_edge::check_rate_limit,
};
use crate::NameHold;
use postern_api::{
    Code, Error, Result,
    module::{MutualTls, TerminateAt, TlsTermination},
    resource::{Nothing, TlsEdge, TlsEdgeCreate, TlsEdgeStatus, TlsEdgeUpdate},
};

impl Rules for TlsEdge {
    type Hidden = Nothing;
    const CACHEABLE: bool = true;
    const HAS_MODULES: bool = true;
    const MODULES_INTERDEPEND: bool = true;

    async fn create(mut body: TlsEdgeCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let modules = Self::take_modules(&mut body);
        let hostports = hostports::canonical(body.hostports.unwrap_or_default())?;
        Ok(NewRecord { modules, ..NewRecord::new(TlsEdge { hostports }, Nothing {}) })
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        mut body: TlsEdgeUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        let modules = Self::take_modules(&mut body);
        if let Some(hostports) = body.hostports {
            stored.spec.hostports = hostports::canonical(hostports)?;
        }
        Ok(modules)
    }

    hostports::hostport_rules!();

    /// Mutual TLS needs TLS to be terminated at the edge, and a rate limit counts connections.
    fn check_modules(modules: &Modules, ctx: &Resources) -> Result<()> {
        check_rate_limit(modules, ctx)?;
        let has_mutual_tls = modules.read::<MutualTls>(ctx)?.is_some_and(|module| module.enabled);
        let is_terminated = match modules.read::<TlsTermination>(ctx)? {
            Some(module) => module.enabled && module.place()? == TerminateAt::Edge,
            None => false,
        };
        if !has_mutual_tls || is_terminated {
            return Ok(());
        }
        let sentence = "Client certificates can be verified only where TLS is terminated: with `mutual_tls`, \
                        `tls_termination` must be enabled and set to `edge`.";
        Err(Error::new(Code::PlaintextNeeded, sentence).with("field", "tls_termination"))
    }

    async fn status(stored: &StoredRecord<Self>, modules: &Modules, ctx: &Resources) -> Result<TlsEdgeStatus> {
        let mut status = TlsEdgeStatus::default();
        Self::show_modules(&mut status, stored, modules, ctx)?;
        Ok(status)
    }
}

owner! { TlsEdge modules {
    backend: Backend,
    ip_restriction: IpRestriction,
    rate_limit: RateLimit,
    mutual_tls: MutualTls,
    tls_termination: TlsTermination,
} }
