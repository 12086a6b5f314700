//! What SSH certificates of hosts and of users have in common.

use super::{Making, Rules};
use crate::certificates::ssh::{AuthorityKey, Purpose, Request, SubjectKey, Validity};
use postern_api::{
    Code, Error, Id, Result, Timestamp,
    resource::{SshCertificateAuthority, SshCertificateStatus},
};
use std::collections::BTreeMap;

/// What the caller said about a certificate.
pub(super) struct Order {
    pub(super) purpose: Purpose,
    pub(super) authority_id: String,
    pub(super) public_key: String,
    pub(super) principals: Vec<String>,
    pub(super) valid_after: Option<String>,
    pub(super) valid_until: Option<String>,
    pub(super) critical_options: BTreeMap<String, String>,
    pub(super) extensions: BTreeMap<String, String>,
}

/// A certificate that was signed.
pub(super) struct Signed {
    pub(super) authority: Id<SshCertificateAuthority>,
    pub(super) validity: Validity,
    pub(super) status: SshCertificateStatus,
}

impl Order {
    /// Finds the authority and signs.
    pub(super) async fn sign<R: Rules>(&self, making: &Making<'_, R>) -> Result<Signed> {
        const FIELD: &str = "ssh_certificate_authority_id";
        if self.authority_id.is_empty() {
            let sentence = "`ssh_certificate_authority_id` is empty. Name the authority that shall sign.";
            return Err(Error::new(Code::SshAuthorityMissing, sentence).with("field", FIELD));
        }
        let authority = Id::parse(&self.authority_id).map_err(|error| error.with("field", FIELD))?;
        let key = SubjectKey::parse(&self.public_key)?;
        let (after, until) =
            (moment("valid_after", self.valid_after.as_deref())?, moment("valid_until", self.valid_until.as_deref())?);
        let validity = Validity::of(self.purpose, after, until, Timestamp::new(making.call.now))?;
        let Some((found, _)) = making.call.here.stored::<SshCertificateAuthority>(&authority).await? else {
            let sentence = format!("There is no SSH certificate authority with the id `{authority}`.");
            return Err(Error::new(Code::SshAuthorityUnknown, sentence).with("field", FIELD));
        };
        let certificate = Request {
            purpose: self.purpose,
            id: making.id.as_str(),
            key: &key,
            principals: &self.principals,
            validity,
            critical_options: &self.critical_options,
            extensions: &self.extensions,
        }
        .sign(&AuthorityKey::from_secret(&found.hidden.private_key)?)?;
        Ok(Signed { authority, validity, status: SshCertificateStatus { key_type: key.key_type(), certificate } })
    }
}

/// A moment as the caller wrote it; an empty text is none.
fn moment(field: &str, text: Option<&str>) -> Result<Option<Timestamp>> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let read: jiff::Timestamp = text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!(
            "`{field}` is `{shown}`, which is no RFC 3339 timestamp up to the year 9999. Write it like `2030-01-31T12:00:00Z`."
        );
        Error::new(Code::FieldInvalid, sentence).with("field", field)
    })?;
    Ok(Some(Timestamp::new(read)))
}
