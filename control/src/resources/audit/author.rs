//! Author of a change: who, with which key, from which address.

use crate::resources::Caller;
use postern_api::{AnyId, OwnerId, resource::ActorType};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// The call that causes a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallOrigin {
    /// Address of the peer; `None` if the call did not come over a network.
    pub(crate) address: Option<IpAddr>,
    /// Operation id of the response; empty if there is none.
    pub(crate) operation_id: String,
}

/// Author of an event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EventAuthor {
    /// Id of the key, or of the visitor; a word for what has no id.
    pub(super) by: String,
    /// `None` for a caller who is not known.
    pub(super) actor: Option<ActorType>,
    pub(super) id: Option<AnyId>,
    pub(super) name: String,
    pub(super) origin: CallOrigin,
}

impl EventAuthor {
    /// The server itself.
    pub(crate) fn server(part: &str) -> Self {
        EventAuthor {
            by: part.to_owned(),
            actor: Some(ActorType::Server),
            id: None,
            name: String::new(),
            origin: CallOrigin::default(),
        }
    }

    /// A caller of the API who is not known.
    pub(crate) fn unknown(origin: CallOrigin) -> Self {
        EventAuthor { by: String::new(), actor: None, id: None, name: String::new(), origin }
    }

    /// A visitor who logs in or out.
    pub(crate) fn visitor(id: &AnyId) -> Self {
        EventAuthor {
            by: id.to_string(),
            actor: Some(ActorType::Visitor),
            id: Some(id.clone()),
            name: String::new(),
            origin: CallOrigin::default(),
        }
    }

    /// Whether it is a visitor.
    pub(crate) fn is_visitor(&self) -> bool {
        self.actor == Some(ActorType::Visitor)
    }
}

impl Caller {
    /// Word for the key of commands on the machine of the server.
    pub(crate) const OPERATOR: &str = "operator";
    /// Word for the key of what a sign-in by an OpenID provider causes, before there is a user.
    pub(crate) const CONSOLE_PROVIDER: &str = "console_oidc";

    /// The caller as the author of events.
    pub(crate) fn author(&self) -> EventAuthor {
        if self.key.as_str() == Self::CONSOLE_PROVIDER {
            return EventAuthor { origin: self.origin.clone(), ..EventAuthor::server(Self::CONSOLE_PROVIDER) };
        }
        let actor = match &self.owner {
            _ if self.key.as_str() == Self::OPERATOR => ActorType::Operator,
            OwnerId::User(_) => ActorType::User,
            OwnerId::Bot(_) => ActorType::BotUser,
        };
        EventAuthor {
            by: self.key.to_string(),
            actor: Some(actor),
            id: Some(self.owner.any()),
            name: self.name.clone(),
            origin: self.origin.clone(),
        }
    }
}
