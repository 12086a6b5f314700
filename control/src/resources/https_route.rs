//! Routes of HTTPS edges: no two of an edge match the same path in the same way.

use super::{Attachment, Call, Claim, Draft, Kept, Making, Modules, Owner, Resources, Rules, owner};
use postern_api::{
    AnyId, Code, Error, Id, Result,
    module::{
        Backend, CircuitBreaker, Compression, IpRestriction, Module as _, OAuth, Oidc, RequestHeaders, ResponseHeaders,
        Saml, UserAgentFilter, WebhookVerification, WebsocketTcpConverter,
    },
    resource::{HttpsRoute, HttpsRouteCreate, HttpsRouteStatus, HttpsRouteUpdate, MATCH_LIMIT, MatchType, Nothing},
};

impl Rules for HttpsRoute {
    type Hidden = Nothing;
    const LASTING: bool = true;
    const HAS_MODULES: bool = true;
    const MODULES_DEPEND: bool = true;

    async fn create(mut body: HttpsRouteCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let modules = Self::take(&mut body);
        let match_type = match_type(&body.match_type.unwrap_or_default())?;
        let r#match = path(body.r#match.unwrap_or_default())?;
        Ok(Draft { modules, ..Draft::new(HttpsRoute { match_type, r#match }, Nothing {}) })
    }

    async fn change(kept: &mut Kept<Self>, mut body: HttpsRouteUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        let modules = Self::take(&mut body);
        // Clients without a way to leave a text out send an empty one.
        if let Some(text) = body.match_type.filter(|text| !text.is_empty()) {
            kept.spec.match_type = match_type(&text)?;
        }
        if let Some(text) = body.r#match.filter(|text| !text.is_empty()) {
            kept.spec.r#match = path(text)?;
        }
        Ok(modules)
    }

    fn claims(kept: &Kept<Self>) -> Vec<Claim> {
        let edge = kept.parent.as_ref().map(AnyId::as_str).unwrap_or_default();
        let scope = format!("route/{edge}/{}", kept.spec.match_type.as_str());
        vec![Claim { scope, value: kept.spec.r#match.clone() }]
    }

    fn taken(claim: &Claim, holder: &str) -> Error {
        let sentence = format!("The route `{holder}` matches `{}` in the same way already.", claim.value);
        Error::new(Code::MatchTaken, sentence).with("id", holder).with("field", "match")
    }

    fn fit(modules: &Modules, here: &Resources) -> Result<()> {
        one_login(modules, here)
    }

    async fn status(kept: &Kept<Self>, modules: &Modules, here: &Resources) -> Result<HttpsRouteStatus> {
        let edge = kept.parent.as_ref().map(AnyId::as_str).unwrap_or_default();
        let mut status = HttpsRouteStatus::of(Id::parse(edge)?);
        Self::show(&mut status, kept, modules, here)?;
        Ok(status)
    }
}

owner!(HttpsRoute {
    backend: Backend,
    ip_restriction: IpRestriction,
    circuit_breaker: CircuitBreaker,
    compression: Compression,
    request_headers: RequestHeaders,
    response_headers: ResponseHeaders,
    webhook_verification: WebhookVerification,
    websocket_tcp_converter: WebsocketTcpConverter,
    user_agent_filter: UserAgentFilter,
    oauth: OAuth,
    oidc: Oidc,
    saml: Saml,
});

/// A visitor logs in once: which of two logins should come first could not be said.
fn one_login(modules: &Modules, here: &Resources) -> Result<()> {
    let logins = [
        (OAuth::NAME, modules.read::<OAuth>(here)?.is_some_and(|module| module.enabled)),
        (Oidc::NAME, modules.read::<Oidc>(here)?.is_some_and(|module| module.enabled)),
        (Saml::NAME, modules.read::<Saml>(here)?.is_some_and(|module| module.enabled)),
    ];
    let enabled: Vec<_> = logins.iter().filter(|(_, enabled)| *enabled).map(|(name, _)| *name).collect();
    if enabled.len() <= 1 {
        return Ok(());
    }
    let names = enabled.join("` and `");
    let sentence = format!(
        "The modules `{names}` would be enabled together, but a route has one login. Disable or remove the one that is not wanted."
    );
    Err(Error::new(Code::Logins, sentence).with("field", "enabled").with("modules", enabled.join(",")))
}

fn match_type(text: &str) -> Result<MatchType> {
    MatchType::parse(text).ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!("`{shown}` is no match type. Write `exact_path` or `path_prefix`.");
        Error::new(Code::MatchTypeInvalid, sentence).with("field", "match_type")
    })
}

fn path(text: String) -> Result<String> {
    let length = text.chars().count();
    let (code, sentence) = if text.is_empty() {
        (Code::MatchMissing, "`match` is needed: the path, or the beginning of paths, such as `/`.".to_owned())
    } else if length > MATCH_LIMIT {
        (Code::MatchTooLong, format!("`match` has {length} characters; at most {MATCH_LIMIT} are allowed."))
    } else if !text.starts_with('/') || text.chars().any(char::is_control) {
        let shown: String = text.chars().take(80).filter(|letter| !letter.is_control()).collect();
        (Code::MatchNoPath, format!("`{shown}` is not a path: it begins with `/` and has no control characters."))
    } else {
        return Ok(text);
    };
    Err(Error::new(code, sentence).with("field", "match"))
}
