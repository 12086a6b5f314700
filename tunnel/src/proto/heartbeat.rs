//! Heartbeat timing: when to send a ping, and when to declare the peer dead. Instants are durations since a common
//! start.

use std::time::Duration;

/// Next step of a [`Heartbeat`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeartbeatAction {
    /// Send a ping with this nonce.
    Ping(u64),
    /// The peer has been silent for too long.
    PeerDead,
    /// Nothing is due before this instant.
    Wait(Duration),
}

/// Heartbeat of one end.
#[derive(Debug)]
pub struct Heartbeat {
    interval: Duration,
    next_ping: Duration,
    /// Nonce of the last ping, and when it was sent.
    pending: Option<(u64, Duration)>,
    nonce: u64,
    /// Start and deadline of a probe.
    probe: Option<(Duration, Duration)>,
}

impl Heartbeat {
    /// A heartbeat every `interval`, starting at `now`. The first ping is due at once and measures the latency.
    pub fn new(interval: Duration, now: Duration) -> Self {
        Heartbeat { interval, next_ping: now, pending: None, nonce: 0, probe: None }
    }

    /// Longest silence of a live peer: one and a half intervals.
    pub fn timeout(&self) -> Duration {
        self.interval + self.interval / 2
    }

    /// Probes a peer that may be gone: a ping is due at once, and the peer must send something within `timeout`. A
    /// probe that is under way keeps its deadline.
    pub fn probe(&mut self, now: Duration, timeout: Duration) {
        self.next_ping = now;
        self.probe.get_or_insert((now, now + timeout));
    }

    /// The action at `now`, given that bytes of the peer last arrived at `last_received`.
    pub fn next_action(&mut self, now: Duration, last_received: Duration) -> HeartbeatAction {
        let mut deadline = last_received + self.timeout();
        match self.probe {
            Some((since, _)) if last_received > since => self.probe = None,
            Some((_, end)) => deadline = deadline.min(end),
            None => {}
        }
        if now >= deadline {
            return HeartbeatAction::PeerDead;
        }
        if now >= self.next_ping {
            self.nonce += 1;
            self.pending = Some((self.nonce, now));
            self.next_ping = now + self.interval;
            return HeartbeatAction::Ping(self.nonce);
        }
        HeartbeatAction::Wait(deadline.min(self.next_ping))
    }

    /// Records a pong. Returns the round-trip time if the nonce is that of the last ping.
    pub fn pong_received(&mut self, nonce: u64, now: Duration) -> Option<Duration> {
        let (_, sent) = self.pending.take_if(|(pending, _)| *pending == nonce)?;
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
    fn pings_are_sent_every_ten_seconds_and_a_peer_silent_for_fifteen_is_dead() {
        let mut heartbeat = Heartbeat::new(s(10), s(0));
        assert_eq!(heartbeat.next_action(s(0), s(0)), HeartbeatAction::Ping(1));
        assert_eq!(heartbeat.next_action(s(0), s(0)), HeartbeatAction::Wait(s(10)));
        assert_eq!(heartbeat.next_action(s(10), s(0)), HeartbeatAction::Ping(2));
        assert_eq!(heartbeat.next_action(s(10), s(0)), HeartbeatAction::Wait(s(15)));
        assert_eq!(heartbeat.next_action(s(15), s(0)), HeartbeatAction::PeerDead);
    }

    #[test]
    fn any_received_bytes_extend_the_deadline() {
        let mut heartbeat = Heartbeat::new(s(10), s(0));
        heartbeat.next_action(s(0), s(0));
        heartbeat.next_action(s(10), s(0));
        assert_eq!(heartbeat.next_action(s(15), s(14)), HeartbeatAction::Wait(s(20)));
    }

    #[test]
    fn a_probed_peer_is_pinged_at_once_and_must_respond_soon() {
        let mut heartbeat = Heartbeat::new(s(10), s(0));
        heartbeat.next_action(s(0), s(0));
        heartbeat.probe(s(4), s(3));
        assert_eq!(heartbeat.next_action(s(4), s(1)), HeartbeatAction::Ping(2));
        heartbeat.probe(s(5), s(3));
        assert_eq!(
            heartbeat.next_action(s(5), s(1)),
            HeartbeatAction::Ping(3),
            "pinged again, but with the same deadline"
        );
        assert_eq!(heartbeat.next_action(s(5), s(1)), HeartbeatAction::Wait(s(7)));
        assert_eq!(heartbeat.next_action(s(7), s(1)), HeartbeatAction::PeerDead);
    }

    #[test]
    fn received_bytes_end_the_probe() {
        let mut heartbeat = Heartbeat::new(s(10), s(0));
        heartbeat.next_action(s(0), s(0));
        heartbeat.probe(s(4), s(3));
        assert_eq!(heartbeat.next_action(s(4), s(1)), HeartbeatAction::Ping(2));
        assert_eq!(heartbeat.next_action(s(5), s(5)), HeartbeatAction::Wait(s(14)));
        assert_eq!(heartbeat.next_action(s(14), s(13)), HeartbeatAction::Ping(3));
    }

    #[test]
    fn only_the_pong_of_the_last_ping_measures_the_latency() {
        let mut heartbeat = Heartbeat::new(s(10), s(0));
        assert_eq!(heartbeat.next_action(s(0), s(0)), HeartbeatAction::Ping(1));
        assert_eq!(heartbeat.next_action(s(10), s(9)), HeartbeatAction::Ping(2));
        assert_eq!(heartbeat.pong_received(1, s(11)), None, "a pong of an earlier ping measures nothing");
        assert_eq!(heartbeat.pong_received(2, s(12)), Some(s(2)));
        assert_eq!(heartbeat.pong_received(2, s(13)), None, "a pong counts once");
    }
}
