//! Answers and callers that are remembered. What was made of stored things is right for as long as the store holds the
//! very same ones in memory; whoever looks compares that, so a write is seen at once and nobody has to be told.

use super::{Address, Caller, Resources, Rules, kept};
use crate::store::{Glance, Place, Store};
use bytes::Bytes;
use postern_api::{Code, Error, OwnerId, Result, token::TokenHash};
use quick_cache::{Weighter, sync::Cache};
use std::sync::Arc;

/// Memory for answers.
const BYTES: u64 = 16 << 20;
/// What an answer costs beside its own bytes, roughly: its path, and the stored things it was made of.
const OVERHEAD: usize = 512;
/// An answer larger than this is not worth the others it would drive out.
const LARGEST: usize = 256 << 10;
/// An ordinary answer, to guess how many there will be.
const ORDINARY: u64 = 2 << 10;
/// Callers that are remembered.
const CALLERS: usize = 1024;

/// What is remembered.
pub(super) struct Answers {
    /// By the path that was asked for.
    answers: Cache<String, Arc<Made<Answer>>, Weight>,
    /// By the KSUID of the key.
    callers: Cache<String, Arc<Made<Known>>>,
}

/// The answer to a GET, and who may see it.
struct Answer {
    body: Bytes,
    admin_only: bool,
    owner: Option<OwnerId>,
}

/// A caller, and what the key is verified with.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) hash: TokenHash,
    pub(super) caller: Arc<Caller>,
}

/// Something that was made of stored things, and what was in memory of them.
struct Made<T> {
    made: T,
    of: Vec<(Place, Glance)>,
}

#[derive(Clone)]
struct Weight;

impl Weighter<String, Arc<Made<Answer>>> for Weight {
    fn weight(&self, path: &String, answer: &Arc<Made<Answer>>) -> u64 {
        // An answer and what it was made of are about the same size.
        (OVERHEAD + path.len() + 2 * answer.made.body.len()) as u64
    }
}

impl Default for Answers {
    fn default() -> Self {
        let items = usize::try_from(BYTES / ORDINARY).unwrap_or(usize::MAX);
        Answers { answers: Cache::with_weighter(items, BYTES, Weight), callers: Cache::new(CALLERS) }
    }
}

impl<T> Made<T> {
    fn holds(&self, store: &dyn Store) -> bool {
        self.of.iter().all(|(place, then)| store.glance(place).is_some_and(|now| now.is(then)))
    }
}

/// What is in memory of all places; nothing if it is not there of one.
fn glances(store: &dyn Store, places: Vec<Place>) -> Option<Vec<(Place, Glance)>> {
    places.into_iter().map(|place| store.glance(&place).map(|glance| (place, glance))).collect()
}

impl Resources {
    /// The answer to a GET of this path, if it is remembered, still holds, and the caller may see it.
    pub(crate) fn remembered(&self, caller: &Caller, path: &str) -> Option<Bytes> {
        let answer = self.answers.answers.get(path)?;
        if !answer.holds(self.store.as_ref()) {
            self.answers.answers.remove(path);
            return None;
        }
        let Answer { body, admin_only, owner } = &answer.made;
        let may = caller.admin || !admin_only && owner.as_ref().is_none_or(|owner| *owner == caller.owner);
        may.then(|| body.clone())
    }

    /// Reads one, as the body of an answer, and remembers it for the path that was asked for.
    pub(crate) async fn answer<R: Rules>(&self, caller: &Caller, at: &Address<R>, path: &str) -> Result<Bytes> {
        let mut places = vec![Place::Key(kept::record_key::<R>(at.id.as_str()))];
        if R::HAS_MODULES {
            places.push(Place::Range(kept::modules_of(at.id.as_str())));
        }
        let before = if R::LASTING { glances(self.store.as_ref(), places) } else { None };
        let record = self.get(caller, at).await?;
        let body = serde_json::to_vec(&record)
            .map_err(|error| Error::new(Code::Internal, format!("The answer could not be written: {error}.")))?;
        let body = Bytes::from(body);
        if let Some(of) = before.filter(|_| body.len() <= LARGEST) {
            let owner = record.spec.owner().cloned();
            let made = Made { made: Answer { body: body.clone(), admin_only: R::ADMIN_ONLY, owner }, of };
            // Nothing was written meanwhile, so what was read is what was there before.
            if made.holds(self.store.as_ref()) {
                self.answers.answers.insert(path.to_owned(), Arc::new(made));
            }
        }
        Ok(body)
    }

    /// The holder of the key with this KSUID, if it is remembered and still holds.
    pub(super) fn known(&self, ksuid: &str) -> Option<Known> {
        let known = self.answers.callers.get(ksuid)?;
        known.holds(self.store.as_ref()).then(|| known.made.clone())
    }

    /// Remembers the holder of a key. `places` is what tells of it, and `find` asks that again.
    pub(super) async fn know(
        &self,
        ksuid: &str,
        places: Vec<Place>,
        find: impl Future<Output = Result<Option<Known>>>,
    ) -> Result<Option<Known>> {
        let of = glances(self.store.as_ref(), places);
        let found = find.await?;
        if let (Some(of), Some(known)) = (of, &found) {
            let made = Made { made: known.clone(), of };
            if made.holds(self.store.as_ref()) {
                self.answers.callers.insert(ksuid.to_owned(), Arc::new(made));
            }
        }
        Ok(found)
    }
}
