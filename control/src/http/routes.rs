//! The table of contents of the management API.

use super::{Shared, answer, call::Calls, handlers, openapi::Description};
use crate::{
    resources::{HostRules, ModuleRules, Owner, Part, Rules, reserved_domain},
    views::{Ending, Seen},
};
use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, Path, Request, State},
    routing::{MethodRouter, delete, get, post, put},
};
use postern_api::resource::{
    ApiKey, AppSession, AppUser, BotUser, CertificateAuthority, Credential, Endpoint, FailoverBackend,
    HttpResponseBackend, HttpsEdge, HttpsRoute, IpPolicy, IpPolicyRule, IpRestriction, ReservedAddress, ReservedDomain,
    Resource as _, ServerFacts, SessionCommand, SshCertificateAuthority, SshHostCertificate, SshUserCertificate,
    StaticBackend, TcpEdge, TlsCertificate, TlsEdge, Tunnel, TunnelGroupBackend, TunnelSession, User, View,
    WeightedBackend,
};
use serde_json::Value;
use std::sync::Arc;

/// Everything there is.
fn contents() -> Api {
    Api::default()
        .resource::<ApiKey>()
        .resource::<BotUser>()
        .dependents::<BotUser>()
        .resource::<CertificateAuthority>()
        .dependents::<CertificateAuthority>()
        .resource::<Credential>()
        .owner::<HttpsEdge>()
        .decisions::<HttpsEdge>()
        .owner::<HttpsRoute>()
        .resource::<IpPolicy>()
        .dependents::<IpPolicy>()
        .resource::<IpPolicyRule>()
        .resource::<IpRestriction>()
        .resource::<ReservedAddress>()
        .resource::<ReservedDomain>()
        .part::<reserved_domain::Certificate>()
        .part::<reserved_domain::Policy>()
        .resource::<SshCertificateAuthority>()
        .dependents::<SshCertificateAuthority>()
        .resource::<SshHostCertificate>()
        .resource::<SshUserCertificate>()
        .resource::<FailoverBackend>()
        .dependents::<FailoverBackend>()
        .resource::<HttpResponseBackend>()
        .dependents::<HttpResponseBackend>()
        .resource::<StaticBackend>()
        .dependents::<StaticBackend>()
        .owner::<TcpEdge>()
        .decisions::<TcpEdge>()
        .resource::<TlsCertificate>()
        .dependents::<TlsCertificate>()
        .owner::<TlsEdge>()
        .decisions::<TlsEdge>()
        .resource::<TunnelGroupBackend>()
        .dependents::<TunnelGroupBackend>()
        .resource::<User>()
        .dependents::<User>()
        .resource::<WeightedBackend>()
        .dependents::<WeightedBackend>()
        .removable::<AppSession>()
        .removable::<AppUser>()
        .view::<Endpoint>()
        .view::<Tunnel>()
        .view::<TunnelSession>()
        .commands()
        .facts()
        .watching()
}

/// Collects routes, and what is to be said about them.
#[derive(Default)]
pub(crate) struct Api {
    router: Router<Arc<Shared>>,
    described: Vec<fn(&mut Description)>,
}

impl Api {
    /// The five operations of a kind; a nested kind has no list.
    fn resource<R: Rules>(self) -> Self {
        let collection: MethodRouter<Arc<Shared>> = match R::PARENT {
            Some(_) => post(handlers::create::<R>),
            None => get(handlers::list::<R>).post(handlers::create::<R>),
        };
        let item = get(handlers::read::<R>).patch(handlers::update::<R>).delete(handlers::delete::<R>);
        let router = self.router.route(R::PATH, collection).route(&format!("{}/{{id}}", R::PATH), item);
        Api { router, ..self }.described(Description::resource::<R>)
    }

    /// The operations of a kind and of all its modules.
    fn owner<R: Owner>(self) -> Self {
        R::mount(self.resource::<R>())
    }

    /// Put, get and delete of a module of a kind.
    pub(crate) fn module<O: HostRules<M>, M: ModuleRules>(self) -> Self {
        let module =
            put(handlers::put_module::<O, M>).get(handlers::get_module::<O, M>).delete(handlers::delete_module::<O, M>);
        let router = self.router.route(&format!("{}/{{id}}/{}", O::PATH, M::NAME), module);
        Api { router, ..self }.described(Description::module::<O, M>)
    }

    /// List and get of what nobody can change.
    fn view<V: Seen>(self) -> Self {
        let collection = self.router.route(V::PATH, get(handlers::look::<V>));
        let router = collection.route(&format!("{}/{{id}}", V::PATH), get(handlers::look_at::<V>));
        Api { router, ..self }.described(Description::view::<V>)
    }

    /// List, get and delete of what nobody can make or change.
    fn removable<V: Ending>(self) -> Self {
        let collection = self.router.route(V::PATH, get(handlers::look::<V>));
        let item = get(handlers::look_at::<V>).delete(handlers::end::<V>);
        let router = collection.route(&format!("{}/{{id}}", V::PATH), item);
        Api { router, ..self }.described(Description::removable::<V>)
    }

    /// The last requests and connections that an edge turned away.
    fn decisions<R: Rules>(self) -> Self {
        let router = self.router.route(&format!("{}/{{id}}/decisions", R::PATH), get(handlers::decisions::<R>));
        Api { router, ..self }.described(Description::decisions::<R>)
    }

    /// The removal of something in a record.
    fn part<P: Part>(self) -> Self {
        let path = format!("{}/{{id}}/{}", P::Of::PATH, P::NAME);
        let router = self.router.route(&path, delete(handlers::delete_part::<P>));
        Api { router, ..self }.described(|description| description.part::<P::Of>(P::NAME))
    }

    /// What the agent of a session can be told to do.
    fn commands(self) -> Self {
        let router = SessionCommand::ALL.into_iter().fold(self.router, |router, command| {
            let handle = move |State(shared), Extension(caller), Path(item), request: Request| {
                handlers::command(command, shared, caller, item, request)
            };
            router.route(&format!("{}/{{id}}/{}", TunnelSession::PATH, command.as_str()), post(handle))
        });
        Api { router, ..self }.described(Description::commands)
    }

    /// What refers to a record of a kind.
    fn dependents<R: Rules>(self) -> Self {
        let router = self.router.route(&format!("{}/{{id}}/dependents", R::PATH), get(handlers::dependents::<R>));
        Api { router, ..self }.described(Description::dependents::<R>)
    }

    /// What there is to know about the server.
    fn facts(self) -> Self {
        let router = self.router.route(ServerFacts::PATH, get(handlers::facts));
        Api { router, ..self }.described(Description::facts)
    }

    /// What passes, and the server at a glance.
    fn watching(self) -> Self {
        let router = self.router.route("/status", get(handlers::status)).route("/traffic", get(handlers::traffic));
        let router = router.route("/traffic/{id}", get(handlers::traffic_of));
        Api { router, ..self }.described(Description::watching)
    }

    fn described(mut self, describe: fn(&mut Description)) -> Self {
        self.described.push(describe);
        self
    }
}

/// The OpenAPI description of everything there is.
pub(crate) fn description() -> Value {
    Description::of(&contents().described)
}

/// The whole API, with what happens to every call around it.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let routes = contents().router.fallback(answer::no_such_path).layer(DefaultBodyLimit::disable());
    let routes = routes.with_state(shared.clone());
    Router::new().fallback_service(Calls { shared, routes })
}
