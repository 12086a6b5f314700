//! Logins through the public API of the crate: a browser that stores cookies, providers over HTTP, and a test clock.

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
