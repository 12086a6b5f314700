//! The query parameters of lists.

use super::ApiError;
use crate::capture::{ExchangeQuery, exchange::parse_id, filter::Filter};
use postern_api::{Code, Error};

const DEFAULT_LIMIT: usize = 50;
/// The most requests of a page.
const MAX_LIMIT: usize = 10_000;

/// Parses a query.
pub(super) fn parse(query: &str) -> Result<ExchangeQuery, ApiError> {
    let (parsed, rest) = parse_with(query, &[])?;
    debug_assert!(rest.is_empty());
    Ok(parsed)
}

/// Parses a query that may have the parameters `others`, which are returned.
pub(super) fn parse_with(query: &str, others: &[&str]) -> Result<(ExchangeQuery, Vec<(String, String)>), ApiError> {
    let wrong = |code: Code, message: String| Err(ApiError::from(Error::new(code, message)));
    let mut parsed = ExchangeQuery { limit: DEFAULT_LIMIT, ..ExchangeQuery::default() };
    let mut seen = Vec::new();
    let mut other_parameters = Vec::new();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if seen.contains(&name) {
            return wrong(Code::QueryRepeated, format!("The parameter `{name}` is repeated in the query."));
        }
        match name.as_ref() {
            "limit" => match value.parse::<usize>() {
                Ok(limit) => parsed.limit = limit.min(MAX_LIMIT),
                Err(_) => return wrong(Code::QueryInvalid, "`limit` must be a whole number.".into()),
            },
            "tunnel_name" => parsed.tunnel = Some(value.into_owned()).filter(|name| !name.is_empty()),
            "before" => match parse_id(&value) {
                Some(id) => parsed.before = Some(id),
                None => return wrong(Code::QueryInvalid, "`before` must be the id of a captured request.".into()),
            },
            "since" => match (parse_id(&value), value.parse::<jiff::Timestamp>()) {
                (Some(id), _) => parsed.after = Some(id),
                (None, Ok(time)) => parsed.since = Some(time),
                (None, Err(_)) => {
                    let message =
                        "`since` must be the id of a captured request, or a time such as 2026-11-21T14:02:00Z.";
                    return wrong(Code::QueryInvalid, message.into());
                }
            },
            "filter" => {
                let filter = Filter::parse(&value).map_err(Error::from)?;
                parsed.filter = Some(filter).filter(|_| !value.trim().is_empty());
            }
            other if others.contains(&other) => other_parameters.push((other.to_owned(), value.into_owned())),
            _ => {
                let shown: String = name.chars().take(40).collect();
                return wrong(Code::QueryUnknown, format!("There is no parameter `{shown}` here."));
            }
        }
        seen.push(name);
    }
    Ok((parsed, other_parameters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_is_checked() {
        let read = parse("limit=3&tunnel_name=command_line+(http)").expect("valid");
        assert_eq!((read.limit, read.tunnel.as_deref()), (3, Some("command_line (http)")));
        assert_eq!(parse("").expect("valid").limit, DEFAULT_LIMIT);
        for wrong in
            ["limit=x", "limit=-1", "limit=1&limit=2", "other=1", "before=1", "since=x", "filter=(", "secrets=show"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse("before=0000000100000002&filter=").expect("valid").filter.is_none());
        assert_eq!(parse("since=0000000100000002").expect("valid").after, Some(0x1_0000_0002));
        assert!(parse("since=2026-11-21T14:02:00Z&filter=status:5xx").expect("valid").since.is_some());
        assert_eq!(
            parse_with("secrets=show&limit=1", &["secrets"]).expect("valid").1,
            [("secrets".into(), "show".into())]
        );
    }
}
