//! An application session: one browser that has logged in at an edge.

use crate::{
    Id, Timestamp,
    id::Kind,
    resource::{Ref, Removable, View},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A browser that has logged in at an edge. Deleting it logs the browser out with its next request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppSession {
    /// Its id.
    pub id: Id<AppSession>,
    /// Its absolute address.
    pub uri: String,
    /// Where the browser has logged in.
    pub public_url: String,
    /// What is known of the browser.
    pub browser_session: BrowserSession,
    /// Who it is.
    pub application_user: Ref,
    /// When they logged in.
    pub created_at: Timestamp,
    /// The last request; it may lag behind by a minute.
    pub last_active: Timestamp,
    /// When it ends by its age, a moment as the others are; empty if it does not.
    pub expires_at: String,
    /// The address; null once the edge is gone.
    pub endpoint: Option<Ref>,
    /// The edge; null for a tunnel of an agent.
    pub edge: Option<Ref>,
    /// The route; null for a tunnel of an agent.
    pub route: Option<Ref>,
}

/// What is known of a browser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrowserSession {
    /// What it said it was when the person logged in.
    pub user_agent: UserAgent,
    /// Where it was then.
    pub ip_address: String,
    /// Always null: this server knows no places.
    pub location: (),
}

/// What a browser says it is. Members are empty where its words say nothing about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserAgent {
    /// Its own words.
    pub raw: String,
    /// `Chrome` for example.
    pub browser_name: String,
    /// `102.0.5005.61` for example.
    pub browser_version: String,
    /// `pc`, `smartphone` or `crawler` for example.
    pub device_type: String,
    /// `Mac OSX` for example.
    pub os_name: String,
    /// `10.15.7` for example.
    pub os_version: String,
}

impl Kind for AppSession {
    const PREFIX: &'static str = "as";
}
impl View for AppSession {
    const KIND: &'static str = "app_session";
    const PATH: &'static str = "/app/sessions";
    const LIST: &'static str = "application_sessions";
    fn id(&self) -> &Id<Self> {
        &self.id
    }
}
impl Removable for AppSession {}
