//! The routes of the local API, each with its description.

use super::{
    configuration, configured, diagnosis, endpoints, events, json,
    openapi::{Description, Media, Operation},
    ports, requests, status, tunnels,
};
use crate::context::AgentContext;
use axum::{
    Router,
    handler::Handler,
    http::header,
    response::{IntoResponse, Response},
    routing::{MethodFilter, on},
};
use postern_api::{
    description::AGENT_OPENAPI,
    local::{
        AgentStatus, AnnotationChange, ApiIndex, CapturedRequest, ConfigurationCheck, ConfigurationEdit,
        ConfigurationText, ConfiguredTunnel, ConfiguredTunnelList, CurlCommand, DiagnosisReport, EndpointList,
        EndpointView, FrameList, HarImport, ListeningPort, ListeningPortList, ReplayCommand, RequestList,
        RequestSummary, RunningTunnel, RunningTunnelList, SampleResponse, SummaryList, TunnelDefinition,
    },
};
use schemars::JsonSchema;
use serde_json::Value as Json;
use std::sync::Arc;

const LIST_QUERY: &[(&str, &str)] = &[
    ("limit", "The most requests of a page: 50 by default, 10,000 at most."),
    ("tunnel_name", "Only requests of this tunnel."),
    ("before", "Only requests captured before this id."),
    ("since", "Only requests captured after this id or time."),
    ("filter", "Only requests that match this filter."),
];
const HAR_QUERY: &[(&str, &str)] = &[
    ("limit", "The most requests of a page: 50 by default, 10,000 at most."),
    ("tunnel_name", "Only requests of this tunnel."),
    ("before", "Only requests captured before this id."),
    ("since", "Only requests captured after this id or time."),
    ("filter", "Only requests that match this filter."),
    ("secrets", "`hide` (the default) or `show`."),
];
const BODY_QUERY: &[(&str, &str)] = &[("as", "`content` (without the transfer coding, the default) or `wire`.")];

/// Registers handlers and describes them, if a description is wanted.
struct Routes {
    router: Router<Arc<AgentContext>>,
    description: Option<Description>,
}

/// The router of all operations.
pub(super) fn router() -> Router<Arc<AgentContext>> {
    Routes { router: Router::new(), description: None }.register().router
}

/// The OpenAPI description of the local API, which `api/agent-openapi.json` holds.
///
/// # Panics
/// If two operations share a method and a path.
pub fn description() -> Json {
    let routes = Routes { router: Router::new(), description: Some(Description::new()) }.register();
    routes.description.expect("it was given").document()
}

impl Routes {
    fn register(self) -> Self {
        self.get::<ApiIndex, _, _>("/api/", index, |op| op.named("get_index", "List the paths of the API"))
            .get::<Json, _, _>("/api/openapi.json", openapi, |op| op.named("get_description", "Get this description"))
            .get::<AgentStatus, _, _>("/api/status", status::show, |op| op.named("get_status", "Get the status"))
            .media("get", "/api/events", events::follow, Media::Events, |op| {
                op.named("follow_events", "Follow the live feed")
                    .query(&[("since", "The id of the last event that was received.")])
            })
            .get::<RunningTunnelList, _, _>("/api/tunnels", tunnels::list, |op| {
                op.named("list_tunnels", "List running tunnels")
            })
            .send::<TunnelDefinition, RunningTunnel, _, _>("post", "/api/tunnels", tunnels::start, |op| {
                op.named("start_tunnel", "Start a tunnel").status(201)
            })
            .get::<RunningTunnel, _, _>("/api/tunnels/{name}", tunnels::detail, |op| {
                op.named("get_tunnel", "Get a running tunnel")
            })
            .media("delete", "/api/tunnels/{name}", tunnels::stop, Media::Empty, |op| {
                op.named("stop_tunnel", "Stop a tunnel")
            })
            .get::<EndpointList, _, _>("/api/endpoints", endpoints::list, |op| {
                op.named("list_endpoints", "List endpoints")
            })
            .send::<Json, EndpointView, _, _>("post", "/api/endpoints", endpoints::start, |op| {
                op.named("start_endpoint", "Start an endpoint").status(201)
            })
            .get::<EndpointView, _, _>("/api/endpoints/{name}", endpoints::detail, |op| {
                op.named("get_endpoint", "Get an endpoint")
            })
            .send::<Json, EndpointView, _, _>("put", "/api/endpoints/{name}", endpoints::replace, |op| {
                op.named("replace_endpoint", "Replace an endpoint")
            })
            .media("delete", "/api/endpoints/{name}", endpoints::stop, Media::Empty, |op| {
                op.named("stop_endpoint", "Stop an endpoint")
            })
            .register_requests()
            .get::<ConfiguredTunnelList, _, _>("/api/configured", configured::list, |op| {
                op.named("list_configured_tunnels", "List all tunnels, running or not")
            })
            .send::<TunnelDefinition, ConfiguredTunnel, _, _>("put", "/api/configured/{name}", configured::save, |op| {
                op.named("save_tunnel", "Save a tunnel in the configuration file")
            })
            .media("delete", "/api/configured/{name}", configured::remove, Media::Empty, |op| {
                op.named("remove_tunnel", "Remove a tunnel from the configuration file")
            })
            .send::<Json, ConfiguredTunnel, _, _>("post", "/api/configured/{name}/start", configured::start, |op| {
                op.named("start_configured_tunnel", "Start a configured tunnel")
            })
            .send::<Json, ConfiguredTunnel, _, _>("post", "/api/configured/{name}/stop", configured::stop, |op| {
                op.named("stop_configured_tunnel", "Stop a configured tunnel")
            })
            .send::<Json, SampleResponse, _, _>("post", "/api/configured/{name}/sample", configured::sample, |op| {
                op.named("send_sample", "Send a sample request to a tunnel")
            })
            .get::<ConfigurationText, _, _>("/api/configuration", configuration::show, |op| {
                op.named("get_configuration", "Get the configuration file")
            })
            .send::<ConfigurationEdit, ConfigurationText, _, _>(
                "put",
                "/api/configuration",
                configuration::save,
                |op| op.named("save_configuration", "Save the configuration file"),
            )
            .send::<ConfigurationEdit, ConfigurationCheck, _, _>(
                "post",
                "/api/configuration/check",
                configuration::check,
                |op| op.named("check_configuration", "Check an edited configuration file"),
            )
            .send::<Json, DiagnosisReport, _, _>("post", "/api/diagnosis", diagnosis::run, |op| {
                op.named("run_diagnosis", "Diagnose the path from the server to the local services")
            })
            .get::<ListeningPortList, _, _>("/api/ports", ports::list, |op| {
                op.named("list_ports", "List sockets that listen on this machine")
            })
            .get::<ListeningPort, _, _>("/api/ports/{port}", ports::detail, |op| {
                op.named("probe_port", "Probe a socket that listens on this machine")
            })
    }

    fn register_requests(self) -> Self {
        self.get::<RequestList, _, _>("/api/requests/http", requests::list, |op| {
            op.named("list_requests", "List whole captured requests").query(LIST_QUERY)
        })
        .send_for::<ReplayCommand, _, _>("post", "/api/requests/http", requests::replay::replay, Media::Empty, |op| {
            op.named("replay_request", "Replay a captured request; `Location` names the new one")
        })
        .media("delete", "/api/requests/http", requests::clear, Media::Empty, |op| {
            op.named("delete_requests", "Delete all captured requests")
        })
        .get::<SummaryList<'static>, _, _>("/api/requests/http/summaries", requests::summaries, |op| {
            op.named("list_summaries", "List captured requests in the short form").query(LIST_QUERY)
        })
        .get::<CapturedRequest, _, _>("/api/requests/http/{id}", requests::detail, |op| {
            op.named("get_request", "Get a captured request")
                .query(&[("raw", "`head` leaves the bodies out of `raw`; `whole` is the default.")])
        })
        .send::<AnnotationChange, RequestSummary<'static>, _, _>(
            "patch",
            "/api/requests/http/{id}",
            requests::annotations::annotate,
            |op| op.named("annotate_request", "Pin a captured request or write a note"),
        )
        .media("delete", "/api/requests/http/{id}", requests::annotations::delete, Media::Empty, |op| {
            op.named("delete_request", "Delete a captured request")
        })
        .media("get", "/api/requests/http/{id}/request/body", requests::body::request, Media::Bytes, |op| {
            op.named("get_request_body", "Get the body of a captured request").query(BODY_QUERY)
        })
        .media("get", "/api/requests/http/{id}/response/body", requests::body::response, Media::Bytes, |op| {
            op.named("get_response_body", "Get the body of a captured response").query(BODY_QUERY)
        })
        .get::<FrameList, _, _>("/api/requests/http/{id}/frames", requests::frames::list, |op| {
            op.named("list_frames", "List WebSocket messages or server-sent events").query(&[
                ("after", "Only frames after this number."),
                ("limit", "The most frames of a page: 100 by default, 1,000 at most."),
            ])
        })
        .get::<CurlCommand, _, _>("/api/requests/http/{id}/curl", requests::export::as_curl, |op| {
            op.named("get_curl_command", "Get a captured request as a `curl` command").query(&[
                ("through", "`edge` (the default) or `local`."),
                ("secrets", "`hide` (the default) or `show`."),
            ])
        })
        .get::<Json, _, _>("/api/requests/har", requests::export::as_har, |op| {
            op.named("export_har", "Export captured requests as a HAR file").query(HAR_QUERY)
        })
        .send::<Json, HarImport, _, _>("post", "/api/requests/har", requests::export::import, |op| {
            op.named("import_har", "Import the entries of a HAR file").status(201)
        })
    }

    fn route<H, T>(mut self, method: &str, path: &str, handler: H) -> Self
    where
        H: Handler<T, Arc<AgentContext>>,
        T: 'static,
    {
        let filter = match method {
            "post" => MethodFilter::POST,
            "put" => MethodFilter::PUT,
            "patch" => MethodFilter::PATCH,
            "delete" => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        };
        self.router = self.router.route(path, on(filter, handler));
        self
    }

    /// A GET that responds with JSON.
    fn get<A, H, T>(mut self, path: &'static str, handler: H, describe: fn(Operation) -> Operation) -> Self
    where
        A: JsonSchema,
        H: Handler<T, Arc<AgentContext>>,
        T: 'static,
    {
        if let Some(description) = &mut self.description {
            let operation = describe(description.json::<A>("get", path));
            description.add(operation);
        }
        self.route("get", path, handler)
    }

    /// An operation with JSON bodies in both directions.
    fn send<B, A, H, T>(
        mut self,
        method: &'static str,
        path: &'static str,
        handler: H,
        describe: fn(Operation) -> Operation,
    ) -> Self
    where
        B: JsonSchema,
        A: JsonSchema,
        H: Handler<T, Arc<AgentContext>>,
        T: 'static,
    {
        if let Some(description) = &mut self.description {
            let mut operation = describe(description.json::<A>(method, path));
            description.body::<B>(&mut operation);
            description.add(operation);
        }
        self.route(method, path, handler)
    }

    /// An operation with a JSON request and another response.
    fn send_for<B, H, T>(
        mut self,
        method: &'static str,
        path: &'static str,
        handler: H,
        media: Media,
        describe: fn(Operation) -> Operation,
    ) -> Self
    where
        B: JsonSchema,
        H: Handler<T, Arc<AgentContext>>,
        T: 'static,
    {
        if let Some(description) = &mut self.description {
            let mut operation = describe(description.media(method, path, media));
            description.body::<B>(&mut operation);
            description.add(operation);
        }
        self.route(method, path, handler)
    }

    /// An operation without a JSON body.
    fn media<H, T>(
        mut self,
        method: &'static str,
        path: &'static str,
        handler: H,
        media: Media,
        describe: fn(Operation) -> Operation,
    ) -> Self
    where
        H: Handler<T, Arc<AgentContext>>,
        T: 'static,
    {
        if let Some(description) = &mut self.description {
            let operation = describe(description.media(method, path, media));
            description.add(operation);
        }
        self.route(method, path, handler)
    }
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], AGENT_OPENAPI).into_response()
}

/// The paths of the API, also served without the slash at the end.
pub(super) async fn index() -> Response {
    json::ok(&ApiIndex {
        uri: "/api/".to_owned(),
        tunnels_uri: "/api/tunnels".to_owned(),
        endpoints_uri: "/api/endpoints".to_owned(),
        requests_uri: "/api/requests/http".to_owned(),
        summaries_uri: "/api/requests/http/summaries".to_owned(),
        har_uri: "/api/requests/har".to_owned(),
        configured_uri: "/api/configured".to_owned(),
        configuration_uri: "/api/configuration".to_owned(),
        ports_uri: "/api/ports".to_owned(),
        status_uri: "/api/status".to_owned(),
        events_uri: "/api/events".to_owned(),
    })
}
