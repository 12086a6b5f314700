//! Nodes that answer each other's questions about logins.

use futures::future::BoxFuture;
use postern_logins::{LoginAnswer, LoginNodes, LoginQuestion, Logins};
use std::sync::{Arc, Mutex, Weak};

/// The nodes of a cluster by id, without those that are down.
#[derive(Clone, Default)]
pub(crate) struct Nodes(Arc<Mutex<Vec<Node>>>);

type Node = (String, Weak<Logins>);

struct Member {
    own: String,
    nodes: Nodes,
}

impl Nodes {
    pub(crate) fn join(&self, id: &str, logins: &Arc<Logins>) {
        self.0.lock().expect("the nodes").push((id.to_owned(), Arc::downgrade(logins)));
        logins.join_nodes(Arc::new(Member { own: id.to_owned(), nodes: self.clone() }));
    }

    /// A node no longer answers.
    pub(crate) fn lose(&self, id: &str) {
        self.0.lock().expect("the nodes").retain(|(node, _)| node != id);
    }
}

impl LoginNodes for Member {
    fn own(&self) -> &str {
        &self.own
    }

    fn others(&self) -> Vec<String> {
        let nodes = self.nodes.0.lock().expect("the nodes");
        nodes.iter().map(|(id, _)| id).filter(|id| **id != self.own).cloned().collect()
    }

    fn ask<'a>(&'a self, node: &'a str, question: LoginQuestion) -> BoxFuture<'a, Option<LoginAnswer>> {
        // As over a link: questions and answers are text.
        let text = serde_json::to_string(&question).expect("JSON");
        let nodes = self.nodes.0.lock().expect("the nodes");
        let asked = nodes.iter().find(|(id, _)| id == node).and_then(|(_, logins)| logins.upgrade());
        let answer = asked.map(|logins| logins.answer_node(serde_json::from_str(&text).expect("a question")));
        let answer = answer.map(|answer| serde_json::to_string(&answer).expect("JSON"));
        Box::pin(std::future::ready(answer.map(|text| serde_json::from_str(&text).expect("an answer"))))
    }
}
