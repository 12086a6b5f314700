//! Tunnel group backends: labels that are stored, tunnels that are looked up when somebody asks.

use super::{Attachment, Call, Draft, Kept, Making, Modules, Resources, Rules};
use postern_api::{
    Result, labels,
    resource::{
        Nothing, Ref, TunnelGroupBackend, TunnelGroupBackendCreate, TunnelGroupBackendStatus, TunnelGroupBackendUpdate,
    },
};

impl Rules for TunnelGroupBackend {
    type Hidden = Nothing;

    async fn create(body: TunnelGroupBackendCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        Ok(Draft::new(TunnelGroupBackend { labels: body.labels.unwrap_or_default() }, Nothing {}))
    }

    async fn change(
        kept: &mut Kept<Self>,
        body: TunnelGroupBackendUpdate,
        _call: &Call<'_>,
    ) -> Result<Vec<Attachment>> {
        if let Some(labels) = body.labels {
            kept.spec.labels = labels;
        }
        Ok(Vec::new())
    }

    fn check(kept: &Kept<Self>, _former: Option<&Kept<Self>>, _here: &Resources) -> Result<()> {
        labels::check(&kept.spec.labels).map_err(|error| error.with("field", "labels"))
    }

    async fn status(kept: &Kept<Self>, _modules: &Modules, here: &Resources) -> Result<TunnelGroupBackendStatus> {
        let tunnels = here.live.tunnels_with(&kept.spec.labels);
        let show = |id: postern_api::AnyId| Ref { uri: format!("{}/tunnels/{id}", here.base_url()), id };
        Ok(TunnelGroupBackendStatus { tunnels: tunnels.into_iter().map(show).collect() })
    }
}
