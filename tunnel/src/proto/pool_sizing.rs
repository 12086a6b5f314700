//! Number of data connections of a session: arithmetic only, the connections are in `io::pool`.

use std::time::Duration;

/// Numbers of data connections that a session keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolLimits {
    /// Idle connections that a pool keeps; with fewer, it asks for more.
    pub min_idle: usize,
    /// Connections requested beyond what is needed, so that not every visitor causes a request.
    pub headroom: usize,
    /// Idle connections beyond this many are closed after [`SURPLUS_TIMEOUT`].
    pub max_idle: usize,
    /// Most data connections of a session; further streams use the control connection.
    pub max_connections: usize,
    /// Most of them that small requests share.
    pub max_shared: usize,
}

impl PoolLimits {
    /// Of the session with an agent.
    pub const AGENT: PoolLimits =
        PoolLimits { min_idle: 16, headroom: 8, max_idle: 64, max_connections: 256, max_shared: 2 };
    /// Of a session with an agent that has another one already: it costs both ends little until visitors come.
    pub const STANDBY: PoolLimits = PoolLimits { min_idle: 2, ..PoolLimits::AGENT };
    /// Of the link with another node, which carries the streams of many agents, or of none.
    pub const NODE: PoolLimits =
        PoolLimits { min_idle: 2, headroom: 8, max_idle: 64, max_connections: 1024, max_shared: 0 };
}

/// Longest idle time of a connection beyond [`PoolLimits::max_idle`].
pub const SURPLUS_TIMEOUT: Duration = Duration::from_secs(20);
/// Longest idle time of a connection beyond [`PoolLimits::min_idle`] and [`PoolLimits::headroom`].
pub const COLD_TIMEOUT: Duration = Duration::from_secs(40);

/// Counts the connections of one session and decides when to ask for more.
#[derive(Debug)]
pub struct PoolSizing {
    limits: PoolLimits,
    busy: usize,
    missed: usize,
    target: usize,
}

impl PoolSizing {
    /// A pool without connections.
    pub fn new(limits: PoolLimits) -> Self {
        PoolSizing { limits, busy: 0, missed: 0, target: 0 }
    }

    /// Number of connections to request at the start.
    pub fn initial_target(&mut self) -> u16 {
        self.target = self.limits.min_idle;
        self.limits.min_idle as u16
    }

    /// Number of connections that carry a stream.
    pub fn busy(&self) -> usize {
        self.busy
    }

    /// Number of connections requested last.
    pub fn target(&self) -> usize {
        self.target
    }

    /// Records a lease that leaves `idle` connections. Returns the new number to request, if it grows.
    pub fn leased(&mut self, idle: usize) -> Option<u16> {
        self.busy += 1;
        self.grow(idle)
    }

    /// Records that no connection was idle. Returns the new number to request, if it grows.
    pub fn missed(&mut self) -> Option<u16> {
        self.missed += 1;
        self.grow(0)
    }

    /// Records that a connection was returned or added; `idle` are idle now.
    pub fn idle_added(&mut self, idle: usize) {
        if idle >= self.limits.min_idle {
            self.missed = 0;
        }
    }

    /// Records the end of a lease, whether the connection is returned or lost.
    pub fn released(&mut self) {
        self.busy = self.busy.saturating_sub(1);
    }

    /// Whether the pool accepts one more connection.
    pub fn has_room(&self, idle: usize) -> bool {
        self.busy + idle < self.limits.max_connections
    }

    /// Number of idle connections to close, given how long each has been idle, in the order in which they are closed.
    pub fn surplus(&self, ages: impl ExactSizeIterator<Item = Duration>) -> usize {
        let idle = ages.len();
        ages.enumerate()
            .take_while(|(position, age)| match idle - position {
                left if left > self.limits.max_idle => *age >= SURPLUS_TIMEOUT,
                left if left > self.limits.min_idle + self.limits.headroom => *age >= COLD_TIMEOUT,
                _ => false,
            })
            .count()
    }

    /// Lower number to request after the surplus is closed, so that the agent does not replace it.
    pub fn shrink_to(&mut self, idle: usize) -> u16 {
        self.target = (self.busy + idle.max(self.limits.min_idle)).min(self.limits.max_connections);
        self.target as u16
    }

    fn grow(&mut self, idle: usize) -> Option<u16> {
        let needed = (self.busy + self.missed + self.limits.min_idle).min(self.limits.max_connections);
        if idle >= self.limits.min_idle || needed <= self.target {
            return None;
        }
        self.target = (needed + self.limits.headroom).min(self.limits.max_connections);
        Some(self.target as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn more_connections_are_requested_before_the_pool_is_empty() {
        let mut pool = PoolSizing::new(PoolLimits::AGENT);
        assert_eq!(pool.initial_target(), 16);
        assert_eq!(pool.leased(15), Some(25), "one busy, sixteen warm, eight spare");
        assert_eq!(pool.leased(14), None, "already requested");
    }

    #[test]
    fn a_burst_requests_connections_for_all_missed_streams_and_the_idle_reserve() {
        let mut pool = PoolSizing::new(PoolLimits::AGENT);
        pool.initial_target();
        for idle in (0..16).rev() {
            pool.leased(idle);
        }
        let last = (0..184).filter_map(|_| pool.missed()).last();
        assert!(last >= Some(216), "sixteen leased, 184 missed, sixteen warm: {last:?}");
        for idle in 1..=200 {
            pool.idle_added(idle);
        }
        assert_eq!(pool.leased(199), None, "plenty are idle");
    }

    #[test]
    fn unused_connections_are_closed() {
        let pool = PoolSizing::new(PoolLimits::AGENT);
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert_eq!(pool.surplus((0..100).map(|_| minutes(0))), 0, "young ones stay");
        assert_eq!(pool.surplus((0..100).map(|_| minutes(1) / 2)), 36, "sixty-four may stay");
        assert_eq!(pool.surplus((0..100).map(|_| minutes(5))), 76, "after a long while only the warm ones stay");
        assert_eq!(pool.surplus((0..24).map(|_| minutes(60))), 0, "the warm ones stay for good");
    }

    proptest! {
        #[test]
        fn no_sequence_requests_more_than_the_limit(steps in prop::collection::vec((0u8..4, 0usize..300), 0..400)) {
            let mut pool = PoolSizing::new(PoolLimits::AGENT);
            pool.initial_target();
            for (step, idle) in steps {
                let requested = match step {
                    0 => pool.leased(idle),
                    1 => pool.missed(),
                    2 => { pool.released(); pool.idle_added(idle); None }
                    _ => Some(pool.shrink_to(idle)),
                };
                prop_assert!(requested.is_none_or(|requested| requested as usize <= PoolLimits::AGENT.max_connections));
                prop_assert!(pool.target() >= PoolLimits::AGENT.min_idle);
            }
        }
    }
}
