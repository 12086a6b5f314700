//! How a call fails, and whether it may have been performed nevertheless.

use crate::store::StoreError;
use tonic::{Code, Status};

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::store) enum Failure {
    /// The call was not performed, and another member may perform it.
    #[error("{0}")]
    NotPerformed(String),
    /// The member did not answer: the call may have been performed.
    #[error("{0}")]
    NoAnswer(String),
    /// The revision is no longer there.
    #[error("the revision was compacted")]
    Compacted,
    /// The lease has ended.
    #[error("the lease has ended")]
    LeaseEnded,
    /// There is such a lease already.
    #[error("the lease exists")]
    LeaseExists,
    /// The space that etcd may use is full.
    #[error("its space is used up")]
    Full,
    /// The request is larger than etcd takes.
    #[error("the request is too large")]
    TooLarge,
    /// The token of the user has ended.
    #[error("the token of the user has ended")]
    TokenEnded,
    /// The user may not do this, or is not known.
    #[error("{0}")]
    Denied(String),
    /// Any other refusal.
    #[error("{0}")]
    Refused(String),
}

/// No connection could be made, so nothing was sent.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NotConnected(pub(super) String);

impl Failure {
    /// Whether another member may know better.
    pub(in crate::store) fn is_of_member(&self) -> bool {
        matches!(self, Failure::NotPerformed(_) | Failure::NoAnswer(_) | Failure::TokenEnded)
    }

    /// The failure as an error of the store, for calls of which nothing was performed.
    pub(in crate::store) fn into_error(self, address: &str) -> StoreError {
        let address = address.to_owned();
        match self {
            Failure::NotPerformed(reason) | Failure::NoAnswer(reason) => StoreError::Unreachable { address, reason },
            Failure::Full => StoreError::FullStore { address },
            Failure::TooLarge => StoreError::TooLarge,
            Failure::Denied(reason) => StoreError::Denied { address, reason },
            Failure::TokenEnded => StoreError::Denied { address, reason: "its token is not accepted".to_owned() },
            other => StoreError::Broken(format!("{address}: {other}")),
        }
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        let message = status.message();
        if was_not_connected(&status) || message.contains("no leader") || message.contains("auth store is old") {
            return Failure::NotPerformed(reason(&status));
        }
        let says = |words: &str| message.contains(words);
        match status.code() {
            Code::Unauthenticated => Failure::TokenEnded,
            Code::PermissionDenied => Failure::Denied(message.to_owned()),
            Code::OutOfRange if says("compacted") => Failure::Compacted,
            Code::NotFound if says("lease") => Failure::LeaseEnded,
            Code::FailedPrecondition if says("lease") => Failure::LeaseExists,
            Code::ResourceExhausted if says("space exceeded") => Failure::Full,
            Code::ResourceExhausted if says("too many requests") => Failure::NotPerformed(message.to_owned()),
            Code::InvalidArgument if says("too large") || says("too many operations") => Failure::TooLarge,
            Code::InvalidArgument if says("user") => Failure::Denied(message.to_owned()),
            Code::InvalidArgument | Code::OutOfRange | Code::FailedPrecondition | Code::Unimplemented => {
                Failure::Refused(message.to_owned())
            }
            Code::ResourceExhausted if says("larger than max") => Failure::TooLarge,
            _ => Failure::NoAnswer(reason(&status)),
        }
    }
}

fn was_not_connected(status: &Status) -> bool {
    sources(status).any(|error| error.is::<NotConnected>())
}

/// The innermost cause: those around it only say that the transport failed.
fn reason(status: &Status) -> String {
    match sources(status).last() {
        Some(cause) => cause.to_string(),
        None => status.message().to_owned(),
    }
}

fn sources(status: &Status) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(std::error::Error::source(status), |error| error.source())
}
