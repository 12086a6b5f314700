//! The SAML module: the server is a service provider of its own for each route.

mod metadata;
mod signing;

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Code, Result,
    checks::login::{count, once, refusal, session, shown},
    module::{GROUP_LENGTH, GROUP_LIMIT, NAMEID_FORMATS, Saml, SamlView},
    published::{Login, SamlLogin},
};
use signing::SigningPair;
use std::sync::Arc;

impl ModuleRules for Saml {
    type Hidden = SigningPair;
    const SECRETS: &'static [&'static str] = &["/hidden/key_pem"];

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        check(self)
    }

    async fn hidden(&self, owner: &AnyId, former: Option<SigningPair>, ctx: &Resources) -> Result<SigningPair> {
        match former {
            Some(pair) if pair.is_made() => Ok(pair),
            _ => SigningPair::make(entity_id(owner, ctx)).await,
        }
    }

    fn view(stored: &StoredModule<Self>, owner: &AnyId, ctx: &Resources) -> Result<SamlView> {
        let module = stored.module.clone();
        let entity_id = entity_id(owner, ctx);
        Ok(SamlView {
            enabled: module.enabled,
            options_passthrough: module.options_passthrough,
            cookie_prefix: module.cookie_prefix,
            inactivity_timeout: module.inactivity_timeout,
            maximum_duration: module.maximum_duration,
            idp_metadata: module.idp_metadata,
            idp_metadata_url: String::new(),
            force_authn: module.force_authn,
            allow_idp_initiated: module.allow_idp_initiated,
            authorized_groups: module.authorized_groups,
            nameid_format: module.nameid_format,
            assertion_consumer_service_url: format!("{entity_id}/acs"),
            single_logout_url: format!("{entity_id}/slo"),
            request_signing_certificate_pem: stored.hidden.certificate_pem.clone(),
            metadata_url: entity_id.clone(),
            entity_id,
        })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<Arc<Login>> {
        let (signing_certificate_pem, signing_key_pem) = stored.hidden.clone().into_parts();
        let module = stored.module.clone();
        Ok(Arc::new(Login::Saml(SamlLogin { module, signing_key_pem, signing_certificate_pem })))
    }
}

fn check(module: &mut Saml) -> Result<()> {
    module.set_session_options(session(module.session_options())?);
    metadata::check(&module.idp_metadata)?;
    if module.nameid_format.is_empty() {
        module.nameid_format = NAMEID_FORMATS[0].to_owned();
    }
    if !NAMEID_FORMATS.contains(&module.nameid_format.as_str()) {
        let sentence = format!(
            "`{}` is not a supported name identifier format. Take one of {}.",
            shown(&module.nameid_format),
            NAMEID_FORMATS.map(|format| format!("`{format}`")).join(", ")
        );
        return Err(refusal(Code::NameIdFormat, "nameid_format", sentence));
    }
    groups(&mut module.authorized_groups)
}

fn groups(groups: &mut Vec<String>) -> Result<()> {
    let field = "authorized_groups";
    once(groups);
    count(groups.len(), GROUP_LIMIT, field)?;
    match groups.iter().find(|group| !(1..=GROUP_LENGTH).contains(&group.chars().count())) {
        None => Ok(()),
        Some(_) => {
            let sentence = format!("A name in `{field}` is empty or longer than {GROUP_LENGTH} characters.");
            Err(refusal(Code::FieldInvalid, field, sentence))
        }
    }
}

/// Entity id of a route, which is also the URL of its metadata.
fn entity_id(route: &AnyId, ctx: &Resources) -> String {
    format!("{}/saml/{route}", ctx.settings.login_url(ctx.live.https_port()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn checked(changes: Value) -> Result<Saml, Code> {
        let mut body = json!({"idp_metadata": "<EntityDescriptor/>"});
        body.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
        let mut module: Saml = serde_json::from_value(body).expect("a SAML module");
        check(&mut module).map_err(|error| error.code)?;
        Ok(module)
    }

    #[test]
    fn name_identifier_formats_are_a_subset_with_a_default() {
        for format in NAMEID_FORMATS {
            assert_eq!(checked(json!({"nameid_format": format})).expect("fine").nameid_format, format);
        }
        assert_eq!(checked(json!({"nameid_format": ""})).expect("fine").nameid_format, NAMEID_FORMATS[0]);
        for wrong in ["persistent", "urn:oasis:names:tc:SAML:2.0:nameid-format:kerberos"] {
            assert_eq!(checked(json!({"nameid_format": wrong})), Err(Code::NameIdFormat), "{wrong}");
        }
    }

    #[test]
    fn groups_are_deduplicated_and_have_names() {
        let module = checked(json!({"authorized_groups": ["a", "b", "a", "A"]})).expect("fine");
        assert_eq!(module.authorized_groups, ["a", "b", "A"]);
        assert!(checked(json!({"authorized_groups": ["é".repeat(256)]})).is_ok());
        for wrong in [json!([""]), json!(["x".repeat(257)]), json!((0..101).map(|n| n.to_string()).collect::<Vec<_>>())]
        {
            assert_eq!(checked(json!({"authorized_groups": wrong})), Err(Code::FieldInvalid), "{wrong}");
        }
    }
}
