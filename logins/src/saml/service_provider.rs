//! The interface to the SAML library, and its implementation. No other file uses the library.

use super::{
    idp_metadata::IdpMetadata,
    replay_cache::ReplayCheck,
    response::{self, ParsedResponse, SIGNATURE_ALGORITHMS, unsupported_algorithm},
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

/// Tolerated difference between the identity provider's clock and this server's, in seconds.
pub(super) const CLOCK_SKEW_SECONDS: i64 = 120;
/// Time for which the id of a logout message without an end is stored.
const LOGOUT_RETENTION: Duration = Duration::from_secs(3600);

/// This server as the service provider of one route.
pub(super) struct ServiceProviderConfig<'a> {
    pub(super) entity_id: &'a str,
    pub(super) acs_url: &'a str,
    pub(super) slo_url: &'a str,
    pub(super) name_id_format: &'a str,
    pub(super) key_pem: &'a str,
    pub(super) certificate_pem: &'a str,
}

/// A message that the browser takes to the identity provider.
pub(super) struct OutgoingMessage {
    /// The URL to which the browser is redirected.
    pub(super) url: String,
    /// The id that the response must name.
    pub(super) id: String,
}

/// A logout message that the browser brought.
#[derive(Clone, Copy)]
pub(crate) enum LogoutMessage<'a> {
    /// Redirect binding: the raw query, because the signature covers it.
    Redirect(&'a str),
    /// POST binding: the form field with the message.
    Post(&'a str),
}

/// The sessions that the identity provider ends.
pub(crate) struct LogoutRequest {
    pub(crate) name_id: String,
    /// Session indexes; if empty, all sessions of the subject end.
    pub(crate) sessions: Vec<String>,
    /// The URL with the logout response, if the identity provider expects one.
    pub(crate) response_url: Option<String>,
}

/// Stores an id until a time in seconds since 1970.
pub(super) type StoreId<'a> = &'a mut dyn FnMut(&str, i64) -> ReplayCheck;

/// The protocol of a service provider.
pub(super) trait ServiceProvider: Send + Sync {
    /// The metadata of the service provider.
    fn metadata(&self) -> String;
    /// A signed authentication request. With `reauthenticate`, the identity provider asks for credentials even if it
    /// knows the visitor.
    fn authn_request(&self, relay_state: &str, reauthenticate: bool) -> Result<OutgoingMessage, Error>;
    /// Verifies a response to a request, or an unsolicited one.
    fn verify_response(
        &self,
        response: &ParsedResponse,
        request_id: Option<&str>,
        now: Timestamp,
        store_id: StoreId<'_>,
    ) -> Result<(), Error>;
    /// A signed logout request, if the identity provider supports logout.
    fn logout_request(&self, name_id: &str, session: &str, relay_state: &str)
    -> Result<Option<OutgoingMessage>, Error>;
    /// Verifies the response to a logout request.
    fn verify_logout_response(
        &self,
        message: LogoutMessage<'_>,
        request_id: &str,
        now: Timestamp,
        store_id: StoreId<'_>,
    ) -> Result<(), Error>;
    /// Verifies a logout request of the identity provider, and creates the response to it.
    fn receive_logout_request(
        &self,
        message: LogoutMessage<'_>,
        relay_state: Option<&str>,
        now: Timestamp,
        store_id: StoreId<'_>,
    ) -> Result<LogoutRequest, Error>;
}

/// The implementation with `saml_rs`.
pub(super) struct SamlLibrary {
    sp: Saml<Sp>,
    acs_url: String,
    idp: Result<(IdpDescriptor, bool), Error>,
}

impl SamlLibrary {
    pub(super) fn new(
        config: &ServiceProviderConfig<'_>,
        metadata: Result<&IdpMetadata, &Error>,
    ) -> Result<Self, Error> {
        let sp = Saml::sp(sp_config(config).map_err(|error| cannot_create(&error))?)
            .map_err(|error| cannot_create(&error))?;
        let idp = match metadata {
            Ok(metadata) => descriptor(metadata).map(|idp| (idp, metadata.slo_url.is_some())).map_err(|error| {
                tracing::warn!(entity = %metadata.entity_id, %error, "the metadata of the identity provider is refused");
                let message = "Logins do not work here yet: the metadata of the identity provider is not accepted. The \
                               operator must give the SAML module other metadata.";
                Error::new(Code::IdpMetadataIncomplete, message)
            }),
            Err(error) => Err(error.clone()),
        };
        Ok(SamlLibrary { sp, acs_url: config.acs_url.to_owned(), idp })
    }

    fn idp(&self) -> Result<&IdpDescriptor, Error> {
        self.idp.as_ref().map(|(idp, _)| idp).map_err(Clone::clone)
    }

    fn offers_logout(&self) -> bool {
        matches!(self.idp, Ok((_, true)))
    }
}

fn sp_config(config: &ServiceProviderConfig<'_>) -> Result<SpConfig, SamlError> {
    let signed = LogoutSignaturePolicy::RequireSigned;
    let policy = SpValidationPolicy {
        // Either the assertion or the response around it is signed; the structural checks make both equivalent.
        assertions: AssertionSignaturePolicy::AllowUnsignedForCompatibility,
        xml_signatures: XmlSignatureProfile::StrictRsaSha2,
        authn_requests: AuthnRequestSigningPolicy::Sign,
        audience: AudienceValidationPolicy::Validate,
        name_id_creation: NameIdCreationPolicy::AllowCreate,
        logout: LogoutPolicy { requests: signed, responses: signed },
        ..SpValidationPolicy::recommended()
    };
    let credentials = Credentials {
        signing_key: Some(PrivateKeyPem::new(config.key_pem)),
        signing_certificate: Some(CertificatePem::new(config.certificate_pem)),
        ..Credentials::default()
    };
    SpConfig::builder(EntityId::try_new(config.entity_id)?)
        .acs_endpoint(AcsEndpoint::post(config.acs_url)?)
        .slo_endpoint(SloEndpoint::redirect(config.slo_url)?)
        .slo_endpoint(SloEndpoint::post(config.slo_url)?)
        .name_id_format(NameIdFormat::Custom(config.name_id_format.to_owned()))
        .credentials(credentials)
        .validation(policy)
        .build()
}

fn descriptor(metadata: &IdpMetadata) -> Result<IdpDescriptor, SamlError> {
    let by_redirect = |location: &String| Endpoint::new(Binding::Redirect, location.clone());
    let xml = generate_idp_metadata(&IdpMetadataConfig {
        entity_id: metadata.entity_id.clone(),
        signing_certs: metadata.certificates.clone(),
        // Requests are always signed; identity providers that do not need it ignore the signature.
        want_authn_requests_signed: true,
        single_sign_on_service: vec![by_redirect(&metadata.sso_url)],
        single_logout_service: metadata.slo_url.iter().map(by_redirect).collect(),
        ..IdpMetadataConfig::default()
    });
    // The operator who configured the module vouches for the metadata.
    let trust = MetadataTrustPolicy::UnsignedForCompatibility;
    IdpDescriptor::from_metadata_xml_for(EntityId::try_new(metadata.entity_id.as_str())?, &xml, trust)
}

impl ServiceProvider for SamlLibrary {
    fn metadata(&self) -> String {
        // The library writes what it enforces; identity providers read it as what they should do.
        self.sp.metadata_xml().replace("WantAssertionsSigned=\"false\"", "WantAssertionsSigned=\"true\"")
    }

    fn authn_request(&self, relay_state: &str, reauthenticate: bool) -> Result<OutgoingMessage, Error> {
        let relay_state = RelayStateParam::try_from_option(Some(relay_state)).map_err(|error| cannot_create(&error))?;
        let mut options = StartSso::redirect().relay_state(relay_state).apply_web_browser_sso_generation_rules();
        if reauthenticate {
            options = options.force_authn(ForceAuthn::Required);
        }
        let started = self.sp.start_sso(self.idp()?, options).map_err(|error| cannot_create(&error))?;
        let url = started.outbound.redirect_url().map_err(|error| cannot_create(&error))?.to_owned();
        Ok(OutgoingMessage { url, id: started.pending.request_id().as_str().to_owned() })
    }

    fn verify_response(
        &self,
        response: &ParsedResponse,
        request_id: Option<&str>,
        now: Timestamp,
        store_id: StoreId<'_>,
    ) -> Result<(), Error> {
        let idp = self.idp()?;
        let field = FormField::new("SAMLResponse", STANDARD.encode(&response.xml));
        let mut cache = Cache(store_id);
        let context = validation(now, &mut cache);
        let session = match request_id {
            Some(request_id) => pending(&self.acs_url, request_id, idp).and_then(|pending| {
                self.sp.finish_sso(idp, &pending, BrowserInput::<saml_rs::SsoResponse>::post(vec![field]), context)
            }),
            None => {
                let input = BrowserInput::<saml_rs::SsoResponse>::post(vec![field]);
                self.sp.accept_unsolicited_sso(idp, input, context)
            }
        };
        let session = session.map_err(response_refused)?;
        // Both parsers must have read the same values, and every signature must have been verified.
        let same = session.name_id().value().trim() == response.name_id
            && session.assertion_id().as_str() == response.assertion
            && response.issuers.iter().all(|issuer| issuer == session.issuer().as_str());
        if !same || session.verified_xml_signatures().len() != response.signatures {
            return Err(wrong_signature());
        }
        Ok(())
    }

    fn logout_request(
        &self,
        name_id: &str,
        session: &str,
        relay_state: &str,
    ) -> Result<Option<OutgoingMessage>, Error> {
        if !self.offers_logout() {
            return Ok(None);
        }
        let create = || -> Result<OutgoingMessage, SamlError> {
            let sessions = if session.is_empty() { Vec::new() } else { vec![SessionIndex::try_new(session)?] };
            let subject = LogoutSubject::new(NameId::new(name_id, None), sessions);
            let relay_state = RelayStateParam::try_from_option(Some(relay_state))?;
            let options = StartSlo::redirect().relay_state(relay_state).signing(LogoutSigning::Sign);
            let idp = self.idp.as_ref().map_err(|error| SamlError::Invalid(error.message.clone()))?;
            let started = self.sp.start_slo(&idp.0, subject, options)?;
            let url = started.outbound.redirect_url()?.to_owned();
            Ok(OutgoingMessage { url, id: started.pending.id().as_str().to_owned() })
        };
        create().map(Some).map_err(|error| cannot_create(&error))
    }

    fn verify_logout_response(
        &self,
        message: LogoutMessage<'_>,
        request_id: &str,
        now: Timestamp,
        store_id: StoreId<'_>,
    ) -> Result<(), Error> {
        let idp = self.idp()?;
        let (input, binding) = match message {
            LogoutMessage::Redirect(query) => {
                check_signature_algorithm(query)?;
                (BrowserInput::<saml_rs::LogoutResponse>::redirect(query), LogoutBinding::Redirect)
            }
            LogoutMessage::Post(field) => {
                response::parse_xml(&response::decode_base64(field)?)?;
                let fields = vec![FormField::new("SAMLResponse", field)];
                (BrowserInput::<saml_rs::LogoutResponse>::post(fields), LogoutBinding::Post)
            }
        };
        // The relay state of the query has already identified the request.
        let relay_state = relay_state_of(message);
        let mut cache = Cache(store_id);
        let context = validation(now, &mut cache);
        let pending = MessageId::try_new(request_id)
            .and_then(|id| PendingLogoutRequest::try_new(id, relay_state?, binding, idp.entity_id().clone()));
        let finished = pending.and_then(|pending| self.sp.finish_slo(idp, &pending, input, context));
        match finished {
            // The identity provider could not end all other sessions; the one here has ended.
            Ok(_) | Err(SamlError::StatusNotSuccess { .. } | SamlError::FailedStatus { .. }) => Ok(()),
            Err(error) => Err(logout_refused(&error)),
        }
    }

    fn receive_logout_request(
        &self,
        message: LogoutMessage<'_>,
        relay_state: Option<&str>,
        now: Timestamp,
        store_id: StoreId<'_>,
    ) -> Result<LogoutRequest, Error> {
        let idp = self.idp()?;
        let input = match message {
            LogoutMessage::Redirect(query) => {
                check_signature_algorithm(query)?;
                BrowserInput::<saml_rs::LogoutRequest>::redirect(query)
            }
            LogoutMessage::Post(field) => {
                response::parse_xml(&response::decode_base64(field)?)?;
                let mut fields = vec![FormField::new("SAMLRequest", field)];
                fields.extend(relay_state.map(|state| FormField::new("RelayState", state)));
                BrowserInput::<saml_rs::LogoutRequest>::post(fields)
            }
        };
        let mut cache = Cache(store_id);
        let received = self.sp.receive_slo(idp, input, validation(now, &mut cache));
        let received = received.map_err(|error| logout_refused(&error))?;
        let request = received.message();
        let name_id = request.name_id().map(|name| name.value().trim().to_owned()).unwrap_or_default();
        if name_id.is_empty() {
            return Err(logout_refused(&SamlError::Invalid("no NameID".to_owned())));
        }
        let sessions = request.session_indexes().iter().map(|session| session.as_str().to_owned()).collect();
        let response_url = if self.offers_logout() {
            let response = self.sp.respond_slo(idp, &received, RespondSlo::redirect());
            let response = response.map_err(|error| cannot_create(&error))?;
            Some(response.redirect_url().map_err(|error| cannot_create(&error))?.to_owned())
        } else {
            None
        };
        Ok(LogoutRequest { name_id, sessions, response_url })
    }
}

fn pending(acs_url: &str, request_id: &str, idp: &IdpDescriptor) -> Result<PendingAuthnRequest, SamlError> {
    let acs_url = AcsEndpoint::post(acs_url)?;
    // The relay state of the form has already identified the request.
    let state = RelayStateParam::absent();
    PendingAuthnRequest::try_new(
        MessageId::try_new(request_id)?,
        state,
        acs_url,
        SsoResponseBinding::Post,
        idp.entity_id().clone(),
    )
}

/// Refuses outdated signature algorithms in a query.
fn check_signature_algorithm(query: &str) -> Result<(), Error> {
    let mut algorithms = url::form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "SigAlg");
    if algorithms.all(|(_, algorithm)| SIGNATURE_ALGORITHMS.contains(&algorithm.as_ref())) {
        Ok(())
    } else {
        Err(unsupported_algorithm())
    }
}

fn relay_state_of(message: LogoutMessage<'_>) -> Result<RelayStateParam, SamlError> {
    match message {
        LogoutMessage::Redirect(query) => {
            let mut states = url::form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "RelayState");
            RelayStateParam::try_from_option(states.next().map(|(_, state)| state.into_owned()))
        }
        LogoutMessage::Post(_) => Ok(RelayStateParam::absent()),
    }
}

/// A context with this server's clock and replay cache.
fn validation<'a>(now: Timestamp, cache: &'a mut Cache<'_>) -> SamlValidationContext<'a> {
    let skew = CLOCK_SKEW_SECONDS * 1000;
    SamlValidationContext::new(SystemTime::from(now), ReplayPolicy::RequireCache(cache))
        .with_clock_skew(ClockSkew::from_millis(-skew, skew))
        .with_replay_retention(LOGOUT_RETENTION)
}

struct Cache<'a>(StoreId<'a>);

impl ReplayCache for Cache<'_> {
    fn check_and_store(&mut self, key: ReplayKey, expires_at: SystemTime) -> Result<(), SamlError> {
        let until = Timestamp::try_from(expires_at).map_or(i64::MAX, |until| until.as_second().saturating_add(1));
        match (self.0)(&key.cache_key(), until) {
            ReplayCheck::New => Ok(()),
            ReplayCheck::Replayed => Err(SamlError::ReplayDetected { key: key.cache_key() }),
            ReplayCheck::Full => Err(SamlError::Unsupported("the replay cache is full".to_owned())),
        }
    }
}

/// The error of a response that the library refused.
fn response_refused(error: SamlError) -> Error {
    let (code, what) = match &error {
        SamlError::ReplayDetected { .. } => (Code::SamlReplayed, "has been used already"),
        SamlError::AudienceMismatch { .. } | SamlError::UnmatchAudience => {
            (Code::SamlAudience, "was issued for another service")
        }
        SamlError::IssuerMismatch { .. } | SamlError::UnmatchIssuer => (Code::SamlIssuer, "comes from another issuer"),
        SamlError::DestinationMismatch { .. } | SamlError::UnmatchDestination => {
            (Code::SamlDestination, "is for another URL")
        }
        SamlError::InResponseToMismatch { .. } | SamlError::InvalidInResponseTo => {
            (Code::SamlInResponseTo, "belongs to another login")
        }
        SamlError::TimeWindowInvalid { .. } | SamlError::ExpiredSession => {
            (Code::SamlExpired, "is not valid at this time; check the clocks of both machines")
        }
        SamlError::AlgorithmUnsupported => return unsupported_algorithm(),
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
        _ => (Code::SamlUnreadable, "is malformed"),
    };
    tracing::info!(?error, "a SAML response is refused");
    let message = format!(
        "The response of the identity provider {what}. Log in again; if the problem persists, tell its administrator."
    );
    Error::new(code, message)
}

fn wrong_signature() -> Error {
    let message = "The signature of the identity provider is wrong, or its key is not in the metadata. Log in again; if \
                   the problem persists, the SAML module needs the provider's current metadata.";
    Error::new(Code::SamlSignature, message)
}

fn logout_refused(error: &SamlError) -> Error {
    tracing::info!(?error, "a SAML logout message is refused");
    if matches!(error, SamlError::AlgorithmUnsupported) {
        return unsupported_algorithm();
    }
    let message = "The logout message of the identity provider has no valid signature, or is for another URL or time. \
                   Log out where you are logged in, and tell the administrator of the identity provider.";
    Error::new(Code::SamlLogout, message)
}

/// The error of a message that could not be created.
fn cannot_create(error: &SamlError) -> Error {
    tracing::warn!(%error, "a SAML message cannot be created");
    let message = "The message for the identity provider cannot be created. The operator should give the SAML module \
                   the metadata again.";
    Error::new(Code::LoginUnavailable, message)
}
