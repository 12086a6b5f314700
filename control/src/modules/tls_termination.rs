//! The TLS termination modules of HTTPS edges and of TLS edges.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Code, Error, Result,
    module::{HttpsTermination, TerminateAt, TerminationView, TlsTermination},
    published::Termination,
    resource::Nothing,
};

impl ModuleRules for HttpsTermination {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        check_https(self)
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<TerminationView> {
        let module = &stored.module;
        Ok(TerminationView {
            enabled: module.enabled,
            terminate_at: TerminateAt::Edge,
            min_version: Some(module.oldest()?),
        })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<Termination> {
        Ok(Termination { at: TerminateAt::Edge, oldest: Some(stored.module.oldest()?) })
    }
}

impl ModuleRules for TlsTermination {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        check_tls(self)
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<TerminationView> {
        let module = &stored.module;
        Ok(TerminationView { enabled: module.enabled, terminate_at: module.place()?, min_version: module.oldest()? })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<Termination> {
        Ok(Termination { at: stored.module.place()?, oldest: stored.module.oldest()? })
    }
}

fn check_https(module: &HttpsTermination) -> Result<()> {
    if module.terminate_at.is_some() {
        let sentence = "An HTTPS edge always terminates TLS at the edge: leave `terminate_at` out.";
        return Err(Error::new(Code::TlsTerminateFixed, sentence).with("field", "terminate_at"));
    }
    module.oldest().map(|_| ())
}

fn check_tls(module: &TlsTermination) -> Result<()> {
    let has_version = module.oldest()?.is_some();
    if has_version && module.place()? == TerminateAt::Upstream {
        let sentence = "If TLS is terminated upstream, the backend chooses its version: leave `min_version` out.";
        return Err(Error::new(Code::TlsVersionUpstream, sentence).with("field", "min_version"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::module::TlsVersion;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn https(body: Value) -> Result<TlsVersion, Code> {
        let module: HttpsTermination = serde_json::from_value(body).expect("the right shape");
        check_https(&module).and_then(|()| module.oldest()).map_err(|error| error.code)
    }

    fn tls(body: Value) -> Result<(TerminateAt, Option<TlsVersion>), Code> {
        let module: TlsTermination = serde_json::from_value(body).expect("the right shape");
        check_tls(&module).and_then(|()| Ok((module.place()?, module.oldest()?))).map_err(|error| error.code)
    }

    #[test]
    fn versions_that_are_broken_or_unknown_are_refused() {
        assert_eq!(https(json!({})), Ok(TlsVersion::Tls12));
        assert_eq!(https(json!({"min_version": "1.3"})), Ok(TlsVersion::Tls13));
        for version in ["1.0", "1.1", "1.4", "", "TLS1.2", "12"] {
            assert_eq!(https(json!({"min_version": version})), Err(Code::TlsVersion), "{version}");
            assert_eq!(tls(json!({"min_version": version})), Err(Code::TlsVersion), "{version}");
        }
        let old = HttpsTermination { enabled: true, min_version: Some("1.1".into()), terminate_at: None };
        let message = check_https(&old).expect_err("refused").message;
        assert!(message.contains("1.1") && message.contains("`1.2`"), "{message}");
    }

    #[test]
    fn an_https_edge_refuses_terminate_at() {
        for place in [json!("edge"), json!("upstream"), json!(5)] {
            assert_eq!(https(json!({"terminate_at": place})), Err(Code::TlsTerminateFixed));
        }
    }

    #[test]
    fn a_tls_edge_takes_terminate_at_and_a_version_only_at_the_edge() {
        use TerminateAt::{Edge, Upstream};
        assert_eq!(tls(json!({})), Ok((Edge, Some(TlsVersion::Tls12))));
        assert_eq!(tls(json!({"terminate_at": "edge", "min_version": "1.3"})), Ok((Edge, Some(TlsVersion::Tls13))));
        assert_eq!(tls(json!({"terminate_at": "upstream"})), Ok((Upstream, None)));
        assert_eq!(tls(json!({"terminate_at": "upstream", "min_version": "1.2"})), Err(Code::TlsVersionUpstream));
        for place in ["agent", "Edge", ""] {
            assert_eq!(tls(json!({"terminate_at": place})), Err(Code::TlsTerminateAt), "{place}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_checked_without_a_panic(place in "\\PC{0,20}", version in "\\PC{0,20}") {
            let _ = tls(json!({"terminate_at": place, "min_version": version}));
            prop_assert_eq!(https(json!({"min_version": version})).is_ok(), ["1.2", "1.3"].contains(&version.as_str()));
        }
    }
}
