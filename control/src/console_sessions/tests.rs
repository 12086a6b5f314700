//! Sessions of the console over time: they expire, end with their key, and are bounded in number.

use super::*;
use crate::{Control, ControlSettings, NoLiveState, resources::RecordPath};
use postern_api::{OwnerId, Role, resource::User};

const HOUR: i64 = 60 * 60;
const ACTIVE: SessionUse = SessionUse { secure: false, active: true };
const IDLE: SessionUse = SessionUse { secure: false, active: false };

/// A server with a person who has a key.
struct World {
    control: Control,
    caller: Arc<Caller>,
    start: Timestamp,
    _folder: tempfile::TempDir,
}

impl World {
    async fn new() -> World {
        let folder = tempfile::tempdir().expect("a folder");
        let control =
            Control::open(ControlSettings::new(folder.path()), Arc::new(NoLiveState)).await.expect("it opens");
        control.create_api_key("first", Role::Admin).await.expect("a key");
        let caller = caller_of(&control, "Ada").await;
        World { control, caller, start: Timestamp::now(), _folder: folder }
    }

    fn resources(&self) -> &Arc<Resources> {
        &self.control.resources
    }

    fn at(&self, seconds: i64) -> Timestamp {
        Timestamp::new(jiff::Timestamp::from_second(self.start.seconds() + seconds).expect("a moment"))
    }

    async fn signed_in(&self) -> Token {
        self.signed_in_at(0).await
    }

    async fn signed_in_at(&self, seconds: i64) -> Token {
        let begun = self
            .resources()
            .try_sign_in(&self.caller, &begun_with(&self.caller), false, self.at(seconds))
            .await
            .expect("a store");
        begun.expect("no collision").0
    }

    /// The code of the refusal of a call in a session, if it is refused.
    async fn refused(&self, token: &Token, how: SessionUse, seconds: i64) -> Option<Code> {
        self.resources().session_at(token, how, self.at(seconds)).await.err().map(|error| error.code)
    }

    /// A call of a person; waits until its time is stored.
    async fn used(&self, token: &Token, seconds: i64) {
        assert_eq!(self.refused(token, ACTIVE, seconds).await, None, "after {seconds} seconds");
        postern_test_kit::eventually("the use is stored", async || {
            let entry = self.resources().store.get(&key(token.ksuid())).await.ok()??;
            (StoredSession::read(&entry).ok()?.last_used == self.at(seconds)).then_some(())
        })
        .await;
    }

    async fn stored(&self) -> usize {
        self.resources().all_sessions().await.expect("a store").entries.len()
    }
}

fn begun_with(caller: &Caller) -> BegunWith {
    BegunWith::Key { api_key: Id::parse(caller.key.as_str()).expect("a key") }
}

async fn caller_of(control: &Control, name: &str) -> Arc<Caller> {
    let key = control.create_api_key(name, Role::Editor).await.expect("a key");
    control.resources.authenticate(key.reveal()).await.expect("a caller")
}

#[tokio::test]
async fn a_session_ends_after_its_life_however_much_it_is_used() {
    let world = World::new().await;
    let token = world.signed_in().await;
    for hour in 1..24 {
        world.used(&token, hour * HOUR / 2).await;
    }
    assert_eq!(world.refused(&token, ACTIVE, 12 * HOUR - 1).await, None);
    assert_eq!(world.refused(&token, ACTIVE, 12 * HOUR).await, Some(Code::ConsoleSessionEnded));
}

#[tokio::test]
async fn a_session_ends_when_its_person_does_nothing_even_if_the_page_refreshes_itself() {
    let world = World::new().await;
    let token = world.signed_in().await;
    for minute in 1..60 {
        assert_eq!(world.refused(&token, IDLE, minute * 60).await, None, "after {minute} minutes");
    }
    assert_eq!(world.refused(&token, IDLE, HOUR).await, Some(Code::ConsoleSessionEnded));
    let other = world.signed_in().await;
    world.used(&other, HOUR - 1).await;
    assert_eq!(world.refused(&other, IDLE, 2 * HOUR - 2).await, None);
    assert_eq!(world.refused(&other, ACTIVE, 2 * HOUR - 1).await, Some(Code::ConsoleSessionEnded));
}

#[tokio::test]
async fn a_session_has_the_rights_of_its_key_at_each_call() {
    let world = World::new().await;
    let token = world.signed_in().await;
    let role = async || {
        let current = world.resources().session_at(&token, ACTIVE, world.at(1)).await?;
        assert_eq!(current.session.role, current.caller.rights.role());
        Ok::<_, Error>(current.session.role)
    };
    assert_eq!(role().await.expect("a session"), Role::Editor);
    let OwnerId::User(user) = &world.caller.owner else { panic!("a user") };
    let operator = world.control.resources.clone();
    let admin = world.control.create_api_key("second", Role::Admin).await.expect("a key");
    let admin = operator.authenticate(admin.reveal()).await.expect("a caller");
    let path = RecordPath { id: user.clone(), parent: None };
    let viewer = postern_api::resource::UserUpdate { role: Some(Role::Viewer), ..Default::default() };
    operator.update::<User>(&admin, &path, viewer).await.expect("changed");
    assert_eq!(role().await.expect("a session"), Role::Viewer);
    operator.delete::<User>(&admin, &path).await.expect("deleted");
    assert_eq!(role().await.expect_err("no user").code, Code::ConsoleSessionEnded);
    operator.sweep_sessions(world.at(2)).await.expect("swept");
    assert_eq!(world.stored().await, 0, "what nothing can use is removed");
}

#[tokio::test]
async fn another_token_or_another_kind_of_cookie_is_refused() {
    let world = World::new().await;
    let token = world.signed_in().await;
    let ended = Some(Code::ConsoleSessionEnded);
    assert_eq!(world.refused(&Token::generate(token.ksuid()), ACTIVE, 1).await, ended);
    assert_eq!(world.refused(&token, SessionUse { secure: true, active: true }, 1).await, ended);
    assert_eq!(world.refused(&token, ACTIVE, 1).await, None);
    let entry = world.resources().store.get(&key(token.ksuid())).await.expect("a store").expect("an entry");
    let stored = String::from_utf8(entry.value).expect("text");
    let (_, secret) = token.secret().reveal().split_once('_').expect("a token");
    assert!(!stored.contains(secret), "only a digest is stored: {stored}");
}

#[tokio::test]
async fn a_user_has_a_bounded_number_of_sessions() {
    let world = World::new().await;
    let first = world.signed_in_at(0).await;
    let second = world.signed_in_at(1).await;
    for number in 2..20 {
        world.signed_in_at(number).await;
    }
    world.used(&first, 100).await;
    world.signed_in_at(101).await;
    assert_eq!(world.stored().await, MAX_SESSIONS_PER_OWNER);
    assert_eq!(world.refused(&first, IDLE, 102).await, None);
    assert_eq!(world.refused(&second, IDLE, 102).await, Some(Code::ConsoleSessionEnded), "the longest idle one");
}

#[tokio::test]
async fn all_sessions_of_a_user_end_at_once() {
    let world = World::new().await;
    let tokens = [world.signed_in().await, world.signed_in().await];
    let other = caller_of(&world.control, "Grace").await;
    let (kept, _) = world.resources().sign_in(&other, false).await.expect("a session");
    world.resources().sign_out_everywhere(&world.caller).await.expect("signed out");
    for token in &tokens {
        assert_eq!(world.refused(token, ACTIVE, 1).await, Some(Code::ConsoleSessionEnded));
    }
    assert_eq!(world.refused(&kept, ACTIVE, 1).await, None);
}

#[tokio::test]
async fn expired_sessions_are_removed() {
    let world = World::new().await;
    world.signed_in_at(-2 * HOUR).await;
    let token = world.signed_in().await;
    world.resources().sweep_sessions(world.at(1)).await.expect("swept");
    assert_eq!((world.stored().await, world.refused(&token, ACTIVE, 1).await), (1, None));
    world.resources().sweep_sessions(world.at(HOUR)).await.expect("swept");
    assert_eq!(world.stored().await, 0);
}

#[tokio::test]
async fn there_is_a_bounded_number_of_sessions_in_all() {
    let world = World::new().await;
    let token = world.signed_in().await;
    let entry = world.resources().store.get(&key(token.ksuid())).await.expect("a store").expect("an entry");
    let template = StoredSession::read(&entry).expect("a session");
    let of = |number: i64| {
        let owner = OwnerId::User(Id::new(jiff::Timestamp::from_second(1_700_000_000 + number).expect("a moment")));
        (format!("{SESSIONS}{number}"), StoredSession { owner, last_used: world.at(number), ..template.clone() })
    };
    let sessions: Vec<_> = (0..1000).map(of).collect();
    assert_eq!(replaced(&sessions, &template), [format!("{SESSIONS}0")]);
    assert_eq!(replaced(&sessions[1..], &template), [""; 0]);
}
