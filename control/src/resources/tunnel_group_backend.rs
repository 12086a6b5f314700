//! Tunnel group backends: stored labels; the matching tunnels are looked up for each response.

use super::{CallContext, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord};
use postern_api::{
    Code, Result, labels,
    resource::{
        Nothing, Ref, TunnelGroupBackend, TunnelGroupBackendCreate, TunnelGroupBackendStatus, TunnelGroupBackendUpdate,
    },
};

impl Rules for TunnelGroupBackend {
    type Hidden = Nothing;
    const UNKNOWN: Code = Code::BackendUnknown;

    async fn create(body: TunnelGroupBackendCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        Ok(NewRecord::new(TunnelGroupBackend { labels: body.labels.unwrap_or_default() }, Nothing {}))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: TunnelGroupBackendUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        if let Some(labels) = body.labels {
            stored.spec.labels = labels;
        }
        Ok(Vec::new())
    }

    fn check(stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>, _ctx: &Resources) -> Result<()> {
        labels::check(&stored.spec.labels).map_err(|error| error.with("field", "labels"))
    }

    async fn status(
        stored: &StoredRecord<Self>,
        _modules: &Modules,
        ctx: &Resources,
    ) -> Result<TunnelGroupBackendStatus> {
        let tunnels = ctx.live.tunnels_with(&stored.spec.labels);
        let show = |id: postern_api::AnyId| Ref { uri: format!("{}/tunnels/{id}", ctx.base_url()), id };
        Ok(TunnelGroupBackendStatus { tunnels: tunnels.into_iter().map(show).collect() })
    }
}
