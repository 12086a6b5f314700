//! Rules over time, with a clock and figures of the test.

use super::*;
use crate::{
    CommandOutcome, Control, ControlSettings, Gathered, LiveRefusal, LiveSession, LiveState, LiveTunnel, NameHold,
    NoLiveState,
    resources::{Caller, audit::CallOrigin, audit::EVENTS, audit::kind_and_operation},
};
use futures::{FutureExt, future::BoxFuture};
use postern_api::{
    AnyId, Id, Role,
    host::HostName,
    resource::{
        AlertMeasure, AlertPeriod, AlertRuleCreate, AlertRuleUpdate, Credential, CredentialCreate, NodeName,
        RecentRequest, RequestFilter, User, UserCreate,
    },
    traffic::{Counts, History, Traffic, TrafficQuery, TrafficRange, TrafficSeries, TrafficStep, TrafficSum},
};
use std::sync::{
    Mutex,
    atomic::{AtomicI64, Ordering::Relaxed},
};

/// 2026-11-30T23:59:00Z, the last minute of a month.
const LAST_MINUTE: i64 = 1_796_083_140;

/// Figures that a test sets.
#[derive(Default)]
struct Figures {
    /// Requests by minute.
    minutes: Mutex<BTreeMap<u64, u64>>,
    sessions: Mutex<Vec<LiveSession>>,
    missing: Mutex<Vec<NodeName>>,
}

impl LiveState for Figures {
    fn tunnels_with(&self, _labels: &BTreeMap<String, String>) -> Vec<AnyId> {
        Vec::new()
    }
    fn port_in_use(&self, _port: u16) -> bool {
        false
    }
    fn host_in_use(&self, _host: &HostName) -> bool {
        false
    }
    fn hold_names(&self, hold: NameHold) -> Box<dyn Send> {
        NoLiveState.hold_names(hold)
    }
    fn https_port(&self) -> u16 {
        443
    }
    fn region(&self) -> String {
        String::new()
    }
    fn sessions(&self) -> Vec<LiveSession> {
        self.sessions.lock().expect("unpoisoned").clone()
    }
    fn tunnels(&self) -> Vec<LiveTunnel> {
        Vec::new()
    }
    fn refused(&self, _edge: &str) -> Vec<LiveRefusal> {
        Vec::new()
    }
    fn requests<'a>(&'a self, _id: &'a str, _filter: RequestFilter) -> BoxFuture<'a, Gathered<Vec<RecentRequest>>> {
        Gathered::default().ready()
    }
    fn traffic(&self) -> BoxFuture<'_, Gathered<Vec<Traffic>>> {
        Gathered::default().ready()
    }
    fn traffic_of<'a>(&'a self, _id: &'a str) -> BoxFuture<'a, Gathered<Option<Traffic>>> {
        Gathered::default().ready()
    }
    fn traffic_in_all(&self) -> BoxFuture<'_, Gathered<(Counts, History)>> {
        Gathered::default().ready()
    }
    fn traffic_series<'a>(&'a self, _id: Option<&'a str>, range: TrafficRange) -> BoxFuture<'a, TrafficSeries> {
        TrafficSeries::empty(range, postern_api::clock::now()).ready()
    }
    fn traffic_sums(&self, queries: Vec<TrafficQuery>) -> BoxFuture<'_, Gathered<Vec<TrafficSum>>> {
        let minutes = self.minutes.lock().expect("unpoisoned").clone();
        let sum = |query: &TrafficQuery| {
            let number = |minute: u64| if query.step == TrafficStep::Hour { minute / 60 } else { minute };
            let fits = |minute: u64| (query.first..=query.last).contains(&number(minute));
            let requests = minutes.iter().filter(|(minute, _)| fits(**minute)).map(|(_, requests)| requests).sum();
            TrafficSum { requests, ..TrafficSum::default() }
        };
        (queries.iter().map(sum).collect(), self.missing_nodes()).ready()
    }
    fn missing_nodes(&self) -> Vec<NodeName> {
        self.missing.lock().expect("unpoisoned").clone()
    }
    fn restart<'a>(&'a self, _session: &'a str) -> BoxFuture<'a, CommandOutcome> {
        CommandOutcome::NoSession.ready()
    }
    fn stop<'a>(&'a self, _session: &'a str) -> BoxFuture<'a, CommandOutcome> {
        CommandOutcome::NoSession.ready()
    }
}

/// A value as a future that is ready.
trait Ready: Sized + Send + 'static {
    fn ready<'a>(self) -> BoxFuture<'a, Self> {
        std::future::ready(self).boxed()
    }
}
impl<T: Send + 'static> Ready for T {}

struct World {
    control: Control,
    figures: Arc<Figures>,
    clock: Arc<AtomicI64>,
    evaluator: AlertEvaluator,
    caller: Caller,
    _folder: tempfile::TempDir,
}

impl World {
    async fn start() -> World {
        let folder = tempfile::tempdir().expect("a folder");
        let figures = Arc::<Figures>::default();
        let control = Control::open(ControlSettings::new(folder.path()), figures.clone()).await.expect("opened");
        let clock = Arc::new(AtomicI64::new(LAST_MINUTE));
        let evaluator = evaluator(&control, &clock);
        let caller = |owner: Id<User>| Caller {
            key: AnyId::from_text(Caller::OPERATOR),
            owner: owner.into(),
            name: String::new(),
            key_role: Role::Admin,
            rights: Role::Admin.into(),
            origin: CallOrigin::default(),
        };
        let body = UserCreate { name: "Ada".to_owned(), ..Default::default() };
        let creator = caller(Id::new(postern_api::clock::now()));
        let caller = caller(control.resources.create::<User>(&creator, None, body).await.expect("a user").id);
        World { control, figures, clock, evaluator, caller, _folder: folder }
    }

    async fn rule(&self, body: AlertRuleCreate) -> Id<AlertRule> {
        self.control.resources.create::<AlertRule>(&self.caller, None, body).await.expect("a rule").id
    }

    /// Requests of the current minute.
    fn count(&self, requests: u64) {
        let minute = TrafficStep::Minute.interval_at((self.evaluator.clock)());
        *self.figures.minutes.lock().expect("unpoisoned").entry(minute).or_default() += requests;
    }

    /// Lets some seconds pass and evaluates; gives the events of alerts so far, oldest first.
    async fn after(&mut self, seconds: i64) -> Vec<String> {
        self.clock.fetch_add(seconds, Relaxed);
        self.evaluator.evaluate().await.expect("evaluated");
        self.evaluator.evaluate().await.expect("evaluated");
        self.events().await
    }

    async fn events(&self) -> Vec<String> {
        let entries = self.control.resources.store.range(Range::new(EVENTS, 100)).await.expect("events").entries;
        let kinds = entries.iter().rev().filter_map(|entry| kind_and_operation(&entry.value));
        kinds.map(|(kind, _)| kind).filter(|kind| kind.starts_with("alert_") && kind != "alert_rule").collect()
    }
}

fn evaluator(control: &Control, clock: &Arc<AtomicI64>) -> AlertEvaluator {
    let clock = clock.clone();
    let now = move || jiff::Timestamp::from_second(clock.load(Relaxed)).expect("a time");
    AlertEvaluator::new(control.resources.clone(), Arc::new(now))
}

fn of_requests(threshold: f64) -> AlertRuleCreate {
    AlertRuleCreate { measure: AlertMeasure::Requests, threshold, ..Default::default() }
}

#[tokio::test]
async fn a_window_slides_over_the_minutes() {
    let mut world = World::start().await;
    world.rule(AlertRuleCreate { window_minutes: Some(1), ..of_requests(100.0) }).await;
    world.count(99);
    assert!(world.after(30).await.is_empty());
    world.count(1);
    assert_eq!(world.after(29).await, ["alert_firing"]);
    // Of the minute that is over, less and less is in the window.
    assert_eq!(world.after(1).await, ["alert_firing"]);
    assert_eq!(world.after(5).await, ["alert_firing"], "92 is not clearly below");
    assert_eq!(world.after(10).await, ["alert_firing", "alert_resolved"]);
    assert_eq!(world.after(600).await.len(), 2);
}

#[tokio::test]
async fn a_quota_begins_anew_with_the_month() {
    let mut world = World::start().await;
    world.rule(AlertRuleCreate { period: Some(AlertPeriod::Month), ..of_requests(1000.0) }).await;
    world.count(800);
    assert_eq!(world.after(0).await, ["alert_warning"]);
    world.count(900);
    assert_eq!(world.after(59).await, ["alert_warning", "alert_firing"]);
    assert_eq!(world.after(1).await, ["alert_warning", "alert_firing", "alert_resolved"], "a new month");
    world.count(1000);
    assert_eq!(world.after(24 * 3600).await.len(), 4, "those of yesterday count");
}

#[tokio::test]
async fn every_quota_has_its_turn() {
    let mut world = World::start().await;
    for _ in 0..MAX_QUOTAS_AT_ONCE + 5 {
        world.rule(AlertRuleCreate { period: Some(AlertPeriod::Day), ..of_requests(1.0) }).await;
    }
    world.count(1);
    world.evaluator.evaluate().await.expect("evaluated");
    assert_eq!(world.events().await.len(), MAX_QUOTAS_AT_ONCE);
    world.evaluator.evaluate().await.expect("evaluated");
    assert_eq!(world.events().await.len(), MAX_QUOTAS_AT_ONCE + 5);
}

#[tokio::test]
async fn two_nodes_that_evaluate_at_once_and_a_restart_make_one_event() {
    let mut world = World::start().await;
    world.rule(of_requests(5.0)).await;
    world.count(5);
    let mut other = evaluator(&world.control, &world.clock);
    let (one, two) = tokio::join!(world.evaluator.evaluate(), other.evaluate());
    assert!(one.is_ok() && two.is_ok());
    world.evaluator = evaluator(&world.control, &world.clock);
    assert_eq!(world.after(10).await, ["alert_firing"]);
}

#[tokio::test]
async fn an_agent_is_away_when_all_nodes_say_so() {
    let mut world = World::start().await;
    let body = CredentialCreate::default();
    let credential = world.control.resources.create::<Credential>(&world.caller, None, body).await.expect("one").id;
    let body = AlertRuleCreate {
        measure: AlertMeasure::AgentAway,
        threshold: 5.0,
        subject_id: Some(credential.to_string()),
        ..Default::default()
    };
    world.rule(body).await;
    assert!(world.after(3600).await.is_empty(), "it was never there");
    let session = LiveSession {
        id: "ts_1".to_owned(),
        credential: credential.to_string(),
        agent_version: String::new(),
        os: String::new(),
        instance: String::new(),
        host_name: String::new(),
        account: String::new(),
        address: std::net::Ipv4Addr::LOCALHOST.into(),
        transport: String::new(),
        metadata: String::new(),
        remote_management: false,
        started_at: Timestamp::now(),
        node: None,
    };
    let set = |world: &World, sessions: &[LiveSession]| {
        *world.figures.sessions.lock().expect("unpoisoned") = sessions.to_vec();
    };
    set(&world, std::slice::from_ref(&session));
    world.after(10).await;
    set(&world, &[]);
    *world.figures.missing.lock().expect("unpoisoned") =
        vec![NodeName { id: AnyId::from_text("nd_1"), name: "other".to_owned() }];
    assert!(world.after(3600).await.is_empty(), "it may be at the other node");
    world.figures.missing.lock().expect("unpoisoned").clear();
    assert!(world.after(10).await.is_empty());
    assert!(world.after(299).await.is_empty());
    assert_eq!(world.after(1).await, ["alert_firing"]);
    set(&world, std::slice::from_ref(&session));
    assert_eq!(world.after(1).await, ["alert_firing", "alert_resolved"]);
}

#[tokio::test]
async fn a_disabled_rule_is_over_and_a_deleted_one_is_forgotten() {
    let mut world = World::start().await;
    let rule = world.rule(of_requests(5.0)).await;
    world.count(5);
    assert_eq!(world.after(1).await, ["alert_firing"]);
    let at = crate::resources::RecordPath { id: rule.clone(), parent: None };
    let off = AlertRuleUpdate { enabled: Some(false), ..Default::default() };
    world.control.resources.update::<AlertRule>(&world.caller, &at, off).await.expect("changed");
    assert_eq!(world.after(1).await, ["alert_firing", "alert_resolved"]);
    let store = world.control.resources.store.clone();
    // As if it had been deleted with what it measures.
    let plan = crate::store::Commit::default().delete(keys::record::<AlertRule>(rule.as_str()));
    store.commit(plan).await.expect("deleted");
    assert_eq!(world.after(1).await.len(), 2);
    assert!(store.range(Range::new(ALERTS, 10)).await.expect("progress").entries.is_empty());
}
