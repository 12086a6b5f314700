//! Signing of OpenSSH certificates (`PROTOCOL.certkeys`).

use super::{AuthorityKey, SubjectKey};
use crate::certificates::{issue_error::issue_failed, validity::DAY};
use postern_api::{Code, Error, Result, Timestamp};
use ssh_key::certificate::{Builder, CertType};
use std::collections::BTreeMap;

/// Largest number of principals that OpenSSH reads from one certificate.
const MAX_PRINCIPALS: usize = 256;
const MAX_PRINCIPAL_BYTES: usize = 255;
const MAX_OPTIONS: usize = 64;
const MAX_OPTION_NAME_BYTES: usize = 128;
const MAX_OPTION_VALUE_BYTES: usize = 4096;

/// Type of a certificate: for a server or for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Host,
    User,
}

impl Purpose {
    /// Default lifetime in seconds.
    const fn lifetime(self) -> i64 {
        match self {
            Purpose::Host => 365 * DAY,
            Purpose::User => DAY,
        }
    }

    const fn never_valid(self) -> Code {
        match self {
            Purpose::Host => Code::HostValidity,
            Purpose::User => Code::UserValidity,
        }
    }
}

/// Validity of a certificate: from `after` inclusive to `until` exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Validity {
    pub(crate) after: Timestamp,
    pub(crate) until: Timestamp,
}

impl Validity {
    /// The requested validity; by default, from now for the default lifetime.
    ///
    /// # Errors
    /// If a time is before 1970, or the certificate would never be valid.
    pub(crate) fn new(
        purpose: Purpose,
        after: Option<Timestamp>,
        until: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Self> {
        let default_end = || jiff::Timestamp::from_second(now.seconds().saturating_add(purpose.lifetime()));
        let until = match until {
            Some(until) => until,
            None => Timestamp::new(default_end().map_err(|error| issue_failed(&error))?),
        };
        let after = after.unwrap_or(now);
        for (field, moment) in [("valid_after", after), ("valid_until", until)] {
            if moment.seconds() < 0 {
                let sentence = format!("`{field}` is {moment}; an OpenSSH certificate cannot have a time before 1970.");
                return Err(Error::new(purpose.never_valid(), sentence).with("field", field));
            }
        }
        if until <= after {
            let sentence = format!(
                "The certificate would never be valid: `valid_until` is {until}, and `valid_after` is {after}. Give a later `valid_until`."
            );
            return Err(Error::new(purpose.never_valid(), sentence).with("field", "valid_until"));
        }
        Ok(Validity { after, until })
    }
}

/// Contents of a certificate to sign.
#[derive(Debug)]
pub(crate) struct CertificateContents<'a> {
    pub(crate) purpose: Purpose,
    /// Becomes the key id, which servers log, and the comment.
    pub(crate) id: &'a str,
    pub(crate) key: &'a SubjectKey,
    /// Empty means every principal.
    pub(crate) principals: &'a [String],
    pub(crate) validity: Validity,
    pub(crate) critical_options: &'a BTreeMap<String, String>,
    pub(crate) extensions: &'a BTreeMap<String, String>,
}

impl CertificateContents<'_> {
    /// Checks and signs the certificate; gives one line of a `-cert.pub` file.
    ///
    /// # Errors
    /// If a principal or an option is invalid, or signing fails.
    pub(crate) fn sign(&self, authority: &AuthorityKey) -> Result<String> {
        principals(self.principals)?;
        options("critical_options", self.critical_options)?;
        options("extensions", self.extensions)?;
        self.build(authority)
    }

    fn build(&self, authority: &AuthorityKey) -> Result<String> {
        // The nonce makes the signed bytes unpredictable.
        let mut nonce = [0; 32];
        aws_lc_rs::rand::fill(&mut nonce).map_err(|_| issue_failed(&"no random numbers"))?;
        let failed = |error: ssh_key::Error| issue_failed(&error);
        let (after, until) = (self.validity.after.seconds(), self.validity.until.seconds());
        let mut builder =
            Builder::new(nonce, self.key.data.clone(), after.unsigned_abs(), until.unsigned_abs()).map_err(failed)?;
        let cert_type = match self.purpose {
            Purpose::Host => CertType::Host,
            Purpose::User => CertType::User,
        };
        builder
            .cert_type(cert_type)
            .map_err(failed)?
            .key_id(self.id)
            .map_err(failed)?
            .comment(self.id)
            .map_err(failed)?;
        builder.all_principals_valid().map_err(failed)?;
        for principal in self.principals {
            builder.valid_principal(principal).map_err(failed)?;
        }
        for (name, value) in self.critical_options {
            builder.critical_option(name, value).map_err(failed)?;
        }
        for (name, value) in self.extensions {
            builder.extension(name, value).map_err(failed)?;
        }
        builder.sign(authority).and_then(|certificate| certificate.to_openssh()).map_err(failed)
    }
}

fn principals(principals: &[String]) -> Result<()> {
    let refused = |sentence: String| Err(Error::new(Code::FieldInvalid, sentence).with("field", "principals"));
    if principals.len() > MAX_PRINCIPALS {
        return refused(format!(
            "A certificate has at most {MAX_PRINCIPALS} principals; these are {}.",
            principals.len()
        ));
    }
    for principal in principals {
        if principal.is_empty() || principal.len() > MAX_PRINCIPAL_BYTES {
            return refused(format!("A principal has 1 to {MAX_PRINCIPAL_BYTES} bytes; one has {}.", principal.len()));
        }
        if principal.chars().any(char::is_control) {
            return refused("A principal has a control character, which OpenSSH does not accept.".to_owned());
        }
    }
    Ok(())
}

fn options(field: &str, options: &BTreeMap<String, String>) -> Result<()> {
    let refused = |sentence: String| Err(Error::new(Code::FieldInvalid, sentence).with("field", field));
    if options.len() > MAX_OPTIONS {
        return refused(format!("`{field}` has at most {MAX_OPTIONS} entries; these are {}.", options.len()));
    }
    for (name, value) in options {
        let printable = name.bytes().all(|byte| byte.is_ascii_graphic());
        if name.is_empty() || name.len() > MAX_OPTION_NAME_BYTES || !printable {
            return refused(format!(
                "A name in `{field}` must be 1 to {MAX_OPTION_NAME_BYTES} printable ASCII characters without a space."
            ));
        }
        if value.len() > MAX_OPTION_VALUE_BYTES || value.contains('\0') {
            return refused(format!(
                "The value of `{name}` in `{field}` must have at most {MAX_OPTION_VALUE_BYTES} bytes and no zero byte."
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
