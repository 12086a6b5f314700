//! A commit as one transaction of etcd, and what its answer means.

use super::{key_space::KeySpace, memory::Memory};
use crate::store::{
    Change, Commit, CommitCondition, Limits, Result, Revision, StoreError, Write,
    etcd::messages::{
        Compare, CompareResult, CompareTarget, DeleteRangeRequest, KeyValue, PutRequest, RangeRequest, RequestOp,
        RequestOperation, ResponseOp, ResponseOperation, SortOrder, SortTarget, TxnRequest, TxnResponse, operation,
    },
};
use std::collections::HashSet;

/// Operations and compares that etcd takes in a transaction and those nested in it, unless it is told otherwise.
const MAX_OPERATIONS: usize = 128;
/// Parts of a nested transaction at least: as many as operations in each.
const MIN_PARTS: usize = MAX_OPERATIONS / 2;
/// Bytes of keys and values that fit into a request of etcd, which has a limit of 1.5 MiB.
const MAX_BYTES: usize = 1_400_000;
/// Approximate bytes of an operation besides those of its key and its value.
const OPERATION_BYTES: usize = 24;

/// What fits into one commit, whatever its parts are.
pub(super) const LIMITS: Limits = Limits {
    // One of the compares is that of the mark.
    conditions: MIN_PARTS - 1,
    writes: MIN_PARTS * (MAX_OPERATIONS - MIN_PARTS),
    bytes: MAX_BYTES,
};

/// A commit that etcd takes.
pub(super) struct Transaction<'a> {
    keys: &'a KeySpace,
    conditions: &'a [CommitCondition],
    /// The last write to each key, in order.
    writes: Vec<&'a Write>,
    success: Vec<RequestOp>,
    failure: Vec<RequestOp>,
    mark: Option<String>,
}

/// What a refused transaction tells.
pub(super) struct Refusal {
    /// The first condition that fails.
    pub(super) condition: Option<CommitCondition>,
    /// Revision of the mark; 0 if it is absent.
    pub(super) mark: Revision,
    /// What conditions and mark were read to be.
    seen: Vec<Seen>,
    /// The revision at which they were read.
    revision: Revision,
}

/// What was read of a key or a range: the newest revision in it.
struct Seen {
    key: Option<String>,
    newest: Revision,
}

impl<'a> Transaction<'a> {
    /// Plans a commit.
    ///
    /// # Errors
    /// `TooLarge`.
    pub(super) fn new(keys: &'a KeySpace, commit: &'a Commit) -> Result<Self> {
        let writes = last_writes(&commit.writes);
        let bytes: usize = writes.iter().map(|write| bytes(write)).sum();
        let operations: Vec<RequestOp> = writes.iter().map(|write| operation_of(keys, write)).collect();
        let success = within_limits(operations, commit.conditions.len() + 1).filter(|_| bytes <= MAX_BYTES);
        let success = success.ok_or(StoreError::TooLarge)?;
        let last_put = writes.iter().rev().find(|write| !matches!(write, Write::Delete(_)));
        let mark = last_put.or(writes.last()).map(|write| key_of(write).to_owned());
        let mut failure: Vec<RequestOp> = commit
            .conditions
            .iter()
            .map(|condition| operation(RequestOperation::Range(reads(keys, condition))))
            .collect();
        if let Some(mark) = &mark {
            let read = RangeRequest { key: keys.full(mark), keys_only: true, ..RangeRequest::default() };
            failure.push(operation(RequestOperation::Range(read)));
        }
        Ok(Transaction { keys, conditions: &commit.conditions, writes, success, failure, mark })
    }

    /// The key that tells whether the transaction was performed: it is compared with what it was before, and changed. So the
    /// transaction is performed once at most, however often it is sent.
    pub(super) fn mark(&self) -> Option<&str> {
        self.mark.as_deref()
    }

    /// The request, if the mark was last written by this revision.
    pub(super) fn request(&self, mark: Revision) -> TxnRequest {
        let mut compare: Vec<Compare> =
            self.conditions.iter().map(|condition| compares(self.keys, condition)).collect();
        if let Some(key) = &self.mark {
            compare.push(compare_revision(self.keys.full(key), CompareResult::Equal, mark));
        }
        TxnRequest { compare, success: self.success.clone(), failure: self.failure.clone() }
    }

    /// Whether the changes of a revision are those of this commit.
    pub(super) fn made(&self, changes: &[Change]) -> bool {
        let is_of = |change: &Change, write: &Write| match (write, &change.value) {
            (Write::Put(key, put) | Write::PutLeased(key, put, _), Some(value)) => *key == change.key && put == value,
            (Write::Delete(key), None) => *key == change.key,
            _ => false,
        };
        let puts = self.writes.iter().filter(|write| !matches!(write, Write::Delete(_))).count();
        let put = changes.iter().filter(|change| change.value.is_some()).count();
        !changes.is_empty()
            && puts == put
            && changes.iter().all(|change| self.writes.iter().any(|write| is_of(change, write)))
    }

    /// What the answer to a transaction that was refused tells.
    pub(super) fn refusal(&self, answer: &TxnResponse) -> Refusal {
        let newest = |at: usize| newest(answer.responses.get(at));
        let mut seen: Vec<Seen> = Vec::with_capacity(self.conditions.len() + 1);
        let mut failed = None;
        for (at, condition) in self.conditions.iter().enumerate() {
            let newest = newest(at);
            let (key, holds) = match condition {
                CommitCondition::Absent(key) => (Some(key), newest == 0),
                CommitCondition::Present(key) => (Some(key), newest > 0),
                CommitCondition::Unchanged(key, revision) => (Some(key), newest == *revision),
                CommitCondition::NoneNewer(_, revision) => (None, newest <= *revision),
            };
            seen.push(Seen { key: key.cloned(), newest });
            failed = failed.or((!holds).then_some(condition));
        }
        let mark = newest(self.conditions.len());
        if let Some(key) = &self.mark {
            seen.push(Seen { key: Some(key.clone()), newest: mark });
        }
        let revision = answer.header.as_ref().map_or(0, |header| header.revision);
        Refusal { condition: failed.cloned(), mark, seen, revision }
    }

    /// Whether the replica has seen that the keys that this transaction deletes are absent, as etcd found them.
    pub(super) fn has_deleted(&self, memory: &Memory, at: Revision) -> bool {
        let mut deleted = self.writes.iter().map(|write| key_of(write));
        deleted.all(|key| memory.get(key).is_none_or(|stored| stored.revision > at))
    }
}

impl Refusal {
    /// Whether the replica has reached what the transaction lost to.
    pub(super) fn is_reached(&self, memory: &Memory, reached: Revision) -> bool {
        self.seen.iter().all(|seen| match &seen.key {
            Some(key) if seen.newest == 0 => memory.get(key).is_none_or(|stored| stored.revision > self.revision),
            _ => seen.newest <= reached,
        })
    }
}

/// Revision of a transaction that was performed; `None` if it changed nothing.
pub(super) fn changed_at(answer: &TxnResponse) -> Option<Revision> {
    fn changed(responses: &[ResponseOp]) -> bool {
        responses.iter().any(|response| match &response.response {
            Some(ResponseOperation::Put(_)) => true,
            Some(ResponseOperation::Delete(answer)) => answer.deleted > 0,
            Some(ResponseOperation::Transaction(answer)) => changed(&answer.responses),
            Some(ResponseOperation::Range(_)) | None => false,
        })
    }
    answer.header.as_ref().filter(|_| changed(&answer.responses)).map(|header| header.revision)
}

/// The last write to each key: etcd takes each key once.
fn last_writes(writes: &[Write]) -> Vec<&Write> {
    let mut seen = HashSet::new();
    let mut last: Vec<&Write> = writes.iter().rev().filter(|write| seen.insert(key_of(write))).collect();
    last.reverse();
    last
}

fn key_of(write: &Write) -> &str {
    match write {
        Write::Put(key, _) | Write::PutLeased(key, _, _) | Write::Delete(key) => key,
    }
}

fn bytes(write: &Write) -> usize {
    OPERATION_BYTES
        + match write {
            Write::Put(key, value) | Write::PutLeased(key, value, _) => key.len() + value.len(),
            Write::Delete(key) => key.len(),
        }
}

fn operation_of(keys: &KeySpace, write: &Write) -> RequestOp {
    operation(match write {
        Write::Put(key, value) => {
            RequestOperation::Put(PutRequest { key: keys.full(key), value: value.clone(), lease: 0 })
        }
        Write::PutLeased(key, value, lease) => {
            RequestOperation::Put(PutRequest { key: keys.full(key), value: value.clone(), lease: lease.0 })
        }
        Write::Delete(key) => RequestOperation::Delete(DeleteRangeRequest { key: keys.full(key) }),
    })
}

/// The operations of one transaction. More than it takes become transactions in it, which are performed at one revision, too:
/// what the outer one takes and what each inner one takes is [`MAX_OPERATIONS`] together.
fn within_limits(operations: Vec<RequestOp>, compares: usize) -> Option<Vec<RequestOp>> {
    if operations.len().max(compares) <= MAX_OPERATIONS {
        return Some(operations);
    }
    let parts = compares.max(MIN_PARTS);
    let each = MAX_OPERATIONS.checked_sub(parts).filter(|each| *each > 0 && operations.len() <= parts * each)?;
    let nested = operations.chunks(each).map(|part| {
        let part = TxnRequest { success: part.to_vec(), ..TxnRequest::default() };
        operation(RequestOperation::Transaction(part))
    });
    Some(nested.collect())
}

fn compares(keys: &KeySpace, condition: &CommitCondition) -> Compare {
    match condition {
        CommitCondition::Absent(key) => compare_revision(keys.full(key), CompareResult::Equal, 0),
        CommitCondition::Present(key) => compare_revision(keys.full(key), CompareResult::Greater, 0),
        CommitCondition::Unchanged(key, revision) => compare_revision(keys.full(key), CompareResult::Equal, *revision),
        CommitCondition::NoneNewer(prefix, revision) => {
            let (key, range_end) = keys.range(prefix);
            let less = compare_revision(key, CompareResult::Less, revision.saturating_add(1));
            Compare { range_end, ..less }
        }
    }
}

fn compare_revision(key: Vec<u8>, result: CompareResult, revision: Revision) -> Compare {
    let target = CompareTarget::ModRevision as i32;
    Compare { result: result as i32, target, key, mod_revision: Some(revision), range_end: Vec::new() }
}

/// Reads the newest of what a condition names.
fn reads(keys: &KeySpace, condition: &CommitCondition) -> RangeRequest {
    match condition {
        CommitCondition::Absent(key) | CommitCondition::Present(key) | CommitCondition::Unchanged(key, _) => {
            RangeRequest { key: keys.full(key), keys_only: true, ..RangeRequest::default() }
        }
        CommitCondition::NoneNewer(prefix, _) => RangeRequest {
            limit: 1,
            sort_order: SortOrder::Descend as i32,
            sort_target: SortTarget::ModRevision as i32,
            keys_only: true,
            ..keys.range_request(prefix)
        },
    }
}

fn newest(response: Option<&ResponseOp>) -> Revision {
    match response.and_then(|response| response.response.as_ref()) {
        Some(ResponseOperation::Range(range)) => {
            range.kvs.first().map_or(0, |KeyValue { mod_revision, .. }| *mod_revision)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn puts(count: usize) -> Commit {
        (0..count).fold(Commit::default(), |commit, number| commit.put(format!("k/{number}"), "x"))
    }

    #[test]
    fn the_last_write_to_a_key_counts() {
        let keys = KeySpace::new("/p/".to_owned());
        let commit = Commit::default().put("a", "1").put("b", "1").delete("a").put("b", "2").delete("c").put("c", "3");
        let transaction = Transaction::new(&keys, &commit).expect("it fits");
        let kept: Vec<Write> = transaction.writes.iter().map(|write| (*write).clone()).collect();
        assert_eq!(kept, Commit::default().delete("a").put("b", "2").put("c", "3").writes);
        assert_eq!(transaction.mark(), Some("c"));
        let changed = |key: &str, value: Option<&str>| Change {
            revision: 9,
            key: key.to_owned(),
            value: value.map(|value| value.as_bytes().to_vec()),
        };
        assert!(transaction.made(&[changed("a", None), changed("b", Some("2")), changed("c", Some("3"))]));
        assert!(transaction.made(&[changed("b", Some("2")), changed("c", Some("3"))]), "`a` was absent");
        assert!(!transaction.made(&[changed("b", Some("2"))]));
        assert!(!transaction.made(&[changed("b", Some("2")), changed("c", Some("4"))]));
    }

    #[test]
    fn what_fits_into_a_commit_is_known_before_it_is_sent() {
        let keys = KeySpace::new("/p/".to_owned());
        let fits = |commit: &Commit| Transaction::new(&keys, commit).is_ok();
        let with = |conditions: usize, writes: usize| {
            let present = |number| CommitCondition::Present(format!("c/{number}"));
            (0..conditions).map(present).fold(puts(writes), Commit::when)
        };
        for (conditions, writes, holds) in [
            (0, 128, true),
            (127, 128, true),
            (128, 1, false),
            (LIMITS.conditions, LIMITS.writes, true),
            (LIMITS.conditions, LIMITS.writes + 1, false),
            (100, 101 * 27, true),
            (100, 101 * 27 + 1, false),
        ] {
            assert_eq!(fits(&with(conditions, writes)), holds, "{conditions} conditions, {writes} writes");
        }
        assert!(fits(&Commit::default().put("a", vec![0; MAX_BYTES - 100])));
        assert!(!fits(&Commit::default().put("a", vec![0; MAX_BYTES])));
        let whole = puts(LIMITS.writes);
        let request = Transaction::new(&keys, &whole).expect("it fits").request(0);
        assert_eq!((request.compare.len(), request.success.len()), (1, 64));
    }
}
