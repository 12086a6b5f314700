//! How many connections have a codec, and how long one is kept while there is no stream.

use std::{
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::Duration,
};

/// All codecs of this process, because they share its memory.
pub(crate) static CODECS: CodecCount = CodecCount(AtomicUsize::new(0));

/// Codecs at a time that are many: a crowd that comes at once would take some 30 KiB for each of its visitors.
const MANY: usize = 128;
/// How long a connection keeps its codec without a stream.
const RELEASED_AFTER: Duration = Duration::from_secs(1);
/// The same while there are many.
const RELEASED_AMONG_MANY_AFTER: Duration = Duration::from_millis(250);

/// The number of codecs.
pub(crate) struct CodecCount(AtomicUsize);

/// A codec, which is counted until this is dropped.
pub(crate) struct CountedCodec<'a>(&'a CodecCount);

impl CodecCount {
    pub(crate) fn count(&self) -> CountedCodec<'_> {
        self.0.fetch_add(1, Relaxed);
        CountedCodec(self)
    }

    /// How long a connection keeps its codec without a stream at this moment.
    pub(super) fn released_after(&self) -> Duration {
        if self.0.load(Relaxed) > MANY { RELEASED_AMONG_MANY_AFTER } else { RELEASED_AFTER }
    }
}

impl Drop for CountedCodec<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codecs_are_released_sooner_while_there_are_many() {
        let count = CodecCount(AtomicUsize::new(0));
        let mut codecs: Vec<_> = (0..MANY).map(|_| count.count()).collect();
        assert_eq!(count.released_after(), RELEASED_AFTER);
        codecs.push(count.count());
        assert_eq!(count.released_after(), RELEASED_AMONG_MANY_AFTER);
        codecs.pop();
        assert_eq!(count.released_after(), RELEASED_AFTER);
    }
}
