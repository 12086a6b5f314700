//! Table of error codes: variant, number, HTTP status, meaning.
//!
//! A code is public and never changes its meaning. Server, agent, desktop app and tests branch on codes,
//! never on message texts.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! codes {
    ($($variant:ident = $number:literal, $status:literal, $meaning:literal;)*) => {
        /// A stable, public error code. Printed as `ERR_POSTERN_<number>`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// All codes in table order.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The number inside `ERR_POSTERN_<number>`.
            pub const fn number(self) -> u16 {
                match self { $(Code::$variant => $number,)* }
            }

            /// The HTTP status that goes with the code.
            pub const fn status(self) -> u16 {
                match self { $(Code::$variant => $status,)* }
            }

            /// General meaning of the code, as one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning,)* }
            }

            /// The code with this number, if there is one.
            pub fn from_number(number: u16) -> Option<Code> {
                match number { $($number => Some(Code::$variant),)* _ => None }
            }
        }
    };
}

codes! {
    // Agents: authentication, sessions
    TokenUnknown = 105, 401, "The authtoken is not known to this server.";
    TokenIsApiKey = 106, 401, "An API key was given where an authtoken is needed.";
    TokenMissing = 107, 401, "No authtoken was given.";
    AgentTooOld = 108, 400, "The agent and the server share no protocol version.";
    AgentAddressDenied = 115, 403, "The agent's address may not start sessions.";
    SessionReplaced = 116, 409, "The same agent has connected again; this session has ended.";
    SessionElsewhere = 119, 409, "The agent has a session with this node already; this one belongs at another node.";
    ServerDraining = 117, 503, "The server is shutting down; connect again.";
    CredentialInactive = 118, 403, "The bot user that owns the credential is not active.";
    ServerTooOld = 109, 400, "The server is too old for what the tunnel requests.";
    SessionRestarted = 801, 503, "The session was restarted through the management API; a new one is opened.";
    SessionStopped = 800, 403, "The session was stopped through the management API.";
    RemoteRefused = 804, 400, "The agent does not allow remote management.";
    RemoteUpdate = 805, 400, "The agent cannot be updated through the management API.";
    RemoteUncertain = 806, 503, "The node that the agent is connected to did not say whether it has carried out the command.";
    CredentialDeleted = 300, 401, "The credential of this session was deleted.";
    // Names and binding
    AddressNotPermitted = 308, 403, "The credential's ACL does not permit this TCP address.";
    AddressReserved = 309, 403, "The TCP address is reserved for another owner.";
    NameReserved = 320, 403, "The name is reserved for another owner.";
    NameNotPermitted = 316, 403, "The credential's ACL does not permit this name.";
    NameTaken = 334, 409, "The name is already in use.";
    RandomAddressNotPermitted = 356, 403, "The credential's ACL does not permit a TCP address chosen by the server.";
    NameOfEdge = 381, 409, "The name or address belongs to an edge.";
    DenyWithoutAllow = 393, 400, "Addresses are denied but none is allowed.";
    TunnelModulesUnreadable = 394, 400, "The server cannot read the modules of the tunnel.";
    TunnelModulesForeign = 395, 400, "This kind of tunnel does not support the module.";
    PasswordInvalid = 396, 400, "A user name or password is not valid.";
    LabelNotPermitted = 399, 403, "The credential's ACL does not permit this label.";
    NoPortFree = 517, 503, "No TCP port of the range is free.";
    PortOutOfRange = 516, 400, "The TCP port is outside the range of this server.";
    NameInvalid = 402, 400, "The host name is not valid.";
    // Requests to the management API
    KeyMissing = 200, 401, "No Authorization header was sent.";
    KeyScheme = 201, 401, "The Authorization header is neither Bearer nor Basic.";
    KeyShape = 202, 401, "The credential does not look like an API key.";
    KeyUnknown = 203, 401, "The API key is not known.";
    KeyIsAuthtoken = 206, 401, "An agent's authtoken was given where an API key is needed.";
    KeyIsId = 208, 401, "The id of an API key was given instead of the key.";
    ConsoleSessionEnded = 209, 401, "The session of the console has ended.";
    ContentTypeUnsupported = 210, 400, "The Content-Type is not application/json.";
    BodyUnreadable = 212, 400, "The body could not be read.";
    BodyMalformed = 213, 400, "The body is not a JSON object of the expected form.";
    FieldUnknown = 214, 400, "The body has an unknown field.";
    FieldInvalid = 215, 400, "A field has a value that is not allowed.";
    ContentTypeMissing = 216, 400, "A body was sent without a Content-Type.";
    VersionUnsupported = 217, 400, "The requested version is not supported.";
    VersionMissing = 218, 400, "No Service-Version header was sent.";
    CallerInactive = 204, 403, "The bot user that owns the API key is not active.";
    ApiAddressDenied = 220, 403, "This address may not use the management API.";
    ConsoleAddressDenied = 221, 403, "This address may not use the console.";
    ConsoleOrigin = 222, 403, "A session of the console was used by something other than the console.";
    ConsoleUserUnknown = 225, 403, "No user of the server has the e-mail address that the OpenID provider has verified.";
    ConsoleGroupMissing = 226, 403, "The person is in none of the groups that may use the console.";
    IdShape = 223, 400, "The id does not have the form of its kind.";
    FieldMissing = 224, 400, "A required field is missing.";
    QueryInvalid = 230, 400, "A query parameter has a value that is not allowed.";
    QueryUnknown = 231, 400, "A query parameter is unknown.";
    QueryRepeated = 232, 400, "A query parameter was sent twice.";
    LimitInvalid = 233, 400, "The page limit is not a number from 1 to 100.";
    NotFound = 240, 404, "There is no such resource.";
    ModuleUnset = 245, 404, "The module is not set on this owner.";
    MethodNotAllowed = 246, 405, "The path does not support this method.";
    BodyTooLarge = 247, 413, "The body is too large.";
    HeaderInvalid = 248, 400, "A header could not be read.";
    DescriptionTooLong = 250, 400, "The description is longer than 255 bytes.";
    MetadataTooLong = 251, 400, "The metadata is longer than 4096 bytes.";
    // Credentials and keys
    AclInvalid = 600, 400, "The ACL has a rule that is not valid.";
    LastAdminKey = 601, 400, "The last API key of an administrator cannot be deleted.";
    OwnerUnknown = 632, 400, "The owner does not exist.";
    OwnerInactive = 636, 400, "The owner is not active.";
    BotNameInvalid = 4110, 400, "The name of a bot user is not valid.";
    BotNameTaken = 4112, 400, "The name belongs to another bot user.";
    UserEmailTaken = 4113, 400, "The e-mail address belongs to another user.";
    AdminNeeded = 630, 403, "Only an administrator may do this.";
    RoleTooLow = 637, 403, "The role of the API key does not allow this.";
    // Reserved domains and addresses
    DomainOwn = 404, 400, "The name belongs to the server itself and cannot be reserved.";
    DomainCharacter = 406, 400, "The domain has a character that is not allowed.";
    DomainPartStart = 407, 400, "A label of the domain begins with a character that is not allowed there.";
    DomainPartEnd = 408, 400, "A label of the domain ends with a character that is not allowed there.";
    DomainPartEmpty = 409, 400, "The domain has an empty label.";
    DomainHyphens = 410, 400, "A label of the domain has two hyphens in the position that is reserved for encoded names.";
    ReservedAlready = 413, 400, "The domain or address is already reserved for the same owner.";
    ReservedElsewhere = 414, 400, "The domain or address, or a domain that contains it, is reserved for another owner.";
    ReservedBelow = 417, 400, "A name below the domain is reserved for another owner.";
    DomainEncoding = 429, 400, "The encoding of the domain is not valid.";
    ReservedLive = 430, 400, "A tunnel of another owner is online under the name or address.";
    CertificateOrPolicy = 434, 400, "A reserved domain has either a certificate or a certificate policy, not both.";
    DomainUnderscore = 438, 400, "A domain cannot have underscores.";
    DomainPartTooLong = 513, 400, "A label of the domain is longer than 63 bytes.";
    DomainTooLong = 514, 400, "The domain is longer than 253 bytes.";
    ReservedInUse = 446, 400, "The reserved name or address is in use and cannot be deleted.";
    // IP policies
    CidrInvalid = 1406, 400, "The CIDR is not valid.";
    RuleDuplicate = 1408, 400, "The policy already has a rule for this CIDR or country.";
    CidrHostBits = 1409, 400, "The CIDR has host bits set.";
    PolicyUnknown = 1414, 400, "The IP policy does not exist.";
    ActionInvalid = 1422, 400, "The action is neither allow nor deny.";
    CountryInvalid = 1423, 400, "The country is not a code of ISO 3166-1.";
    RuleMatchesTwice = 1424, 400, "The rule has a CIDR and a country.";
    RestrictionTypeInvalid = 1803, 400, "The type of the IP restriction is not valid.";
    // Event destinations
    DestinationUrlInvalid = 5130, 400, "The URL of the event destination is not valid.";
    DestinationKindUnknown = 5131, 400, "There are no events of this kind.";
    DestinationLimit = 5132, 400, "There are as many event destinations as the server allows.";
    // Alert rules
    AlertRuleInvalid = 5140, 400, "The alert rule is not valid.";
    AlertSubjectInvalid = 5141, 400, "The alert rule cannot measure this.";
    AlertSubjectUnknown = 5142, 400, "What the alert rule measures does not exist.";
    AlertRuleLimit = 5143, 400, "There are as many alert rules as the server allows.";
    // Agents
    AgentConnected = 5150, 400, "The agent is connected and cannot be forgotten.";
    // TLS certificates and certificate authorities
    PemUnreadable = 1900, 400, "The text could not be read as PEM.";
    PrivateKeyMissing = 1901, 400, "No private key was given.";
    PrivateKeyEncrypted = 1902, 400, "The private key is encrypted.";
    PrivateKeyUnsupported = 1903, 400, "The private key has an unsupported form.";
    AuthorityHeaders = 1910, 400, "The PEM text of the certificate authority has headers.";
    AuthorityBlockType = 1911, 400, "The PEM block of the certificate authority is not a certificate.";
    AuthorityCount = 1912, 400, "A certificate authority must be exactly one certificate.";
    NoAuthority = 1913, 400, "The certificate is not that of a certificate authority.";
    AuthorityInUse = 1914, 400, "The certificate authority is in use and cannot be deleted.";
    AuthorityMissing = 1919, 400, "No certificate of a certificate authority was given.";
    CertificateUnreadable = 1920, 400, "The certificate could not be read.";
    CertificateTooLarge = 1921, 400, "The PEM text is too large.";
    CertificateMissing = 1922, 400, "No certificate was given.";
    PrivateKeyMismatch = 1923, 400, "The private key does not belong to the certificate.";
    CertificateIsKey = 1924, 400, "A private key was given instead of certificates.";
    KeyIsCertificate = 1925, 400, "A certificate was given instead of the private key.";
    ChainOrder = 1926, 400, "The certificates are not a chain that begins with the leaf.";
    AuthorityUnknown = 7072, 400, "The certificate authority does not exist.";
    CertificateUnknown = 1965, 400, "The TLS certificate does not exist.";
    CertificateInUse = 1966, 400, "The TLS certificate is in use and cannot be deleted.";
    CertificateNotIssued = 1967, 502, "The certificate authority issued no certificate.";
    // SSH certificates
    SshKeyUnreadable = 1934, 400, "The public key is not in OpenSSH format.";
    SshKeySize = 1939, 400, "The size of the RSA key is not supported.";
    SshKeySizeNotRsa = 1940, 400, "A key size can be set for RSA keys only.";
    SshCurveUnknown = 1941, 400, "The elliptic curve is not known.";
    SshCurveNotEcdsa = 1942, 400, "An elliptic curve can be set for ECDSA keys only.";
    SshAuthorityMissing = 1949, 400, "No SSH certificate authority was given.";
    SshKeyUnsupported = 1950, 400, "The type of the public key is not supported.";
    SshAuthorityUnknown = 1951, 400, "The SSH certificate authority does not exist.";
    SshKeyMissing = 1952, 400, "No public key was given.";
    UserValidity = 1962, 400, "The user certificate would never be valid.";
    HostValidity = 1963, 400, "The host certificate would never be valid.";
    SshAuthorityInUse = 1964, 400, "The SSH certificate authority has signed certificates and cannot be deleted.";
    // Visitors
    HostUnknown = 3200, 404, "Nothing is published under this name.";
    AgentOffline = 3201, 503, "The name is known, but its agent is not connected.";
    CircuitOpen = 3202, 503, "The backend has failed too often and gets no requests for a while.";
    AddressDenied = 3203, 403, "The visitor's address is not allowed.";
    WebhookRefused = 3204, 403, "The webhook's signature is missing or wrong.";
    EndpointAddressDenied = 3205, 403, "The visitor's address is not allowed on this server.";
    WebsocketExpected = 3206, 400, "Only WebSocket connections are served here.";
    UserAgentDenied = 3211, 403, "The visitor's user agent is not allowed.";
    UpstreamInvalid = 3004, 502, "The local service sent a response that is not valid HTTP.";
    UpstreamClosed = 3005, 502, "The local service closed the connection before it responded.";
    UpstreamTimeout = 3008, 504, "The local service did not respond in time.";
    RequestInvalid = 3010, 400, "The request is not valid HTTP.";
    HeadersTooLarge = 3011, 431, "The headers of the request are too large.";
    ConnectRefused = 3012, 405, "The CONNECT method is not supported.";
    HostMisdirected = 3013, 421, "The request has another host than the connection.";
    HttpsOnly = 3014, 404, "The name is published over HTTPS only.";
    PathUnknown = 3015, 404, "No route of the edge serves this path.";
    ModuleUnreadable = 3016, 503, "A module of the edge or route cannot be read.";
    LoginUnavailable = 3017, 503, "Visitors must log in here, but logins are not available.";
    EdgeBusy = 3018, 503, "The server is overloaded.";
    BodySlow = 3019, 408, "The request body arrives too slowly.";
    AddressBusy = 3020, 503, "The visitor's address has reached its limit of connections.";
    HandshakeFailed = 3021, 400, "The TLS handshake failed.";
    PasswordNeeded = 3022, 401, "Visitors must enter a user name and password.";
    RequestLoop = 3023, 508, "The request has passed this kind of server too often: the service behind the address leads back to it.";
    TargetTooLong = 3024, 414, "The target of the request is too long.";
    MethodTooLong = 3025, 501, "The method of the request is longer than any that is known.";
    HttpVersionUnsupported = 3026, 505, "The request has a version of HTTP that is not supported.";
    RateLimited = 3028, 429, "The visitor has made too many requests or connections.";
    Maintenance = 3029, 503, "The address is under maintenance.";
    TraceRefused = 3027, 405, "The server does not respond to TRACE itself, and may not forward it.";
    ServiceUnreachable = 8012, 502, "The agent could not connect to the local service.";
    TunnelLoop = 8013, 508, "The tunnel leads back to the agent itself.";
    // Logins of visitors
    LoginNeeded = 3100, 401, "Visitors must log in here.";
    LoginUnknown = 3101, 400, "The login has expired, has finished already, or did not start here.";
    LoginForeign = 3102, 403, "The login was started in another browser or at another address.";
    LoginRefused = 3103, 403, "The login provider refused the visitor.";
    CodeRefused = 3104, 403, "The login provider does not accept the authorization code.";
    LoginNotAllowed = 3105, 403, "The person is not allowed here.";
    EmailUnverified = 3106, 403, "The person's e-mail address is not verified.";
    LoginMixedUp = 3107, 403, "The response comes from another login provider than the one that was requested.";
    LoginAddressUnknown = 3108, 404, "This login URL does not exist.";
    IdTokenMissing = 5200, 403, "The login provider sent no ID token.";
    IdTokenUnreadable = 5201, 403, "The ID token is malformed or incomplete.";
    IdTokenSignature = 5203, 403, "The signature of the ID token is missing, wrong or of an unsupported kind.";
    IdTokenIssuer = 5204, 403, "The ID token comes from another issuer.";
    IdTokenAudience = 5205, 403, "The ID token was issued to another client.";
    IdTokenNonce = 5206, 403, "The ID token belongs to another login.";
    IdTokenExpired = 5207, 403, "The ID token has expired.";
    IssuerUnreachable = 5208, 502, "The login provider cannot be reached.";
    IdTokenNotYet = 5209, 403, "The ID token is not valid yet.";
    UserinfoForeign = 5210, 403, "The login provider returned data of another person.";
    IdpMetadataIncomplete = 5300, 503, "The metadata of the identity provider lacks information that logins need.";
    SamlUnreadable = 5301, 403, "The message of the identity provider is malformed.";
    SamlSignature = 5302, 403, "The signature of the identity provider is missing or wrong.";
    SamlIssuer = 5303, 403, "The SAML response comes from another identity provider.";
    SamlAudience = 5304, 403, "The SAML assertion was issued for another service.";
    SamlDestination = 5305, 403, "The SAML response was issued for another address.";
    SamlInResponseTo = 5306, 403, "The SAML response belongs to another login.";
    SamlExpired = 5307, 403, "The SAML assertion has expired.";
    SamlNotYet = 5308, 403, "The SAML assertion is not valid yet.";
    SamlReplayed = 5309, 403, "The SAML response has been used already, or may have been.";
    SamlStatus = 5310, 403, "The identity provider refused the visitor.";
    SamlStatements = 5311, 403, "The SAML assertion must have exactly one authentication statement.";
    SamlGroups = 5312, 403, "The person is in none of the allowed groups.";
    SamlEncrypted = 5313, 403, "The SAML assertion is encrypted, which is not supported.";
    SamlAssertions = 5314, 403, "The SAML response must have exactly one assertion.";
    SamlAlgorithm = 5315, 403, "The signature algorithm of the identity provider is not accepted.";
    SamlNameId = 5316, 403, "The identity provider did not identify the person.";
    SamlUnsolicited = 5317, 403, "Logins cannot start at the identity provider.";
    SamlLogout = 5318, 403, "The logout message is not signed, or not for this address or time.";
    RelayStateUnreadable = 5319, 400, "The relay state of the identity provider is not a valid URL.";
    RelayStateForeign = 5321, 400, "The relay state of the identity provider points to another host.";
    RelayStateScheme = 5322, 400, "The relay state of the identity provider points to another port or scheme.";
    // Backends and edges
    BackendUnknown = 6501, 400, "The backend does not exist.";
    BackendInUse = 6502, 400, "The backend is in use and cannot be deleted.";
    StaticAddress = 6505, 400, "The address of a static backend does not have the form host:port.";
    StaticHost = 6506, 400, "The host of a static backend is not valid.";
    StaticPort = 6507, 400, "The port of a static backend is not valid.";
    LabelCount = 6508, 400, "There are too many labels.";
    LabelKey = 6509, 400, "A label's key is not valid.";
    LabelValue = 6510, 400, "A label's value is not valid.";
    WeightedCount = 6511, 400, "The weighted backend has too many backends.";
    WeightInvalid = 6512, 400, "A weight is outside 0 to 10000.";
    FailoverCount = 6513, 400, "The failover backend has too many backends.";
    ResponseBodyTooLong = 6516, 400, "The body of an HTTP response backend is too long.";
    ResponseStatus = 6517, 400, "The status of an HTTP response backend is not valid.";
    ResponseHeaderName = 6522, 400, "A header name of an HTTP response backend is not allowed.";
    ResponseHeaderValue = 6523, 400, "A header value of an HTTP response backend is not allowed.";
    WeightedKind = 6524, 400, "A weighted backend cannot contain a backend of this kind.";
    FailoverKind = 6525, 400, "A failover backend cannot contain a backend of this kind.";
    LabelMissing = 6532, 400, "At least one label is required.";
    BackendMissing = 724, 503, "The edge or route has no usable backend.";
    BackendOffline = 6515, 503, "No agent serves the backend at the moment.";
    CircuitThreshold = 7011, 400, "The share of errors is not between 0 and 1.";
    CircuitDuration = 7016, 400, "The circuit must stay open for at least one second.";
    CircuitWindow = 7017, 400, "The rolling window must be at least one second long.";
    CircuitBuckets = 7018, 400, "The number of buckets is not between 1 and 128.";
    RateRequests = 7210, 400, "The number of requests of a rate limit is not between 1 and 1000000.";
    RateInterval = 7211, 400, "The interval of a rate limit is not between 1 and 86400 seconds.";
    RateBurst = 7212, 400, "The burst of a rate limit is above 1000000.";
    RateKey = 7213, 400, "The key of a rate limit is not valid here.";
    MaintenanceStatus = 7220, 400, "The status of the maintenance answer is not between 200 and 599.";
    MaintenanceBody = 7221, 400, "The body of the maintenance answer is too long.";
    MaintenanceType = 7222, 400, "The content type of the maintenance answer is not a media type.";
    MaintenanceNetworks = 7223, 400, "There are too many networks that pass the maintenance.";
    RedirectCount = 7230, 400, "The number of redirect rules is not between 1 and 100.";
    RedirectTarget = 7231, 400, "The target of the redirect is not valid.";
    RedirectStatus = 7232, 400, "The status of the redirect is not 301, 302, 303, 307 or 308.";
    RedirectHost = 7233, 400, "The host of the redirect is not a host name.";
    RewriteEmpty = 7240, 400, "The rewrite changes nothing.";
    RewritePath = 7241, 400, "A path of the rewrite is not valid.";
    RewriteHost = 7242, 400, "The host of the rewrite is not valid.";
    ErrorPageStatus = 7250, 400, "The status of an error page is not a status of errors.";
    ErrorPageSize = 7251, 400, "The error pages are too large.";
    ErrorPageCount = 7252, 400, "The number of error pages is not between 1 and 20.";
    ModulePolicyUnknown = 7007, 400, "An IP policy of the module does not exist.";
    PolicyLimit = 7013, 400, "The module has too many IP policies.";
    PolicyCount = 7025, 400, "At least one IP policy is required.";
    HeaderCount = 7015, 400, "There are too many headers to add or remove.";
    HeaderName = 7023, 400, "The name of a header is not valid.";
    HeaderValue = 7024, 400, "The value of a header is not valid.";
    HeaderTwice = 7069, 400, "A header is given twice; names are case-insensitive.";
    HeaderNameLength = 7105, 400, "The name of a header is too long.";
    HeaderValueLength = 7106, 400, "The values of the headers are too long.";
    HeaderHostRemoved = 7164, 400, "The Host header can be removed only if another one is added.";
    HeaderForbidden = 7201, 400, "The header cannot be changed.";
    PatternInvalid = 2090, 400, "The regular expression is not valid.";
    PatternCount = 7202, 400, "There are too many regular expressions.";
    PatternLength = 7203, 400, "The regular expression is too long.";
    WebhookSecretUnwanted = 7026, 400, "This webhook provider has no secret.";
    WebhookSecretMissing = 7027, 400, "This webhook provider needs a secret.";
    WebhookProviderMissing = 7029, 400, "No webhook provider was given.";
    WebhookProviderUnknown = 7030, 400, "The webhook provider is not known.";
    WebhookSecretKey = 7107, 400, "The secret must be the provider's public key.";
    WebhookSecretLength = 7154, 400, "The secret is too long.";
    MutualTlsCount = 7075, 400, "Between 1 and 10 certificate authorities are required.";
    TlsVersion = 219, 400, "The version of TLS is not supported.";
    TlsTerminateAt = 7204, 400, "TLS is terminated either at the edge or upstream.";
    TlsVersionUpstream = 7205, 400, "The version of TLS can be set only if TLS is terminated at the edge.";
    TlsTerminateFixed = 7109, 400, "TLS is always terminated at the edge here.";
    PlaintextNeeded = 1694, 400, "The module requires TLS to be terminated at the edge.";
    HostportInvalid = 7104, 400, "The hostport does not have the form host:port.";
    HostportPort = 7112, 400, "This server does not listen on the port.";
    HostportHttpsPort = 7116, 400, "The port is not the HTTPS port.";
    HostportNoName = 7121, 400, "The hostport has an address instead of a host name.";
    AddressOfAnother = 7114, 400, "The TCP address is reserved for another owner.";
    HostportOfAnother = 7118, 400, "The name is reserved for another owner.";
    HostportOwn = 7119, 400, "The name belongs to the server itself.";
    HostportCount = 7129, 400, "The edge has too many hostports.";
    HostportTaken = 7122, 400, "The hostport belongs to another edge.";
    HostportBound = 7132, 400, "The hostport is in use by an agent's tunnel.";
    // Routes
    MatchMissing = 7123, 400, "The route has no match.";
    MatchTaken = 7126, 400, "Another route of the edge has the same match.";
    RouteCount = 7128, 400, "The edge has too many routes.";
    MatchTypeInvalid = 7130, 400, "The match type is neither exact_path nor path_prefix.";
    MatchNoPath = 7131, 400, "The match is not a path that begins with a slash.";
    MatchTooLong = 7135, 400, "The match is too long.";
    // Login modules
    NameIdFormat = 1693, 400, "The name identifier format is not supported.";
    OAuthClientPair = 7033, 400, "A client id and a client secret must be given together.";
    OAuthScopesNeedApp = 7034, 400, "Scopes can be set only with your own OAuth app.";
    CheckIntervalShort = 7035, 400, "The interval between user checks is too short.";
    OAuthProviders = 7036, 400, "Only one OAuth provider may be configured.";
    OAuthProviderMissing = 7037, 400, "An OAuth provider is required.";
    TeamInvalid = 7040, 400, "The team does not have the form org/team.";
    CookiePrefixInvalid = 7042, 400, "The cookie prefix is not valid.";
    EmailInvalid = 7046, 400, "The e-mail address is not valid.";
    EmailDomainInvalid = 7047, 400, "The e-mail domain is not valid.";
    EmailRepeated = 7067, 400, "An e-mail address is listed twice.";
    EmailDomainRepeated = 7068, 400, "An e-mail domain is listed twice.";
    Logins = 7079, 400, "A route can have only one enabled login module.";
    IdpMetadataTooLarge = 7080, 400, "The metadata of the identity provider is too large or too deeply nested.";
    IdpMetadataMissing = 7081, 400, "The metadata of the identity provider is required.";
    IdpMetadataInvalid = 7083, 400, "The metadata of the identity provider is not an EntityDescriptor.";
    IssuerInvalid = 7087, 400, "The issuer is not valid.";
    IssuerMissing = 7088, 400, "The issuer is required.";
    ClientIdMissing = 7089, 400, "The client id is required.";
    ClientSecretMissing = 7090, 400, "The client secret is required.";
    InactivityTooLong = 7092, 400, "The inactivity timeout is longer than a year.";
    CheckIntervalLong = 7158, 400, "The interval between user checks is too long.";
    OAuthAppMissing = 7166, 400, "The server has no OAuth app of its own for this provider.";
    // Agent local API and configuration
    ConfigInvalid = 8100, 400, "The configuration is not valid.";
    TunnelUnknown = 8101, 404, "There is no such tunnel.";
    TunnelExists = 8102, 409, "A tunnel with this name already exists.";
    SessionNotReady = 8103, 503, "The agent has no session with the server yet.";
    CapturedUnknown = 8104, 404, "There is no such captured request.";
    CapturedCut = 8105, 400, "The captured request was truncated and cannot be replayed.";
    HostRefused = 8106, 403, "The Host header is not one of the agent's own names.";
    OriginRefused = 8107, 403, "Requests from other sites are refused.";
    JsonOnly = 8108, 415, "A request with a body must be application/json.";
    OwnListener = 8109, 400, "The target is the agent's own address.";
    AddressFormat = 8110, 400, "The local address is not valid.";
    ReplayFailed = 8111, 502, "The replay could not be delivered.";
    ServerUnreachable = 8112, 502, "The server cannot be reached.";
    ServerUntrusted = 8113, 502, "The server's certificate is not trusted.";
    ListenFailed = 8114, 500, "An address to listen on is not available.";
    FilterInvalid = 8120, 400, "The filter for captured requests is not valid.";
    ImportInvalid = 8121, 400, "The file of requests cannot be read.";
    RangeUnsatisfiable = 8122, 416, "The range begins after the end of the body.";
    ConfigChanged = 8123, 409, "The configuration file was changed by another program at the same time.";
    PortUnknown = 8124, 404, "Nothing that can be published listens on the port.";
    ServicesMissing = 8130, 503, "The agent supports no service manager of this machine.";
    ServiceFailed = 8131, 500, "The system service could not be changed.";
    DiagnosisFailed = 8132, 503, "A check of the diagnosis failed.";
    // The server itself
    Internal = 10000, 500, "An internal error occurred in the server.";
    StorageFull = 10001, 503, "The disk of the server is full.";
    StorageReadOnly = 10002, 503, "The data folder of the server is not writable.";
    StorageLocked = 10003, 503, "Another server uses the data folder.";
    StorageConflict = 10004, 409, "The record was changed by another request at the same time.";
    Unavailable = 10005, 503, "The server cannot do this at the moment.";
    StorageDamaged = 10006, 503, "Stored data of the server is damaged or missing.";
    StorageUnreachable = 10007, 503, "The store of the server does not answer; nothing was changed.";
    StorageUncertain = 10008, 503, "The store of the server did not say whether it made the change.";
    StorageTooLarge = 10009, 503, "The change is more than the store takes at once.";
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ERR_POSTERN_{}", self.number())
    }
}

impl std::str::FromStr for Code {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = text.strip_prefix("ERR_POSTERN_").and_then(|n| n.parse().ok()).ok_or(())?;
        Code::from_number(number).ok_or(())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Code {
    /// An unknown code of a newer peer becomes `Internal`; the message still describes the error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(text.parse().unwrap_or(Code::Internal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_number_is_used_once_and_reads_back() {
        let mut seen = HashSet::new();
        for code in Code::ALL {
            assert!(seen.insert(code.number()), "{code} is used twice");
            assert_eq!(code.to_string().parse(), Ok(*code));
            assert!((400..600).contains(&code.status()), "{code} is no error status");
            assert!(code.meaning().ends_with('.'), "{code} has no sentence");
        }
    }
}
