//! Search over captured requests, in batches and with a limit on the work of one call.

use super::{
    exchange::{Exchange, shown_id},
    filter::Filter,
    store::CaptureStore,
};
use std::{
    num::NonZero,
    sync::{Arc, LazyLock},
    thread,
};

/// Exchanges that are fetched from the store at once.
const BATCH_SIZE: usize = 2048;
/// The most exchanges of a batch.
const MAX_BATCH_SIZE: usize = 4 * BATCH_SIZE;
/// Threads for a search that takes more than one batch, four at most. Cached, because finding out reads files.
static SEARCH_THREADS: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get).min(4));
/// Bytes of heads and bodies that one call reads before it returns a cursor instead.
const MAX_READ_BYTES: u64 = 64 << 20;

/// A query for captured requests.
#[derive(Clone, Debug, Default)]
pub struct ExchangeQuery {
    /// The most exchanges of a page.
    pub limit: usize,
    /// Only exchanges captured before this id.
    pub before: Option<u64>,
    /// Only exchanges captured after this id.
    pub after: Option<u64>,
    /// Only exchanges that began after this time.
    pub since: Option<jiff::Timestamp>,
    /// Only exchanges of this tunnel: the name as captured requests show it, or bare.
    pub tunnel: Option<String>,
    /// Only exchanges that match.
    pub filter: Option<Filter>,
}

/// A page of results.
#[derive(Default)]
pub struct ExchangePage {
    /// Newest first.
    pub found: Vec<Arc<Exchange>>,
    /// The `before` of the next page; `None` if nothing is left.
    pub next: Option<String>,
    /// The limit of work was reached before the page was full.
    pub cut: bool,
}

struct FilterOutcome {
    matches: bool,
    /// Bytes that were read for it.
    read: u64,
}

impl ExchangeQuery {
    /// Searches the store.
    pub fn find(&self, store: &CaptureStore) -> ExchangePage {
        self.find_within(store, MAX_READ_BYTES)
    }

    fn find_within(&self, store: &CaptureStore, max_read: u64) -> ExchangePage {
        let mut page = ExchangePage::default();
        let mut left = max_read;
        let mut before = self.before.unwrap_or(u64::MAX);
        let (mut threads, mut size, mut examined) = (1, BATCH_SIZE, 0);
        if self.filter.is_none() {
            size = size.min(self.limit + 1);
        }
        loop {
            let batch = next_batch(store, before, size);
            let Some(last) = batch.last() else { return page };
            before = last.id;
            let newer = self.after.map_or(batch.len(), |after| batch.partition_point(|exchange| exchange.id > after));
            let outcomes = self.match_batch(&batch[..newer], threads, left);
            for (exchange, outcome) in batch[..newer].iter().zip(outcomes) {
                let full = page.found.len() >= self.limit;
                let Some(outcome) = outcome.filter(|_| !full && left > 0) else {
                    page.next = Some(shown_id(exchange.id + 1));
                    page.cut = !full;
                    return page;
                };
                left = left.saturating_sub(outcome.read);
                if outcome.matches {
                    page.found.push(exchange.clone());
                }
            }
            if newer < batch.len() {
                return page;
            }
            // The first batch is enough for most queries; the others pay for more threads and larger batches, as far as
            // the page is likely to need them.
            threads = *SEARCH_THREADS;
            examined += batch.len();
            let missing = self.limit.saturating_sub(page.found.len());
            let likely = missing.saturating_mul(examined).checked_div(page.found.len()).unwrap_or(usize::MAX);
            size = (2 * size).min(likely).clamp(BATCH_SIZE, MAX_BATCH_SIZE);
        }
    }

    /// Matches a batch in parts of equal size, one per thread; `None` where a thread's share of the work was used up.
    fn match_batch(&self, batch: &[Arc<Exchange>], threads: usize, max_read: u64) -> Vec<Option<FilterOutcome>> {
        let share = max_read / threads as u64;
        let match_part = |part: &[Arc<Exchange>]| {
            let mut left = share.max(1);
            let outcome = |exchange: &Arc<Exchange>| {
                (left > 0).then(|| {
                    let mut read = 0;
                    let matches = self.matches(exchange, &mut read);
                    left = left.saturating_sub(read);
                    FilterOutcome { matches, read }
                })
            };
            part.iter().map(outcome).collect::<Vec<_>>()
        };
        let mut parts = batch.chunks(batch.len().div_ceil(threads).max(1));
        let Some(first) = parts.next() else { return Vec::new() };
        thread::scope(|scope| {
            let others: Vec<_> = parts.map(|part| scope.spawn(move || match_part(part))).collect();
            let mut all = match_part(first);
            for other in others {
                all.extend(other.join().expect("filters do not panic"));
            }
            all
        })
    }

    fn matches(&self, exchange: &Exchange, read: &mut u64) -> bool {
        let tag = &exchange.info.tunnel;
        self.since.is_none_or(|since| exchange.start > since)
            && self.tunnel.as_ref().is_none_or(|name| tag.is_called(name, |one, other| one == other))
            && self.filter.as_ref().is_none_or(|filter| filter.matches(exchange, read))
    }
}

/// Up to `size` exchanges before this id. The store's lock is released in between.
fn next_batch(store: &CaptureStore, before: u64, size: usize) -> Vec<Arc<Exchange>> {
    let mut batch = store.page(before, size.min(BATCH_SIZE));
    while batch.len() < size
        && let Some(last) = batch.last()
    {
        let more = store.page(last.id, (size - batch.len()).min(BATCH_SIZE));
        if more.is_empty() {
            break;
        }
        batch.extend(more);
    }
    batch
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            event::event_channel,
            exchange::{RequestInfo, RequestTexts, Side, TunnelTag},
            framing::BodyFraming,
        },
        *,
    };

    fn filled(count: usize) -> CaptureStore {
        let store = CaptureStore::new(Some(64 << 20), 1 << 20, event_channel());
        for number in 0..count {
            let name = if number % 2 == 0 { "a" } else { "b" };
            let tunnel = Arc::new(TunnelTag { definition: name.into(), proto: "https" });
            let texts =
                RequestTexts { method: "POST", target: &format!("/{number}"), host: "h", remote: "192.0.2.1:1" };
            let info = RequestInfo::new(tunnel, texts);
            let exchange = store.begin(info, b"POST / HTTP/1.1\r\n\r\n", &BodyFraming::Length(0));
            store.append(&exchange, Side::Request, format!("needle {number}").as_bytes());
            store.end_side(&exchange, Side::Request);
        }
        store
    }

    fn targets(page: &ExchangePage) -> Vec<&str> {
        page.found.iter().map(|exchange| exchange.info.target()).collect()
    }

    #[test]
    fn requests_are_found_by_bare_and_by_full_tunnel_name() {
        let store = filled(4);
        let find = |name: &str| {
            let selection = ExchangeQuery { limit: 9, tunnel: Some(name.into()), ..ExchangeQuery::default() };
            selection.find(&store).found.len()
        };
        assert_eq!((find("a"), find("a (https)"), find("a (http)"), find("c")), (2, 2, 0, 0));
    }

    #[test]
    fn pages_continue_without_gaps_or_repetitions() {
        let store = filled(5000);
        for text in ["", "tunnel:a", "body~\"needle\""] {
            let filter = Some(Filter::parse(text).expect("understood")).filter(|_| !text.is_empty());
            let whole =
                ExchangeQuery { limit: 10_000, filter: filter.clone(), ..ExchangeQuery::default() }.find(&store);
            assert!(whole.next.is_none() && !whole.cut);
            let mut pieced = Vec::new();
            let mut before = None;
            loop {
                let selection =
                    ExchangeQuery { limit: 700, before, filter: filter.clone(), ..ExchangeQuery::default() };
                let page = selection.find(&store);
                pieced.extend(targets(&page).iter().map(ToString::to_string));
                match page.next {
                    Some(next) => before = super::super::exchange::parse_id(&next),
                    None => break,
                }
            }
            assert_eq!(pieced, targets(&whole), "{text}");
        }
    }

    #[test]
    fn a_search_that_is_cut_can_be_continued() {
        let store = filled(100);
        let filter = Some(Filter::parse("body:\"needle 7\"").expect("understood"));
        let mut selection = ExchangeQuery { limit: 50, filter, ..ExchangeQuery::default() };
        let (mut found, mut calls) = (Vec::new(), 0);
        loop {
            let page = selection.find_within(&store, 80);
            calls += 1;
            found.extend(targets(&page).iter().map(ToString::to_string));
            assert!(page.cut || page.next.is_none());
            match page.next {
                Some(next) => selection.before = super::super::exchange::parse_id(&next),
                None => break,
            }
        }
        assert_eq!((found.len(), found[0].as_str()), (11, "/79"));
        assert!(calls > 5, "{calls}");
    }
}
