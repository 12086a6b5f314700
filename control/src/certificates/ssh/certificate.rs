//! Signing: a public key, names, a time and permissions become a certificate of OpenSSH.

use super::{AuthorityKey, SubjectKey};
use crate::certificates::authority::{DAY, broken};
use postern_api::{Code, Error, Result, Timestamp};
use ssh_key::certificate::{Builder, CertType};
use std::collections::BTreeMap;

/// The most names that OpenSSH reads from one certificate.
const PRINCIPALS: usize = 256;
const PRINCIPAL_LENGTH: usize = 255;
const OPTIONS: usize = 64;
const OPTION_NAME_LENGTH: usize = 128;
const OPTION_VALUE_LENGTH: usize = 4096;

/// Who presents a certificate: a server or a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Host,
    User,
}

impl Purpose {
    /// How long a certificate is valid when nothing is said, in seconds.
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

/// When a certificate is valid: from the first moment on, up to but not at the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Validity {
    pub(crate) after: Timestamp,
    pub(crate) until: Timestamp,
}

impl Validity {
    /// What the caller said, or from now on for as long as is usual.
    pub(crate) fn of(
        purpose: Purpose,
        after: Option<Timestamp>,
        until: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Self> {
        let usual = || jiff::Timestamp::from_second(now.seconds().saturating_add(purpose.lifetime()));
        let until = match until {
            Some(until) => until,
            None => Timestamp::new(usual().map_err(|error| broken(&error))?),
        };
        let after = after.unwrap_or(now);
        for (field, moment) in [("valid_after", after), ("valid_until", until)] {
            if moment.seconds() < 0 {
                let sentence = format!("`{field}` is {moment}; a certificate of OpenSSH knows no time before 1970.");
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

/// What is to be certified.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) purpose: Purpose,
    /// Becomes the key id, which servers log, and the comment.
    pub(crate) id: &'a str,
    pub(crate) key: &'a SubjectKey,
    /// None at all means every name.
    pub(crate) principals: &'a [String],
    pub(crate) validity: Validity,
    pub(crate) critical_options: &'a BTreeMap<String, String>,
    pub(crate) extensions: &'a BTreeMap<String, String>,
}

impl Request<'_> {
    /// Checks everything and signs: one line as it stands in a `-cert.pub` file.
    pub(crate) fn sign(&self, authority: &AuthorityKey) -> Result<String> {
        principals(self.principals)?;
        options("critical_options", self.critical_options)?;
        options("extensions", self.extensions)?;
        self.build(authority)
    }

    fn build(&self, authority: &AuthorityKey) -> Result<String> {
        // Makes certificates for the same key differ, so that nobody can foresee what is signed.
        let mut nonce = [0; 32];
        aws_lc_rs::rand::fill(&mut nonce).map_err(|_| broken(&"no random numbers"))?;
        let failed = |error: ssh_key::Error| broken(&error);
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
    if principals.len() > PRINCIPALS {
        return refused(format!("A certificate has at most {PRINCIPALS} principals; these are {}.", principals.len()));
    }
    for principal in principals {
        if principal.is_empty() || principal.len() > PRINCIPAL_LENGTH {
            return refused(format!("A principal has 1 to {PRINCIPAL_LENGTH} bytes; one has {}.", principal.len()));
        }
        if principal.chars().any(char::is_control) {
            return refused("A principal has a control character, which OpenSSH does not read.".to_owned());
        }
    }
    Ok(())
}

fn options(field: &str, options: &BTreeMap<String, String>) -> Result<()> {
    let refused = |sentence: String| Err(Error::new(Code::FieldInvalid, sentence).with("field", field));
    if options.len() > OPTIONS {
        return refused(format!("`{field}` has at most {OPTIONS} entries; these are {}.", options.len()));
    }
    for (name, value) in options {
        let printable = name.bytes().all(|byte| byte.is_ascii_graphic());
        if name.is_empty() || name.len() > OPTION_NAME_LENGTH || !printable {
            return refused(format!(
                "A name in `{field}` must be 1 to {OPTION_NAME_LENGTH} printable ASCII characters without a space."
            ));
        }
        if value.len() > OPTION_VALUE_LENGTH || value.contains('\0') {
            return refused(format!(
                "The value of `{name}` in `{field}` must have at most {OPTION_VALUE_LENGTH} bytes and no zero byte."
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
