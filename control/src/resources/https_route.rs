//! Routes of HTTPS edges. Each match of a path is unique within its edge.

use super::{
    CallContext, Claim, CreateContext, HostRules, ModuleOwner, ModuleRules, ModuleVisitor, Modules, NewModule,
    NewRecord, Resources, Rules, StoredRecord, owner,
};
use postern_api::{
    AnyId, Code, Error, Id, Result,
    resource::{HttpsRoute, HttpsRouteCreate, HttpsRouteStatus, HttpsRouteUpdate, MATCH_LIMIT, MatchType, Nothing},
    route_modules,
};

impl Rules for HttpsRoute {
    type Hidden = Nothing;
    const CACHEABLE: bool = true;
    const HAS_MODULES: bool = true;
    const MODULES_INTERDEPEND: bool = true;

    async fn create(mut body: HttpsRouteCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let modules = Self::take_modules(&mut body);
        let match_type = parse_match_type(&body.match_type.unwrap_or_default())?;
        let r#match = parse_path(body.r#match.unwrap_or_default())?;
        Ok(NewRecord { modules, ..NewRecord::new(HttpsRoute { match_type, r#match }, Nothing {}) })
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        mut body: HttpsRouteUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        let modules = Self::take_modules(&mut body);
        // Clients that cannot omit a text send an empty one.
        if let Some(text) = body.match_type.filter(|text| !text.is_empty()) {
            stored.spec.match_type = parse_match_type(&text)?;
        }
        if let Some(text) = body.r#match.filter(|text| !text.is_empty()) {
            stored.spec.r#match = parse_path(text)?;
        }
        Ok(modules)
    }

    fn claims(stored: &StoredRecord<Self>) -> Vec<Claim> {
        let edge = stored.parent.as_ref().map(AnyId::as_str).unwrap_or_default();
        let scope = format!("route/{edge}/{}", stored.spec.match_type.as_str());
        vec![Claim { scope, value: stored.spec.r#match.clone() }]
    }

    fn claim_taken(claim: &Claim, holder: &str) -> Error {
        let sentence = format!("The route `{holder}` matches `{}` in the same way already.", claim.value);
        Error::new(Code::MatchTaken, sentence).with("id", holder).with("field", "match")
    }

    fn check_modules(modules: &Modules, ctx: &Resources) -> Result<()> {
        check_single_login(modules, ctx)
    }

    async fn status(stored: &StoredRecord<Self>, modules: &Modules, ctx: &Resources) -> Result<HttpsRouteStatus> {
        let edge = stored.parent.as_ref().map(AnyId::as_str).unwrap_or_default();
        let mut status = HttpsRouteStatus::new(Id::parse(edge)?);
        Self::show_modules(&mut status, stored, modules, ctx)?;
        Ok(status)
    }
}

route_modules! { owner HttpsRoute }

/// The names of the login modules that are enabled.
struct EnabledLogins<'a> {
    modules: &'a Modules,
    ctx: &'a Resources,
    names: Result<Vec<&'static str>>,
}

impl ModuleVisitor for EnabledLogins<'_> {
    fn visit<O: HostRules<M>, M: ModuleRules>(mut self) -> Self {
        if M::IS_LOGIN
            && let Ok(names) = &mut self.names
        {
            match self.modules.read::<M>(self.ctx) {
                Ok(module) => names.extend(module.filter(M::is_enabled).map(|_| M::NAME)),
                Err(error) => self.names = Err(error),
            }
        }
        self
    }
}

/// Allows one enabled login module: the order of several would be undefined.
fn check_single_login(modules: &Modules, ctx: &Resources) -> Result<()> {
    let enabled = HttpsRoute::visit_modules(EnabledLogins { modules, ctx, names: Ok(Vec::new()) }).names?;
    if enabled.len() <= 1 {
        return Ok(());
    }
    let names = enabled.join("` and `");
    let sentence = format!(
        "The modules `{names}` would be enabled together, but a route can have one login only. Disable or remove the others."
    );
    Err(Error::new(Code::Logins, sentence).with("field", "enabled").with("modules", enabled.join(",")))
}

fn parse_match_type(text: &str) -> Result<MatchType> {
    MatchType::parse(text).ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!("`{shown}` is not a match type. Write `exact_path` or `path_prefix`.");
        Error::new(Code::MatchTypeInvalid, sentence).with("field", "match_type")
    })
}

fn parse_path(text: String) -> Result<String> {
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
