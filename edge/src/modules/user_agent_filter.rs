//! Filter by the `User-Agent` header. Clients can send any value: this only keeps out honest ones.

use super::RequestContext;
use crate::refusal::{Fault, Refusal};
use hyper::header;
use postern_api::{Code, Error, module::UserAgentFilter, user_agents};
use regex::bytes::Regex;
use tokio::time::Instant;

const NAME: &str = "user_agent_filter";

/// The compiled patterns.
pub(super) struct Filter {
    allow: Vec<Regex>,
    deny: Vec<Regex>,
}

impl Filter {
    /// # Errors
    /// If a pattern cannot be compiled.
    pub(super) fn of(module: &UserAgentFilter) -> Result<Self, Error> {
        let all = |patterns: &[String]| -> Result<Vec<Regex>, Error> {
            patterns.iter().map(|pattern| user_agents::compile(pattern)).collect()
        };
        Ok(Filter { allow: all(&module.allow)?, deny: all(&module.deny)? })
    }

    /// The deciding pattern, and whether it allows the visitor. A missing header counts as empty.
    fn judge(&self, agent: &[u8]) -> (bool, Option<&Regex>) {
        let matching = |patterns: &'_ [Regex]| patterns.iter().position(|pattern| pattern.is_match(agent));
        if let Some(index) = matching(&self.allow) {
            return (true, self.allow.get(index));
        }
        match matching(&self.deny) {
            Some(index) => (false, self.deny.get(index)),
            None => (true, None),
        }
    }
}

/// Checks one request.
pub(super) fn stage(filter: Option<&Filter>, context: &mut RequestContext<'_>) -> Result<(), Refusal> {
    let Some(filter) = filter else { return Ok(()) };
    let began = Instant::now();
    let mut agents = context.parts.headers.get_all(header::USER_AGENT).iter().map(|agent| agent.as_bytes());
    let (mut passed, mut pattern) = filter.judge(agents.next().unwrap_or_default());
    // Of several headers, any one could be used by the local service, so all must pass.
    for agent in agents {
        if passed {
            (passed, pattern) = filter.judge(agent);
        }
    }
    context.trace.record(NAME, pattern.map(|pattern| pattern.as_str().to_owned()), passed, began);
    if passed {
        return Ok(());
    }
    let message = "The client program (`User-Agent`) of this request is not allowed here.";
    Err(Refusal::new(Fault::Route, Error::new(Code::UserAgentDenied, message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(allow: &[&str], deny: &[&str], agent: &str) -> bool {
        let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let module = UserAgentFilter { enabled: true, allow: own(allow), deny: own(deny) };
        Filter::of(&module).expect("patterns").judge(agent.as_bytes()).0
    }

    #[test]
    fn allow_patterns_take_precedence_over_deny_patterns() {
        for (allow, deny, agent, expected) in [
            (&[][..], &["(?i)bot"][..], "Googlebot/2.1", false),
            (&["Googlebot"], &["(?i)bot"], "Googlebot/2.1", true),
            (&["Googlebot"], &["(?i)bot"], "Bingbot/2.0", false),
            (&["Googlebot"], &["(?i)bot"], "curl/8.5", true),
            (&["Googlebot"], &[".*"], "curl/8.5", false),
            (&[], &["^$"], "", false),
            (&[], &[], "", true),
        ] {
            assert_eq!(admitted(allow, deny, agent), expected, "{allow:?} {deny:?} {agent}");
        }
    }
}
