//! Signing of SSH certificates for hosts and users.

use super::{CreateContext, Rules};
use crate::certificates::ssh::{AuthorityKey, CertificateContents, Purpose, SubjectKey, Validity};
use postern_api::{
    Code, Error, Id, Result, Timestamp,
    resource::{SshCertificateAuthority, SshCertificateStatus},
};
use std::collections::BTreeMap;

/// CertificateContents for a certificate.
pub(super) struct SshCertificateOrder {
    pub(super) purpose: Purpose,
    pub(super) authority_id: String,
    pub(super) public_key: String,
    pub(super) principals: Vec<String>,
    pub(super) valid_after: Option<String>,
    pub(super) valid_until: Option<String>,
    pub(super) critical_options: BTreeMap<String, String>,
    pub(super) extensions: BTreeMap<String, String>,
}

/// A signed certificate.
pub(super) struct SignedSshCertificate {
    pub(super) authority: Id<SshCertificateAuthority>,
    pub(super) validity: Validity,
    pub(super) status: SshCertificateStatus,
}

impl SshCertificateOrder {
    /// Signs the certificate with its authority.
    pub(super) async fn sign<R: Rules>(&self, context: &CreateContext<'_, R>) -> Result<SignedSshCertificate> {
        const FIELD: &str = "ssh_certificate_authority_id";
        if self.authority_id.is_empty() {
            let sentence = "`ssh_certificate_authority_id` is empty. Name the authority that signs the certificate.";
            return Err(Error::new(Code::SshAuthorityMissing, sentence).with("field", FIELD));
        }
        let authority = Id::parse(&self.authority_id).map_err(|error| error.with("field", FIELD))?;
        let key = SubjectKey::parse(&self.public_key)?;
        let (after, until) = (
            timestamp("valid_after", self.valid_after.as_deref())?,
            timestamp("valid_until", self.valid_until.as_deref())?,
        );
        let validity = Validity::new(self.purpose, after, until, Timestamp::new(context.call.now))?;
        let Some((found, _)) = context.call.resources.load::<SshCertificateAuthority>(&authority).await? else {
            let sentence = format!("There is no SSH certificate authority with the id `{authority}`.");
            return Err(Error::new(Code::SshAuthorityUnknown, sentence).with("field", FIELD));
        };
        let certificate = CertificateContents {
            purpose: self.purpose,
            id: context.id.as_str(),
            key: &key,
            principals: &self.principals,
            validity,
            critical_options: &self.critical_options,
            extensions: &self.extensions,
        }
        .sign(&AuthorityKey::from_secret(&found.hidden.private_key)?)?;
        Ok(SignedSshCertificate {
            authority,
            validity,
            status: SshCertificateStatus { key_type: key.key_type(), certificate },
        })
    }
}

/// Parses an RFC 3339 timestamp; an empty text is none.
fn timestamp(field: &str, text: Option<&str>) -> Result<Option<Timestamp>> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let read: jiff::Timestamp = text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!(
            "`{field}` is `{shown}`, which is not an RFC 3339 timestamp up to the year 9999. Write it like `2030-01-31T12:00:00Z`."
        );
        Error::new(Code::FieldInvalid, sentence).with("field", field)
    })?;
    Ok(Some(Timestamp::new(read)))
}
