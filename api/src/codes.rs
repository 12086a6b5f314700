//! The one table of error codes: variant, number, HTTP status, what it means.
//!
//! A code is public and never changes its meaning. Server, agent, desktop app and tests branch on it,
//! never on the text of a message.

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
            /// Every code there is, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The number inside `ERR_POSTERN_<number>`.
            pub const fn number(self) -> u16 {
                match self { $(Code::$variant => $number,)* }
            }

            /// The HTTP status that goes with the code.
            pub const fn status(self) -> u16 {
                match self { $(Code::$variant => $status,)* }
            }

            /// One sentence that says what the code means, without the particulars of a case.
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
    SessionReplaced = 116, 409, "The same agent has connected again; this session is over.";
    ServerDraining = 117, 503, "The server is shutting down; connect again.";
    CredentialInactive = 118, 403, "The bot user that owns the credential is not active.";
    ServerTooOld = 109, 400, "The server is older than what the tunnel asks for.";
    SessionStopped = 800, 403, "The session was stopped through the management API.";
    RemoteRefused = 804, 400, "The agent does not let itself be managed through the management API.";
    RemoteUpdate = 805, 400, "The agent cannot be updated through the management API.";
    CredentialDeleted = 300, 401, "The credential of this session was deleted.";
    // Names and binding
    AddressNotPermitted = 308, 403, "The credential's ACL does not permit this TCP address.";
    AddressReserved = 309, 403, "The TCP address is reserved for another owner.";
    NameReserved = 320, 403, "The name is reserved for another owner.";
    NameNotPermitted = 316, 403, "The credential's ACL does not permit this name.";
    NameTaken = 334, 409, "The name is already in use.";
    RandomAddressNotPermitted = 356, 403, "The credential's ACL does not permit a TCP address chosen by the server.";
    NameOfEdge = 381, 409, "The name or address belongs to an edge.";
    DenyWithoutAllow = 393, 400, "Addresses are denied where none is allowed.";
    TunnelModulesUnreadable = 394, 400, "The server cannot read the modules of the tunnel.";
    TunnelModulesForeign = 395, 400, "Tunnels of this kind cannot have the module.";
    PasswordInvalid = 396, 400, "A user and password are not valid.";
    LabelNotPermitted = 399, 403, "The credential's ACL does not permit this label.";
    NoPortFree = 517, 503, "No TCP port of the range is free.";
    PortOutOfRange = 516, 400, "The TCP port lies outside the range of this server.";
    NameInvalid = 402, 400, "The host name is not valid.";
    // Requests to the management API
    KeyMissing = 200, 401, "No Authorization header was sent.";
    KeyScheme = 201, 401, "The Authorization header is neither Bearer nor Basic.";
    KeyShape = 202, 401, "The credential does not look like an API key.";
    KeyUnknown = 203, 401, "The API key is not known.";
    KeyIsAuthtoken = 206, 401, "An agent's authtoken was given where an API key is needed.";
    KeyIsId = 208, 401, "The id of an API key was given instead of the key.";
    ContentTypeUnsupported = 210, 400, "The Content-Type is not application/json.";
    BodyUnreadable = 212, 400, "The body could not be read.";
    BodyMalformed = 213, 400, "The body is not a JSON object of the right shape.";
    FieldUnknown = 214, 400, "The body has a field that does not exist here.";
    FieldInvalid = 215, 400, "A field has a value that is not allowed.";
    ContentTypeMissing = 216, 400, "A body was sent without a Content-Type.";
    VersionUnsupported = 217, 400, "The version asked for is not supported.";
    VersionMissing = 218, 400, "No Service-Version header was sent.";
    CallerInactive = 204, 403, "The bot user that owns the API key is not active.";
    ApiAddressDenied = 220, 403, "This address may not use the management API.";
    ConsoleAddressDenied = 221, 403, "This address may not use the console.";
    IdShape = 223, 400, "The id is not of the form of its kind.";
    FieldMissing = 224, 400, "A field that is needed is missing.";
    QueryInvalid = 230, 400, "A query parameter has a value that is not allowed.";
    QueryUnknown = 231, 400, "A query parameter does not exist here.";
    QueryRepeated = 232, 400, "A query parameter was sent twice.";
    LimitInvalid = 233, 400, "The page limit is not a number from 1 to 100.";
    NotFound = 240, 404, "There is no such resource.";
    ModuleUnset = 245, 404, "The module is not set on this owner.";
    MethodNotAllowed = 246, 405, "The method is not one of this address.";
    BodyTooLarge = 247, 413, "The body is larger than allowed.";
    HeaderInvalid = 248, 400, "A header could not be read.";
    DescriptionTooLong = 250, 400, "The description is longer than 255 bytes.";
    MetadataTooLong = 251, 400, "The metadata is longer than 4096 bytes.";
    // Credentials and keys
    AclInvalid = 600, 400, "The ACL has a rule that cannot be understood.";
    LastAdminKey = 601, 400, "The last key of an administrator cannot be deleted.";
    OwnerUnknown = 632, 400, "The owner does not exist.";
    OwnerInactive = 636, 400, "The owner is not active.";
    BotNameInvalid = 4110, 400, "The name of a bot user is not valid.";
    BotNameTaken = 4112, 400, "The name belongs to another bot user.";
    AdminNeeded = 630, 403, "Only an administrator may do this.";
    // Reserved domains and addresses
    DomainOwn = 404, 400, "The name belongs to the server itself and cannot be reserved.";
    DomainCharacter = 406, 400, "The domain has a character that cannot stand in one.";
    DomainPartStart = 407, 400, "A part of the domain begins with a character that cannot stand there.";
    DomainPartEnd = 408, 400, "A part of the domain ends with a character that cannot stand there.";
    DomainPartEmpty = 409, 400, "The domain has an empty part.";
    DomainHyphens = 410, 400, "A part of the domain has two hyphens where only encoded names have them.";
    ReservedAlready = 413, 400, "The domain or address is reserved for the same owner already.";
    ReservedElsewhere = 414, 400, "The domain or address, or what it lies in, is reserved for another owner.";
    ReservedBelow = 417, 400, "A name below the domain is reserved for another owner.";
    DomainEncoding = 429, 400, "The domain is not encoded rightly.";
    ReservedLive = 430, 400, "A tunnel of another owner is up under the name or address.";
    CertificateOrPolicy = 434, 400, "A reserved domain has a certificate or a policy for one, not both.";
    DomainUnderscore = 438, 400, "A domain has no underscores.";
    DomainPartTooLong = 513, 400, "A part of the domain is longer than 63 bytes.";
    DomainTooLong = 514, 400, "The domain is longer than 253 bytes.";
    ReservedInUse = 446, 400, "The reserved name or address is in use and cannot be deleted.";
    // IP policies
    CidrInvalid = 1406, 400, "The CIDR is not valid.";
    RuleDuplicate = 1408, 400, "The policy has a rule for this CIDR already.";
    CidrHostBits = 1409, 400, "The CIDR has bits set behind its mask.";
    PolicyUnknown = 1414, 400, "The IP policy does not exist.";
    ActionInvalid = 1422, 400, "The action is neither allow nor deny.";
    RestrictionTypeInvalid = 1803, 400, "The type of an IP restriction is not one there is.";
    // TLS certificates and certificate authorities
    PemUnreadable = 1900, 400, "The text could not be read as PEM.";
    PrivateKeyMissing = 1901, 400, "No private key was given.";
    PrivateKeyEncrypted = 1902, 400, "The private key is encrypted.";
    PrivateKeyUnsupported = 1903, 400, "The private key is not of a form that is supported.";
    AuthorityHeaders = 1910, 400, "The PEM text of the certificate authority has headers.";
    AuthorityBlockType = 1911, 400, "The PEM block of the certificate authority is not a certificate.";
    AuthorityCount = 1912, 400, "A certificate authority is exactly one certificate.";
    NoAuthority = 1913, 400, "The certificate is not one of a certificate authority.";
    AuthorityInUse = 1914, 400, "The certificate authority is in use and cannot be deleted.";
    AuthorityMissing = 1919, 400, "No certificate of a certificate authority was given.";
    CertificateUnreadable = 1920, 400, "The certificate could not be read.";
    CertificateTooLarge = 1921, 400, "The PEM text is larger than allowed.";
    CertificateMissing = 1922, 400, "No certificate was given.";
    PrivateKeyMismatch = 1923, 400, "The private key does not belong to the certificate.";
    CertificateIsKey = 1924, 400, "A private key stands where certificates belong.";
    KeyIsCertificate = 1925, 400, "A certificate stands where the private key belongs.";
    ChainOrder = 1926, 400, "The certificates are not a chain that begins with the leaf.";
    AuthorityUnknown = 7072, 400, "The certificate authority does not exist.";
    CertificateUnknown = 1965, 400, "The TLS certificate does not exist.";
    CertificateInUse = 1966, 400, "The TLS certificate is in use and cannot be deleted.";
    CertificateNotIssued = 1967, 502, "The authority gave no certificate.";
    // SSH certificates
    SshKeyUnreadable = 1934, 400, "The public key is not in the form of OpenSSH.";
    SshKeySize = 1939, 400, "The size of the RSA key is not one that is offered.";
    SshKeySizeNotRsa = 1940, 400, "Only RSA keys have a size to choose.";
    SshCurveUnknown = 1941, 400, "The elliptic curve is not known.";
    SshCurveNotEcdsa = 1942, 400, "Only ECDSA keys have an elliptic curve to choose.";
    SshAuthorityMissing = 1949, 400, "No SSH certificate authority was named.";
    SshKeyUnsupported = 1950, 400, "The public key is of a kind that is not supported.";
    SshAuthorityUnknown = 1951, 400, "The SSH certificate authority does not exist.";
    SshKeyMissing = 1952, 400, "No public key was given.";
    UserValidity = 1962, 400, "The user certificate would never be valid.";
    HostValidity = 1963, 400, "The host certificate would never be valid.";
    SshAuthorityInUse = 1964, 400, "The SSH certificate authority has signed certificates and cannot be deleted.";
    // Visitors
    HostUnknown = 3200, 404, "Nothing is published under this name.";
    AgentOffline = 3201, 503, "The name is known, but its agent is not connected.";
    CircuitOpen = 3202, 503, "The backend has failed too often and is left alone for a while.";
    AddressDenied = 3203, 403, "The visitor's address is not allowed.";
    WebhookRefused = 3204, 403, "The webhook's signature is missing or wrong.";
    EndpointAddressDenied = 3205, 403, "The visitor's address is not allowed on this server.";
    WebsocketExpected = 3206, 400, "Only WebSocket connections are served here.";
    UserAgentDenied = 3211, 403, "The visitor's program is not allowed.";
    UpstreamInvalid = 3004, 502, "The local service answered with something that is not HTTP.";
    UpstreamClosed = 3005, 502, "The connection to the local service ended before it answered.";
    UpstreamTimeout = 3008, 504, "The local service did not answer in time.";
    RequestInvalid = 3010, 400, "The request is not valid HTTP.";
    HeadersTooLarge = 3011, 431, "The headers of the request are too large.";
    ConnectRefused = 3012, 405, "CONNECT is not offered here.";
    HostMisdirected = 3013, 421, "The request names another host than the connection.";
    HttpsOnly = 3014, 404, "The name is published over HTTPS only.";
    PathUnknown = 3015, 404, "No route of the edge serves this path.";
    ModuleUnreadable = 3016, 503, "A module of the edge or route cannot be read.";
    LoginUnavailable = 3017, 503, "Visitors must log in here, and the server cannot have them do so.";
    EdgeBusy = 3018, 503, "The server has too much to do at the moment.";
    BodySlow = 3019, 408, "The body of the request arrives too slowly.";
    AddressBusy = 3020, 503, "The visitor's address has as many connections as it may have.";
    HandshakeFailed = 3021, 400, "The TLS handshake failed.";
    PasswordNeeded = 3022, 401, "Visitors must give a user and a password.";
    ServiceUnreachable = 8012, 502, "The agent could not connect to the local service.";
    TunnelLoop = 8013, 508, "The tunnel leads back into the agent itself.";
    // Logins of visitors
    LoginNeeded = 3100, 401, "Visitors must log in here.";
    LoginUnknown = 3101, 400, "The login has expired, is finished already, or did not begin here.";
    LoginForeign = 3102, 403, "The login began in another browser or at another address.";
    LoginRefused = 3103, 403, "The login provider did not let the visitor in.";
    CodeRefused = 3104, 403, "The login provider does not take the answer that the visitor brought back.";
    LoginNotAllowed = 3105, 403, "The person may not come in here.";
    EmailUnverified = 3106, 403, "The person's e-mail address is not verified.";
    LoginMixedUp = 3107, 403, "The answer comes from another login provider than the one that was asked.";
    LoginAddressUnknown = 3108, 404, "There is no such login address.";
    IdTokenMissing = 5200, 403, "The login provider sent no ID token.";
    IdTokenUnreadable = 5201, 403, "The ID token cannot be read, or lacks what it must have.";
    IdTokenSignature = 5203, 403, "The signature of the ID token is missing, wrong or of a kind that is not taken.";
    IdTokenIssuer = 5204, 403, "The ID token comes from another issuer.";
    IdTokenAudience = 5205, 403, "The ID token was made out to another client.";
    IdTokenNonce = 5206, 403, "The ID token belongs to another login.";
    IdTokenExpired = 5207, 403, "The ID token has expired.";
    IssuerUnreachable = 5208, 502, "The login provider cannot be reached.";
    IdTokenNotYet = 5209, 403, "The ID token is not valid yet.";
    UserinfoForeign = 5210, 403, "The login provider described somebody else.";
    IdpMetadataIncomplete = 5300, 503, "The metadata of the identity provider lacks what logins need.";
    SamlUnreadable = 5301, 403, "What the identity provider sent cannot be read, or is not as it must be.";
    SamlSignature = 5302, 403, "The signature of the identity provider is missing or wrong.";
    SamlIssuer = 5303, 403, "The SAML response comes from another identity provider.";
    SamlAudience = 5304, 403, "The SAML assertion was made out to another service.";
    SamlDestination = 5305, 403, "The SAML response was meant for another address.";
    SamlInResponseTo = 5306, 403, "The SAML response belongs to another login.";
    SamlExpired = 5307, 403, "The SAML assertion has expired.";
    SamlNotYet = 5308, 403, "The SAML assertion is not valid yet.";
    SamlReplayed = 5309, 403, "The SAML response has been used already, or may have been.";
    SamlStatus = 5310, 403, "The identity provider did not let the visitor in.";
    SamlStatements = 5311, 403, "The SAML assertion must have exactly one authentication statement.";
    SamlGroups = 5312, 403, "The person is in none of the groups that may come in.";
    SamlEncrypted = 5313, 403, "The SAML assertion is encrypted, which is not supported.";
    SamlAssertions = 5314, 403, "The SAML response must have exactly one assertion.";
    SamlAlgorithm = 5315, 403, "The identity provider signs in a way that is not taken.";
    SamlNameId = 5316, 403, "The identity provider did not say who the person is.";
    SamlUnsolicited = 5317, 403, "Logins may not begin at the identity provider.";
    SamlLogout = 5318, 403, "The message about a logout is not signed, or not meant for this address or time.";
    RelayStateUnreadable = 5319, 400, "Where the identity provider wants to send the visitor is no address.";
    RelayStateForeign = 5321, 400, "The identity provider wants to send the visitor to another host.";
    RelayStateScheme = 5322, 400, "The identity provider wants to send the visitor to another port or scheme.";
    // Backends and edges
    BackendUnknown = 6501, 400, "The backend does not exist.";
    BackendInUse = 6502, 400, "The backend is in use and cannot be deleted.";
    StaticAddress = 6505, 400, "The address of a static backend is not of the form host:port.";
    StaticHost = 6506, 400, "The host of a static backend is not valid.";
    StaticPort = 6507, 400, "The port of a static backend is not valid.";
    LabelCount = 6508, 400, "There are too many labels.";
    LabelKey = 6509, 400, "A label's key is not valid.";
    LabelValue = 6510, 400, "A label's value is not valid.";
    WeightedCount = 6511, 400, "The weighted backend names too many backends.";
    WeightInvalid = 6512, 400, "A weight lies outside 0 to 10000.";
    FailoverCount = 6513, 400, "The failover backend names too many backends.";
    ResponseBodyTooLong = 6516, 400, "The body of an HTTP response backend is too long.";
    ResponseStatus = 6517, 400, "The status of an HTTP response backend is not valid.";
    ResponseHeaderName = 6522, 400, "A header of an HTTP response backend has a name that is not allowed.";
    ResponseHeaderValue = 6523, 400, "A header of an HTTP response backend has a value that is not allowed.";
    WeightedKind = 6524, 400, "A weighted backend cannot name a backend of this kind.";
    FailoverKind = 6525, 400, "A failover backend cannot name a backend of this kind.";
    LabelMissing = 6532, 400, "At least one label is needed.";
    BackendMissing = 724, 503, "The edge or route has no backend that could serve anybody.";
    BackendOffline = 6515, 503, "No agent serves the backend at the moment.";
    CircuitThreshold = 7011, 400, "The share of errors is not between 0 and 1.";
    CircuitDuration = 7016, 400, "The circuit must stay open for at least one second.";
    CircuitWindow = 7017, 400, "The rolling window must be at least one second long.";
    CircuitBuckets = 7018, 400, "The number of buckets is not between 1 and 128.";
    ModulePolicyUnknown = 7007, 400, "The IP policy named by the module does not exist.";
    PolicyLimit = 7013, 400, "The module names too many IP policies.";
    PolicyCount = 7025, 400, "At least one IP policy is needed.";
    HeaderCount = 7015, 400, "There are too many headers to add or remove.";
    HeaderName = 7023, 400, "The name of a header is not valid.";
    HeaderValue = 7024, 400, "The value of a header is not valid.";
    HeaderTwice = 7069, 400, "A header is named twice; upper and lower case are the same.";
    HeaderNameLength = 7105, 400, "The name of a header is too long.";
    HeaderValueLength = 7106, 400, "The values of the headers are too long.";
    HeaderHostRemoved = 7164, 400, "The host header can be removed only if another one is added.";
    HeaderForbidden = 7201, 400, "The header cannot be changed.";
    PatternInvalid = 2090, 400, "The regular expression cannot be used.";
    PatternCount = 7202, 400, "There are too many regular expressions.";
    PatternLength = 7203, 400, "The regular expression is too long.";
    WebhookSecretUnwanted = 7026, 400, "This webhook provider has no secret.";
    WebhookSecretMissing = 7027, 400, "This webhook provider needs a secret.";
    WebhookProviderMissing = 7029, 400, "No webhook provider is named.";
    WebhookProviderUnknown = 7030, 400, "The webhook provider is not known.";
    WebhookSecretKey = 7107, 400, "The secret must be the provider's public key.";
    WebhookSecretLength = 7154, 400, "The secret is too long.";
    MutualTlsCount = 7075, 400, "Between 1 and 10 certificate authorities can be named.";
    TlsVersion = 219, 400, "The version of TLS is not one that is offered.";
    TlsTerminateAt = 7204, 400, "TLS ends at the edge or upstream.";
    TlsVersionUpstream = 7205, 400, "The version of TLS is the backend's affair where TLS does not end at the edge.";
    TlsTerminateFixed = 7109, 400, "TLS always ends at the edge here.";
    PlaintextNeeded = 1694, 400, "The module needs TLS to end at the edge.";
    HostportInvalid = 7104, 400, "The hostport is not of the form host:port.";
    HostportPort = 7112, 400, "The port is not one this server listens on.";
    HostportHttpsPort = 7116, 400, "The port is not the one for HTTPS.";
    HostportNoName = 7121, 400, "The hostport has no host name but an address.";
    AddressOfAnother = 7114, 400, "The TCP address is reserved for another owner.";
    HostportOfAnother = 7118, 400, "The name is reserved for another owner.";
    HostportOwn = 7119, 400, "The name belongs to the server itself.";
    HostportCount = 7129, 400, "The edge has too many hostports.";
    HostportTaken = 7122, 400, "The hostport belongs to another edge.";
    HostportBound = 7132, 400, "The hostport is in use by an agent's tunnel.";
    // Routes
    MatchMissing = 7123, 400, "The route does not say which path it matches.";
    MatchTaken = 7126, 400, "Another route of the edge matches the same path in the same way.";
    RouteCount = 7128, 400, "The edge has too many routes.";
    MatchTypeInvalid = 7130, 400, "The match type is neither exact_path nor path_prefix.";
    MatchNoPath = 7131, 400, "The match is not a path that begins with a slash.";
    MatchTooLong = 7135, 400, "The match is too long.";
    // Login modules
    NameIdFormat = 1693, 400, "The name identifier format is not one that is supported.";
    OAuthClientPair = 7033, 400, "A client id and a client secret belong together.";
    OAuthScopesNeedApp = 7034, 400, "Scopes can be set only with an OAuth app of one's own.";
    CheckIntervalShort = 7035, 400, "Users would be checked again too often.";
    OAuthProviders = 7036, 400, "Only one OAuth provider may be configured.";
    OAuthProviderMissing = 7037, 400, "An OAuth provider is needed.";
    TeamInvalid = 7040, 400, "The team is not of the form org/team.";
    CookiePrefixInvalid = 7042, 400, "The cookie prefix is not valid.";
    EmailInvalid = 7046, 400, "The e-mail address is not valid.";
    EmailDomainInvalid = 7047, 400, "The e-mail domain is not valid.";
    EmailRepeated = 7067, 400, "An e-mail address is listed twice.";
    EmailDomainRepeated = 7068, 400, "An e-mail domain is listed twice.";
    Logins = 7079, 400, "A route has at most one enabled login module.";
    IdpMetadataTooLarge = 7080, 400, "The metadata of the identity provider is too large or too deeply nested.";
    IdpMetadataMissing = 7081, 400, "The metadata of the identity provider is needed.";
    IdpMetadataInvalid = 7083, 400, "The metadata of the identity provider is not an EntityDescriptor.";
    IssuerInvalid = 7087, 400, "The issuer is not valid.";
    IssuerMissing = 7088, 400, "The issuer is needed.";
    ClientIdMissing = 7089, 400, "The client id is needed.";
    ClientSecretMissing = 7090, 400, "The client secret is needed.";
    InactivityTooLong = 7092, 400, "The inactivity timeout is longer than a year.";
    CheckIntervalLong = 7158, 400, "Users would be checked again too seldom.";
    OAuthAppMissing = 7166, 400, "The server has no OAuth app of its own for this provider.";
    // Agent local API and configuration
    ConfigInvalid = 8100, 400, "The configuration is not valid.";
    TunnelUnknown = 8101, 404, "There is no such tunnel.";
    TunnelExists = 8102, 409, "A tunnel with this name exists already.";
    SessionNotReady = 8103, 503, "The agent has no session with the server yet.";
    CapturedUnknown = 8104, 404, "There is no such captured request.";
    CapturedCut = 8105, 400, "The captured request was cut and cannot be replayed.";
    HostRefused = 8106, 403, "The Host header is not one of the agent's own names.";
    OriginRefused = 8107, 403, "Requests from other sites are refused.";
    JsonOnly = 8108, 415, "A request with a body must be application/json.";
    OwnListener = 8109, 400, "The target is the agent's own address.";
    AddressFormat = 8110, 400, "The local address cannot be understood.";
    ReplayFailed = 8111, 502, "The replay could not be delivered.";
    ServerUnreachable = 8112, 502, "The server cannot be reached.";
    ServerUntrusted = 8113, 502, "The server's certificate is not trusted.";
    ListenFailed = 8114, 500, "An address to listen on is not available.";
    FilterInvalid = 8120, 400, "The filter for captured requests cannot be understood.";
    ImportInvalid = 8121, 400, "The file of requests cannot be read.";
    RangeUnsatisfiable = 8122, 416, "The range lies behind the end of the body.";
    ConfigChanged = 8123, 409, "The configuration file was changed by somebody else meanwhile.";
    PortUnknown = 8124, 404, "Nothing that could be published listens there.";
    ServicesMissing = 8130, 503, "This machine has no service manager that the agent knows.";
    ServiceFailed = 8131, 500, "The system service could not be changed.";
    DiagnosisFailed = 8132, 503, "Something that the agent needs does not work.";
    // The server itself
    Internal = 10000, 500, "Something went wrong inside the server.";
    StorageFull = 10001, 503, "The disk of the server is full.";
    StorageReadOnly = 10002, 503, "The data folder of the server cannot be written.";
    StorageLocked = 10003, 503, "The data folder is in use by another server.";
    StorageConflict = 10004, 409, "The record was changed by somebody else at the same moment.";
    Unavailable = 10005, 503, "The server cannot do this at the moment.";
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
    /// A code of a newer peer is not an error: it becomes `Internal`, the message still says what happened.
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
