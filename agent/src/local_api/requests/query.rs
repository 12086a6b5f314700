//! The query of a list: how many, which tunnel, from where to where, and a filter.

use super::ApiError;
use crate::capture::{Selection, filter::Filter, store::parse_id};
use postern_api::{Code, Error};

const DEFAULT_LIMIT: usize = 50;
/// More than this is never listed at once.
const MAX_LIMIT: usize = 10_000;

/// Reads a query.
pub(super) fn selection(query: &str) -> Result<Selection, ApiError> {
    let (selection, rest) = with_others(query, &[])?;
    debug_assert!(rest.is_empty());
    Ok(selection)
}

/// The same; parameters with these names are handed back.
pub(super) fn with_others(query: &str, others: &[&str]) -> Result<(Selection, Vec<(String, String)>), ApiError> {
    let wrong = |code: Code, message: String| Err(ApiError::from(Error::new(code, message)));
    let mut selection = Selection { limit: DEFAULT_LIMIT, ..Selection::default() };
    let mut seen = Vec::new();
    let mut handed_back = Vec::new();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if seen.contains(&name) {
            return wrong(Code::QueryRepeated, format!("The parameter `{name}` stands twice in the query."));
        }
        match name.as_ref() {
            "limit" => match value.parse::<usize>() {
                Ok(limit) => selection.limit = limit.min(MAX_LIMIT),
                Err(_) => return wrong(Code::QueryInvalid, "`limit` must be a whole number.".into()),
            },
            "tunnel_name" => selection.tunnel = Some(value.into_owned()).filter(|name| !name.is_empty()),
            "before" => match parse_id(&value) {
                Some(id) => selection.before = Some(id),
                None => return wrong(Code::QueryInvalid, "`before` must be the id of a captured request.".into()),
            },
            "since" => match (parse_id(&value), value.parse::<jiff::Timestamp>()) {
                (Some(id), _) => selection.after = Some(id),
                (None, Ok(time)) => selection.since = Some(time),
                (None, Err(_)) => {
                    let message =
                        "`since` must be the id of a captured request, or a time such as 2026-11-21T14:02:00Z.";
                    return wrong(Code::QueryInvalid, message.into());
                }
            },
            "filter" => {
                let filter = Filter::parse(&value).map_err(Error::from)?;
                selection.filter = Some(filter).filter(|_| !value.trim().is_empty());
            }
            other if others.contains(&other) => handed_back.push((other.to_owned(), value.into_owned())),
            _ => {
                let shown: String = name.chars().take(40).collect();
                return wrong(Code::QueryUnknown, format!("There is no parameter `{shown}` here."));
            }
        }
        seen.push(name);
    }
    Ok((selection, handed_back))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_is_checked() {
        let read = selection("limit=3&tunnel_name=command_line+(http)").expect("valid");
        assert_eq!((read.limit, read.tunnel.as_deref()), (3, Some("command_line (http)")));
        assert_eq!(selection("").expect("valid").limit, DEFAULT_LIMIT);
        for wrong in
            ["limit=x", "limit=-1", "limit=1&limit=2", "other=1", "before=1", "since=x", "filter=(", "secrets=show"]
        {
            assert!(selection(wrong).is_err(), "{wrong}");
        }
        assert!(selection("before=0000000100000002&filter=").expect("valid").filter.is_none());
        assert_eq!(selection("since=0000000100000002").expect("valid").after, Some(0x1_0000_0002));
        assert!(selection("since=2026-11-21T14:02:00Z&filter=status:5xx").expect("valid").since.is_some());
        assert_eq!(
            with_others("secrets=show&limit=1", &["secrets"]).expect("valid").1,
            [("secrets".into(), "show".into())]
        );
    }
}
