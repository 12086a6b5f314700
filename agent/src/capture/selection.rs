//! Which captured requests are wanted, found step by step with a bound on the work.

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

/// So many are taken out of the store at once.
const STEP: usize = 2048;
/// So many are judged at once, at most.
const LARGEST_STEP: usize = 4 * STEP;
/// What takes longer than a step is judged by so many threads, four at most. Asking the system reads its files.
static HANDS: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get).min(4));
/// Heads and bodies are read up to so many bytes in one call; then it says where to go on.
const MOST_READ: u64 = 64 << 20;

/// Which captured requests are wanted.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// At most so many.
    pub limit: usize,
    /// Only those captured before this one.
    pub before: Option<u64>,
    /// Only those captured after this one.
    pub after: Option<u64>,
    /// Only those that began later than this.
    pub since: Option<jiff::Timestamp>,
    /// Only those of this tunnel: as captured requests show it, or the bare name.
    pub tunnel: Option<String>,
    /// Only those that pass.
    pub filter: Option<Filter>,
}

/// What was found.
#[derive(Default)]
pub struct Page {
    /// Newest first.
    pub found: Vec<Arc<Exchange>>,
    /// Where to go on: the id to give as `before`. `None` if nothing is left.
    pub next: Option<String>,
    /// The work of one call was used up before the page was full or the end was reached.
    pub cut: bool,
}

struct Verdict {
    fits: bool,
    /// How many bytes were read for it.
    read: u64,
}

impl Selection {
    /// Looks through the store.
    pub fn find(&self, store: &CaptureStore) -> Page {
        self.find_within(store, MOST_READ)
    }

    fn find_within(&self, store: &CaptureStore, most_read: u64) -> Page {
        let mut page = Page::default();
        let mut left = most_read;
        let mut before = self.before.unwrap_or(u64::MAX);
        let (mut hands, mut size, mut judged) = (1, STEP, 0);
        if self.filter.is_none() {
            size = size.min(self.limit + 1);
        }
        loop {
            let step = taken(store, before, size);
            let Some(last) = step.last() else { return page };
            before = last.id;
            let wanted = self.after.map_or(step.len(), |after| step.partition_point(|exchange| exchange.id > after));
            let verdicts = self.judge(&step[..wanted], hands, left);
            for (exchange, verdict) in step[..wanted].iter().zip(verdicts) {
                let full = page.found.len() >= self.limit;
                let Some(verdict) = verdict.filter(|_| !full && left > 0) else {
                    page.next = Some(shown_id(exchange.id + 1));
                    page.cut = !full;
                    return page;
                };
                left = left.saturating_sub(verdict.read);
                if verdict.fits {
                    page.found.push(exchange.clone());
                }
            }
            if wanted < step.len() {
                return page;
            }
            // The first step answers most questions; for the others more hands are worth their while, and larger steps,
            // as far as the page is likely to need what is in them.
            hands = *HANDS;
            judged += step.len();
            let missing = self.limit.saturating_sub(page.found.len());
            let likely = missing.saturating_mul(judged).checked_div(page.found.len()).unwrap_or(usize::MAX);
            size = (2 * size).min(likely).clamp(STEP, LARGEST_STEP);
        }
    }

    /// Judges them in parts of the same size, each in a thread; `None` where the share of the work was used up.
    fn judge(&self, step: &[Arc<Exchange>], hands: usize, most_read: u64) -> Vec<Option<Verdict>> {
        let share = most_read / hands as u64;
        let some = |part: &[Arc<Exchange>]| {
            let mut left = share.max(1);
            let verdict = |exchange: &Arc<Exchange>| {
                (left > 0).then(|| {
                    let mut read = 0;
                    let fits = self.fits(exchange, &mut read);
                    left = left.saturating_sub(read);
                    Verdict { fits, read }
                })
            };
            part.iter().map(verdict).collect::<Vec<_>>()
        };
        let mut parts = step.chunks(step.len().div_ceil(hands).max(1));
        let Some(first) = parts.next() else { return Vec::new() };
        thread::scope(|scope| {
            let others: Vec<_> = parts.map(|part| scope.spawn(move || some(part))).collect();
            let mut all = some(first);
            for other in others {
                all.extend(other.join().expect("filters do not panic"));
            }
            all
        })
    }

    fn fits(&self, exchange: &Exchange, read: &mut u64) -> bool {
        let tag = &exchange.opening.tunnel;
        self.since.is_none_or(|since| exchange.start > since)
            && self.tunnel.as_ref().is_none_or(|name| tag.is_called(name, |one, other| one == other))
            && self.filter.as_ref().is_none_or(|filter| filter.passes(exchange, read))
    }
}

/// So many of those before this one, if there are; the store is left alone now and then.
fn taken(store: &CaptureStore, before: u64, size: usize) -> Vec<Arc<Exchange>> {
    let mut taken = store.page(before, size.min(STEP));
    while taken.len() < size
        && let Some(last) = taken.last()
    {
        let more = store.page(last.id, (size - taken.len()).min(STEP));
        if more.is_empty() {
            break;
        }
        taken.extend(more);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::super::{
        event::feed,
        exchange::{Opening, Said, Side, TunnelTag},
        framing::Framing,
    };
    use super::*;

    fn filled(count: usize) -> CaptureStore {
        let store = CaptureStore::new(Some(64 << 20), 1 << 20, feed());
        for number in 0..count {
            let name = if number % 2 == 0 { "a" } else { "b" };
            let tunnel = Arc::new(TunnelTag { definition: name.into(), proto: "https" });
            let said = Said { method: "POST", target: &format!("/{number}"), host: "h", remote: "192.0.2.1:1" };
            let opening = Opening::of(tunnel, said);
            let exchange = store.begin(opening, b"POST / HTTP/1.1\r\n\r\n", &Framing::Length(0));
            exchange.append(&store, Side::Request, format!("needle {number}").as_bytes());
            exchange.ended(&store, Side::Request);
        }
        store
    }

    fn targets(page: &Page) -> Vec<&str> {
        page.found.iter().map(|exchange| exchange.opening.target()).collect()
    }

    #[test]
    fn requests_are_found_by_bare_and_by_shown_name() {
        let store = filled(4);
        let find = |name: &str| {
            let selection = Selection { limit: 9, tunnel: Some(name.into()), ..Selection::default() };
            selection.find(&store).found.len()
        };
        assert_eq!((find("a"), find("a (https)"), find("a (http)"), find("c")), (2, 2, 0, 0));
    }

    #[test]
    fn pages_follow_one_another_without_gap_or_repetition() {
        let store = filled(5000);
        for text in ["", "tunnel:a", "body~\"needle\""] {
            let filter = Some(Filter::parse(text).expect("understood")).filter(|_| !text.is_empty());
            let whole = Selection { limit: 10_000, filter: filter.clone(), ..Selection::default() }.find(&store);
            assert!(whole.next.is_none() && !whole.cut);
            let mut pieced = Vec::new();
            let mut before = None;
            loop {
                let selection = Selection { limit: 700, before, filter: filter.clone(), ..Selection::default() };
                let page = selection.find(&store);
                pieced.extend(targets(&page).iter().map(ToString::to_string));
                match page.next {
                    Some(next) => before = super::super::store::parse_id(&next),
                    None => break,
                }
            }
            assert_eq!(pieced, targets(&whole), "{text}");
        }
    }

    #[test]
    fn a_search_that_is_cut_says_so_and_goes_on_where_it_stopped() {
        let store = filled(100);
        let filter = Some(Filter::parse("body:\"needle 7\"").expect("understood"));
        let mut selection = Selection { limit: 50, filter, ..Selection::default() };
        let (mut found, mut calls) = (Vec::new(), 0);
        loop {
            let page = selection.find_within(&store, 80);
            calls += 1;
            found.extend(targets(&page).iter().map(ToString::to_string));
            assert!(page.cut || page.next.is_none());
            match page.next {
                Some(next) => selection.before = super::super::store::parse_id(&next),
                None => break,
            }
        }
        assert_eq!((found.len(), found[0].as_str()), (11, "/79"));
        assert!(calls > 5, "{calls}");
    }
}
