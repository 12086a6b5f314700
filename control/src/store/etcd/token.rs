//! Tokens of a user. Each lasts some minutes and is renewed when a member no longer takes it.

use super::{
    failure::Failure,
    member::{Call, Member},
    messages::{AuthenticateRequest, AuthenticateResponse},
};
use postern_api::Secret;
use std::time::Duration;
use tokio::sync::Mutex;
use tonic::metadata::{Ascii, MetadataValue};

/// Name, password and current token of a user.
pub(super) struct Tokens {
    name: String,
    password: Secret,
    /// Locked while a new one is fetched, so that it is fetched once.
    current: Mutex<Option<MetadataValue<Ascii>>>,
}

impl Tokens {
    /// Without a token yet.
    pub(super) fn new(name: String, password: Secret) -> Self {
        Tokens { name, password, current: Mutex::new(None) }
    }

    /// The current token, or a new one from a member.
    pub(super) async fn get(
        &self,
        member: &Member,
        authenticate: &Call<AuthenticateRequest, AuthenticateResponse>,
        timeout: Duration,
    ) -> Result<MetadataValue<Ascii>, Failure> {
        let mut current = self.current.lock().await;
        if let Some(token) = &*current {
            return Ok(token.clone());
        }
        let request = AuthenticateRequest { name: self.name.clone(), password: self.password.reveal().to_owned() };
        let answer = match member.call(authenticate, request, None, timeout).await {
            Ok(answer) => answer,
            // Without an answer to this call, the one that needs the token was not sent.
            Err(Failure::NoAnswer(reason)) => return Err(Failure::NotPerformed(reason)),
            Err(Failure::Refused(reason)) => return Err(Failure::Denied(reason)),
            Err(failure) => return Err(failure),
        };
        let invalid = |_| Failure::Refused("the token of the user is not text".to_owned());
        let mut token: MetadataValue<Ascii> = answer.token.parse().map_err(invalid)?;
        token.set_sensitive(true);
        Ok(current.insert(token).clone())
    }

    /// Forgets a token that was refused, or whichever there is.
    pub(super) async fn forget(&self, refused: Option<&MetadataValue<Ascii>>) {
        let mut current = self.current.lock().await;
        if refused.is_none() || current.as_ref() == refused {
            *current = None;
        }
    }

    /// Makes the current token one that no member knows.
    #[cfg(test)]
    pub(super) async fn spoil(&self) {
        *self.current.lock().await = Some(MetadataValue::from_static("unknown.1"));
    }
}
