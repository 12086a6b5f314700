//! What the tests of several crates share. It depends on none of the products, so that each of them can use it.
#![allow(clippy::unwrap_used, reason = "a test fails where it must not go on")]

pub mod certificates;
pub mod condition;
#[cfg(unix)]
pub mod etcd;
pub mod geoip;
pub mod http1;
pub mod ports;
pub mod scripted_origin;
pub mod tls;

pub use condition::{WAIT_TIMEOUT, eventually, in_time, until, within};
