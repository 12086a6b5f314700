//! Sends visitors elsewhere. The host of a target is fixed or that of the request, so that a request cannot choose it.

use super::{RequestContext, headers::Facts};
use crate::{
    http::{self, normalised},
    refusal::Refusal,
    upstream::ResponseBody,
};
use bytes::Bytes;
use hyper::{
    Response, StatusCode,
    header::{self, HeaderValue},
};
use postern_api::{
    Code, Error, checks,
    headers::variables::Variable,
    host::HostName,
    module,
    path_templates::{Template, compile},
};
use regex::Regex;
use tokio::time::Instant;

const NAME: &str = "redirect";

/// The rules of one owner.
pub(super) struct Redirects(Vec<Rule>);

struct Rule {
    host: Option<HostName>,
    path: Option<Regex>,
    target: Template,
    variables: Vec<Variable>,
    status: StatusCode,
    /// The path as the module has it, for the trace.
    pattern: String,
}

impl Redirects {
    /// # Errors
    /// If a rule is not valid.
    pub(super) fn of(module: &module::Redirect) -> Result<Self, Error> {
        Ok(Redirects(module.rules.iter().map(Rule::of).collect::<Result<_, _>>()?))
    }
}

impl Rule {
    fn of(rule: &module::RedirectRule) -> Result<Self, Error> {
        let host = (!rule.host.is_empty()).then(|| HostName::parse(&rule.host)).transpose()?;
        let path = (!rule.path.is_empty()).then(|| compile(&rule.path)).transpose()?;
        let groups = path.as_ref().map_or(0, |path| path.captures_len() - 1);
        let target = checks::redirect_target(&rule.to, groups)?;
        Ok(Rule {
            host,
            path,
            variables: target.variables().collect(),
            target,
            status: StatusCode::from_u16(rule.status_code).map_err(|_| Code::RedirectStatus)?,
            pattern: rule.path.clone(),
        })
    }

    fn matches(&self, host: &str, path: &str) -> bool {
        let is_host = self.host.as_ref().is_none_or(|own| match own.wildcard_parent() {
            Some(parent) => host.strip_suffix(parent).is_some_and(|below| below.len() > 1 && below.ends_with('.')),
            None => own.as_str() == host,
        });
        is_host && self.path.as_ref().is_none_or(|pattern| pattern.is_match(path))
    }

    /// The target for a path that matches.
    fn location<'a>(&self, path: &'a str, variable: impl Fn(Variable) -> &'a str) -> Option<HeaderValue> {
        let groups = self.path.as_ref().and_then(|pattern| pattern.captures(path));
        let group = |number: usize| match (number, &groups) {
            (0, _) => path,
            (number, Some(groups)) => groups.get(number).map_or("", |group| group.as_str()),
            (_, None) => "",
        };
        let mut location = self.target.expand(group, variable);
        // A query that is empty needs no question mark.
        if location.ends_with('?') {
            location.pop();
        }
        // Browsers take two slashes for the beginning of a host.
        let extra = location.bytes().take_while(|byte| *byte == b'/').count().saturating_sub(1);
        HeaderValue::try_from(&location[extra..]).ok()
    }
}

/// The redirect of one request, if a rule matches it.
pub(super) fn stage(
    redirects: &Redirects,
    context: &mut RequestContext<'_>,
) -> Result<Option<Box<Response<ResponseBody>>>, Refusal> {
    let began = Instant::now();
    let host = http::host(&context.parts.headers)?.into_owned();
    // A path that programs read differently matches nothing.
    let path = normalised(context.parts.uri.path()).map(std::borrow::Cow::into_owned);
    let rule = path.as_deref().and_then(|path| redirects.0.iter().find(|rule| rule.matches(&host, path)));
    context.trace.record(NAME, rule.map(|rule| rule.pattern.clone()), true, began);
    let (Some(rule), Some(path)) = (rule, &path) else { return Ok(None) };
    let facts = Facts::of(&rule.variables, context);
    let location = rule
        .location(path, |variable| facts.get(variable))
        .ok_or_else(|| Refusal::invalid("The path of the request cannot be made into a target of a redirect."))?;
    let mut response = Response::new(ResponseBody::full(Bytes::new()));
    *response.status_mut() = rule.status;
    response.headers_mut().insert(header::LOCATION, location);
    Ok(Some(Box::new(response)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(host: &str, path: &str, to: &str) -> Rule {
        let (host, path, to) = (host.to_owned(), path.to_owned(), to.to_owned());
        Rule::of(&module::RedirectRule { host, path, to, status_code: 302 }).expect("a rule")
    }

    fn location(rule: &Rule, path: &str) -> String {
        let variable = |variable| match variable {
            Variable::Host => "shop.test",
            Variable::Path => "//raw/%2e",
            _ => "",
        };
        rule.location(path, variable).expect("a location").to_str().expect("text").to_owned()
    }

    #[test]
    fn rules_match_by_host_and_path() {
        for (own, pattern, host, path, expected) in [
            ("", "", "a.test", "/x", true),
            ("a.test", "", "a.test", "/x", true),
            ("a.test", "", "b.test", "/x", false),
            ("*.a.test", "", "b.a.test", "/x", true),
            ("*.a.test", "", "a.test", "/x", false),
            ("*.a.test", "", "ba.test", "/x", false),
            ("", "/x/.*", "a.test", "/x/y", true),
            ("", "/x/.*", "a.test", "/y/x/", false),
            ("a.test", "/x", "b.test", "/x", false),
        ] {
            assert_eq!(rule(own, pattern, "/t").matches(host, path), expected, "{own} {pattern} {host} {path}");
        }
    }

    #[test]
    fn targets_get_groups_and_variables() {
        for (pattern, to, path, expected) in [
            ("/old/(.*)", "/new/${1}", "/old/a b", "/new/a%20b"),
            ("/old(/.*)", "/${1}", "/old/evil.test", "/evil.test"),
            ("/(.*)", "/${1}", "/\u{e9}", "/%C3%A9"),
            ("", "https://www.${req.host}${req.path}?${req.query}", "/x", "https://www.shop.test//raw/%2e"),
            ("/(a)?(b)?", "/x${1}${2}", "/b", "/xb"),
            ("/x", "https://other.test", "/x", "https://other.test"),
        ] {
            assert_eq!(location(&rule("", pattern, to), path), expected, "{pattern} {to} {path}");
        }
    }

    proptest! {
        #[test]
        fn a_request_never_chooses_the_host(path in "/\\PC{0,30}", raw in "[!-~]{0,30}") {
            for to in ["/${1}", "/${0}", "/x${1}", "https://own.test/${1}?${req.query}", "https://own.test${req.path}"] {
                let rule = rule("", "/(.*)", to);
                let raw_path = format!("/{raw}");
                let variable = |variable| if variable == Variable::Path { raw_path.as_str() } else { raw.as_str() };
                let Some(location) = rule.location(&path, variable) else { continue };
                let location = location.to_str().expect("visible ASCII");
                prop_assert!(!location.contains('\\'), "{location}");
                if to.starts_with('/') {
                    prop_assert!(location.starts_with('/') && !location.starts_with("//"), "{location}");
                } else {
                    let uri: hyper::Uri = location.parse().expect("a URL");
                    prop_assert_eq!(uri.authority().map(|authority| authority.as_str()), Some("own.test"));
                }
            }
        }
    }
}
