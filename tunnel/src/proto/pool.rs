//! How many data connections a session should have: numbers only, the connections are elsewhere.

use std::time::Duration;

/// So many connections wait for visitors; fewer, and the agent is asked for more.
pub const WARM: usize = 16;
/// So many are asked for beyond what is needed, so that not every visitor asks.
pub const SPARE: usize = 8;
/// Idle connections beyond this many are closed after [`SURPLUS_AFTER`].
pub const MAX_IDLE: usize = 64;
/// No session has more data connections than this; further streams travel on the control connection.
pub const MAX_CONNECTIONS: usize = 256;
/// How long a connection beyond [`MAX_IDLE`] may lie unused.
pub const SURPLUS_AFTER: Duration = Duration::from_secs(60);
/// How long a connection beyond [`WARM`] and [`SPARE`] may lie unused.
pub const COLD_AFTER: Duration = Duration::from_secs(300);

/// Counts the connections of one session and says when to ask for more.
#[derive(Debug, Default)]
pub struct Accounting {
    busy: usize,
    missed: usize,
    target: usize,
}

impl Accounting {
    /// What to ask the agent for at the beginning.
    pub fn first_ask(&mut self) -> u16 {
        self.target = WARM;
        WARM as u16
    }

    /// How many connections carry a stream.
    pub fn busy(&self) -> usize {
        self.busy
    }

    /// How many connections the agent was asked to keep.
    pub fn target(&self) -> usize {
        self.target
    }

    /// A connection was leased, so many are left idle. Returns the new number to ask for.
    pub fn leased(&mut self, idle: usize) -> Option<u16> {
        self.busy += 1;
        self.ask(idle)
    }

    /// No connection was idle. Returns the new number to ask for.
    pub fn overflowed(&mut self) -> Option<u16> {
        self.missed += 1;
        self.ask(0)
    }

    /// A leased connection came back or a new one arrived; so many are idle now.
    pub fn idle_grew(&mut self, idle: usize) {
        if idle >= WARM {
            self.missed = 0;
        }
    }

    /// A leased connection ended its stream, whether it comes back or not.
    pub fn released(&mut self) {
        self.busy = self.busy.saturating_sub(1);
    }

    /// Whether a connection that arrives now has a place.
    pub fn has_room(&self, idle: usize) -> bool {
        self.busy + idle < MAX_CONNECTIONS
    }

    /// How many of the idle connections, which have lain unused for `ages` (longest first), are to be closed.
    pub fn surplus(&self, ages: impl ExactSizeIterator<Item = Duration>) -> usize {
        let idle = ages.len();
        ages.enumerate()
            .take_while(|(position, age)| match idle - position {
                left if left > MAX_IDLE => *age >= SURPLUS_AFTER,
                left if left > WARM + SPARE => *age >= COLD_AFTER,
                _ => false,
            })
            .count()
    }

    /// After closing the surplus: the lower number to ask for, so that the agent does not fill up again.
    pub fn shrunk(&mut self, idle: usize) -> u16 {
        self.target = (self.busy + idle.max(WARM)).min(MAX_CONNECTIONS);
        self.target as u16
    }

    fn ask(&mut self, idle: usize) -> Option<u16> {
        let needed = (self.busy + self.missed + WARM).min(MAX_CONNECTIONS);
        if idle >= WARM || needed <= self.target {
            return None;
        }
        self.target = (needed + SPARE).min(MAX_CONNECTIONS);
        Some(self.target as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_seventeenth_need_asks_for_more_before_the_pool_is_empty() {
        let mut pool = Accounting::default();
        assert_eq!(pool.first_ask(), 16);
        assert_eq!(pool.leased(15), Some(25), "one busy, sixteen warm, eight spare");
        assert_eq!(pool.leased(14), None, "already asked for");
    }

    #[test]
    fn a_burst_asks_for_all_that_waited_and_the_warm_ones() {
        let mut pool = Accounting::default();
        pool.first_ask();
        for idle in (0..16).rev() {
            pool.leased(idle);
        }
        let last = (0..184).filter_map(|_| pool.overflowed()).last();
        assert!(last >= Some(216), "sixteen leased, 184 missed, sixteen warm: {last:?}");
        for idle in 1..=200 {
            pool.idle_grew(idle);
        }
        assert_eq!(pool.leased(199), None, "plenty are idle");
    }

    #[test]
    fn what_lies_unused_is_closed_from_the_oldest_on() {
        let pool = Accounting::default();
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert_eq!(pool.surplus((0..100).map(|_| minutes(0))), 0, "young ones stay");
        assert_eq!(pool.surplus((0..100).map(|_| minutes(1))), 36, "sixty-four may stay");
        assert_eq!(pool.surplus((0..100).map(|_| minutes(5))), 76, "after a long while only the warm ones stay");
        assert_eq!(pool.surplus((0..24).map(|_| minutes(60))), 0, "the warm ones stay for good");
    }

    proptest! {
        #[test]
        fn no_sequence_asks_for_more_than_the_cap(steps in prop::collection::vec((0u8..4, 0usize..300), 0..400)) {
            let mut pool = Accounting::default();
            pool.first_ask();
            for (step, idle) in steps {
                let asked = match step {
                    0 => pool.leased(idle),
                    1 => pool.overflowed(),
                    2 => { pool.released(); pool.idle_grew(idle); None }
                    _ => Some(pool.shrunk(idle)),
                };
                prop_assert!(asked.is_none_or(|asked| asked as usize <= MAX_CONNECTIONS));
                prop_assert!(pool.target() >= WARM.min(MAX_CONNECTIONS));
            }
        }
    }
}
