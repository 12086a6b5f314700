//! What a visitor wants of a file: all of it, a part, or nothing that is known already.

use headers::{ETag, HeaderMap, HeaderMapExt, IfModifiedSince, IfNoneMatch, IfRange, LastModified, Range};
use http::header;
use std::{
    ops::Bound,
    time::{SystemTime, UNIX_EPOCH},
};

/// What is said about a file before anything of it is read.
pub(super) struct Facts {
    pub(super) length: u64,
    pub(super) modified: Option<SystemTime>,
}

/// What is sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    All,
    /// Both ends are part of it.
    Part {
        start: u64,
        end: u64,
    },
    /// The visitor has it.
    Nothing,
    /// A part that the file does not have.
    Impossible,
}

impl Facts {
    /// Names this state of the file.
    fn tag(&self) -> Option<ETag> {
        let since = self.modified?.duration_since(UNIX_EPOCH).ok()?;
        format!("\"{:x}-{:x}\"", since.as_nanos(), self.length).parse().ok()
    }

    /// Says the state of the file, and that parts of it can be had.
    pub(super) fn describe(&self, headers: &mut HeaderMap) {
        headers.typed_insert(headers::AcceptRanges::bytes());
        if let Some(tag) = self.tag() {
            headers.typed_insert(tag);
        }
        if let Some(modified) = self.modified {
            headers.typed_insert(LastModified::from(modified));
        }
    }

    pub(super) fn wanted(&self, asked: &HeaderMap) -> Wanted {
        let tag = self.tag();
        let known = match (asked.typed_get::<IfNoneMatch>(), asked.typed_get::<IfModifiedSince>()) {
            // A tag says more than a time.
            (Some(condition), _) => tag.as_ref().is_some_and(|tag| !condition.precondition_passes(tag)),
            (None, Some(condition)) => self.modified.is_some_and(|modified| !condition.is_modified(modified)),
            (None, None) => false,
        };
        if known {
            return Wanted::Nothing;
        }
        let Some(range) = asked.typed_get::<Range>() else { return Wanted::All };
        if let Some(condition) = asked.typed_get::<IfRange>() {
            let modified = self.modified.map(LastModified::from);
            if condition.is_modified(tag.as_ref(), modified.as_ref()) {
                return Wanted::All;
            }
        }
        let mut parts = range.satisfiable_ranges(self.length);
        match (parts.next(), parts.next()) {
            // Whoever asks for more of the end than there is gets all there is.
            (None, _) if self.length > 0 && wants_the_end(asked) => Wanted::Part { start: 0, end: self.length - 1 },
            (None, _) => Wanted::Impossible,
            (Some(part), None) => self.part(part),
            // All of it answers any number of parts.
            (Some(_), Some(_)) => Wanted::All,
        }
    }

    fn part(&self, (start, end): (Bound<u64>, Bound<u64>)) -> Wanted {
        let Some(last) = self.length.checked_sub(1) else { return Wanted::Impossible };
        let (start, end) = match (start, end) {
            (Bound::Included(start), Bound::Included(end)) => (start, end.min(last)),
            (Bound::Included(start), _) => (start, last),
            // The last so many bytes.
            (_, Bound::Included(count)) => (self.length.saturating_sub(count), last),
            _ => (0, last),
        };
        if start > end { Wanted::Impossible } else { Wanted::Part { start, end } }
    }
}

/// Whether the last so many bytes are asked for, and nothing else.
fn wants_the_end(asked: &HeaderMap) -> bool {
    let range = asked.get(header::RANGE).and_then(|range| range.to_str().ok());
    let count = range.and_then(|range| range.trim().strip_prefix("bytes=-")).map(str::parse::<u64>);
    count.is_some_and(|count| count.is_ok_and(|count| count > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn wanted(length: u64, asked: &[(&'static str, &str)]) -> Wanted {
        let facts = Facts { length, modified: Some(UNIX_EPOCH + Duration::from_secs(1_000_000_000)) };
        let mut headers = HeaderMap::new();
        for (name, value) in asked {
            headers.insert(*name, value.parse().expect("a value"));
        }
        facts.wanted(&headers)
    }

    #[test]
    fn one_part_is_sent_as_asked_for() {
        let part = |start, end| Wanted::Part { start, end };
        for (range, expected) in [
            ("bytes=0-0", part(0, 0)),
            ("bytes=2-", part(2, 9)),
            ("bytes=-3", part(7, 9)),
            ("bytes=-30", part(0, 9)),
            ("bytes=5-99", part(5, 9)),
            ("bytes=10-", Wanted::Impossible),
            ("bytes=0-1,3-4", Wanted::All),
            ("lines=1-2", Wanted::All),
        ] {
            assert_eq!(wanted(10, &[("range", range)]), expected, "{range}");
        }
        assert_eq!(wanted(0, &[("range", "bytes=0-")]), Wanted::Impossible);
    }

    #[test]
    fn what_is_known_is_not_sent_again() {
        let (time, later) = ("Sun, 09 Sep 2001 01:46:40 GMT", "Sun, 09 Sep 2001 01:46:39 GMT");
        let tag = "\"de0b6b3a7640000-a\"";
        assert_eq!(wanted(10, &[("if-modified-since", time)]), Wanted::Nothing);
        assert_eq!(wanted(10, &[("if-modified-since", later)]), Wanted::All);
        assert_eq!(wanted(10, &[("if-none-match", tag)]), Wanted::Nothing);
        assert_eq!(wanted(10, &[("if-none-match", "\"other\""), ("if-modified-since", time)]), Wanted::All);
        let part = Wanted::Part { start: 0, end: 3 };
        assert_eq!(wanted(10, &[("range", "bytes=0-3"), ("if-range", tag)]), part);
        assert_eq!(wanted(10, &[("range", "bytes=0-3"), ("if-range", "\"other\"")]), Wanted::All);
    }
}
