//! The server's own certificate authority and the certificates made from it.

mod authority;

pub use authority::Authority;
