//! Logins through the public API of the crate: a browser that stores cookies, providers over HTTP, and a test clock.

mod kit;
mod oauth;
mod providers;
mod saml;
mod sessions;
