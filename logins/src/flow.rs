//! The steps of a session: login, authentication of requests, logout and expiry.

mod attempts;
mod authenticate;
mod begin;
mod endpoints;
mod finish;
mod log_out;
mod maintain;
mod saml;

pub use authenticate::AuthOutcome;
