//! IP policy rules: each range once in a policy; a rule belongs to its policy and goes with it.

use super::{Attachment, Call, Claim, Draft, Kept, Link, Making, Modules, Resources, Role, Rules};
use postern_api::{
    Code, Error, Id, Result,
    ip_rules::{Action, parse_cidr},
    resource::{IpPolicy, IpPolicyRule, IpPolicyRuleCreate, IpPolicyRuleStatus, IpPolicyRuleUpdate, Ref},
};

impl Rules for IpPolicyRule {
    /// The policy.
    type Hidden = Id<IpPolicy>;
    const LASTING: bool = true;

    async fn create(body: IpPolicyRuleCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let cidr = parse_cidr(&body.cidr).map_err(|error| error.with("field", "cidr"))?;
        let action = match body.action.as_str() {
            "allow" => Action::Allow,
            "deny" => Action::Deny,
            other => {
                let shown: String = other.chars().take(40).collect();
                let sentence = format!("`{shown}` is no action. Write `allow` or `deny`.");
                return Err(Error::new(Code::ActionInvalid, sentence).with("field", "action"));
            }
        };
        let policy = Id::parse(&body.ip_policy_id).map_err(|error| error.with("field", "ip_policy_id"))?;
        Ok(Draft::new(IpPolicyRule { cidr, action }, policy))
    }

    async fn change(kept: &mut Kept<Self>, body: IpPolicyRuleUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        if let Some(cidr) = body.cidr {
            kept.spec.cidr = parse_cidr(&cidr).map_err(|error| error.with("field", "cidr"))?;
        }
        Ok(Vec::new())
    }

    fn claims(kept: &Kept<Self>) -> Vec<Claim> {
        vec![Claim { scope: format!("ip_policy/{}", kept.hidden), value: kept.spec.cidr.to_string() }]
    }

    fn taken(claim: &Claim, holder: &str) -> Error {
        let sentence = format!("The policy has a rule for `{}` already: `{holder}`.", claim.value);
        Error::new(Code::RuleDuplicate, sentence).with("id", holder)
    }

    fn links(kept: &Kept<Self>) -> Vec<Link> {
        vec![Link::to(&kept.hidden, Role::Belongs)]
    }

    async fn status(kept: &Kept<Self>, _modules: &Modules, here: &Resources) -> Result<IpPolicyRuleStatus> {
        Ok(IpPolicyRuleStatus { ip_policy: Ref::to(here.base_url(), &kept.hidden) })
    }
}
