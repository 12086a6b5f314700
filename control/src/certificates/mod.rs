//! The server's own certificate authority and the certificates made from it.

mod authority;
mod leaves;

pub use authority::Authority;
