//! Races several attempts, each started a moment after the one before (Happy Eyeballs, RFC 8305).

use futures::{StreamExt, stream::FuturesUnordered};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Starts the first attempt, and the next one when `stagger` has passed or all started ones have failed. The first
/// success wins and cancels the others.
///
/// # Errors
/// All failures, in the order in which they happened.
pub(crate) async fn staggered_race<T, E, Attempt>(
    attempts: impl IntoIterator<Item = Attempt>,
    stagger: Duration,
) -> Result<T, Vec<E>>
where
    Attempt: Future<Output = Result<T, E>>,
{
    let mut waiting = attempts.into_iter();
    let mut running = FuturesUnordered::new();
    let mut failures = Vec::new();
    let mut next = Instant::now();
    let mut more = true;
    loop {
        if more && (running.is_empty() || Instant::now() >= next) {
            match waiting.next() {
                Some(attempt) => {
                    running.push(attempt);
                    next = Instant::now() + stagger;
                }
                None => more = false,
            }
        }
        if running.is_empty() && !more {
            return Err(failures);
        }
        tokio::select! {
            Some(finished) = running.next() => match finished {
                Ok(winner) => return Ok(winner),
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

    async fn attempt(takes: u64, ends: Result<&'static str, &'static str>) -> Result<&'static str, &'static str> {
        sleep(Duration::from_millis(takes)).await;
        ends
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_attempt_wins_if_it_succeeds_in_time() {
        let begun = Instant::now();
        let winner = staggered_race([attempt(200, Ok("first")), attempt(0, Ok("second"))], STAGGER).await;
        assert_eq!((winner, begun.elapsed().as_millis()), (Ok("first"), 200), "the second never began");
    }

    #[tokio::test(start_paused = true)]
    async fn a_hanging_attempt_delays_the_next_only_by_the_stagger() {
        let begun = Instant::now();
        let winner = staggered_race([attempt(60_000, Ok("hangs")), attempt(10, Ok("second"))], STAGGER).await;
        assert_eq!((winner, begun.elapsed().as_millis()), (Ok("second"), 260));
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_attempt_is_followed_at_once() {
        let begun = Instant::now();
        let winner = staggered_race([attempt(5, Err("closed")), attempt(5, Ok("second"))], STAGGER).await;
        assert_eq!((winner, begun.elapsed().as_millis()), (Ok("second"), 10));
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_success_of_the_first_attempt_still_counts() {
        let winner = staggered_race([attempt(400, Ok("first")), attempt(20, Err("closed"))], STAGGER).await;
        assert_eq!(winner, Ok("first"));
    }

    #[tokio::test(start_paused = true)]
    async fn all_failures_are_returned() {
        let lost = staggered_race([attempt(300, Err("one")), attempt(10, Err("two"))], STAGGER).await;
        assert_eq!(lost, Err(vec!["two", "one"]));
        let none: [std::future::Ready<Result<(), &str>>; 0] = [];
        assert_eq!(staggered_race(none, STAGGER).await, Err(vec![]));
    }
}
