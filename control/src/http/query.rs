//! Query parameters: `limit` and `before_id` of lists, `search` of lists of records, and those of single operations. All
//! others are refused.

use http::Uri;
use postern_api::{
    AnyId, Code, Error, Id, Result, Timestamp,
    id::Kind,
    resource::{AuditEvent, AuditFilter, AuditOperation, RECENT_REQUESTS_LIMIT, RequestFilter},
    traffic::TrafficRange,
};
use url::form_urlencoded;

/// Largest and default number of records on a page.
pub(super) const MAX_PAGE_SIZE: usize = 100;
/// Classes of statuses, by their first digit.
pub(super) const STATUS_CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Requested page of a list.
#[derive(Debug)]
pub(super) struct PageQuery<K> {
    /// 1 to [`MAX_PAGE_SIZE`].
    pub(super) limit: usize,
    /// Only records older than this one.
    pub(super) before: Option<Id<K>>,
    /// Only records that contain these words; empty for all.
    pub(super) search: String,
}

/// Refuses all query parameters.
pub(super) fn reject_query(uri: &Uri) -> Result<()> {
    parameters(uri, &[]).map(|_| ())
}

/// Parses the parameters of the list of a view.
pub(super) fn page_query<K: Kind>(uri: &Uri) -> Result<PageQuery<K>> {
    parse_page(parameters(uri, &["limit", "before_id"])?)
}

/// Parses the parameters of the list of audit events.
pub(super) fn audit_query(uri: &Uri) -> Result<(PageQuery<AuditEvent>, AuditFilter)> {
    let allowed: Vec<&str> = ["limit", "before_id"].into_iter().chain(AuditFilter::PARAMETERS).collect();
    let mut values = parameters(uri, &allowed)?;
    let filters = values.split_off(2).into_iter().map(|value| value.filter(|text| !text.is_empty()));
    let mut filters = filters.chain(std::iter::repeat(None));
    let mut next = || filters.next().flatten();
    let (actor_id, object_id, kind, operation) = (next(), next(), next(), next());
    let (since, until) = (next(), next());
    let filter = AuditFilter {
        actor_id: actor_id.map(|text| parse_word("actor_id", text)).transpose()?,
        object_id: object_id.map(|text| parse_word("object_id", text)).transpose()?,
        kind: kind.map(|text| parse_word("kind", text)).transpose()?,
        operation: operation.as_deref().map(parse_operation).transpose()?,
        since: since.as_deref().map(|text| parse_time("since", text)).transpose()?,
        until: until.as_deref().map(|text| parse_time("until", text)).transpose()?,
    };
    Ok((parse_page(values)?, filter))
}

/// Query of the next page of the list of audit events.
pub(super) fn next_audit_query(before: &AnyId, limit: usize, filter: &AuditFilter) -> String {
    let mut query = form_urlencoded::Serializer::new(next_page_query(before, limit, ""));
    query.extend_pairs(filter.parameters()).finish()
}

fn parse_word(name: &'static str, text: String) -> Result<String> {
    let plain = text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain { Ok(text) } else { Err(invalid(name, &text, "Write an id or a kind, such as `ip_policy`.")) }
}

fn parse_operation(text: &str) -> Result<AuditOperation> {
    let known = AuditOperation::ALL.into_iter().find(|operation| operation.as_str() == text);
    known.ok_or_else(|| invalid("operation", text, "Write `created`, `updated` or `deleted`."))
}

fn parse_time(name: &'static str, text: &str) -> Result<Timestamp> {
    let time = text.parse::<jiff::Timestamp>().map(Timestamp::new);
    time.map_err(|_| invalid(name, text, "Write a time as in RFC 3339, such as `2026-11-20T13:00:00Z`."))
}

fn invalid(name: &'static str, text: &str, advice: &str) -> Error {
    let shown: String = text.chars().take(40).collect();
    Error::new(Code::QueryInvalid, format!("`{shown}` is not a value of `{name}`. {advice}")).with("parameter", name)
}

/// Parses the time range of a traffic series.
pub(super) fn range_query(uri: &Uri) -> Result<TrafficRange> {
    let text = parameters(uri, &["range"])?.into_iter().next().flatten().filter(|text| !text.is_empty());
    let Some(text) = text else { return Ok(TrafficRange::default()) };
    let known = TrafficRange::ALL.into_iter().find(|range| range.as_str() == text);
    known.ok_or_else(|| invalid("range", &text, "Write `hour`, `day`, `week` or `quarter`."))
}

/// Parses the parameters of a list of records.
pub(super) fn search_query<K: Kind>(uri: &Uri) -> Result<PageQuery<K>> {
    parse_page(parameters(uri, &["limit", "before_id", "search"])?)
}

fn parse_page<K: Kind>(values: Vec<Option<String>>) -> Result<PageQuery<K>> {
    let mut values = values.into_iter();
    let limit = values.next().flatten().map_or(Ok(MAX_PAGE_SIZE), |text| parse_limit(&text, MAX_PAGE_SIZE))?;
    let before = values.next().flatten().filter(|id| !id.is_empty());
    let before = before.map(|id| Id::parse(&id).map_err(|error| error.with("parameter", "before_id"))).transpose()?;
    Ok(PageQuery { limit, before, search: values.next().flatten().unwrap_or_default() })
}

/// Query of the next page.
pub(super) fn next_page_query(before: &AnyId, limit: usize, search: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("before_id", before.as_str()).append_pair("limit", &limit.to_string());
    if !search.is_empty() {
        query.append_pair("search", search);
    }
    query.finish()
}

/// Parses the parameters of a list of the last requests.
pub(super) fn request_query(uri: &Uri) -> Result<RequestFilter> {
    let values = parameters(uri, &["limit", "status", "error_code", "search"])?;
    let mut values = values.into_iter().map(|value| value.filter(|text| !text.is_empty()));
    let mut next = || values.next().flatten();
    let (limit, status, error_code, search) = (next(), next(), next(), next());
    Ok(RequestFilter {
        limit: limit.map_or(Ok(MAX_PAGE_SIZE), |text| parse_limit(&text, RECENT_REQUESTS_LIMIT))?,
        status_class: status.as_deref().map(parse_status_class).transpose()?,
        error_code: error_code.map(|text| parse_word("error_code", text)).transpose()?,
        search: search.unwrap_or_default().to_lowercase(),
    })
}

fn parse_status_class(text: &str) -> Result<u16> {
    let known = STATUS_CLASSES.iter().position(|class| *class == text).and_then(|at| u16::try_from(at + 1).ok());
    known.ok_or_else(|| {
        invalid("status", text, "Write `2xx`, `3xx`, `4xx` or `5xx`, or `1xx` for a change of protocol.")
    })
}

fn parse_limit(text: &str, max: usize) -> Result<usize> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|limit| digits && (1..=max).contains(limit)).ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        Error::new(Code::LimitInvalid, format!("`{shown}` is not a page limit. Give a number from 1 to {max}."))
            .with("parameter", "limit")
    })
}

/// Values of the allowed parameters, in the order of `allowed`.
fn parameters(uri: &Uri, allowed: &[&str]) -> Result<Vec<Option<String>>> {
    let mut values = vec![None; allowed.len()];
    for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        let shown: String = name.chars().take(80).collect();
        let Some(slot) = allowed.iter().position(|allowed| *allowed == name).and_then(|at| values.get_mut(at)) else {
            let names = if allowed.is_empty() { "none".to_owned() } else { format!("`{}`", allowed.join("`, `")) };
            let sentence = format!("There is no query parameter `{shown}` here; allowed: {names}.");
            return Err(Error::new(Code::QueryUnknown, sentence).with("parameter", shown));
        };
        if slot.replace(value.into_owned()).is_some() {
            let sentence = format!("The query parameter `{shown}` was sent twice.");
            return Err(Error::new(Code::QueryRepeated, sentence).with("parameter", shown));
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::resource::IpPolicy;
    use proptest::prelude::*;

    fn read(query: &str) -> Result<(usize, Option<String>), Code> {
        let uri = Uri::builder().path_and_query(format!("/ip_policies?{query}")).build().expect("an address");
        let page = page_query::<IpPolicy>(&uri).map_err(|error| error.code)?;
        Ok((page.limit, page.before.map(|id| id.to_string())))
    }

    #[test]
    fn limits_lie_between_1_and_100_and_default_to_100() {
        assert_eq!(read(""), Ok((100, None)));
        assert_eq!(read("limit=1"), Ok((1, None)));
        assert_eq!(read("limit=100"), Ok((100, None)));
        for wrong in [
            "limit=0",
            "limit=101",
            "limit=",
            "limit=x",
            "limit=-1",
            "limit=%2B1",
            "limit=1.0",
            "limit=99999999999999999999",
        ] {
            assert_eq!(read(wrong), Err(Code::LimitInvalid), "{wrong}");
        }
    }

    #[test]
    fn cursors_are_ids_of_the_kind_and_other_parameters_are_refused() {
        let id = "ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
        assert_eq!(read(&format!("before_id={id}&limit=2")), Ok((2, Some(id.to_owned()))));
        assert_eq!(read("before_id=ipr_0ujtsYcgvSTl8PAuAdqWYSMnLOv"), Err(Code::IdShape));
        assert_eq!(read("offset=1"), Err(Code::QueryUnknown));
        assert_eq!(read("Limit=1"), Err(Code::QueryUnknown));
        assert_eq!(read("limit=1&limit=1"), Err(Code::QueryRepeated));
        assert_eq!(read("search=x"), Err(Code::QueryUnknown), "views cannot be searched");
    }

    #[test]
    fn audit_events_are_filtered_and_the_next_page_keeps_the_filter() {
        let uri = |query: &str| Uri::builder().path_and_query(format!("/audit_events?{query}")).build();
        let read = |query: &str| audit_query(&uri(query).expect("an address")).map_err(|error| error.code);
        let (_, filter) =
            read("kind=user&operation=deleted&since=2026-11-20T13:00:00%2B01:00&actor_id=").expect("valid");
        assert_eq!((filter.kind.as_deref(), filter.actor_id.as_deref()), (Some("user"), None));
        assert_eq!(filter.operation, Some(AuditOperation::Deleted));
        assert_eq!(filter.since.expect("a time").to_string(), "2026-11-20T12:00:00Z");
        let before = AnyId::from_text("ev_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        let (page, again) = read(&next_audit_query(&before, 2, &filter)).expect("valid");
        assert_eq!((page.limit, page.before.expect("a cursor").any(), again), (2, before, filter));
        for wrong in ["operation=read", "since=yesterday", "until=2026-11-20", "kind=a%20b", "object_id=%2F"] {
            assert_eq!(read(wrong).map(|_| ()), Err(Code::QueryInvalid), "{wrong}");
        }
        assert_eq!(read("search=x").map(|_| ()), Err(Code::QueryUnknown));
    }

    #[test]
    fn a_range_is_one_of_four_and_a_day_by_default() {
        let read = |query: &str| {
            let uri = Uri::builder().path_and_query(format!("/traffic/series?{query}")).build().expect("an address");
            range_query(&uri).map_err(|error| error.code)
        };
        for range in TrafficRange::ALL {
            assert_eq!(read(&format!("range={}", range.as_str())), Ok(range));
        }
        assert_eq!((read(""), read("range=")), (Ok(TrafficRange::Day), Ok(TrafficRange::Day)));
        assert_eq!((read("range=year"), read("limit=1")), (Err(Code::QueryInvalid), Err(Code::QueryUnknown)));
    }

    #[test]
    fn the_next_page_keeps_the_search() {
        let before = AnyId::from_text("ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        let uri =
            |query: &str| Uri::builder().path_and_query(format!("/ip_policies?{query}")).build().expect("an address");
        let query = next_page_query(&before, 2, "head office & more");
        let page = search_query::<IpPolicy>(&uri(&query)).expect("valid");
        assert_eq!((page.limit, page.search.as_str()), (2, "head office & more"));
        assert_eq!(page.before.expect("a cursor").any(), before);
        assert_eq!(next_page_query(&before, 2, ""), format!("before_id={before}&limit=2"));
    }

    proptest! {
        #[test]
        fn any_query_is_parsed_without_a_panic(query in "[a-z_=&%0-9+;?/]{0,60}") {
            let _ = read(&query);
        }
    }
}
