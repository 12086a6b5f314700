//! Unfinished logins, here and in a cluster at the nodes that the state parameter names.

use crate::{
    login_attempts::{LoginAttempt, TakenAttempt},
    login_nodes::{Answer, AttemptState, LoginAnswer, LoginNodes, LoginQuestion, Question, SEPARATOR, tag},
    logins::Logins,
    origin::Origin,
};
use jiff::Timestamp;
use std::sync::Arc;

impl Logins {
    /// Has login attempts stored at two nodes of a cluster each.
    pub fn join_nodes(&self, nodes: Arc<dyn LoginNodes>) {
        let _ = self.nodes.set(nodes);
    }

    /// Completes a state parameter with the nodes that will store its attempt: this one and one other.
    pub(crate) fn state_of(&self, secret: &str) -> String {
        let Some(nodes) = self.nodes.get() else { return secret.to_owned() };
        let others = nodes.others();
        let second = (!others.is_empty()).then(|| &others[rand::random_range(0..others.len())]);
        let tags = [Some(nodes.own()), second.map(String::as_str)];
        tags.into_iter().flatten().fold(secret.to_owned(), |state, node| format!("{state}{SEPARATOR}{}", tag(node)))
    }

    /// Stores an attempt at the nodes that its state parameter names. If the other one does not answer, the attempt is stored
    /// here only.
    pub(crate) async fn insert_attempt(&self, state: &str, attempt: LoginAttempt) {
        let state = AttemptState::parse(state);
        let key = state.key();
        let copy = self.nodes.get().map(|_| Question::Keep { key, attempt: Box::new(attempt.clone()) });
        self.attempts.insert(key, attempt);
        if let (Some(copy), Some(second)) = (copy, state.tags.get(1))
            && self.ask_tagged(second, copy).await.is_none()
        {
            tracing::debug!("no other node has stored a copy of a login attempt");
        }
    }

    /// The origin of an unfinished attempt, which stays stored.
    pub(crate) async fn attempt_origin(&self, state: &str, now: Timestamp) -> Option<Origin> {
        let state = AttemptState::parse(state);
        let key = state.key();
        if let Some(origin) = self.attempts.origin(&key, now) {
            return Some(origin);
        }
        for tag in &state.tags {
            if let Some(Answer::Origin(Some(origin))) = self.ask_tagged(tag, Question::Origin { key }).await {
                return Some(origin);
            }
        }
        None
    }

    /// Takes an attempt at both nodes that store it. The first that is reached and knows it decides whether it is unfinished.
    pub(crate) async fn take_attempt(&self, state: &str, now: Timestamp) -> Option<LoginAttempt> {
        let state = AttemptState::parse(state);
        let key = state.key();
        if self.nodes.get().is_none() || state.tags.is_empty() {
            return match self.attempts.take(&key, now) {
                TakenAttempt::Taken(attempt) => Some(*attempt),
                TakenAttempt::Spent | TakenAttempt::Unknown => None,
            };
        }
        let (mut taken, mut is_decided) = (None, false);
        for tag in &state.tags {
            let answer = self.ask_tagged(tag, Question::Take { key }).await;
            match answer {
                Some(Answer::Taken(attempt)) if !is_decided => (taken, is_decided) = (Some(*attempt), true),
                Some(Answer::Taken(_) | Answer::Spent) => is_decided = true,
                Some(Answer::Kept | Answer::Origin(_) | Answer::Unknown) | None => {}
            }
        }
        taken
    }

    /// Answers another node.
    pub fn answer_node(&self, LoginQuestion(question): LoginQuestion) -> LoginAnswer {
        LoginAnswer(self.answer(question))
    }

    fn answer(&self, question: Question) -> Answer {
        match question {
            Question::Keep { key, attempt } => {
                self.attempts.insert(key, *attempt);
                Answer::Kept
            }
            Question::Origin { key } => Answer::Origin(self.attempts.origin(&key, self.now())),
            Question::Take { key } => match self.attempts.take(&key, self.now()) {
                TakenAttempt::Taken(attempt) => Answer::Taken(attempt),
                TakenAttempt::Spent => Answer::Spent,
                TakenAttempt::Unknown => Answer::Unknown,
            },
        }
    }

    /// Asks the node with this tag, which may be this one.
    async fn ask_tagged(&self, wanted: &str, question: Question) -> Option<Answer> {
        let nodes = self.nodes.get()?;
        if tag(nodes.own()) == wanted {
            return Some(self.answer(question));
        }
        let node = nodes.others().into_iter().find(|node| tag(node) == wanted)?;
        nodes.ask(&node, LoginQuestion(question)).await.map(|LoginAnswer(answer)| answer)
    }
}
