//! Latest requests and connections that an edge refused.

use crate::{
    LiveRefusal,
    resources::{Caller, RecordPath, Resources, Rules},
};
use postern_api::{
    AnyId, Result,
    resource::{HttpsRoute, Ref, RefusedVisit, collection, list_uri},
};

impl Resources {
    /// Latest refusals of an edge, newest first.
    ///
    /// # Errors
    /// `NotFound`, or if the caller may not see the edge.
    pub(crate) async fn decisions<R: Rules>(&self, caller: &Caller, at: &RecordPath<R>) -> Result<Vec<RefusedVisit>> {
        self.get::<R>(caller, at).await?;
        let edge = at.id.any();
        let refused = self.live.refused(edge.as_str());
        Ok(refused.into_iter().map(|refusal| show(refusal, &edge, self.base_url())).collect())
    }
}

fn show(refusal: LiveRefusal, edge: &AnyId, base_url: &str) -> RefusedVisit {
    let route = (!refusal.route.is_empty()).then(|| {
        let routes = list_uri(base_url, &collection::<HttpsRoute>(Some(edge)));
        Ref { id: AnyId::from_text(&refusal.route), uri: format!("{routes}/{}", refusal.route) }
    });
    RefusedVisit {
        id: refusal.id,
        at: refusal.at,
        ip: refusal.address.to_canonical().to_string(),
        scheme: refusal.scheme.to_owned(),
        host: refusal.host,
        method: refusal.method,
        path: refusal.path,
        status: refusal.status,
        error_code: refusal.code.to_string(),
        msg: refusal.message,
        route,
        decisions: refusal.decisions,
        duration_microseconds: refusal.duration_microseconds,
    }
}
