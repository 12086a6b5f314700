//! All routes of the management API.

use super::{
    ApiState, audit_events, console_sessions, console_sign_in, handlers, openapi::Description, put_back::PutBackKind,
    response, service::ManagementService,
};
use crate::{
    resources::{
        HostRules, IndexKind, ModuleOwner, ModuleRules, ModuleVisitor, RemovablePart, Rules, index_kind,
        reserved_domain,
    },
    views::{DeletableView, ViewSource},
};
use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, Path, Request, State},
    routing::{MethodRouter, delete, get, post, put},
};
use postern_api::resource::{
    Agent, AlertRule, ApiKey, AppSession, AppUser, AuditEvent, BotUser, CertificateAuthority, ConsoleSession,
    Credential, Endpoint, EventDestination, FailoverBackend, HttpResponseBackend, HttpsEdge, HttpsRoute, IpPolicy,
    IpPolicyRule, IpRestriction, Node, ReservedAddress, ReservedDomain, Resource as _, ServerFacts, SessionCommand,
    SshCertificateAuthority, SshHostCertificate, SshUserCertificate, StaticBackend, TcpEdge, TlsCertificate, TlsEdge,
    Tunnel, TunnelGroupBackend, TunnelSession, User, View, WeightedBackend,
};
use serde_json::Value;
use std::sync::{Arc, LazyLock};

/// Every kind, view and operation.
fn contents() -> ApiRoutes {
    ApiRoutes::default()
        .removable_live_view::<Agent>()
        .resource::<AlertRule>()
        .resource::<ApiKey>()
        .resource::<BotUser>()
        .dependents::<BotUser>()
        .resource::<CertificateAuthority>()
        .dependents::<CertificateAuthority>()
        .resource::<Credential>()
        .resource::<EventDestination>()
        .owner::<HttpsEdge>()
        .decisions::<HttpsEdge>()
        .requests::<HttpsEdge>()
        .owner::<HttpsRoute>()
        .requests::<HttpsRoute>()
        .resource::<IpPolicy>()
        .dependents::<IpPolicy>()
        .resource::<IpPolicyRule>()
        .resource::<IpRestriction>()
        .resource::<ReservedAddress>()
        .resource::<ReservedDomain>()
        .part::<reserved_domain::DomainCertificatePart>()
        .part::<reserved_domain::CertificatePolicyPart>()
        .domain_records()
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
        .audit_events()
        .console_sessions()
        .live_view::<Endpoint>()
        .view::<Node>()
        .live_view::<Tunnel>()
        .tunnel_requests()
        .live_view::<TunnelSession>()
        .commands()
        .facts()
        .watching()
}

/// Collects routes and their descriptions.
#[derive(Default)]
struct ApiRoutes {
    router: Router<Arc<ApiState>>,
    descriptions: Vec<fn(&mut Description)>,
    indexed: Vec<IndexKind>,
    put_back: Vec<PutBackKind>,
}

impl ApiRoutes {
    /// The five operations of a kind; a nested kind has no list.
    fn resource<R: Rules>(self) -> Self {
        let collection: MethodRouter<Arc<ApiState>> = match R::PARENT {
            Some(_) => post(handlers::create::<R>),
            None => get(handlers::list::<R>).post(handlers::create::<R>),
        };
        let item = get(handlers::read::<R>).patch(handlers::update::<R>).delete(handlers::delete::<R>);
        let router = self.router.route(R::PATH, collection).route(&format!("{}/{{id}}", R::PATH), item);
        let mut routes = ApiRoutes { router, ..self }.describe(Description::resource::<R>);
        routes.indexed.extend(index_kind::<R>());
        routes.put_back.push(PutBackKind::of::<R>());
        routes
    }

    /// The operations of a kind and of all its modules.
    fn owner<R: ModuleOwner>(self) -> Self {
        R::visit_modules(self.resource::<R>())
    }

    /// Put, get and delete of a module of a kind.
    fn module<O: HostRules<M>, M: ModuleRules>(self) -> Self {
        let module =
            put(handlers::put_module::<O, M>).get(handlers::get_module::<O, M>).delete(handlers::delete_module::<O, M>);
        let router = self.router.route(&format!("{}/{{id}}/{}", O::PATH, M::NAME), module);
        let mut routes = ApiRoutes { router, ..self }.describe(Description::module::<O, M>);
        if let Some(kind) = routes.put_back.iter_mut().find(|kind| kind.kind == O::KIND) {
            kind.modules.push(M::NAME);
        }
        routes
    }

    /// List and get of a view.
    fn view<V: ViewSource>(self) -> Self {
        let collection = self.router.route(V::PATH, get(handlers::list_view::<V>));
        let router = collection.route(&format!("{}/{{id}}", V::PATH), get(handlers::get_view::<V>));
        ApiRoutes { router, ..self }.describe(Description::view::<V>)
    }

    /// List and get of a view of what all nodes serve.
    fn live_view<V: ViewSource>(self) -> Self {
        let collection = self.router.route(V::PATH, get(handlers::list_view::<V>));
        let router = collection.route(&format!("{}/{{id}}", V::PATH), get(handlers::get_view::<V>));
        ApiRoutes { router, ..self }.describe(Description::live_view::<V>)
    }

    /// List, get and delete of a view.
    fn removable<V: DeletableView>(self) -> Self {
        let routes = self.removal::<V>();
        routes.describe(Description::removable::<V>)
    }

    /// List, get and delete of a view of what all nodes serve.
    fn removable_live_view<V: DeletableView>(self) -> Self {
        let routes = self.removal::<V>();
        routes.describe(Description::removable_live_view::<V>)
    }

    fn removal<V: DeletableView>(self) -> Self {
        let collection = self.router.route(V::PATH, get(handlers::list_view::<V>));
        let item = get(handlers::get_view::<V>).delete(handlers::delete_view::<V>);
        let router = collection.route(&format!("{}/{{id}}", V::PATH), item);
        ApiRoutes { router, ..self }
    }

    /// Latest requests and connections that an edge refused.
    fn decisions<R: Rules>(self) -> Self {
        let router = self.router.route(&format!("{}/{{id}}/decisions", R::PATH), get(handlers::decisions::<R>));
        ApiRoutes { router, ..self }.describe(Description::decisions::<R>)
    }

    /// The last requests of an edge or a route.
    fn requests<R: Rules>(self) -> Self {
        let router = self.router.route(&format!("{}/{{id}}/requests", R::PATH), get(handlers::requests::<R>));
        ApiRoutes { router, ..self }.describe(Description::requests::<R>)
    }

    /// The last requests of a tunnel.
    fn tunnel_requests(self) -> Self {
        let router = self.router.route(&format!("{}/{{id}}/requests", Tunnel::PATH), get(handlers::tunnel_requests));
        ApiRoutes { router, ..self }.describe(Description::tunnel_requests)
    }

    /// Audit events.
    fn audit_events(self) -> Self {
        let router = self.router.route(AuditEvent::PATH, get(audit_events::list));
        let router = router.route(&format!("{}/{{id}}", AuditEvent::PATH), get(audit_events::read));
        ApiRoutes { router, ..self }.describe(Description::audit_events)
    }

    /// Sign-in to the console and its end.
    fn console_sessions(self) -> Self {
        let all = post(console_sessions::sign_in).delete(console_sessions::sign_out_everywhere);
        let current = get(console_sessions::read_current).delete(console_sessions::sign_out);
        let router = self.router.route(ConsoleSession::PATH, all);
        let router = router.route(&format!("{}/current", ConsoleSession::PATH), current);
        ApiRoutes { router, ..self }.describe(Description::console_sessions)
    }

    /// Removal of a part of a record.
    fn part<P: RemovablePart>(self) -> Self {
        let path = format!("{}/{{id}}/{}", P::Of::PATH, P::NAME);
        let router = self.router.route(&path, delete(handlers::remove_part::<P>));
        let mut routes = ApiRoutes { router, ..self }.describe(|description| description.part::<P::Of>(P::NAME));
        if let Some(kind) = routes.put_back.iter_mut().find(|kind| kind.kind == P::Of::KIND) {
            kind.parts.push(P::NAME);
        }
        routes
    }

    /// Commands for the agent of a session.
    fn commands(self) -> Self {
        let router = SessionCommand::ALL.into_iter().fold(self.router, |router, command| {
            let handle = move |State(state), Extension(caller), Path(item), request: Request| {
                handlers::command(command, state, caller, item, request)
            };
            router.route(&format!("{}/{{id}}/{}", TunnelSession::PATH, command.as_str()), post(handle))
        });
        ApiRoutes { router, ..self }.describe(Description::commands)
    }

    /// Records that refer to a record of a kind.
    fn dependents<R: Rules>(self) -> Self {
        let router = self.router.route(&format!("{}/{{id}}/dependents", R::PATH), get(handlers::dependents::<R>));
        ApiRoutes { router, ..self }.describe(Description::dependents::<R>)
    }

    /// Records in DNS that a reserved domain needs.
    fn domain_records(self) -> Self {
        let path = format!("{}/{{id}}/dns_records", ReservedDomain::PATH);
        let router = self.router.route(&path, get(handlers::domain_records));
        ApiRoutes { router, ..self }.describe(Description::domain_records)
    }

    /// Facts about the server.
    fn facts(self) -> Self {
        let router = self.router.route(ServerFacts::PATH, get(handlers::facts));
        ApiRoutes { router, ..self }.describe(Description::facts)
    }

    /// Status and traffic.
    fn watching(self) -> Self {
        let router = self.router.route("/status", get(handlers::status)).route("/traffic", get(handlers::traffic));
        let router = router.route("/traffic/{id}", get(handlers::traffic_of));
        let router = router.route("/traffic/{id}/series", get(handlers::traffic_series));
        let router = router.route("/traffic/series", get(handlers::traffic_series_in_all));
        let router = router.route("/traffic/requests", get(handlers::requests_in_all));
        ApiRoutes { router, ..self }.describe(Description::watching)
    }

    fn describe(mut self, describe: fn(&mut Description)) -> Self {
        self.descriptions.push(describe);
        self
    }
}

impl ModuleVisitor for ApiRoutes {
    fn visit<O: HostRules<M>, M: ModuleRules>(self) -> Self {
        self.module::<O, M>()
    }
}

/// The kinds whose former state can be restored.
pub(super) fn put_back_kinds() -> &'static [PutBackKind] {
    static KINDS: LazyLock<Vec<PutBackKind>> = LazyLock::new(|| contents().put_back);
    &KINDS
}

/// OpenAPI description of all routes.
pub(crate) fn description() -> Value {
    Description::build(&contents().descriptions)
}

/// The kinds whose records are searched by an index.
pub(crate) fn indexed_kinds() -> Vec<IndexKind> {
    contents().indexed
}

/// The API as one router. Beside it, the sign-in by an OpenID provider needs no key.
pub(crate) fn router(state: Arc<ApiState>) -> Router {
    let routes = contents().router.fallback(response::no_such_path).layer(DefaultBodyLimit::disable());
    let routes = routes.with_state(state.clone());
    console_sign_in::routes(&state).fallback_service(ManagementService { state, routes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::resource::EVENT_KINDS;

    #[test]
    fn destinations_can_name_every_kind() {
        for kind in put_back_kinds() {
            assert!(EVENT_KINDS.contains(&kind.kind), "{}", kind.kind);
        }
    }
}
