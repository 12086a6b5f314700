//! Tunnel group backends: labels that are stored, tunnels that are looked up when somebody asks.

use super::{Attachment, Caller, Draft, Kept, Modules, Place, Rules};
use postern_api::{
    Id, Result, labels,
    resource::{
        Nothing, Ref, TunnelGroupBackend, TunnelGroupBackendCreate, TunnelGroupBackendStatus, TunnelGroupBackendUpdate,
    },
};

impl Rules for TunnelGroupBackend {
    type Hidden = Nothing;

    fn create(body: TunnelGroupBackendCreate, _id: &Id<Self>, _caller: &Caller) -> Result<Draft<Self>> {
        Ok(Draft::new(TunnelGroupBackend { labels: body.labels.unwrap_or_default() }, Nothing {}))
    }

    fn change(kept: &mut Kept<Self>, body: TunnelGroupBackendUpdate) -> Result<Vec<Attachment>> {
        if let Some(labels) = body.labels {
            kept.spec.labels = labels;
        }
        Ok(Vec::new())
    }

    fn check(kept: &Kept<Self>, _former: Option<&Kept<Self>>, _place: Place<'_>) -> Result<()> {
        labels::check(&kept.spec.labels).map_err(|error| error.with("field", "labels"))
    }

    fn status(kept: &Kept<Self>, _modules: &Modules, place: Place<'_>) -> Result<TunnelGroupBackendStatus> {
        let tunnels = place.live.tunnels_with(&kept.spec.labels);
        let show = |id: postern_api::AnyId| Ref { uri: format!("{}/tunnels/{id}", place.base_url()), id };
        Ok(TunnelGroupBackendStatus { tunnels: tunnels.into_iter().map(show).collect() })
    }
}
