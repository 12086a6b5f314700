//! HTTPS edges: host names, and the routes that lie in them.

use super::{
    Attachment, Call, Claim, Draft, Kept, Making, Modules, Owner, Resources, Rules, hostports, owner, plan::Plan,
};
use crate::Wanted;
use postern_api::{
    Error, Result,
    module::{HttpsTermination, MutualTls},
    resource::{HttpsEdge, HttpsEdgeCreate, HttpsEdgeStatus, HttpsEdgeUpdate, HttpsRoute, Nothing},
};

impl Rules for HttpsEdge {
    type Hidden = Nothing;
    const HAS_MODULES: bool = true;

    async fn create(mut body: HttpsEdgeCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let modules = Self::take(&mut body);
        let hostports = hostports::canonical(body.hostports.unwrap_or_default())?;
        Ok(Draft { modules, ..Draft::new(HttpsEdge { hostports }, Nothing {}) })
    }

    async fn change(kept: &mut Kept<Self>, mut body: HttpsEdgeUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        let modules = Self::take(&mut body);
        if let Some(hostports) = body.hostports {
            kept.spec.hostports = hostports::canonical(hostports)?;
        }
        Ok(modules)
    }

    hostports::hooks!();

    async fn status(kept: &Kept<Self>, modules: &Modules, here: &Resources) -> Result<HttpsEdgeStatus> {
        let routes = here.nested::<HttpsRoute>(&kept.id.any()).await?;
        let mut status = HttpsEdgeStatus { routes, ..HttpsEdgeStatus::default() };
        Self::show(&mut status, kept, modules, here)?;
        Ok(status)
    }
}

owner!(HttpsEdge { mutual_tls: MutualTls, tls_termination: HttpsTermination });
