//! When to ask for a sign of life, and when to give the peer up. Instants are durations since a common start.

use std::time::Duration;

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Send a ping with this nonce.
    Ping(u64),
    /// The peer has been silent for too long.
    Dead,
    /// Nothing before this instant.
    Until(Duration),
}

/// The heartbeat of one end.
#[derive(Debug)]
pub struct Heartbeat {
    interval: Duration,
    next_ping: Duration,
    asked: Option<(u64, Duration)>,
    nonce: u64,
    /// There is reason to think that the peer is gone, since then; and when that is certain.
    doubt: Option<(Duration, Duration)>,
}

impl Heartbeat {
    /// A heartbeat every `interval`, from `now` on. The first ping goes out at once and measures the latency.
    pub fn new(interval: Duration, now: Duration) -> Self {
        Heartbeat { interval, next_ping: now, asked: None, nonce: 0, doubt: None }
    }

    /// How long a peer may be silent: one and a half intervals.
    pub fn patience(&self) -> Duration {
        self.interval + self.interval / 2
    }

    /// There is reason to think that the peer is gone: it is asked at once and must give a sign within `patience`.
    pub fn doubt(&mut self, now: Duration, patience: Duration) {
        self.next_ping = now;
        self.doubt.get_or_insert((now, now + patience));
    }

    /// What to do at `now`, when the peer was last heard at `heard`.
    pub fn due(&mut self, now: Duration, heard: Duration) -> Due {
        let mut death = heard + self.patience();
        match self.doubt {
            Some((since, _)) if heard > since => self.doubt = None,
            Some((_, end)) => death = death.min(end),
            None => {}
        }
        if now >= death {
            return Due::Dead;
        }
        if now >= self.next_ping {
            self.nonce += 1;
            self.asked = Some((self.nonce, now));
            self.next_ping = now + self.interval;
            return Due::Ping(self.nonce);
        }
        Due::Until(death.min(self.next_ping))
    }

    /// The peer answered: how long the way there and back took, if the answer is to the last question.
    pub fn answered(&mut self, nonce: u64, now: Duration) -> Option<Duration> {
        let (_, sent) = self.asked.take_if(|(asked, _)| *asked == nonce)?;
        now.checked_sub(sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn pings_go_out_every_ten_seconds_and_silence_for_fifteen_is_death() {
        let mut heartbeat = Heartbeat::new(s(10), s(0));
        assert_eq!(heartbeat.due(s(0), s(0)), Due::Ping(1));
        assert_eq!(heartbeat.due(s(0), s(0)), Due::Until(s(10)));
        assert_eq!(heartbeat.due(s(10), s(0)), Due::Ping(2));
        assert_eq!(heartbeat.due(s(10), s(0)), Due::Until(s(15)));
        assert_eq!(heartbeat.due(s(15), s(0)), Due::Dead);
    }

    #[test]
    fn any_sign_of_life_puts_death_off() {
        let mut heartbeat = Heartbeat::new(s(10), s(0));
        heartbeat.due(s(0), s(0));
        heartbeat.due(s(10), s(0));
        assert_eq!(heartbeat.due(s(15), s(14)), Due::Until(s(20)));
    }

    #[test]
    fn a_doubted_peer_is_asked_at_once_and_must_answer_soon() {
        let mut heartbeat = Heartbeat::new(s(10), s(0));
        heartbeat.due(s(0), s(0));
        heartbeat.doubt(s(4), s(3));
        assert_eq!(heartbeat.due(s(4), s(1)), Due::Ping(2));
        heartbeat.doubt(s(5), s(3));
        assert_eq!(heartbeat.due(s(5), s(1)), Due::Ping(3), "asked again, but not given more time");
        assert_eq!(heartbeat.due(s(5), s(1)), Due::Until(s(7)));
        assert_eq!(heartbeat.due(s(7), s(1)), Due::Dead);
    }

    #[test]
    fn a_sign_of_life_ends_the_doubt() {
        let mut heartbeat = Heartbeat::new(s(10), s(0));
        heartbeat.due(s(0), s(0));
        heartbeat.doubt(s(4), s(3));
        assert_eq!(heartbeat.due(s(4), s(1)), Due::Ping(2));
        assert_eq!(heartbeat.due(s(5), s(5)), Due::Until(s(14)));
        assert_eq!(heartbeat.due(s(14), s(13)), Due::Ping(3));
    }

    #[test]
    fn only_the_answer_to_the_last_ping_measures_the_latency() {
        let mut heartbeat = Heartbeat::new(s(10), s(0));
        assert_eq!(heartbeat.due(s(0), s(0)), Due::Ping(1));
        assert_eq!(heartbeat.due(s(10), s(9)), Due::Ping(2));
        assert_eq!(heartbeat.answered(1, s(11)), None, "too late to say anything");
        assert_eq!(heartbeat.answered(2, s(12)), Some(s(2)));
        assert_eq!(heartbeat.answered(2, s(13)), None, "an answer counts once");
    }
}
