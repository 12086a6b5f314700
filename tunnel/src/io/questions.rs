//! Questions to the node that dialled a link, at the node that asks.

use crate::proto::parts::PartialText;
use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::{Semaphore, oneshot};

/// Questions under way on one link; further ones wait.
const MAX_QUESTIONS: usize = 16;

/// The questions of one link that wait for their answers.
pub(crate) struct Questions {
    last_number: AtomicU64,
    room: Semaphore,
    pending: Mutex<HashMap<u64, PendingAnswer>>,
}

struct PendingAnswer {
    text: PartialText,
    sender: oneshot::Sender<String>,
}

/// Forgets a question when its caller no longer waits.
struct Forget<'a> {
    questions: &'a Questions,
    number: u64,
}

impl Default for Questions {
    fn default() -> Self {
        let (last_number, room) = (AtomicU64::default(), Semaphore::new(MAX_QUESTIONS));
        Questions { last_number, room, pending: Mutex::default() }
    }
}

impl Questions {
    /// Sends a question with its number and waits for the answer. `None` if the answer is too long.
    pub(crate) async fn ask(&self, send: impl FnOnce(u64)) -> Option<String> {
        let _permit = self.room.acquire().await.ok()?;
        let number = self.last_number.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.pending().insert(number, PendingAnswer { text: PartialText::default(), sender });
        let _forget = Forget { questions: self, number };
        send(number);
        answer.await.ok()
    }

    /// Handles a part of an answer. One that comes too late is dropped.
    pub(crate) fn receive(&self, number: u64, part: &str, more: bool) {
        let mut pending = self.pending();
        let Some(answer) = pending.get_mut(&number) else { return };
        let is_too_long = answer.text.push(part).is_err();
        if (is_too_long || !more)
            && let Some(answer) = pending.remove(&number)
            && !is_too_long
        {
            let _ = answer.sender.send(answer.text.into_text());
        }
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<u64, PendingAnswer>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.questions.pending().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::parts::MAX_TEXT_BYTES;
    use futures::FutureExt;

    #[test]
    fn answers_arrive_in_any_order_and_late_ones_are_dropped() {
        let questions = Questions::default();
        let mut first = Box::pin(questions.ask(|_| ()));
        let mut second = Box::pin(questions.ask(|_| ()));
        assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
        questions.receive(1, "two", false);
        questions.receive(0, "o", true);
        assert!(first.as_mut().now_or_never().is_none(), "more follows");
        questions.receive(0, "ne", false);
        assert_eq!(first.now_or_never(), Some(Some("one".to_owned())));
        assert_eq!(second.now_or_never(), Some(Some("two".to_owned())));
        let mut third = Box::pin(questions.ask(|_| ()));
        assert!(third.as_mut().now_or_never().is_none());
        drop(third);
        questions.receive(2, "three", false);
        assert!(questions.pending().is_empty());
    }

    #[test]
    fn further_questions_wait_and_an_endless_answer_is_given_up() {
        let questions = Questions::default();
        let mut open: Vec<_> = (0..MAX_QUESTIONS).map(|_| Box::pin(questions.ask(|_| ()))).collect();
        assert!(open.iter_mut().all(|question| question.as_mut().now_or_never().is_none()));
        let mut waiting = Box::pin(questions.ask(|number| panic!("number {number} was sent")));
        assert!(waiting.as_mut().now_or_never().is_none());
        let part = "x".repeat(MAX_TEXT_BYTES);
        questions.receive(0, &part, true);
        questions.receive(0, "x", true);
        assert_eq!(open.remove(0).now_or_never(), Some(None));
        assert_eq!(questions.pending().len(), MAX_QUESTIONS - 1);
    }
}
