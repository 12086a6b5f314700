//! The keys `maintenance`, `redirect`, `rewrite` and `error_pages`.

use super::{
    fields::Fields,
    tree::{ConfigNode, ConfigValue},
};
use postern_api::module::{ErrorPages, Maintenance, Redirect, RedirectRule, Rewrite};
use std::collections::BTreeMap;

/// Reads `maintenance`: `true`, or the response and its end.
pub(super) fn maintenance(fields: &mut Fields<'_>) -> Option<Maintenance> {
    if let Some(ConfigValue::Bool(enabled)) = fields.pair("maintenance").map(|pair| &pair.value.value) {
        return enabled.then(Maintenance::default);
    }
    let mut group = fields.group("maintenance")?;
    group.check_known(&["until", "status_code", "body", "content_type", "allow_cidrs"], &[]);
    let mut module = Maintenance::default();
    if let Some(until) = group.text("until") {
        module.until = serde_json::from_value(until.value.into()).ok();
        if module.until.is_none() {
            group.reject("until", until.location, "Must be a time such as `2030-01-31T12:00:00Z`.");
            return None;
        }
    }
    if group.pair("status_code").is_some() {
        module.status_code = status(&mut group, 200..=599)?;
    }
    if let Some(body) = group.text("body") {
        module.body = body.value;
    }
    if let Some(content_type) = group.text("content_type") {
        module.content_type = content_type.value;
    }
    module.allow = group.texts("allow_cidrs").unwrap_or_default().into_iter().map(|text| text.value).collect();
    Some(module)
}

/// Reads `redirect`: one rule, or a list of rules.
pub(super) fn redirect(fields: &mut Fields<'_>) -> Option<Redirect> {
    let pair = fields.pair("redirect")?;
    let rules: Option<Vec<RedirectRule>> = match &pair.value.value {
        ConfigValue::Sequence(items) => {
            let rule = |(place, item): (usize, &ConfigNode)| {
                let key = fields.key(&format!("redirect[{place}]"));
                redirect_rule(&mut Fields::new(item, &key, fields.problems))
            };
            // All of them are read, so that all problems are reported.
            items.iter().enumerate().map(rule).collect::<Vec<_>>().into_iter().collect()
        }
        _ => redirect_rule(&mut fields.group("redirect")?).map(|rule| vec![rule]),
    };
    Some(Redirect { enabled: true, rules: rules? })
}

fn redirect_rule(group: &mut Fields<'_>) -> Option<RedirectRule> {
    group.check_known(&["host", "path", "to", "status_code"], &[]);
    let to = group.required_text("to", "write a path or a URL, such as `/new/${1}`")?.value;
    let mut text = |name: &str| group.text(name).map(|text| text.value).unwrap_or_default();
    let (host, path) = (text("host"), text("path"));
    let status_code = if group.pair("status_code").is_some() { status(group, 300..=399)? } else { 302 };
    Some(RedirectRule { host, path, to, status_code })
}

/// Reads `rewrite`.
pub(super) fn rewrite(fields: &mut Fields<'_>) -> Option<Rewrite> {
    let mut group = fields.group("rewrite")?;
    group.check_known(&["strip_prefix", "add_prefix", "path", "to", "host"], &[]);
    let mut text = |name: &str| group.text(name).map(|text| text.value).unwrap_or_default();
    Some(Rewrite {
        enabled: true,
        strip_prefix: text("strip_prefix"),
        add_prefix: text("add_prefix"),
        path: text("path"),
        to: text("to"),
        host: text("host"),
    })
}

/// Reads `error_pages`: HTML by status.
pub(super) fn error_pages(fields: &mut Fields<'_>) -> Option<ErrorPages> {
    let mut group = fields.group("error_pages")?;
    group.check_known(&["pages", "upstream"], &[]);
    let upstream = group.flag("upstream").unwrap_or(false);
    let mut pages = BTreeMap::new();
    if let Some(pair) = group.pair("pages") {
        let statuses: Vec<String> =
            pair.value.pairs().unwrap_or_default().iter().map(|page| page.key.clone()).collect();
        let mut page_group = group.group("pages")?;
        for status in statuses {
            let page = page_group.text(&status)?.value;
            pages.insert(status, page);
        }
    }
    Some(ErrorPages { enabled: true, pages, upstream })
}

fn status(group: &mut Fields<'_>, bounds: std::ops::RangeInclusive<i64>) -> Option<u16> {
    group.number("status_code", bounds).and_then(|status| u16::try_from(status).ok())
}
