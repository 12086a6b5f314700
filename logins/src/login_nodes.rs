//! Login attempts in a cluster: each is stored at two nodes, which its state parameter names, so that a login that began at
//! one node can be finished at any other, also when one of the two is gone.

use crate::{
    crypto::{digest, hex},
    login_attempts::{AttemptKey, LoginAttempt},
    origin::Origin,
};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

/// Separates the parts of a state parameter; URLs take it unescaped.
pub(crate) const SEPARATOR: char = '~';
/// Bytes of the digest of a node's id in a state parameter. SAML allows 80 characters for all of it.
const TAG_BYTES: usize = 4;

/// The other nodes of a cluster, as logins see them.
pub trait LoginNodes: Send + Sync {
    /// Id of this node.
    fn own(&self) -> &str;
    /// Ids of the other nodes that can be asked now.
    fn others(&self) -> Vec<String>;
    /// Asks another node, which answers by [`Logins::answer_node`](crate::Logins::answer_node). `None` if it does not answer in time.
    fn ask<'a>(&'a self, node: &'a str, question: LoginQuestion) -> BoxFuture<'a, Option<LoginAnswer>>;
}

/// What a node asks another about login attempts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoginQuestion(pub(crate) Question);

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Question {
    /// Store a copy of an attempt.
    Keep { key: AttemptKey, attempt: Box<LoginAttempt> },
    /// The origin of an unfinished attempt.
    Origin { key: AttemptKey },
    /// Take an attempt, so that it cannot be finished again.
    Take { key: AttemptKey },
}

/// The answer to a [`LoginQuestion`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoginAnswer(pub(crate) Answer);

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Kept,
    Origin(Option<Origin>),
    Taken(Box<LoginAttempt>),
    Spent,
    Unknown,
}

/// The state parameter of an attempt: a secret, and in a cluster the two nodes that store the attempt.
pub(crate) struct AttemptState<'a> {
    secret: &'a str,
    /// Tags of the nodes.
    pub(crate) tags: Vec<&'a str>,
}

impl<'a> AttemptState<'a> {
    pub(crate) fn parse(state: &'a str) -> Self {
        let mut parts = state.split(SEPARATOR);
        let secret = parts.next().unwrap_or_default();
        AttemptState { secret, tags: parts.take(2).collect() }
    }

    pub(crate) fn key(&self) -> AttemptKey {
        digest(&[self.secret])
    }
}

/// The secret part of a state parameter.
pub(crate) fn secret_of(state: &str) -> &str {
    AttemptState::parse(state).secret
}

/// What a state parameter says instead of a node's id.
pub(crate) fn tag(node: &str) -> String {
    hex(&digest(&["node", node])[..TAG_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_parameter_names_its_nodes_within_the_limit_of_saml() {
        let (secret, first, second) = (crate::crypto::random_token(), tag("nd_1"), tag("nd_2"));
        let state = format!("{secret}{SEPARATOR}{first}{SEPARATOR}{second}");
        assert!(state.len() <= 80, "{}", state.len());
        let read = AttemptState::parse(&state);
        assert_eq!((read.secret, read.tags), (secret.as_str(), vec![first.as_str(), second.as_str()]));
        assert_eq!(secret_of(&secret), secret);
    }
}
