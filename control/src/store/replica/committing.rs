//! Sends a commit until its outcome is known.

use super::{
    key_space::KeySpace,
    state::State,
    transaction::{Refusal, Transaction, changed_at},
};
use crate::store::{
    Change, Commit, CommitCondition, CommitOutcome, Health, Result, Revision, StoreError, Write,
    etcd::{CALL_TIMEOUT, Client, Failure, TRY_TIMEOUT, messages::TxnResponse},
};
use std::{ops::ControlFlow, time::Duration};
use tokio::time::{Instant, sleep};

/// Time between two rounds of tries at all members.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// A commit in progress.
pub(super) struct Committing<'a> {
    client: &'a Client,
    state: &'a State,
    transaction: Transaction<'a>,
    lease: Option<i64>,
    deadline: Instant,
    /// What the replica had reached when it began.
    began: Revision,
    /// Revision of the mark that the next try expects.
    mark: Revision,
    /// A try was not answered, and may have been performed.
    unanswered: bool,
}

/// Commits.
///
/// # Errors
/// `TooLarge`, `Unreachable` if it was not performed, `Uncertain` if it may have been, or what etcd says.
pub(super) async fn commit(client: &Client, state: &State, keys: &KeySpace, commit: &Commit) -> Result<CommitOutcome> {
    state.check_open()?;
    if commit.writes.is_empty() && commit.conditions.is_empty() {
        return Ok(CommitOutcome::Done(state.reached()));
    }
    let transaction = Transaction::new(keys, commit)?;
    if *state.health.borrow() == Health::Away {
        let reason = "no member has answered for some seconds".to_owned();
        return Err(StoreError::Unreachable { address: client.address().to_owned(), reason });
    }
    let lease = commit.writes.iter().find_map(|write| match write {
        Write::PutLeased(_, _, lease) => Some(lease.0),
        Write::Put(..) | Write::Delete(_) => None,
    });
    // Read before the memory: changes of the mark since then are in the history.
    let began = state.reached();
    let mark = transaction.mark().map_or(0, |mark| state.memory().revision_of(mark));
    let deadline = Instant::now() + CALL_TIMEOUT;
    Committing { client, state, transaction, lease, deadline, began, mark, unanswered: false }.run().await
}

impl Committing<'_> {
    async fn run(mut self) -> Result<CommitOutcome> {
        let mut failures = 0;
        loop {
            let member = self.client.preferred();
            let timeout = TRY_TIMEOUT.min(self.deadline.saturating_duration_since(Instant::now()));
            let step = match self.client.transact(member, self.transaction.request(self.mark), timeout).await {
                Ok(answer) if answer.succeeded => return self.performed(&answer).await,
                Ok(answer) => self.refused(self.transaction.refusal(&answer)).await?,
                Err(failure) => {
                    self.client.avoid(member);
                    let step = self.failed(failure)?;
                    failures += 1;
                    if failures % self.client.len() == 0 {
                        sleep(RETRY_INTERVAL).await;
                    }
                    step
                }
            };
            if let ControlFlow::Break(outcome) = step {
                return Ok(outcome);
            }
        }
    }

    /// It was performed: the outcome is told when the replica has it.
    async fn performed(&self, answer: &TxnResponse) -> Result<CommitOutcome> {
        let Some(revision) = changed_at(answer) else {
            let at = answer.header.as_ref().map_or(0, |header| header.revision);
            self.reach(|memory, _| self.transaction.has_deleted(memory, at)).await?;
            return Ok(CommitOutcome::Done(self.state.reached()));
        };
        self.reach(|_, reached| reached >= revision).await?;
        Ok(CommitOutcome::Done(revision))
    }

    /// A condition failed, or the mark is not what it was.
    async fn refused(&mut self, refusal: Refusal) -> Result<ControlFlow<CommitOutcome>> {
        // A conflict is told when the replica has reached what it lost to: before, another plan would be the same.
        self.reach(|memory, reached| refusal.is_reached(memory, reached)).await?;
        if self.unanswered && refusal.mark != self.mark {
            match self.find()? {
                Some(revision) => return Ok(ControlFlow::Break(CommitOutcome::Done(revision))),
                // The mark has changed, so a try that is still on its way is refused as well.
                None => self.unanswered = false,
            }
        }
        if let Some(condition) = refusal.condition {
            return Ok(ControlFlow::Break(CommitOutcome::Conflict(condition)));
        }
        self.mark = refusal.mark;
        if Instant::now() >= self.deadline {
            return Err(self.unreachable("the same key is changed by others all the time".to_owned()));
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The revision since the beginning that made this commit's changes.
    fn find(&self) -> Result<Option<Revision>> {
        let changes =
            self.state.recent.between("", self.began, self.state.reached()).ok_or_else(|| self.uncertain())?;
        let mut revisions = changes.chunk_by(|one, next| one.revision == next.revision);
        let made = revisions.find(|changes: &&[Change]| self.transaction.made(changes));
        Ok(made.and_then(|changes| changes.first()).map(|change| change.revision))
    }

    fn failed(&mut self, failure: Failure) -> Result<ControlFlow<CommitOutcome>> {
        tracing::debug!(%failure, "a try of a commit failed");
        // Too little time is left for another try: what is cut short might have been performed.
        let over = Instant::now() + RETRY_INTERVAL * 2 >= self.deadline;
        match failure {
            Failure::NoAnswer(_) => {
                self.unanswered = true;
                if over { Err(self.uncertain()) } else { Ok(ControlFlow::Continue(())) }
            }
            Failure::NotPerformed(reason) => match (over, self.unanswered) {
                (true, true) => Err(self.uncertain()),
                (true, false) => Err(self.unreachable(reason)),
                (false, _) => Ok(ControlFlow::Continue(())),
            },
            _ if self.unanswered => Err(self.uncertain()),
            Failure::LeaseEnded => {
                let lease = self.lease.unwrap_or_default();
                Ok(ControlFlow::Break(CommitOutcome::Conflict(CommitCondition::Present(format!("leases/{lease}")))))
            }
            failure => Err(failure.into_error(self.client.address())),
        }
    }

    /// Waits until the replica holds what etcd has told.
    async fn reach(&self, reached: impl FnMut(&super::memory::Memory, Revision) -> bool) -> Result<()> {
        let deadline = self.deadline.max(Instant::now() + TRY_TIMEOUT);
        if self.state.wait_until(deadline, reached).await {
            return Ok(());
        }
        self.state.check_open()?;
        Err(self.uncertain())
    }

    fn uncertain(&self) -> StoreError {
        StoreError::Uncertain { address: self.client.address().to_owned() }
    }

    fn unreachable(&self, reason: String) -> StoreError {
        StoreError::Unreachable { address: self.client.address().to_owned(), reason }
    }
}
