//! Owners: users and bot users.

use crate::{
    AnyId, Code, Error, Id,
    resource::{BotUser, Resource, User},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Id of a user or bot user.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OwnerId {
    /// A user.
    User(Id<User>),
    /// A bot user.
    Bot(Id<BotUser>),
}

impl OwnerId {
    /// Parses the id of a user or bot user.
    ///
    /// # Errors
    /// [`Code::IdShape`] if the text is neither.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Id::parse(text).map(OwnerId::User).or_else(|_| Id::parse(text).map(OwnerId::Bot)).map_err(|_: Error| {
            let shown: String = text.chars().take(64).collect();
            Error::new(
                Code::IdShape,
                format!("`{shown}` is not the id of a user (`usr_…`) or of a bot user (`bot_…`)."),
            )
        })
    }

    /// Full text.
    pub fn as_str(&self) -> &str {
        match self {
            OwnerId::User(id) => id.as_str(),
            OwnerId::Bot(id) => id.as_str(),
        }
    }

    /// The id without its kind.
    pub fn any(&self) -> AnyId {
        AnyId::from_text(self.as_str())
    }

    /// [`Resource::KIND`] of the owner.
    pub fn kind(&self) -> &'static str {
        match self {
            OwnerId::User(_) => User::KIND,
            OwnerId::Bot(_) => BotUser::KIND,
        }
    }
}

impl From<Id<User>> for OwnerId {
    fn from(id: Id<User>) -> Self {
        OwnerId::User(id)
    }
}
impl std::fmt::Display for OwnerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
impl Serialize for OwnerId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
impl<'de> Deserialize<'de> for OwnerId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        OwnerId::parse(&text).map_err(|error| serde::de::Error::custom(error.message))
    }
}
