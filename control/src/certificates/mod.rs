//! Certificates: those of the server's own authority, uploaded ones, and those for SSH.

mod authority;
mod leaves;
#[cfg(test)]
mod openssl;
mod pem_blocks;
pub(crate) mod ssh;
pub(crate) mod tls_chain;
pub(crate) mod trusted;
pub(crate) mod x509;

pub use authority::Authority;
pub(crate) use authority::valid;
