//! Rewrites the path of a request for the backend, after all checks: routes, restrictions and logins see the path that the
//! visitor sent. What comes out is a path that all programs read in the same way, or the request is refused.

use super::{RequestContext, headers::Facts};
use crate::{
    http::{is_unambiguous, normalised},
    refusal::{Fault, Refusal},
};
use hyper::{Uri, http::uri::PathAndQuery};
use postern_api::{
    Code, Error, checks,
    headers::variables::Variable,
    module,
    path_templates::{Template, compile, encode_path},
};
use regex::Regex;
use tokio::time::Instant;

const NAME: &str = "rewrite";
/// The longest target that is made, in bytes.
const MAX_TARGET_BYTES: usize = 16 << 10;

/// The rewrite of one owner.
pub(super) enum PathRewrite {
    /// Segments removed from the beginning, and segments put there.
    Prefix { strip: String, add: String },
    /// A pattern of the whole path, and the new path.
    Pattern { pattern: Regex, template: Template, variables: Vec<Variable> },
}

/// The path cannot be rewritten into one that all programs read in the same way.
#[derive(Debug, PartialEq, Eq)]
struct Ambiguous;

impl PathRewrite {
    /// The rewrite of the path; `None` if only the host is rewritten.
    ///
    /// # Errors
    /// If a value is not valid.
    pub(super) fn of(module: &module::Rewrite) -> Result<Option<Self>, Error> {
        checks::rewrite(module)?;
        if !module.path.is_empty() {
            let pattern = compile(&module.path)?;
            let template = checks::rewrite_template(&module.to, pattern.captures_len() - 1)?;
            let variables = template.variables().collect();
            return Ok(Some(PathRewrite::Pattern { pattern, template, variables }));
        }
        if module.strip_prefix.is_empty() && module.add_prefix.is_empty() {
            return Ok(None);
        }
        Ok(Some(PathRewrite::Prefix { strip: module.strip_prefix.clone(), add: module.add_prefix.clone() }))
    }

    fn variables(&self) -> &[Variable] {
        match self {
            PathRewrite::Prefix { .. } => &[],
            PathRewrite::Pattern { variables, .. } => variables,
        }
    }

    /// The new path; `None` if the rewrite does not apply to this one.
    fn apply<'a>(&self, path: &str, variable: impl Fn(Variable) -> &'a str) -> Result<Option<String>, Ambiguous> {
        let canonical = normalised(path).ok_or(Ambiguous)?;
        let rewritten = match self {
            PathRewrite::Prefix { strip, add } => {
                // Encoded characters stay as the visitor sent them, unless the prefix is found in the canonical form only.
                let as_sent = is_unambiguous(path).then(|| without(path, strip)).flatten();
                let rest = match as_sent {
                    Some(rest) => rest.to_owned(),
                    None => match without(&canonical, strip) {
                        Some(rest) => encode_path(rest),
                        None => return Ok(None),
                    },
                };
                if rest.is_empty() && add.is_empty() { "/".to_owned() } else { format!("{add}{rest}") }
            }
            PathRewrite::Pattern { pattern, template, .. } => {
                let Some(groups) = pattern.captures(&canonical) else { return Ok(None) };
                let group = |number: usize| groups.get(number).map_or("", |group| group.as_str());
                joined(&template.expand(group, variable))
            }
        };
        if is_unambiguous(&rewritten) { Ok(Some(rewritten)) } else { Err(Ambiguous) }
    }

    /// The rewrite as the trace shows it.
    fn rule(&self) -> String {
        match self {
            PathRewrite::Prefix { strip, add } => format!("{strip} -> {add}"),
            PathRewrite::Pattern { pattern, .. } => pattern.as_str().to_owned(),
        }
    }
}

/// What follows whole segments.
fn without<'a>(path: &'a str, prefix: &str) -> Option<&'a str> {
    path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The path without empty segments, which a group that begins or ends with a slash leaves.
fn joined(path: &str) -> String {
    let mut joined = String::with_capacity(path.len());
    for letter in path.chars() {
        if letter != '/' || !joined.ends_with('/') {
            joined.push(letter);
        }
    }
    joined
}

/// Rewrites the path of one request. The query stays.
pub(super) fn stage(rewrite: &PathRewrite, context: &mut RequestContext<'_>) -> Result<(), Refusal> {
    let began = Instant::now();
    let facts = Facts::of(rewrite.variables(), context);
    let uri = &context.parts.uri;
    // `OPTIONS *` is about the server as a whole.
    if uri.path() == "*" {
        return Ok(());
    }
    let ambiguous =
        || Refusal::invalid("The path of the request cannot be rewritten into one that is read in one way only.");
    let rewritten = rewrite.apply(uri.path(), |variable| facts.get(variable)).map_err(|Ambiguous| ambiguous())?;
    let rule = rewritten.is_some().then(|| rewrite.rule());
    if let Some(mut target) = rewritten {
        if let Some(query) = uri.query() {
            target.push('?');
            target.push_str(query);
        }
        if target.len() > MAX_TARGET_BYTES {
            let message = format!("The rewritten target has more than {MAX_TARGET_BYTES} bytes.");
            return Err(Refusal::new(Fault::Visitor, Error::new(Code::TargetTooLong, message)));
        }
        context.parts.uri = Uri::from(PathAndQuery::try_from(target).map_err(|_| ambiguous())?);
    }
    context.trace.record(NAME, rule, true, began);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn prefix(strip: &str, add: &str) -> PathRewrite {
        PathRewrite::Prefix { strip: strip.to_owned(), add: add.to_owned() }
    }

    fn pattern(path: &str, to: &str) -> PathRewrite {
        let module = module::Rewrite { path: path.to_owned(), to: to.to_owned(), ..module::Rewrite::default() };
        PathRewrite::of(&module).expect("valid").expect("of the path")
    }

    fn rewritten(rewrite: &PathRewrite, path: &str) -> Result<Option<String>, Ambiguous> {
        rewrite.apply(path, |_| "shop.test")
    }

    #[test]
    fn prefixes_are_whole_segments_and_encodings_stay() {
        for (strip, add, path, expected) in [
            ("/api", "", "/api/users", Some("/users")),
            ("/api", "", "/api", Some("/")),
            ("/api", "", "/api/", Some("/")),
            ("/api", "", "/apix", None),
            ("/api", "", "/other", None),
            ("/api", "/v1", "/api/users", Some("/v1/users")),
            ("/api", "/v1", "/api", Some("/v1")),
            ("", "/v1", "/users", Some("/v1/users")),
            ("", "/v1", "/", Some("/v1/")),
            ("/api", "", "/api/a%2Fb%20c", Some("/a%2Fb%20c")),
            ("/api", "", "/%61pi/a%20b", Some("/a%20b")),
            ("/api", "", "/api/../api/x", Some("/x")),
            ("/api", "", "/api//x", Some("/x")),
            ("/api", "", "/api/..", None),
            ("/api", "", "/api/%2e%2e/admin", None),
        ] {
            let expected = Ok(expected.map(ToOwned::to_owned));
            assert_eq!(rewritten(&prefix(strip, add), path), expected, "{strip} {add} {path}");
        }
        assert_eq!(rewritten(&prefix("/api", ""), "/api/../.."), Err(Ambiguous));
    }

    #[test]
    fn patterns_get_groups_and_variables() {
        for (path, to, sent, expected) in [
            ("/old/(.*)", "/new/${1}", "/old/a/b", Ok(Some("/new/a/b"))),
            ("/old(/.*)", "/new/${1}", "/old/a", Ok(Some("/new/a"))),
            ("/u/([0-9]+)", "/${req.host}/${1}", "/u/42", Ok(Some("/shop.test/42"))),
            ("/u/([0-9]+)", "/x", "/u/x", Ok(None)),
            ("/(.)-(.)", "/safe/${1}${2}/x", "/.-.", Err(Ambiguous)),
            ("/(.*)", "/safe/${1}", "/a b?", Ok(Some("/safe/a%20b%3F"))),
        ] {
            let expected = expected.map(|path| path.map(ToOwned::to_owned));
            assert_eq!(rewritten(&pattern(path, to), sent), expected, "{path} {to} {sent}");
        }
    }

    proptest! {
        #[test]
        fn what_comes_out_is_read_in_one_way(path in "(/[a-z.%0-9\\\\:;]{0,5}){1,6}/?", strip in "(/[a-z]{1,2}){0,2}", add in "(/[a-z]{1,2}){0,2}") {
            for rewrite in [prefix(&strip, &add), pattern("/(.*?)(/.*)?", "/x${1}${2}/y"), pattern("(.*)/(.*)", "/${2}/${1}")] {
                let Ok(Some(path)) = rewritten(&rewrite, &path) else { continue };
                prop_assert!(path.starts_with('/') && !path.starts_with("//"), "{path}");
                prop_assert!(is_unambiguous(&path), "{path}");
                let target: PathAndQuery = path.parse().expect("a target");
                prop_assert_eq!(target.path(), path);
                let decoded = normalised(target.path()).expect("readable");
                prop_assert!(decoded.split('/').skip(1).all(|segment| segment != "." && segment != ".."), "{decoded}");
            }
        }
    }
}
