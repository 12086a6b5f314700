//! What this server needs of a SAML library, and the one library that does it. Nothing else knows that library.

use super::{
    provider::Described,
    replays::Seen,
    response::{self, ALGORITHMS, Told, weak},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use postern_api::{Code, Error};
use saml_rs::{
    AcsEndpoint, AssertionSignaturePolicy, AudienceValidationPolicy, AuthnRequestSigningPolicy, BrowserInput,
    CertificatePem, ClockSkew, Credentials, EntityId, ForceAuthn, FormField, IdpDescriptor, LogoutBinding,
    LogoutPolicy, LogoutSignaturePolicy, LogoutSigning, LogoutSubject, MessageId, MetadataTrustPolicy, NameId,
    NameIdCreationPolicy, NameIdFormat, PendingAuthnRequest, PendingLogoutRequest, PrivateKeyPem, RelayStateParam,
    ReplayCache, ReplayKey, ReplayPolicy, RespondSlo, Saml, SamlError, SamlValidationContext, SessionIndex,
    SloEndpoint, Sp, SpConfig, SpValidationPolicy, SsoResponseBinding, StartSlo, StartSso, XmlSignatureProfile,
    constants::Binding,
    metadata::{Endpoint, IdpMetadataConfig, generate_idp_metadata},
};
use std::time::{Duration, SystemTime};

/// How far the identity provider's clock may be from ours, in seconds.
pub(super) const SKEW_SECONDS: i64 = 120;
/// How long a logout message without an end is remembered.
const LOGOUT_RETENTION: Duration = Duration::from_secs(3600);

/// Who this server is for one route.
pub(super) struct Own<'a> {
    pub(super) entity: &'a str,
    pub(super) acs: &'a str,
    pub(super) slo: &'a str,
    pub(super) name_id_format: &'a str,
    pub(super) key_pem: &'a str,
    pub(super) certificate_pem: &'a str,
}

/// A message for the identity provider, on its way through the browser.
pub(super) struct Sent {
    /// Where the browser goes.
    pub(super) address: String,
    /// What the answer must name.
    pub(super) id: String,
}

/// A message of a logout, as the browser brought it.
#[derive(Clone, Copy)]
pub(super) enum Message<'a> {
    /// In the address; the query as it was sent, because that is what is signed.
    Redirect(&'a str),
    /// In a form: the message.
    Post(&'a str),
}

/// Whose sessions the identity provider ends.
pub(super) struct Farewell {
    pub(super) name_id: String,
    /// Those sessions alone; all if there are none.
    pub(super) sessions: Vec<String>,
    /// Where the browser goes afterwards, if the identity provider wants an answer.
    pub(super) answer: Option<String>,
}

/// Remembers an id until a second since 1970.
pub(super) type See<'a> = &'a mut dyn FnMut(&str, i64) -> Seen;

/// The protocol of a service provider.
pub(super) trait ServiceProvider: Send + Sync {
    /// What identity providers must be told.
    fn metadata(&self) -> String;
    /// A signed request for a login. `again`: even if the identity provider knows the visitor.
    fn ask(&self, relay_state: &str, again: bool) -> Result<Sent, Error>;
    /// Judges a response to a request, or to none.
    fn judge(&self, told: &Told, request: Option<&str>, now: Timestamp, see: See<'_>) -> Result<(), Error>;
    /// A signed request for a logout, if the identity provider offers that.
    fn ask_to_log_out(&self, name_id: &str, session: &str, relay_state: &str) -> Result<Option<Sent>, Error>;
    /// Judges the answer to it.
    fn logged_out(&self, message: Message<'_>, request: &str, now: Timestamp, see: See<'_>) -> Result<(), Error>;
    /// Judges a request for a logout, and makes the answer to it.
    fn farewell(
        &self,
        message: Message<'_>,
        relay_state: Option<&str>,
        now: Timestamp,
        see: See<'_>,
    ) -> Result<Farewell, Error>;
}

/// The library.
pub(super) struct Library {
    sp: Saml<Sp>,
    acs: String,
    idp: Result<(IdpDescriptor, bool), Error>,
}

impl Library {
    pub(super) fn new(own: &Own<'_>, described: Result<&Described, &Error>) -> Result<Self, Error> {
        let sp = Saml::sp(config(own).map_err(|error| broken(&error))?).map_err(|error| broken(&error))?;
        let idp = match described {
            Ok(described) => descriptor(described).map(|idp| (idp, described.log_out.is_some())).map_err(|error| {
                tracing::warn!(entity = %described.entity, %error, "the metadata of the identity provider is not taken");
                let sentence = "Nobody can log in here yet: the metadata of the identity provider is not taken. Who \
                                runs this address must give the SAML module other metadata.";
                Error::new(Code::IdpMetadataIncomplete, sentence)
            }),
            Err(error) => Err(error.clone()),
        };
        Ok(Library { sp, acs: own.acs.to_owned(), idp })
    }

    fn idp(&self) -> Result<&IdpDescriptor, Error> {
        self.idp.as_ref().map(|(idp, _)| idp).map_err(Clone::clone)
    }

    fn offers_logout(&self) -> bool {
        matches!(self.idp, Ok((_, true)))
    }
}

fn config(own: &Own<'_>) -> Result<SpConfig, SamlError> {
    let signed = LogoutSignaturePolicy::RequireSigned;
    let policy = SpValidationPolicy {
        // Either the assertion or the response around it is signed; the response's shape says that both are one.
        assertions: AssertionSignaturePolicy::AllowUnsignedForCompatibility,
        xml_signatures: XmlSignatureProfile::StrictRsaSha2,
        authn_requests: AuthnRequestSigningPolicy::Sign,
        audience: AudienceValidationPolicy::Validate,
        name_id_creation: NameIdCreationPolicy::AllowCreate,
        logout: LogoutPolicy { requests: signed, responses: signed },
        ..SpValidationPolicy::recommended()
    };
    let credentials = Credentials {
        signing_key: Some(PrivateKeyPem::new(own.key_pem)),
        signing_certificate: Some(CertificatePem::new(own.certificate_pem)),
        ..Credentials::default()
    };
    SpConfig::builder(EntityId::try_new(own.entity)?)
        .acs_endpoint(AcsEndpoint::post(own.acs)?)
        .slo_endpoint(SloEndpoint::redirect(own.slo)?)
        .slo_endpoint(SloEndpoint::post(own.slo)?)
        .name_id_format(NameIdFormat::Custom(own.name_id_format.to_owned()))
        .credentials(credentials)
        .validation(policy)
        .build()
}

fn descriptor(described: &Described) -> Result<IdpDescriptor, SamlError> {
    let by_redirect = |location: &String| Endpoint::new(Binding::Redirect, location.clone());
    let metadata = generate_idp_metadata(&IdpMetadataConfig {
        entity_id: described.entity.clone(),
        signing_certs: described.certificates.clone(),
        // Requests are signed always: who does not want that reads over it.
        want_authn_requests_signed: true,
        single_sign_on_service: vec![by_redirect(&described.sign_on)],
        single_logout_service: described.log_out.iter().map(by_redirect).collect(),
        ..IdpMetadataConfig::default()
    });
    // Who set the module up vouches for what it was given.
    let trust = MetadataTrustPolicy::UnsignedForCompatibility;
    IdpDescriptor::from_metadata_xml_for(EntityId::try_new(described.entity.as_str())?, &metadata, trust)
}

impl ServiceProvider for Library {
    fn metadata(&self) -> String {
        // The library says here what it refuses; identity providers take it for what they should do.
        self.sp.metadata_xml().replace("WantAssertionsSigned=\"false\"", "WantAssertionsSigned=\"true\"")
    }

    fn ask(&self, relay_state: &str, again: bool) -> Result<Sent, Error> {
        let relay_state = RelayStateParam::try_from_option(Some(relay_state)).map_err(|error| broken(&error))?;
        let mut options = StartSso::redirect().relay_state(relay_state).apply_web_browser_sso_generation_rules();
        if again {
            options = options.force_authn(ForceAuthn::Required);
        }
        let started = self.sp.start_sso(self.idp()?, options).map_err(|error| broken(&error))?;
        let address = started.outbound.redirect_url().map_err(|error| broken(&error))?.to_owned();
        Ok(Sent { address, id: started.pending.request_id().as_str().to_owned() })
    }

    fn judge(&self, told: &Told, request: Option<&str>, now: Timestamp, see: See<'_>) -> Result<(), Error> {
        let idp = self.idp()?;
        let field = FormField::new("SAMLResponse", STANDARD.encode(&told.xml));
        let mut cache = Cache(see);
        let context = validation(now, &mut cache);
        let session = match request {
            Some(request) => pending(&self.acs, request, idp).and_then(|pending| {
                self.sp.finish_sso(idp, &pending, BrowserInput::<saml_rs::SsoResponse>::post(vec![field]), context)
            }),
            None => {
                let input = BrowserInput::<saml_rs::SsoResponse>::post(vec![field]);
                self.sp.accept_unsolicited_sso(idp, input, context)
            }
        };
        let session = session.map_err(refused)?;
        // Two readers must have read the same, and every signature must have been found right.
        let same = session.name_id().value().trim() == told.name_id
            && session.assertion_id().as_str() == told.assertion
            && told.issuers.iter().all(|issuer| issuer == session.issuer().as_str());
        if !same || session.verified_xml_signatures().len() != told.signatures {
            return Err(wrong_signature());
        }
        Ok(())
    }

    fn ask_to_log_out(&self, name_id: &str, session: &str, relay_state: &str) -> Result<Option<Sent>, Error> {
        if !self.offers_logout() {
            return Ok(None);
        }
        let made = || -> Result<Sent, SamlError> {
            let sessions = if session.is_empty() { Vec::new() } else { vec![SessionIndex::try_new(session)?] };
            let subject = LogoutSubject::new(NameId::new(name_id, None), sessions);
            let relay_state = RelayStateParam::try_from_option(Some(relay_state))?;
            let options = StartSlo::redirect().relay_state(relay_state).signing(LogoutSigning::Sign);
            let idp = self.idp.as_ref().map_err(|error| SamlError::Invalid(error.message.clone()))?;
            let started = self.sp.start_slo(&idp.0, subject, options)?;
            let address = started.outbound.redirect_url()?.to_owned();
            Ok(Sent { address, id: started.pending.id().as_str().to_owned() })
        };
        made().map(Some).map_err(|error| broken(&error))
    }

    fn logged_out(&self, message: Message<'_>, request: &str, now: Timestamp, see: See<'_>) -> Result<(), Error> {
        let idp = self.idp()?;
        let (input, binding) = match message {
            Message::Redirect(query) => {
                strong(query)?;
                (BrowserInput::<saml_rs::LogoutResponse>::redirect(query), LogoutBinding::Redirect)
            }
            Message::Post(field) => {
                response::parse(&response::decode(field)?)?;
                let fields = vec![FormField::new("SAMLResponse", field)];
                (BrowserInput::<saml_rs::LogoutResponse>::post(fields), LogoutBinding::Post)
            }
        };
        // The state in the address has found the request already.
        let relay_state = state_of(message);
        let mut cache = Cache(see);
        let context = validation(now, &mut cache);
        let pending = MessageId::try_new(request)
            .and_then(|id| PendingLogoutRequest::try_new(id, relay_state?, binding, idp.entity_id().clone()));
        let answered = pending.and_then(|pending| self.sp.finish_slo(idp, &pending, input, context));
        match answered {
            // It could not end every session elsewhere; here there is none.
            Ok(_) | Err(SamlError::StatusNotSuccess { .. } | SamlError::FailedStatus { .. }) => Ok(()),
            Err(error) => Err(farewell_refused(&error)),
        }
    }

    fn farewell(
        &self,
        message: Message<'_>,
        relay_state: Option<&str>,
        now: Timestamp,
        see: See<'_>,
    ) -> Result<Farewell, Error> {
        let idp = self.idp()?;
        let input = match message {
            Message::Redirect(query) => {
                strong(query)?;
                BrowserInput::<saml_rs::LogoutRequest>::redirect(query)
            }
            Message::Post(field) => {
                response::parse(&response::decode(field)?)?;
                let mut fields = vec![FormField::new("SAMLRequest", field)];
                fields.extend(relay_state.map(|state| FormField::new("RelayState", state)));
                BrowserInput::<saml_rs::LogoutRequest>::post(fields)
            }
        };
        let mut cache = Cache(see);
        let received = self.sp.receive_slo(idp, input, validation(now, &mut cache));
        let received = received.map_err(|error| farewell_refused(&error))?;
        let request = received.message();
        let name_id = request.name_id().map(|name| name.value().trim().to_owned()).unwrap_or_default();
        if name_id.is_empty() {
            return Err(farewell_refused(&SamlError::Invalid("no NameID".to_owned())));
        }
        let sessions = request.session_indexes().iter().map(|session| session.as_str().to_owned()).collect();
        let answer = if self.offers_logout() {
            let answer = self.sp.respond_slo(idp, &received, RespondSlo::redirect()).map_err(|error| broken(&error))?;
            Some(answer.redirect_url().map_err(|error| broken(&error))?.to_owned())
        } else {
            None
        };
        Ok(Farewell { name_id, sessions, answer })
    }
}

fn pending(acs: &str, request: &str, idp: &IdpDescriptor) -> Result<PendingAuthnRequest, SamlError> {
    let acs = AcsEndpoint::post(acs)?;
    // The state in the form has found the request already.
    let state = RelayStateParam::absent();
    PendingAuthnRequest::try_new(
        MessageId::try_new(request)?,
        state,
        acs,
        SsoResponseBinding::Post,
        idp.entity_id().clone(),
    )
}

/// Refuses old ways to sign an address.
fn strong(query: &str) -> Result<(), Error> {
    let mut algorithms = url::form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "SigAlg");
    if algorithms.all(|(_, algorithm)| ALGORITHMS.contains(&algorithm.as_ref())) { Ok(()) } else { Err(weak()) }
}

fn state_of(message: Message<'_>) -> Result<RelayStateParam, SamlError> {
    match message {
        Message::Redirect(query) => {
            let mut states = url::form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "RelayState");
            RelayStateParam::try_from_option(states.next().map(|(_, state)| state.into_owned()))
        }
        Message::Post(_) => Ok(RelayStateParam::absent()),
    }
}

/// Our clock and our memory instead of the library's.
fn validation<'a>(now: Timestamp, cache: &'a mut Cache<'_>) -> SamlValidationContext<'a> {
    let skew = SKEW_SECONDS * 1000;
    SamlValidationContext::new(SystemTime::from(now), ReplayPolicy::RequireCache(cache))
        .with_clock_skew(ClockSkew::from_millis(-skew, skew))
        .with_replay_retention(LOGOUT_RETENTION)
}

struct Cache<'a>(See<'a>);

impl ReplayCache for Cache<'_> {
    fn check_and_store(&mut self, key: ReplayKey, expires_at: SystemTime) -> Result<(), SamlError> {
        let until = Timestamp::try_from(expires_at).map_or(i64::MAX, |until| until.as_second().saturating_add(1));
        match (self.0)(&key.cache_key(), until) {
            Seen::New => Ok(()),
            Seen::Before => Err(SamlError::ReplayDetected { key: key.cache_key() }),
            Seen::NoRoom => Err(SamlError::Unsupported("no room to remember the message".to_owned())),
        }
    }
}

/// Why a login was not taken.
fn refused(error: SamlError) -> Error {
    let (code, what) = match &error {
        SamlError::ReplayDetected { .. } => (Code::SamlReplayed, "has been used already"),
        SamlError::AudienceMismatch { .. } | SamlError::UnmatchAudience => {
            (Code::SamlAudience, "was made out to another service")
        }
        SamlError::IssuerMismatch { .. } | SamlError::UnmatchIssuer => (Code::SamlIssuer, "comes from somebody else"),
        SamlError::DestinationMismatch { .. } | SamlError::UnmatchDestination => {
            (Code::SamlDestination, "was meant for another address")
        }
        SamlError::InResponseToMismatch { .. } | SamlError::InvalidInResponseTo => {
            (Code::SamlInResponseTo, "belongs to another login")
        }
        SamlError::TimeWindowInvalid { .. } | SamlError::ExpiredSession => {
            (Code::SamlExpired, "is not valid at this time; a clock may be wrong")
        }
        SamlError::AlgorithmUnsupported => return weak(),
        SamlError::SignatureMissing
        | SamlError::SignatureVerification { .. }
        | SamlError::ReferenceResolution { .. }
        | SamlError::SignedReferenceMismatch
        | SamlError::AssertionSignatureRequired
        | SamlError::NoTrustedCertificate
        | SamlError::CertificateMismatch
        | SamlError::UnmatchCertificate
        | SamlError::PotentialWrappingAttack
        | SamlError::FailedToVerifySignature
        | SamlError::FailedMessageSignatureVerification
        | SamlError::Crypto(_) => return wrong_signature(),
        _ => (Code::SamlUnreadable, "is not as it must be"),
    };
    tracing::info!(?error, "a SAML response is refused");
    let sentence =
        format!("The answer of the identity provider {what}. Log in again; if it happens again, tell who runs it.");
    Error::new(code, sentence)
}

fn wrong_signature() -> Error {
    let sentence = "The signature of the identity provider is wrong, or was made with a key that is not in its \
                    metadata. Log in again; if it happens again, the SAML module needs the provider's current metadata.";
    Error::new(Code::SamlSignature, sentence)
}

fn farewell_refused(error: &SamlError) -> Error {
    tracing::info!(?error, "a SAML logout message is refused");
    if matches!(error, SamlError::AlgorithmUnsupported) {
        return weak();
    }
    let sentence = "The identity provider's message about a logout is not signed as it must be, or is not meant for \
                    this address or time. Log out where you are logged in, and tell who runs the identity provider.";
    Error::new(Code::SamlLogout, sentence)
}

/// What cannot be made is nobody's fault who reads this.
fn broken(error: &SamlError) -> Error {
    tracing::warn!(%error, "a SAML message cannot be made");
    let sentence = "The message for the identity provider cannot be made. Who runs this address should give the SAML \
                    module its metadata again.";
    Error::new(Code::LoginUnavailable, sentence)
}
