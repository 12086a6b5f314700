//! Several ways to the same end, tried one after the other, each a moment after the one before.

use futures::{StreamExt, stream::FuturesUnordered};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Starts the first way, and the next one when `stagger` has passed or all that were started have failed. The first
/// success counts, and the others are dropped. Without a success: the failures in the order in which they came.
pub(crate) async fn race<T, E, Way>(ways: impl IntoIterator<Item = Way>, stagger: Duration) -> Result<T, Vec<E>>
where
    Way: Future<Output = Result<T, E>>,
{
    let mut waiting = ways.into_iter();
    let mut running = FuturesUnordered::new();
    let mut failures = Vec::new();
    let mut next = Instant::now();
    let mut more = true;
    loop {
        if more && (running.is_empty() || Instant::now() >= next) {
            match waiting.next() {
                Some(way) => {
                    running.push(way);
                    next = Instant::now() + stagger;
                }
                None => more = false,
            }
        }
        if running.is_empty() && !more {
            return Err(failures);
        }
        tokio::select! {
            Some(ended) = running.next() => match ended {
                Ok(won) => return Ok(won),
                Err(error) => failures.push(error),
            },
            () = sleep_until(next), if more => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::sleep;

    const STAGGER: Duration = Duration::from_millis(250);

    async fn way(takes: u64, ends: Result<&'static str, &'static str>) -> Result<&'static str, &'static str> {
        sleep(Duration::from_millis(takes)).await;
        ends
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_way_is_taken_if_it_works() {
        let begun = Instant::now();
        let won = race([way(200, Ok("first")), way(0, Ok("second"))], STAGGER).await;
        assert_eq!((won, begun.elapsed().as_millis()), (Ok("first"), 200), "the second never began");
    }

    #[tokio::test(start_paused = true)]
    async fn a_way_that_hangs_delays_the_next_by_a_moment_only() {
        let begun = Instant::now();
        let won = race([way(60_000, Ok("hangs")), way(10, Ok("second"))], STAGGER).await;
        assert_eq!((won, begun.elapsed().as_millis()), (Ok("second"), 260));
    }

    #[tokio::test(start_paused = true)]
    async fn a_way_that_fails_is_followed_at_once() {
        let begun = Instant::now();
        let won = race([way(5, Err("closed")), way(5, Ok("second"))], STAGGER).await;
        assert_eq!((won, begun.elapsed().as_millis()), (Ok("second"), 10));
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_success_of_the_first_still_counts() {
        let won = race([way(400, Ok("first")), way(20, Err("closed"))], STAGGER).await;
        assert_eq!(won, Ok("first"));
    }

    #[tokio::test(start_paused = true)]
    async fn all_failures_are_told() {
        let lost = race([way(300, Err("one")), way(10, Err("two"))], STAGGER).await;
        assert_eq!(lost, Err(vec!["two", "one"]));
        let nobody: [std::future::Ready<Result<(), &str>>; 0] = [];
        assert_eq!(race(nobody, STAGGER).await, Err(vec![]));
    }
}
