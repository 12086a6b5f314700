//! Login attempts at other nodes, over the links with them.

use super::{Question, ask_node};
use crate::tunnels::TunnelRegistry;
use futures::{FutureExt, future::BoxFuture};
use postern_logins::{LoginAnswer, LoginNodes, LoginQuestion};
use std::sync::Arc;

/// The other nodes, as logins see them.
pub(super) struct LinkedLogins {
    node: String,
    registry: Arc<TunnelRegistry>,
}

impl LinkedLogins {
    pub(super) fn new(node: &str, registry: Arc<TunnelRegistry>) -> Self {
        LinkedLogins { node: node.to_owned(), registry }
    }
}

impl LoginNodes for LinkedLogins {
    fn own(&self) -> &str {
        &self.node
    }

    fn others(&self) -> Vec<String> {
        self.registry.node_links().into_iter().map(|(node, ..)| node).collect()
    }

    fn ask<'a>(&'a self, node: &'a str, question: LoginQuestion) -> BoxFuture<'a, Option<LoginAnswer>> {
        async move {
            let (_, link, _) = self.registry.node_links().into_iter().find(|(id, ..)| id == node)?;
            ask_node(&link, &Question::Login { login: question }).await
        }
        .boxed()
    }
}
