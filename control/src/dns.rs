//! DNS: questions to name servers (RFC 1035), and changes of zones that are signed with TSIG (RFC 2136, RFC 8945).

mod exchange;
mod question;
mod resolver;
mod signed_message;
mod tsig;
mod update;

pub(crate) use question::{DnsAnswer, DnsRecordData, DnsRecordType, ask};
pub(crate) use resolver::Resolver;
pub use tsig::{TsigAlgorithm, TsigKey};
pub(crate) use update::{TextChange, change_text};

/// Reason why a name server gave no answer, or refused a change. It continues a sentence and holds no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct DnsError(pub(crate) String);
