//! HTTPS edges: host names, and the routes that lie in them.

use super::{Attachment, Call, Claim, Draft, Kept, Making, Modules, Resources, Rules, hostports};
use postern_api::{
    Error, Result,
    resource::{HttpsEdge, HttpsEdgeCreate, HttpsEdgeStatus, HttpsEdgeUpdate, HttpsRoute, Nothing},
};

impl Rules for HttpsEdge {
    type Hidden = Nothing;

    async fn create(body: HttpsEdgeCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let hostports = hostports::canonical(body.hostports.unwrap_or_default())?;
        Ok(Draft::new(HttpsEdge { hostports }, Nothing {}))
    }

    async fn change(kept: &mut Kept<Self>, body: HttpsEdgeUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        if let Some(hostports) = body.hostports {
            kept.spec.hostports = hostports::canonical(hostports)?;
        }
        Ok(Vec::new())
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

    async fn status(kept: &Kept<Self>, _modules: &Modules, here: &Resources) -> Result<HttpsEdgeStatus> {
        Ok(HttpsEdgeStatus { routes: here.nested::<HttpsRoute>(&kept.id.any()).await? })
    }
}
