//! Validation of redirects, shared with the edge, which prepares the rules with the same functions.

use crate::{
    Code, Error, Result,
    headers::variables::Variable,
    host::HostName,
    module::{REDIRECT_RULE_LIMIT, REDIRECT_STATUSES, Redirect, RedirectRule},
    path_templates::{Part, Template, compile},
};
use http::uri::Authority;

/// Validates all rules, and writes their hosts in canonical form.
///
/// # Errors
/// The code of the first value that is not allowed, with the `field` detail.
pub fn redirect(module: &mut Redirect) -> Result<()> {
    let many = module.rules.len();
    if !(1..=REDIRECT_RULE_LIMIT).contains(&many) {
        let sentence = format!("There are {many} rules; 1 to {REDIRECT_RULE_LIMIT} are allowed.");
        return Err(Error::new(Code::RedirectCount, sentence).with("field", "rules"));
    }
    for (place, rule) in module.rules.iter_mut().enumerate() {
        check(rule).map_err(|error| {
            let field = error.details.get("field").cloned().unwrap_or_default();
            error.with("field", format!("rules[{place}].{field}"))
        })?;
    }
    Ok(())
}

fn check(rule: &mut RedirectRule) -> Result<()> {
    if !rule.host.is_empty() {
        let host = HostName::parse(&rule.host).map_err(|_| {
            let sentence = "`host` is not a host name. Write it like `www.example.com` or `*.example.com`.";
            Error::new(Code::RedirectHost, sentence).with("field", "host")
        })?;
        rule.host = host.as_str().to_owned();
    }
    let groups = match rule.path.as_str() {
        "" => 0,
        path => compile(path).map_err(|error| error.with("field", "path"))?.captures_len() - 1,
    };
    redirect_target(&rule.to, groups)?;
    if !REDIRECT_STATUSES.contains(&rule.status_code) {
        let sentence = format!("{} is not a status of redirects. Take 301, 302, 303, 307 or 308.", rule.status_code);
        return Err(Error::new(Code::RedirectStatus, sentence).with("field", "status_code"));
    }
    Ok(())
}

/// Reads the target of a redirect. Its host is fixed, or that of the request: nothing else of a request can become a host.
///
/// # Errors
/// [`Code::RedirectTarget`].
pub fn redirect_target(text: &str, groups: usize) -> Result<Template> {
    let wrong = |sentence: &str| {
        Error::new(Code::RedirectTarget, format!("`to` is not a target. {sentence}")).with("field", "to")
    };
    let template = Template::parse(text, groups).map_err(|sentence| wrong(&sentence))?;
    let beginning = ["https://", "http://", "${req.scheme}://"].into_iter().find(|scheme| text.starts_with(scheme));
    match beginning {
        Some(scheme) => check_authority(&text[scheme.len()..]).map_err(|sentence| wrong(&sentence))?,
        None if !text.starts_with('/') => return Err(wrong("Begin it with `/`, `https://` or `http://`.")),
        // Browsers take `//host` and `/\\host` for another host.
        None if text[1..].starts_with(['/', '\\']) => {
            return Err(wrong("Begin a path with one slash: browsers take more for the name of a host."));
        }
        None => {}
    }
    match template.parts() {
        [Part::Text(text), ..] if text.contains('\\') => Err(wrong("Write `%5C` for a backslash.")),
        _ => Ok(template),
    }
}

/// Checks what is between the scheme and the path of a target.
fn check_authority(rest: &str) -> Result<(), String> {
    let end = ["/", "?", "#", "${req.path}"].into_iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
    let authority = rest[..end].replace(&format!("${{{}}}", Variable::Host.name()), "host.example");
    let valid = !authority.contains(['@', '$', '{', '\\']) && authority.parse::<Authority>().is_ok();
    if valid {
        return Ok(());
    }
    Err("Its host must be a name, with or without a port, or `${req.host}`: visitors could be sent anywhere otherwise."
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(to: &str) -> RedirectRule {
        RedirectRule { host: String::new(), path: "/old/(.*)".into(), to: to.into(), status_code: 302 }
    }

    fn checked(rule: RedirectRule) -> Result<Redirect, (Code, String)> {
        let mut module = Redirect { enabled: true, rules: vec![rule] };
        redirect(&mut module).map(|()| module).map_err(|error| (error.code, error.details["field"].clone()))
    }

    #[test]
    fn targets_have_a_host_of_their_own_or_that_of_the_request() {
        for fine in [
            "/new/${1}",
            "/",
            "https://example.com",
            "https://example.com:8443/${1}?${req.query}",
            "${req.scheme}://www.${req.host}${req.path}",
            "https://${req.host}/x#y",
            "http://[2001:db8::1]/",
        ] {
            assert!(checked(rule(fine)).is_ok(), "{fine}");
        }
        for wrong in [
            "",
            "new",
            "//example.com/",
            "/\\example.com",
            "https:///x",
            "https://${1}/",
            "https://${req.query}/",
            "https://example.com${1}",
            "https://example.com:${1}/",
            "https://user@example.com/",
            "https://${req.host}.${1}/",
            "https://example.com\\@other.example/",
            "javascript:alert(1)",
            "ftp://example.com/",
            "${1}",
            "${req.path}",
            "/${2}",
            "/a b",
        ] {
            assert_eq!(checked(rule(wrong)), Err((Code::RedirectTarget, "rules[0].to".into())), "{wrong}");
        }
    }

    #[test]
    fn the_rest_of_a_rule_is_checked_too() {
        let fine = || rule("/new");
        for (wrong, code, field) in [
            (RedirectRule { host: "a b".into(), ..fine() }, Code::RedirectHost, "rules[0].host"),
            (RedirectRule { path: "(".into(), ..fine() }, Code::PatternInvalid, "rules[0].path"),
            (RedirectRule { status_code: 300, ..fine() }, Code::RedirectStatus, "rules[0].status_code"),
        ] {
            assert_eq!(checked(wrong).map(|_| ()), Err((code, field.to_owned())));
        }
        let module = checked(RedirectRule { host: "*.Example.COM".into(), ..fine() }).expect("valid");
        assert_eq!(module.rules[0].host, "*.example.com");
        let mut empty = Redirect { enabled: true, rules: Vec::new() };
        assert_eq!(redirect(&mut empty).map_err(|error| error.code), Err(Code::RedirectCount));
        let mut many = Redirect { enabled: true, rules: vec![fine(); 101] };
        assert_eq!(redirect(&mut many).map_err(|error| error.code), Err(Code::RedirectCount));
    }
}
