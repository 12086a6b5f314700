//! The last minute by seconds and the last hour by minutes, in a fixed room.

use postern_api::traffic::{History, POINTS, Point};

const MINUTE: u64 = 60;

/// Both of them.
#[derive(Default)]
pub(crate) struct Rings {
    seconds: Ring,
    minutes: Ring,
}

/// A ring of points; the last one belongs to the newest interval.
struct Ring {
    points: [Point; POINTS],
    newest: u64,
}

impl Default for Ring {
    fn default() -> Self {
        Ring { points: [Point::default(); POINTS], newest: 0 }
    }
}

impl Rings {
    pub(crate) fn enter(&mut self, second: u64, point: Point) {
        self.seconds.enter(second, point);
        self.minutes.enter(second / MINUTE, point);
    }

    /// Whether all points are older than the history that is shown.
    pub(crate) fn is_over(&self, second: u64) -> bool {
        second / MINUTE >= self.minutes.newest + POINTS as u64
    }

    pub(crate) fn last_minute(&self, second: u64) -> Point {
        let mut sum = Point::default();
        self.seconds.until(second).for_each(|point| sum += point);
        sum
    }

    pub(crate) fn history(&self, second: u64) -> History {
        History {
            seconds: self.seconds.until(second).collect(),
            minutes: self.minutes.until(second / MINUTE).collect(),
        }
    }

    /// The history of a counter without traffic.
    pub(crate) fn silence() -> History {
        History { seconds: vec![Point::default(); POINTS], minutes: vec![Point::default(); POINTS] }
    }
}

impl Ring {
    fn enter(&mut self, slot: u64, point: Point) {
        let passed = slot.saturating_sub(self.newest).min(POINTS as u64);
        for skipped in 0..passed {
            self.points[place(slot - skipped)] = Point::default();
        }
        self.newest = self.newest.max(slot);
        self.points[place(self.newest)] += point;
    }

    /// The points up to a span of time, the oldest first.
    fn until(&self, slot: u64) -> impl Iterator<Item = Point> + '_ {
        (0..POINTS as u64).rev().map(move |back| match slot.checked_sub(back) {
            Some(slot) if slot <= self.newest && self.newest - slot < POINTS as u64 => self.points[place(slot)],
            _ => Point::default(),
        })
    }
}

fn place(slot: u64) -> usize {
    (slot % POINTS as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(requests: u32) -> Point {
        Point { requests, ..Point::default() }
    }

    fn of(points: &[Point]) -> Vec<(usize, u32)> {
        let counted = points.iter().enumerate().filter(|(_, point)| point.requests > 0);
        counted.map(|(index, point)| (POINTS - 1 - index, point.requests)).collect()
    }

    #[test]
    fn points_grow_older_and_are_forgotten() {
        let mut rings = Rings::default();
        rings.enter(5, requests(1));
        rings.enter(7, requests(2));
        rings.enter(7, requests(3));
        assert_eq!(of(&rings.history(7).seconds), [(2, 1), (0, 5)]);
        assert_eq!(of(&rings.history(65).seconds), [(58, 5)], "after a minute the first is gone");
        assert_eq!(rings.last_minute(66).requests, 5);
        assert_eq!(rings.last_minute(67).requests, 0);
        assert_eq!(of(&rings.history(67).minutes), [(1, 6)]);
        assert_eq!(of(&rings.history(3599).minutes), [(59, 6)]);
        assert!(!rings.is_over(3599) && rings.is_over(3600));
    }

    #[test]
    fn a_long_silence_leaves_nothing_of_what_was_before() {
        let mut rings = Rings::default();
        (0..POINTS as u64).for_each(|second| rings.enter(second, requests(1)));
        rings.enter(100_000, requests(9));
        assert_eq!(of(&rings.history(100_000).seconds), [(0, 9)]);
        assert_eq!(of(&rings.history(100_000).minutes), [(0, 9)]);
    }

    #[test]
    fn there_are_always_as_many_points_and_the_newest_is_the_last() {
        let mut rings = Rings::default();
        rings.enter(0, requests(4));
        for history in [rings.history(0), Rings::silence(), rings.history(1 << 40)] {
            assert_eq!((history.seconds.len(), history.minutes.len()), (POINTS, POINTS));
        }
        assert_eq!(of(&rings.history(0).seconds), [(0, 4)]);
    }
}
