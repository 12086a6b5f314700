//! HTTPS edges: host names and their routes.

use super::{
    CallContext, Claim, CreateContext, ModuleOwner, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord,
    commit_plan::CommitPlan, hostports, owner,
};
use crate::NameHold;
use postern_api::{
    Error, Result,
    id::Kind,
    resource::{HttpsEdge, HttpsEdgeCreate, HttpsEdgeStatus, HttpsEdgeUpdate, HttpsRoute, Nothing, Resource},
};

impl Rules for HttpsEdge {
    type Hidden = Nothing;
    const HAS_MODULES: bool = true;
    const SEARCH_INDEXED: bool = true;
    const SHOWN: Option<(&'static str, &'static str)> = Some((HttpsRoute::PREFIX, HttpsRoute::KIND));

    async fn create(mut body: HttpsEdgeCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let modules = Self::take_modules(&mut body);
        let hostports = hostports::canonical(body.hostports.unwrap_or_default())?;
        Ok(NewRecord { modules, ..NewRecord::new(HttpsEdge { hostports }, Nothing {}) })
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        mut body: HttpsEdgeUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        let modules = Self::take_modules(&mut body);
        if let Some(hostports) = body.hostports {
            stored.spec.hostports = hostports::canonical(hostports)?;
        }
        Ok(modules)
    }

    hostports::hostport_rules!();

    async fn status(stored: &StoredRecord<Self>, modules: &Modules, ctx: &Resources) -> Result<HttpsEdgeStatus> {
        let routes = ctx.nested::<HttpsRoute>(&stored.id.any()).await?;
        let mut status = HttpsEdgeStatus { routes, ..HttpsEdgeStatus::default() };
        Self::show_modules(&mut status, stored, modules, ctx)?;
        Ok(status)
    }
}

owner! { HttpsEdge modules {
    mutual_tls: MutualTls,
    tls_termination: HttpsTermination,
} }
