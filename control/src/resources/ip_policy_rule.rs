//! IP policy rules: each range is unique within its policy. A rule is deleted with its policy.

use super::{
    CallContext, Claim, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources, Rules, StoredRecord,
};
use postern_api::{
    Code, Error, Id, Result,
    ip_rules::{Action, parse_cidr},
    resource::{IpPolicy, IpPolicyRule, IpPolicyRuleCreate, IpPolicyRuleStatus, IpPolicyRuleUpdate, Ref},
};
use serde_json::Value;

impl Rules for IpPolicyRule {
    /// Policy of the rule.
    type Hidden = Id<IpPolicy>;
    const CACHEABLE: bool = true;

    async fn create(body: IpPolicyRuleCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let cidr = parse_cidr(&body.cidr).map_err(|error| error.with("field", "cidr"))?;
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
        Ok(NewRecord::new(IpPolicyRule { cidr, action }, policy))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: IpPolicyRuleUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        if let Some(cidr) = body.cidr {
            stored.spec.cidr = parse_cidr(&cidr).map_err(|error| error.with("field", "cidr"))?;
        }
        Ok(Vec::new())
    }

    fn hidden_settings(policy: &Id<IpPolicy>) -> Vec<(&'static str, Value)> {
        vec![("ip_policy_id", policy.to_string().into())]
    }

    fn claims(stored: &StoredRecord<Self>) -> Vec<Claim> {
        vec![Claim { scope: format!("ip_policy/{}", stored.hidden), value: stored.spec.cidr.to_string() }]
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
