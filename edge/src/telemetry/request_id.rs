//! Request ids.

use postern_api::id::ksuid;
use std::cell::Cell;

/// Length of an id in bytes.
const LENGTH: usize = 30;
/// Last digits of an id that are random for each request.
const RANDOM_DIGITS: usize = 10;
/// Digits of a KSUID.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Names a request in the log, and to the visitor when it is refused: `op_` and a KSUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestId([u8; LENGTH]);

impl RequestId {
    /// A new id of this moment. The first digits, with the time, are computed once a second by each thread: a KSUID is a
    /// number of 160 bits.
    pub(crate) fn new(now: jiff::Timestamp) -> Self {
        thread_local! {
            static SECOND: Cell<(i64, [u8; LENGTH])> = const { Cell::new((i64::MIN, [0; LENGTH])) };
        }
        let (mut known, mut text) = SECOND.get();
        if known != now.as_second() {
            known = now.as_second();
            let whole = format!("op_{}", ksuid(known, rand::random()));
            text.copy_from_slice(whole.as_bytes());
            SECOND.set((known, text));
        }
        let mut random: u64 = rand::random();
        for digit in &mut text[LENGTH - RANDOM_DIGITS..] {
            *digit = DIGITS[(random % 62) as usize];
            random /= 62;
        }
        RequestId(text)
    }

    /// The id as ASCII characters.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The id as text.
    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_distinct_have_the_form_of_a_ksuid_and_sort_by_their_seconds() {
        let moments = [1_800_000_000, 1_800_000_001, 1_800_000_000].map(jiff::Timestamp::from_second);
        let [earlier, later, again] = moments.map(|moment| {
            let moment = moment.expect("a moment");
            (0..1000).map(|_| RequestId::new(moment).as_str().to_owned()).collect::<HashSet<_>>()
        });
        assert!(earlier.iter().max() < later.iter().min() && again.iter().max() < later.iter().min());
        let all: HashSet<_> = earlier.union(&later).chain(&again).collect();
        assert_eq!(all.len(), 3000);
        for id in all {
            let digits = id.strip_prefix("op_").expect("the prefix");
            assert!(digits.len() == 27 && digits.bytes().all(|digit| digit.is_ascii_alphanumeric()), "{id}");
        }
    }
}
