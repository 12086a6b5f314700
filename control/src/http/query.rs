//! Query parameters: `limit` and `before_id` of lists, `search` of lists of records, and nothing else anywhere.

use http::Uri;
use postern_api::{AnyId, Code, Error, Id, Result, id::Kind};
use url::form_urlencoded;

/// The most records a page may hold, and how many it holds unless said otherwise.
pub(super) const LIMIT: usize = 100;

/// Which part of a list is asked for.
#[derive(Debug)]
pub(super) struct Paging<K> {
    /// 1 to 100.
    pub(super) limit: usize,
    /// Only what is older than this one.
    pub(super) before: Option<Id<K>>,
    /// Only what says this; empty for everything.
    pub(super) search: String,
}

/// Refuses all query parameters.
pub(super) fn none(uri: &Uri) -> Result<()> {
    take(uri, &[]).map(|_| ())
}

/// Reads the parameters of a list of what is alive.
pub(super) fn paging<K: Kind>(uri: &Uri) -> Result<Paging<K>> {
    read(take(uri, &["limit", "before_id"])?)
}

/// Reads the parameters of a list of records, which can be searched.
pub(super) fn searching<K: Kind>(uri: &Uri) -> Result<Paging<K>> {
    read(take(uri, &["limit", "before_id", "search"])?)
}

fn read<K: Kind>(values: Vec<Option<String>>) -> Result<Paging<K>> {
    let mut values = values.into_iter();
    let limit = values.next().flatten().map_or(Ok(LIMIT), |text| limit(&text))?;
    let before = values.next().flatten().filter(|id| !id.is_empty());
    let before = before.map(|id| Id::parse(&id).map_err(|error| error.with("parameter", "before_id"))).transpose()?;
    Ok(Paging { limit, before, search: values.next().flatten().unwrap_or_default() })
}

/// The query of the next page.
pub(super) fn next(before: &AnyId, limit: usize, search: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("before_id", before.as_str()).append_pair("limit", &limit.to_string());
    if !search.is_empty() {
        query.append_pair("search", search);
    }
    query.finish()
}

fn limit(text: &str) -> Result<usize> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|limit| digits && (1..=LIMIT).contains(limit)).ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        Error::new(Code::LimitInvalid, format!("`{shown}` is no page limit. Give a number from 1 to {LIMIT}."))
            .with("parameter", "limit")
    })
}

/// The values of the parameters that are allowed, in their order.
fn take(uri: &Uri, allowed: &[&str]) -> Result<Vec<Option<String>>> {
    let mut values = vec![None; allowed.len()];
    for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        let shown: String = name.chars().take(80).collect();
        let Some(place) = allowed.iter().position(|known| *known == name).and_then(|at| values.get_mut(at)) else {
            let known = if allowed.is_empty() { "none".to_owned() } else { format!("`{}`", allowed.join("`, `")) };
            let sentence = format!("There is no query parameter `{shown}` here; there is {known}.");
            return Err(Error::new(Code::QueryUnknown, sentence).with("parameter", shown));
        };
        if place.replace(value.into_owned()).is_some() {
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
        let paging = paging::<IpPolicy>(&uri).map_err(|error| error.code)?;
        Ok((paging.limit, paging.before.map(|id| id.to_string())))
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
    fn cursors_are_ids_of_the_kind_and_nothing_else_is_known() {
        let id = "ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
        assert_eq!(read(&format!("before_id={id}&limit=2")), Ok((2, Some(id.to_owned()))));
        assert_eq!(read("before_id=ipr_0ujtsYcgvSTl8PAuAdqWYSMnLOv"), Err(Code::IdShape));
        assert_eq!(read("offset=1"), Err(Code::QueryUnknown));
        assert_eq!(read("Limit=1"), Err(Code::QueryUnknown));
        assert_eq!(read("limit=1&limit=1"), Err(Code::QueryRepeated));
        assert_eq!(read("search=x"), Err(Code::QueryUnknown), "only records can be searched");
    }

    #[test]
    fn the_next_page_is_searched_for_the_same() {
        let before = AnyId::from_text("ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv");
        let uri =
            |query: &str| Uri::builder().path_and_query(format!("/ip_policies?{query}")).build().expect("an address");
        let query = next(&before, 2, "head office & more");
        let paging = searching::<IpPolicy>(&uri(&query)).expect("our own");
        assert_eq!((paging.limit, paging.search.as_str()), (2, "head office & more"));
        assert_eq!(paging.before.expect("a cursor").any(), before);
        assert_eq!(next(&before, 2, ""), format!("before_id={before}&limit=2"));
    }

    proptest! {
        #[test]
        fn any_query_is_judged_without_a_panic(query in "[a-z_=&%0-9+;?/]{0,60}") {
            let _ = read(&query);
        }
    }
}
