//! Logins through the crate's own doors: a browser that keeps cookies, providers that answer over HTTP, a clock to turn.

#[path = "logins/kit/mod.rs"]
mod kit;
#[path = "logins/oauth.rs"]
mod oauth;
#[path = "logins/providers.rs"]
mod providers;
#[path = "logins/saml/mod.rs"]
mod saml;
#[path = "logins/sessions.rs"]
mod sessions;
