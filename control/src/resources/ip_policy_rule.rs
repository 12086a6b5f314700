//! IP policy rules: each range and country is unique within its policy. A rule is deleted with its policy.

use super::{
    CallContext, Claim, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources, Rules, StoredRecord,
};
use ipnet::IpNet;
use postern_api::{
    Code, Country, Error, Id, Result,
    ip_rules::{Action, parse_cidr},
    resource::{IpPolicy, IpPolicyRule, IpPolicyRuleCreate, IpPolicyRuleStatus, IpPolicyRuleUpdate, Ref},
};
use serde_json::Value;

/// What a rule matches.
enum Matches {
    Range(IpNet),
    Country(Country),
}

impl Matches {
    /// Reads the two fields, of which one is used. An empty one counts as absent beside the other one, so that a rule can
    /// be sent as it was read. `None` if both are absent.
    fn read(cidr: Option<String>, country: Option<String>) -> Result<Option<Self>> {
        let country = country.filter(|country| !country.is_empty());
        match (cidr, country) {
            (Some(cidr), Some(_)) if !cidr.is_empty() => {
                let sentence = "A rule has either a `cidr` or a `country`. Create a second rule for the other one.";
                Err(Error::new(Code::RuleMatchesTwice, sentence).with("field", "country"))
            }
            (_, Some(country)) => Country::parse(&country)
                .map(|country| Some(Matches::Country(country)))
                .map_err(|error| error.with("field", "country")),
            (Some(cidr), None) => {
                parse_cidr(&cidr).map(|cidr| Some(Matches::Range(cidr))).map_err(|error| error.with("field", "cidr"))
            }
            (None, None) => Ok(None),
        }
    }

    fn fields(self) -> (Option<IpNet>, Option<Country>) {
        match self {
            Matches::Range(cidr) => (Some(cidr), None),
            Matches::Country(country) => (None, Some(country)),
        }
    }
}

fn needed() -> Error {
    Error::new(Code::FieldMissing, "The field `cidr` is needed, or `country` in its place.").with("field", "cidr")
}

impl Rules for IpPolicyRule {
    /// Policy of the rule.
    type Hidden = Id<IpPolicy>;
    const CACHEABLE: bool = true;

    async fn create(body: IpPolicyRuleCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let (cidr, country) = Matches::read(body.cidr, body.country)?.ok_or_else(needed)?.fields();
        let action = match body.action.as_str() {
            "allow" => Action::Allow,
            "deny" => Action::Deny,
            other => {
                let shown: String = other.chars().take(40).collect();
                let sentence = format!("`{shown}` is not an action. Write `allow` or `deny`.");
                return Err(Error::new(Code::ActionInvalid, sentence).with("field", "action"));
            }
        };
        let policy = Id::parse(&body.ip_policy_id).map_err(|error| error.with("field", "ip_policy_id"))?;
        Ok(NewRecord::new(IpPolicyRule { cidr, country, action }, policy))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: IpPolicyRuleUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        if let Some(matches) = Matches::read(body.cidr, body.country)? {
            (stored.spec.cidr, stored.spec.country) = matches.fields();
        }
        Ok(Vec::new())
    }

    async fn needs_administrator(stored: &StoredRecord<Self>, call: &CallContext<'_>) -> Result<bool> {
        call.resources.guards_management(&stored.hidden).await
    }

    fn hidden_settings(policy: &Id<IpPolicy>) -> Vec<(&'static str, Value)> {
        vec![("ip_policy_id", policy.to_string().into())]
    }

    fn claims(stored: &StoredRecord<Self>) -> Vec<Claim> {
        let IpPolicyRule { cidr, country, .. } = &stored.spec;
        let matches = cidr.map(|cidr| cidr.to_string()).into_iter().chain(country.map(|country| country.to_string()));
        matches.map(|value| Claim { scope: format!("ip_policy/{}", stored.hidden), value }).collect()
    }

    fn claim_taken(claim: &Claim, holder: &str) -> Error {
        let sentence = format!("The policy has a rule for `{}` already: `{holder}`.", claim.value);
        Error::new(Code::RuleDuplicate, sentence).with("id", holder)
    }

    fn links(stored: &StoredRecord<Self>) -> Vec<NewLink> {
        vec![NewLink::to(&stored.hidden, LinkRole::Belongs)]
    }

    async fn status(stored: &StoredRecord<Self>, _modules: &Modules, ctx: &Resources) -> Result<IpPolicyRuleStatus> {
        Ok(IpPolicyRuleStatus { ip_policy: Ref::to(ctx.base_url(), &stored.hidden) })
    }
}
