//! Conditional and range requests (RFC 9110, sections 13 and 14): the whole file, a range of it, or not modified.

use headers::{ETag, HeaderMap, HeaderMapExt, IfModifiedSince, IfNoneMatch, IfRange, LastModified, Range};
use http::header;
use std::{
    ops::Bound,
    time::{SystemTime, UNIX_EPOCH},
};

/// Metadata of a file that decides about the response.
pub(super) struct FileMetadata {
    pub(super) length: u64,
    pub(super) modified: Option<SystemTime>,
}

/// The part of a file that is sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ContentSelection {
    Full,
    /// Both ends are inclusive.
    Range {
        start: u64,
        end: u64,
    },
    /// The client's copy is current.
    NotModified,
    /// The range lies outside the file.
    Unsatisfiable,
}

impl FileMetadata {
    /// Identifies this version of the file.
    fn etag(&self) -> Option<ETag> {
        let since = self.modified?.duration_since(UNIX_EPOCH).ok()?;
        format!("\"{:x}-{:x}\"", since.as_nanos(), self.length).parse().ok()
    }

    /// Adds the validators, and that ranges are supported.
    pub(super) fn add_validators(&self, headers: &mut HeaderMap) {
        headers.typed_insert(headers::AcceptRanges::bytes());
        if let Some(tag) = self.etag() {
            headers.typed_insert(tag);
        }
        if let Some(modified) = self.modified {
            headers.typed_insert(LastModified::from(modified));
        }
    }

    pub(super) fn select(&self, request_headers: &HeaderMap) -> ContentSelection {
        let tag = self.etag();
        let unchanged =
            match (request_headers.typed_get::<IfNoneMatch>(), request_headers.typed_get::<IfModifiedSince>()) {
                // `If-None-Match` takes precedence (RFC 9110, section 13.2.2).
                (Some(condition), _) => tag.as_ref().is_some_and(|tag| !condition.precondition_passes(tag)),
                (None, Some(condition)) => self.modified.is_some_and(|modified| !condition.is_modified(modified)),
                (None, None) => false,
            };
        if unchanged {
            return ContentSelection::NotModified;
        }
        let Some(range) = request_headers.typed_get::<Range>() else { return ContentSelection::Full };
        if let Some(condition) = request_headers.typed_get::<IfRange>() {
            let modified = self.modified.map(LastModified::from);
            if condition.is_modified(tag.as_ref(), modified.as_ref()) {
                return ContentSelection::Full;
            }
        }
        let mut parts = range.satisfiable_ranges(self.length);
        match (parts.next(), parts.next()) {
            // A suffix longer than the file selects all of it (RFC 9110, section 14.1.2).
            (None, _) if self.length > 0 && is_suffix_range(request_headers) => {
                ContentSelection::Range { start: 0, end: self.length - 1 }
            }
            (None, _) => ContentSelection::Unsatisfiable,
            (Some(part), None) => self.range(part),
            // Several ranges: the whole file is a valid response.
            (Some(_), Some(_)) => ContentSelection::Full,
        }
    }

    fn range(&self, (start, end): (Bound<u64>, Bound<u64>)) -> ContentSelection {
        let Some(last) = self.length.checked_sub(1) else { return ContentSelection::Unsatisfiable };
        let (start, end) = match (start, end) {
            (Bound::Included(start), Bound::Included(end)) => (start, end.min(last)),
            (Bound::Included(start), _) => (start, last),
            // A suffix range: the last `count` bytes.
            (_, Bound::Included(count)) => (self.length.saturating_sub(count), last),
            _ => (0, last),
        };
        if start > end { ContentSelection::Unsatisfiable } else { ContentSelection::Range { start, end } }
    }
}

/// Whether a suffix range is requested, and nothing else.
fn is_suffix_range(request_headers: &HeaderMap) -> bool {
    let range = request_headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    let count = range.and_then(|range| range.trim().strip_prefix("bytes=-")).map(str::parse::<u64>);
    count.is_some_and(|count| count.is_ok_and(|count| count > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn select(length: u64, request_headers: &[(&'static str, &str)]) -> ContentSelection {
        let metadata = FileMetadata { length, modified: Some(UNIX_EPOCH + Duration::from_secs(1_000_000_000)) };
        let mut headers = HeaderMap::new();
        for (name, value) in request_headers {
            headers.insert(*name, value.parse().expect("a value"));
        }
        metadata.select(&headers)
    }

    #[test]
    fn a_single_range_is_sent() {
        let part = |start, end| ContentSelection::Range { start, end };
        for (range, expected) in [
            ("bytes=0-0", part(0, 0)),
            ("bytes=2-", part(2, 9)),
            ("bytes=-3", part(7, 9)),
            ("bytes=-30", part(0, 9)),
            ("bytes=5-99", part(5, 9)),
            ("bytes=10-", ContentSelection::Unsatisfiable),
            ("bytes=0-1,3-4", ContentSelection::Full),
            ("lines=1-2", ContentSelection::Full),
        ] {
            assert_eq!(select(10, &[("range", range)]), expected, "{range}");
        }
        assert_eq!(select(0, &[("range", "bytes=0-")]), ContentSelection::Unsatisfiable);
    }

    #[test]
    fn an_unmodified_file_is_not_sent_again() {
        let (time, later) = ("Sun, 09 Sep 2001 01:46:40 GMT", "Sun, 09 Sep 2001 01:46:39 GMT");
        let tag = "\"de0b6b3a7640000-a\"";
        assert_eq!(select(10, &[("if-modified-since", time)]), ContentSelection::NotModified);
        assert_eq!(select(10, &[("if-modified-since", later)]), ContentSelection::Full);
        assert_eq!(select(10, &[("if-none-match", tag)]), ContentSelection::NotModified);
        assert_eq!(select(10, &[("if-none-match", "\"other\""), ("if-modified-since", time)]), ContentSelection::Full);
        let part = ContentSelection::Range { start: 0, end: 3 };
        assert_eq!(select(10, &[("range", "bytes=0-3"), ("if-range", tag)]), part);
        assert_eq!(select(10, &[("range", "bytes=0-3"), ("if-range", "\"other\"")]), ContentSelection::Full);
    }
}
