//! Cache of responses and callers. An entry is valid as long as the store's cache holds the same versions of the
//! values it was made from, so a write invalidates it at once.

use super::{
    Caller, RecordPath, Resources, Rules, keys,
    rights::{Access, Scope},
};
use crate::store::{CacheKey, CacheVersion, Store};
use bytes::Bytes;
use postern_api::{Code, Error, OwnerId, Result, token::TokenHash};
use quick_cache::{Weighter, sync::Cache};
use std::sync::Arc;

/// Memory for cached responses.
const RESPONSE_CACHE_BYTES: u64 = 16 << 20;
/// Approximate cost of a response besides its body: its path, and the versions it was made from.
const RESPONSE_OVERHEAD_BYTES: usize = 512;
/// Larger responses are not cached: they would displace too many others.
const MAX_RESPONSE_BYTES: usize = 256 << 10;
/// Typical size of a response, to estimate their number.
const TYPICAL_RESPONSE_BYTES: u64 = 2 << 10;
const MAX_CALLERS: usize = 1024;

/// Cached responses to GET requests, and authenticated callers.
pub(super) struct ResponseCache {
    /// By path.
    responses: Cache<String, Arc<CacheEntry<CachedResponse>>, ResponseWeighter>,
    /// By the KSUID of the key.
    callers: Cache<String, Arc<CacheEntry<CachedCaller>>>,
}

/// Response to a GET request, and the condition to see it.
struct CachedResponse {
    body: Bytes,
    seen_with: Scope,
    owner: Option<OwnerId>,
}

/// A caller, and the hash that verifies the key.
#[derive(Clone)]
pub(super) struct CachedCaller {
    pub(super) hash: TokenHash,
    pub(super) caller: Arc<Caller>,
}

/// A value, and the versions of the stored values it was made from.
struct CacheEntry<T> {
    value: T,
    sources: Vec<(CacheKey, CacheVersion)>,
}

#[derive(Clone)]
struct ResponseWeighter;

impl Weighter<String, Arc<CacheEntry<CachedResponse>>> for ResponseWeighter {
    fn weight(&self, path: &String, response: &Arc<CacheEntry<CachedResponse>>) -> u64 {
        // The versions keep stored values of about the size of the body alive.
        (RESPONSE_OVERHEAD_BYTES + path.len() + 2 * response.value.body.len()) as u64
    }
}

impl Default for ResponseCache {
    fn default() -> Self {
        let items = usize::try_from(RESPONSE_CACHE_BYTES / TYPICAL_RESPONSE_BYTES).unwrap_or(usize::MAX);
        ResponseCache {
            responses: Cache::with_weighter(items, RESPONSE_CACHE_BYTES, ResponseWeighter),
            callers: Cache::new(MAX_CALLERS),
        }
    }
}

impl<T> CacheEntry<T> {
    fn is_valid(&self, store: &dyn Store) -> bool {
        self.sources.iter().all(|(key, then)| store.cache_version(key).is_some_and(|now| now.is_same(then)))
    }
}

/// Versions of all keys; `None` if one of them is not in the store's cache.
fn versions(store: &dyn Store, keys: Vec<CacheKey>) -> Option<Vec<(CacheKey, CacheVersion)>> {
    keys.into_iter().map(|key| store.cache_version(&key).map(|version| (key, version))).collect()
}

impl Resources {
    /// Cached response to a GET request for this path, if it is valid and the caller may see it.
    pub(crate) fn cached_body(&self, caller: &Caller, path: &str) -> Option<Bytes> {
        let response = self.response_cache.responses.get(path)?;
        if !response.is_valid(self.store.as_ref()) {
            self.response_cache.responses.remove(path);
            return None;
        }
        let CachedResponse { body, seen_with, owner } = &response.value;
        let may = caller.rights.scope(Access::See) >= *seen_with && caller.check_owner_access(owner.as_ref()).is_ok();
        may.then(|| body.clone())
    }

    /// Reads a record as the body of a response, and caches it under the request's path.
    ///
    /// # Errors
    /// Those of [`Resources::get`].
    pub(crate) async fn get_body<R: Rules>(&self, caller: &Caller, at: &RecordPath<R>, path: &str) -> Result<Bytes> {
        let mut sources = vec![CacheKey::Key(keys::record::<R>(at.id.as_str()))];
        if R::HAS_MODULES {
            sources.push(CacheKey::Range(keys::modules_of(at.id.as_str())));
        }
        let before = if R::CACHEABLE { versions(self.store.as_ref(), sources) } else { None };
        let record = self.get(caller, at).await?;
        let body = serde_json::to_vec(&record)
            .map_err(|error| Error::new(Code::Internal, format!("The response could not be written: {error}.")))?;
        let body = Bytes::from(body);
        if let Some(sources) = before.filter(|_| body.len() <= MAX_RESPONSE_BYTES) {
            let owner = record.spec.owner().cloned();
            let value = CachedResponse { body: body.clone(), seen_with: R::SEEN_WITH, owner };
            let entry = CacheEntry { value, sources };
            // Still valid, so nothing was written while the record was read.
            if entry.is_valid(self.store.as_ref()) {
                self.response_cache.responses.insert(path.to_owned(), Arc::new(entry));
            }
        }
        Ok(body)
    }

    /// Cached holder of the key with this KSUID, if the entry is valid.
    pub(super) fn cached_caller(&self, ksuid: &str) -> Option<CachedCaller> {
        let entry = self.response_cache.callers.get(ksuid)?;
        entry.is_valid(self.store.as_ref()).then(|| entry.value.clone())
    }

    /// Looks the holder of a key up with `find`, and caches it. `sources` are the keys that `find` reads.
    pub(super) async fn cache_caller(
        &self,
        ksuid: &str,
        sources: Vec<CacheKey>,
        find: impl Future<Output = Result<Option<CachedCaller>>>,
    ) -> Result<Option<CachedCaller>> {
        let before = versions(self.store.as_ref(), sources);
        let found = find.await?;
        if let (Some(sources), Some(caller)) = (before, &found) {
            let entry = CacheEntry { value: caller.clone(), sources };
            if entry.is_valid(self.store.as_ref()) {
                self.response_cache.callers.insert(ksuid.to_owned(), Arc::new(entry));
            }
        }
        Ok(found)
    }
}
