//! Validation of rewrites, shared with the edge, which prepares the template with the same function.

use crate::{
    Code, Error, Result,
    module::Rewrite,
    path_templates::{Part, Template, compile},
};
use http::uri::Authority;

/// Validates the module.
///
/// # Errors
/// The code of the first value that is not allowed, with the `field` detail.
pub fn rewrite(module: &Rewrite) -> Result<()> {
    let Rewrite { enabled: _, strip_prefix, add_prefix, path, to, host } = module;
    let has_prefix = !strip_prefix.is_empty() || !add_prefix.is_empty();
    if !has_prefix && path.is_empty() && to.is_empty() && host.is_empty() {
        let sentence = "There is nothing to rewrite. Set `strip_prefix`, `add_prefix`, `path` with `to`, or `host`.";
        return Err(Error::new(Code::RewriteEmpty, sentence).with("field", "strip_prefix"));
    }
    for (prefix, field) in [(strip_prefix, "strip_prefix"), (add_prefix, "add_prefix")] {
        if !prefix.is_empty() && !is_prefix(prefix) {
            let sentence = format!(
                "`{field}` must be a path such as `/api`: letters, digits and `-._~!$&'()*+,;=:@`, no empty segments, no `.` or `..`, and no slash at its end."
            );
            return Err(Error::new(Code::RewritePath, sentence).with("field", field));
        }
    }
    if path.is_empty() != to.is_empty() {
        let (missing, given) = if path.is_empty() { ("path", "to") } else { ("to", "path") };
        let sentence = format!("`{given}` needs `{missing}`: a pattern and the new path belong together.");
        return Err(Error::new(Code::RewritePath, sentence).with("field", missing));
    }
    if !path.is_empty() {
        if has_prefix {
            let sentence =
                "`path` excludes `strip_prefix` and `add_prefix`: write the prefixes into the pattern and `to`.";
            return Err(Error::new(Code::RewritePath, sentence).with("field", "path"));
        }
        let groups = compile(path).map_err(|error| error.with("field", "path"))?.captures_len() - 1;
        rewrite_template(to, groups)?;
    }
    if !host.is_empty() && (host.contains('@') || host.parse::<Authority>().is_err()) {
        let sentence = "`host` must be a host with or without a port, such as `app.internal:8080`.";
        return Err(Error::new(Code::RewriteHost, sentence).with("field", "host"));
    }
    Ok(())
}

/// Reads the new path of a rewrite.
///
/// # Errors
/// [`Code::RewritePath`].
pub fn rewrite_template(text: &str, groups: usize) -> Result<Template> {
    let wrong =
        |sentence: &str| Error::new(Code::RewritePath, format!("`to` is not a path. {sentence}")).with("field", "to");
    let template = Template::parse(text, groups).map_err(|sentence| wrong(&sentence))?;
    if !text.starts_with('/') || text.starts_with("//") {
        return Err(wrong("Begin it with one slash."));
    }
    let bad =
        |part: &Part| matches!(part, Part::Text(text) if text.contains(['?', '#', '\\', '"', '<', '>', '`', '^', '|']));
    if template.parts().iter().any(bad) {
        return Err(wrong("It has no `?`, `#` or other characters that paths do not have; the query stays."));
    }
    Ok(template)
}

fn is_prefix(text: &str) -> bool {
    let segments = text.strip_prefix('/').map(|rest| rest.split('/'));
    let is_segment = |segment: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte);
        !matches!(segment, "" | "." | "..") && segment.bytes().all(allowed)
    };
    text.len() <= 1024 && segments.is_some_and(|mut segments| segments.all(is_segment))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(module: &Rewrite) -> Result<(), (Code, String)> {
        rewrite(module).map_err(|error| (error.code, error.details["field"].clone()))
    }

    fn strip(prefix: &str) -> Rewrite {
        Rewrite { enabled: true, strip_prefix: prefix.into(), ..Rewrite::default() }
    }

    fn pattern(path: &str, to: &str) -> Rewrite {
        Rewrite { enabled: true, path: path.into(), to: to.into(), ..Rewrite::default() }
    }

    #[test]
    fn one_thing_at_least_is_rewritten_and_each_is_checked() {
        for fine in [
            strip("/api"),
            strip("/api/v1.2/a:b"),
            pattern("/old/(.*)", "/new/${1}"),
            pattern("/x", "/${req.host}/x"),
            Rewrite { host: "app.internal:8080".into(), ..Rewrite::default() },
            Rewrite { add_prefix: "/v1".into(), ..strip("/api") },
        ] {
            assert_eq!(checked(&fine), Ok(()), "{fine:?}");
        }
        for (wrong, code, field) in [
            (Rewrite::default(), Code::RewriteEmpty, "strip_prefix"),
            (strip("api"), Code::RewritePath, "strip_prefix"),
            (strip("/"), Code::RewritePath, "strip_prefix"),
            (strip("/api/"), Code::RewritePath, "strip_prefix"),
            (strip("/a//b"), Code::RewritePath, "strip_prefix"),
            (strip("/a/../b"), Code::RewritePath, "strip_prefix"),
            (strip("/a%2fb"), Code::RewritePath, "strip_prefix"),
            (Rewrite { add_prefix: "/a?b".into(), ..strip("/api") }, Code::RewritePath, "add_prefix"),
            (pattern("/a", ""), Code::RewritePath, "to"),
            (pattern("", "/a"), Code::RewritePath, "path"),
            (Rewrite { path: "/a".into(), to: "/b".into(), ..strip("/api") }, Code::RewritePath, "path"),
            (pattern("(", "/a"), Code::PatternInvalid, "path"),
            (pattern("/a", "a"), Code::RewritePath, "to"),
            (pattern("/a", "//a"), Code::RewritePath, "to"),
            (pattern("/a", "/a?b"), Code::RewritePath, "to"),
            (pattern("/a", "/${1}"), Code::RewritePath, "to"),
            (Rewrite { host: "a b".into(), ..Rewrite::default() }, Code::RewriteHost, "host"),
            (Rewrite { host: "user@host".into(), ..Rewrite::default() }, Code::RewriteHost, "host"),
        ] {
            assert_eq!(checked(&wrong), Err((code, field.to_owned())), "{wrong:?}");
        }
    }
}
