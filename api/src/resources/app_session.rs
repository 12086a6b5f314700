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
    /// Absolute URL.
    pub uri: String,
    /// Route that the browser has logged in to.
    pub public_url: String,
    /// Facts about the browser.
    pub browser_session: BrowserSession,
    /// The person.
    pub application_user: Ref,
    /// Time of the login.
    pub created_at: Timestamp,
    /// Time of the last request; may lag by a minute.
    pub last_active: Timestamp,
    /// Expiry by age, an RFC 3339 timestamp; empty if it does not expire.
    pub expires_at: String,
    /// The address; null once the edge is gone.
    pub endpoint: Option<Ref>,
    /// The edge; null for a tunnel of an agent.
    pub edge: Option<Ref>,
    /// The route; null for a tunnel of an agent.
    pub route: Option<Ref>,
}

/// Facts about a browser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrowserSession {
    /// User agent at login.
    pub user_agent: UserAgent,
    /// Address at login.
    pub ip_address: String,
    /// Always null: this server does not locate addresses.
    pub location: (),
}

/// Parsed user agent of a browser. Unknown members are empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserAgent {
    /// User agent header.
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
