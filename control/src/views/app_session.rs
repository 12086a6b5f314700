//! Application sessions: browsers that have logged in.

use super::{DeletableView, ViewSource, endpoint};
use crate::{
    logins::stored_login,
    resources::{Caller, Resources, Scope},
    store::{Entry, Range},
};
use postern_api::{
    AnyId, Id, Result,
    published::LoginSession,
    resource::{AppSession, AppUser, BrowserSession, HttpsEdge, HttpsRoute, Ref, UserAgent, collection, list_uri},
};
use woothee::parser::Parser;

impl ViewSource for AppSession {
    const SEEN_WITH: Scope = Scope::Everything;

    async fn list(ctx: &Resources, before: Option<&Id<Self>>, limit: usize) -> Result<Vec<Self>> {
        let mut range = Range::new(stored_login::records::<AppSession>(), limit);
        range.before = before.map(|before| stored_login::key::<AppSession>(before.as_str()));
        let mut found = Vec::new();
        for entry in ctx.store.range(range).await?.entries {
            found.push(show(ctx, &entry).await?);
        }
        Ok(found)
    }

    async fn get(ctx: &Resources, id: &Id<Self>) -> Result<Option<Self>> {
        match ctx.store.get(&stored_login::key::<AppSession>(id.as_str())).await? {
            Some(entry) => show(ctx, &entry).await.map(Some),
            None => Ok(None),
        }
    }
}

impl DeletableView for AppSession {
    async fn delete(ctx: &Resources, caller: &Caller, id: &Id<Self>) -> Result<()> {
        ctx.delete_app_session(caller, id).await
    }
}

async fn show(ctx: &Resources, entry: &Entry) -> Result<AppSession> {
    let session: LoginSession = stored_login::read(&ctx.codec, entry)?;
    let id = Id::<AppSession>::parse(&session.id)?;
    let last_use = ctx.last_use(&session.id).await?;
    let edge = Id::<HttpsEdge>::parse(&session.edge).ok();
    let endpoint = match &edge {
        Some(edge) => endpoint::of_https_edge(ctx, edge, &session.host).await?,
        None => None,
    };
    let route = edge.as_ref().map(|edge| {
        let routes = list_uri(ctx.base_url(), &collection::<HttpsRoute>(Some(&edge.any())));
        Ref { id: AnyId::from_text(&session.route), uri: format!("{routes}/{}", session.route) }
    });
    Ok(AppSession {
        uri: Ref::to_view(ctx.base_url(), &id).uri,
        id,
        public_url: session.public_url,
        browser_session: BrowserSession {
            user_agent: user_agent(session.user_agent),
            ip_address: session.address,
            location: (),
        },
        application_user: Ref::to_view(ctx.base_url(), &Id::<AppUser>::parse(&session.user)?),
        created_at: session.created_at,
        last_active: last_use.map_or(session.last_active, |last| last.max(session.last_active)),
        expires_at: session.expires_at.map(|at| at.to_string()).unwrap_or_default(),
        endpoint,
        edge: edge.map(|edge| Ref::to(ctx.base_url(), &edge)),
        route,
    })
}

/// Parses a `User-Agent` header.
fn user_agent(raw: String) -> UserAgent {
    let parser = Parser::new();
    let read = parser.parse(&raw);
    let known = |text: &str| if text == "UNKNOWN" { String::new() } else { text.to_owned() };
    let [browser_name, browser_version, device_type, os_name, os_version] = match &read {
        Some(read) => [read.name, read.version, read.category, read.os, &read.os_version].map(known),
        None => Default::default(),
    };
    UserAgent { browser_name, browser_version, device_type, os_name, os_version, raw }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agents_are_parsed() {
        let firefox = user_agent("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0".to_owned());
        assert_eq!((firefox.browser_name.as_str(), firefox.browser_version.as_str()), ("Firefox", "128.0"));
        assert_eq!((firefox.device_type.as_str(), firefox.os_name.as_str()), ("pc", "Linux"));
        for strange in ["", "x", "\u{1F600}", "Mozilla/5.0 ("] {
            let read = user_agent(strange.to_owned());
            assert_eq!((read.raw.as_str(), read.browser_version.as_str()), (strange, ""));
        }
    }
}
