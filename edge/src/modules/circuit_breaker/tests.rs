use super::*;
use crate::{limits::CurrentLimits, settings::Settings};
use postern_api::host::HostName;

const TRIAL: Duration = Duration::from_secs(120);

/// A circuit and a clock that goes only when told.
struct World {
    breaker: Arc<Breaker>,
    now: Instant,
}

fn settings() -> CircuitBreaker {
    CircuitBreaker {
        enabled: true,
        tripped_duration: 5,
        rolling_window: 10,
        num_buckets: 10,
        volume_threshold: 4,
        error_threshold_percentage: 0.5,
    }
}

impl World {
    fn with(settings: &CircuitBreaker) -> World {
        let now = Instant::now();
        World { breaker: Arc::new(Breaker::new("edghtsrt_1", settings, TRIAL, now)), now }
    }

    fn later(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
    }

    fn admit(&self) -> Result<Permit, Duration> {
        self.breaker.admit(self.now)
    }

    /// One request that is answered so; whether it was let through.
    fn request(&self, status: u16) -> bool {
        self.admit().map(|permit| permit.record_response(status, self.now)).is_ok()
    }

    fn trip(&self) {
        while self.request(500) {}
    }
}

#[test]
fn it_trips_at_the_volume_and_the_share_and_not_before() {
    let world = World::with(&settings());
    for status in [500, 500, 503] {
        assert!(world.request(status));
    }
    assert!(world.admit().is_ok(), "three errors of three are too few requests");
    assert!(world.request(200), "the fourth request, a success, makes three of four");
    assert!(world.admit().is_err(), "three quarters are more than half");

    let world = World::with(&settings());
    for status in [200, 404, 499, 500, 200, 302] {
        assert!(world.request(status));
    }
    for _ in 0..3 {
        assert!(world.request(500));
    }
    assert!(world.request(502), "four of nine were not enough, but five of ten are half of them");
    assert!(!world.request(200));
}

#[test]
fn errors_expire_with_the_window() {
    let mut world = World::with(&settings());
    for _ in 0..3 {
        world.request(500);
        world.later(1000);
    }
    world.later(8000);
    world.request(500);
    assert!(world.admit().is_ok(), "of the first three only two are within the window, three in all");
}

#[test]
fn a_share_of_zero_trips_at_the_first_error_but_not_without_one() {
    let world = World::with(&CircuitBreaker { error_threshold_percentage: 0.0, ..settings() });
    for _ in 0..100 {
        assert!(world.request(200));
    }
    world.request(500);
    assert!(world.admit().is_err());

    let world = World::with(&CircuitBreaker { volume_threshold: 0, error_threshold_percentage: 1.0, ..settings() });
    world.request(500);
    assert!(world.admit().is_err(), "no volume is asked for");
}

#[test]
fn open_it_refuses_until_its_time_is_over_and_then_tries_one_at_a_time() {
    let mut world = World::with(&settings());
    world.trip();
    assert_eq!(world.admit().err(), Some(Duration::from_secs(5)));
    world.later(4999);
    assert_eq!(world.admit().err(), Some(Duration::from_millis(1)));
    world.later(1);
    let trial = world.admit().expect("a trial");
    assert!(trial.trial);
    assert_eq!(world.admit().err(), Some(TRIAL_RETRY_INTERVAL), "only one");
    trial.record_response(500, world.now);
    assert_eq!(world.admit().err(), Some(Duration::from_secs(5)), "open again for a whole period");
    world.later(5000);
    let trial = world.admit().expect("another trial");
    assert!(world.admit().is_err());
    trial.record_response(200, world.now);
    for _ in 0..3 {
        assert!(world.request(500), "closed, and the window begins anew");
    }
    assert!(world.admit().is_ok());
}

#[test]
fn a_trial_that_is_given_up_makes_room_for_the_next() {
    let mut world = World::with(&settings());
    world.trip();
    world.later(5000);
    drop(world.admit().expect("a trial"));
    world.admit().expect("the visitor has gone, the next one tries").record_failure(Fault::Visitor, world.now);
    world.admit().expect("the visitor's fault says nothing about the backend").record_failure(Fault::Agent, world.now);
    assert!(world.admit().is_err(), "a backend that cannot be reached has failed");
}

#[test]
fn a_trial_that_takes_for_ever_loses_its_place() {
    let mut world = World::with(&settings());
    world.trip();
    world.later(5000);
    let slow = world.admit().expect("a trial");
    world.later(119_999);
    assert_eq!(world.admit().err(), Some(TRIAL_RETRY_INTERVAL));
    world.later(1);
    let next = world.admit().expect("another trial");
    slow.record_response(500, world.now);
    assert_eq!(
        world.admit().err(),
        Some(TRIAL_RETRY_INTERVAL),
        "the slow one neither opens the circuit nor frees the place"
    );
    next.record_response(200, world.now);
    assert!(!world.admit().expect("closed").trial);
}

#[test]
fn failed_upstreams_are_errors_and_what_never_reached_one_is_nothing() {
    let world = World::with(&settings());
    for fault in [Fault::Visitor, Fault::Route, Fault::Us] {
        for _ in 0..10 {
            world.admit().expect("closed").record_failure(fault, world.now);
        }
    }
    for _ in 0..10 {
        drop(world.admit().expect("closed"));
    }
    for _ in 0..3 {
        world.admit().expect("closed").record_failure(Fault::Service, world.now);
    }
    assert!(world.admit().is_ok(), "three are too few: the others did not count");
    world.admit().expect("closed").record_failure(Fault::Agent, world.now);
    assert!(world.admit().is_err());
}

#[test]
fn what_began_before_the_circuit_changed_does_not_change_it_again() {
    let mut world = World::with(&settings());
    let slow: Vec<Permit> = (0..6).map(|_| world.admit().expect("closed")).collect();
    world.trip();
    world.later(5000);
    let trial = world.admit().expect("a trial");
    let mut slow = slow.into_iter();
    slow.next().expect("six").record_response(200, world.now);
    drop(slow.next());
    assert!(world.admit().is_err(), "an old answer is no trial's answer, and no trial given up");
    trial.record_response(200, world.now);
    for late in slow {
        late.record_response(500, world.now);
    }
    assert!(world.admit().is_ok(), "old errors are not held against the recovered backend");
}

#[test]
fn exactly_one_of_many_at_once_is_the_trial() {
    let mut world = World::with(&settings());
    world.trip();
    world.later(5000);
    let (breaker, now) = (&world.breaker, world.now);
    let admitted: Vec<Permit> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| breaker.admit(now))).collect();
        threads.into_iter().filter_map(|thread| thread.join().expect("no panic").ok()).collect()
    });
    assert_eq!(admitted.len(), 1);
}

#[test]
fn the_keeper_keeps_it_until_its_own_settings_change() {
    let of_edge = Settings::loopback(HostName::parse("localhost").expect("a name"));
    let logins = Arc::new(of_edge.logins(443));
    let module_state =
        of_edge.module_state(&CurrentLimits::new(of_edge.limits.clone()), logins, Arc::default(), Arc::default());
    let first = module_state.breaker("edghtsrt_1", Some(&settings())).expect("one");
    let same = module_state.breaker("edghtsrt_1", Some(&settings())).expect("one");
    assert!(Arc::ptr_eq(&first, &same));
    let other = module_state.breaker("edghtsrt_2", Some(&settings())).expect("one");
    assert!(!Arc::ptr_eq(&first, &other), "each route has its own");
    let changed = CircuitBreaker { volume_threshold: 5, ..settings() };
    let reset = module_state.breaker("edghtsrt_1", Some(&changed)).expect("one");
    assert!(!Arc::ptr_eq(&first, &reset));
    assert!(module_state.breaker("edghtsrt_1", None).is_none());
    let again = module_state.breaker("edghtsrt_1", Some(&changed)).expect("one");
    assert!(!Arc::ptr_eq(&reset, &again), "taken away and put back it begins anew");
    module_state.forget("edghtsrt_1");
    assert!(!Arc::ptr_eq(&again, &module_state.breaker("edghtsrt_1", Some(&changed)).expect("one")));
    assert!(Arc::ptr_eq(&other, &module_state.breaker("edghtsrt_2", Some(&settings())).expect("one")));
}

#[test]
fn the_refusal_says_when_to_come_back_and_the_trace_says_who() {
    let world = World::with(&settings());
    world.trip();
    let mut trace = Trace::default();
    let refusal = judge(&world.breaker, &mut trace, world.now + Duration::from_millis(3500)).err().expect("refused");
    assert_eq!((refusal.status(), refusal.error.code), (503, Code::CircuitOpen));
    assert_eq!(refusal.retry_after, Some(Duration::from_secs(2)), "a second and a half, rounded up");
    assert!(trace.to_string().starts_with("circuit_breaker refused"), "{trace}");
    let mut trace = Trace::default();
    let _trial = judge(&world.breaker, &mut trace, world.now + Duration::from_secs(5)).expect("a trial");
    assert!(trace.to_string().starts_with("circuit_breaker passed by allow_while_open"), "{trace}");
}
