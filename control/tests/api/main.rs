//! The management API through its real router, as a caller meets it.

mod backends;
mod bad_input;
mod certificates;
mod client;
mod concurrency;
mod decisions;
mod described;
mod facts;
mod http;
mod kinds;
mod kit;
mod logins;
mod modules;
mod openapi;
mod owners;
mod pairs;
mod people;
mod published;
mod remembered;
mod reserved;
mod rights;
mod secrets;
mod start;
mod views;
mod watching;
