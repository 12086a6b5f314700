//! The modules of a tunnel: the agent's settings become the same pipeline that routes have.

use crate::{
    modules::{Pipeline, tunnel_owner},
    routing::Routing,
    tls::HandshakeConfig,
    tunnels::Session,
};
use postern_api::{
    Code, Error,
    module::{BasicAuthUsers, Compression, Module, OAuth, Oidc, TerminateAt, TlsVersion, WebsocketTcpConverter},
    published::{Login, Settings, Termination},
    tunnel_modules::TunnelModules,
};
use postern_tunnel::{
    BindModules,
    message::{Bind, BindKind, Scheme},
};
use std::sync::Arc;

/// The modules between the visitors of a tunnel and its agent.
pub(crate) struct Stages {
    /// The owner id of their module state and of their TLS handshakes.
    pub(crate) owner: Arc<str>,
    pub(crate) pipeline: Arc<Pipeline>,
    /// The rules of its TLS handshakes; `None` for the default ones.
    pub(crate) handshake: Option<HandshakeConfig>,
}

impl Stages {
    /// Builds the modules of a bind, or says what is wrong with them. `None` if there are none.
    pub(crate) fn of(session: &Session, bind: &Bind, routing: &Routing) -> Result<Option<Box<Self>>, Error> {
        let modules = requested_modules(bind)?;
        let terminates = matches!(bind.what, BindKind::Tls { terminate: true, .. });
        if modules.is_none() && !terminates {
            return Ok(None);
        }
        let modules = modules.unwrap_or_default();
        let owner = tunnel_owner(&session.credential, &session.instance, &bind.name);
        let settings = settings(modules);
        let pipeline = Arc::new(routing.stages_of_tunnel(&owner, &settings)?);
        let handshake = routing.handshake_of_tunnel(&settings, terminates)?;
        Ok(Some(Box::new(Stages { owner: owner.into(), pipeline, handshake })))
    }
}

/// The modules of a bind, validated again: the agent need not be ours.
fn requested_modules(bind: &Bind) -> Result<Option<TunnelModules>, Error> {
    let mut modules = match &bind.modules {
        None => return Ok(None),
        Some(BindModules::Read(modules)) => TunnelModules::clone(modules),
        Some(BindModules::Unreadable) => {
            let message =
                "The tunnel asks for a module that this server does not know. Update the server, or remove the module.";
            return Err(Error::new(Code::TunnelModulesUnreadable, message));
        }
    };
    modules.check()?;
    let (fits, kind) = match &bind.what {
        BindKind::Http { scheme: Scheme::Https, .. } => (true, "an https tunnel"),
        BindKind::Http { scheme: Scheme::Http, .. } => {
            // The cookies of a login are for encrypted connections alone.
            let has_login = modules.oauth.is_some() || modules.oidc.is_some();
            (modules.mutual_tls.is_empty() && !has_login, "a tunnel without TLS")
        }
        BindKind::Tls { terminate, .. } => {
            (modules.concerns_connections_only() && (*terminate || modules.mutual_tls.is_empty()), "a tls tunnel")
        }
        BindKind::Tcp { .. } => (modules.concerns_connections_only() && modules.mutual_tls.is_empty(), "a tcp tunnel"),
        BindKind::Labels { .. } => (modules.is_empty(), "a labelled tunnel, whose edge has them,"),
    };
    if !fits {
        let message = format!("One of the tunnel's modules cannot work for {kind}. Remove it.");
        return Err(Error::new(Code::TunnelModulesForeign, message));
    }
    Ok((!modules.is_empty()).then_some(modules))
}

fn settings(modules: TunnelModules) -> Settings {
    let asks = !modules.mutual_tls.is_empty();
    let users = (!modules.basic_auth.is_empty()).then(|| Arc::new(BasicAuthUsers::Passwords(modules.basic_auth)));
    let (oauth, oidc) = (modules.oauth.filter(OAuth::is_enabled), modules.oidc.filter(Oidc::is_enabled));
    Settings {
        ip_restriction: modules.ip_restriction.map(|lists| Arc::new(lists.rules())),
        mutual_tls: asks.then(|| modules.mutual_tls.into_iter().map(Into::into).collect()),
        tls_termination: asks.then_some(Termination { at: TerminateAt::Edge, oldest: Some(TlsVersion::default()) }),
        maintenance: modules.maintenance.filter(|module| module.enabled),
        redirect: modules.redirect.filter(|module| module.enabled),
        rewrite: modules.rewrite.filter(|module| module.enabled),
        error_pages: modules.error_pages.filter(|module| module.enabled),
        rate_limit: modules.rate_limit.filter(|module| module.enabled),
        circuit_breaker: modules.circuit_breaker.filter(|module| module.enabled),
        compression: modules.compression.then_some(Compression { enabled: true }),
        host_header: modules.host_header,
        request_headers: modules.request_headers.filter(|module| module.enabled),
        response_headers: modules.response_headers.filter(|module| module.enabled),
        webhook_verification: modules.webhook_verification.filter(|module| module.enabled),
        oauth: oauth.map(|module| Arc::new(Login::OAuth(Box::new(module)))),
        oidc: oidc.map(|module| Arc::new(Login::Oidc(module))),
        basic_auth: users,
        user_agent_filter: modules.user_agent_filter.filter(|module| module.enabled),
        websocket_tcp_converter: modules.websocket_tcp_converter.then_some(WebsocketTcpConverter { enabled: true }),
        ..Settings::default()
    }
}
