//! The modules as a table: their arguments for each owner.

use crate::{given::Given, kinds::{backend, mutual_tls, restriction, text_map}, report::{Report, Step, agree, gone, same}};
use ngrok_api::{Client, types};

/// Put, get and delete of a module: its client, the SDK's type of the replacement with the owner's ids, the owner arguments of
/// get and delete, the configuration.
macro_rules! module {
    ($client:expr, $replace:ident { $($id:ident: $value:expr),* }, $item:expr, $module:expr) => {{
        let client = $client;
        let step: Step = async {
            let replace = types::$replace { $($id: $value.clone(),)* module: $module };
            let put = client.replace(&replace).await?;
            agree("the answer to the replacement", &replace.module, &put)?;
            if put.enabled.is_none() {
                return Err("`enabled` is always shown".into());
            }
            same("the module read back", &client.get($item).await?, &put)?;
            client.delete($item).await?;
            gone(client.get($item).await)?;
            Ok("put, read, deleted, gone".into())
        }
        .await;
        step
    }};
}

/// Every module of every owner.
pub async fn all(report: &mut Report, api: &Client, given: &Given) {
    route(report, api, given).await;
    https(report, api, given).await;
    tls(report, api, given).await;
    tcp(report, api).await;
}

async fn route(report: &mut Report, api: &Client, given: &Given) {
    let item = match new_route(api).await {
        Ok(item) => item,
        Err(wrong) => return report.tells("https_routes", Err(wrong)),
    };
    let item = &item;
    let modules = api.edge_modules();
    /// A module of the route.
    macro_rules! on_route {
        ($name:literal, $client:ident, $replace:ident, $module:expr) => {
            report.tells(
                concat!("https_routes ", $name),
                module!(modules.$client(), $replace { edge_id: item.edge_id, id: item.id }, item, $module),
            )
        };
    }
    on_route!("backend", https_edge_route_backend, EdgeRouteBackendReplace, backend(api).await?);
    on_route!(
        "ip_restriction",
        https_edge_route_ip_restriction,
        EdgeRouteIPRestrictionReplace,
        restriction(api).await?
    );
    on_route!(
        "circuit_breaker",
        https_edge_route_circuit_breaker,
        EdgeRouteCircuitBreakerReplace,
        types::EndpointCircuitBreaker {
            enabled: None,
            tripped_duration: 5,
            rolling_window: 20,
            num_buckets: 128,
            volume_threshold: 7,
            error_threshold_percentage: 0.25,
        }
    );
    on_route!(
        "compression",
        https_edge_route_compression,
        EdgeRouteCompressionReplace,
        types::EndpointCompression { enabled: Some(true) }
    );
    on_route!(
        "request_headers",
        https_edge_route_request_headers,
        EdgeRouteRequestHeadersReplace,
        types::EndpointRequestHeaders { add: text_map("x-seen-by", "clients"), ..Default::default() }
    );
    on_route!(
        "response_headers",
        https_edge_route_response_headers,
        EdgeRouteResponseHeadersReplace,
        types::EndpointResponseHeaders { remove: vec!["x-secret".into()], ..Default::default() }
    );
    on_route!(
        "webhook_verification",
        https_edge_route_webhook_verification,
        EdgeRouteWebhookVerificationReplace,
        types::EndpointWebhookValidation { enabled: None, provider: "github".into(), secret: "echoed".into() }
    );
    on_route!(
        "websocket_tcp_converter",
        https_edge_route_websocket_tcp_converter,
        EdgeRouteWebsocketTCPConverterReplace,
        types::EndpointWebsocketTCPConverter { enabled: Some(false) }
    );
    on_route!(
        "user_agent_filter",
        https_edge_route_user_agent_filter,
        EdgeRouteUserAgentFilterReplace,
        types::EndpointUserAgentFilter { allow: vec!["^curl/".into()], ..Default::default() }
    );
    on_route!("oidc", https_edge_route_oidc, EdgeRouteOIDCReplace, oidc());
    on_route!("oauth", https_edge_route_oauth, EdgeRouteOAuthReplace, oauth());
    on_route!("saml", https_edge_route_saml, EdgeRouteSAMLReplace, saml(given));
}

async fn https(report: &mut Report, api: &Client, given: &Given) {
    let step = api.edges().https().create(&types::HTTPSEdgeCreate::default()).await;
    let id = match step {
        Ok(edge) => edge.id,
        Err(error) => return report.tells("https", Err(error.into())),
    };
    report.tells(
        "https mutual_tls",
        module!(
            api.edge_modules().https_edge_mutual_tls(),
            EdgeMutualTLSReplace { id: id },
            &id,
            mutual_tls(api, given).await?
        ),
    );
    report.tells(
        "https tls_termination",
        module!(
            api.edge_modules().https_edge_tls_termination(),
            EdgeTLSTerminationAtEdgeReplace { id: id },
            &id,
            types::EndpointTLSTerminationAtEdge { enabled: None, min_version: Some("1.3".into()) }
        ),
    );
}

async fn tls(report: &mut Report, api: &Client, given: &Given) {
    let at_edge = types::EndpointTLSTermination { enabled: Some(true), terminate_at: "edge".into(), min_version: None };
    let create = types::TLSEdgeCreate { tls_termination: Some(at_edge.clone()), ..Default::default() };
    let id = match api.edges().tls().create(&create).await {
        Ok(edge) => edge.id,
        Err(error) => return report.tells("tls", Err(error.into())),
    };
    report.tells(
        "tls backend",
        module!(api.edge_modules().tls_edge_backend(), EdgeBackendReplace { id: id }, &id, backend(api).await?),
    );
    report.tells(
        "tls ip_restriction",
        module!(
            api.edge_modules().tls_edge_ip_restriction(),
            EdgeIPRestrictionReplace { id: id },
            &id,
            restriction(api).await?
        ),
    );
    report.tells(
        "tls mutual_tls",
        module!(
            api.edge_modules().tls_edge_mutual_tls(),
            EdgeMutualTLSReplace { id: id },
            &id,
            mutual_tls(api, given).await?
        ),
    );
    report.tells(
        "tls tls_termination",
        module!(
            api.edge_modules().tls_edge_tls_termination(),
            EdgeTLSTerminationReplace { id: id },
            &id,
            at_edge.clone()
        ),
    );
}

async fn tcp(report: &mut Report, api: &Client) {
    let id = match api.edges().tcp().create(&types::TCPEdgeCreate::default()).await {
        Ok(edge) => edge.id,
        Err(error) => return report.tells("tcp", Err(error.into())),
    };
    report.tells(
        "tcp backend",
        module!(api.edge_modules().tcp_edge_backend(), EdgeBackendReplace { id: id }, &id, backend(api).await?),
    );
    report.tells(
        "tcp ip_restriction",
        module!(
            api.edge_modules().tcp_edge_ip_restriction(),
            EdgeIPRestrictionReplace { id: id },
            &id,
            restriction(api).await?
        ),
    );
}

async fn new_route(api: &Client) -> Step<types::EdgeRouteItem> {
    let edge_id = api.edges().https().create(&types::HTTPSEdgeCreate::default()).await?.id;
    let create = types::HTTPSEdgeRouteCreate {
        edge_id: edge_id.clone(),
        match_type: "path_prefix".into(),
        r#match: "/".into(),
        ..Default::default()
    };
    let id = api.edges().https_routes().create(&create).await?.id;
    Ok(types::EdgeRouteItem { edge_id, id })
}

fn oidc() -> types::EndpointOIDC {
    types::EndpointOIDC {
        issuer: "https://idp.test".into(),
        client_id: "client".into(),
        client_secret: "echoed".into(),
        scopes: vec!["openid".into(), "profile".into()],
        inactivity_timeout: 600,
        ..Default::default()
    }
}

fn oauth() -> types::EndpointOAuth {
    let google = types::EndpointOAuthGoogle {
        client_id: Some("own app".into()),
        client_secret: Some("echoed".into()),
        // The scopes that a login needs; missing ones would be added.
        scopes: ["email", "profile"].map(|one| format!("https://www.googleapis.com/auth/userinfo.{one}")).into(),
        email_domains: vec!["clients.test".into()],
        ..Default::default()
    };
    types::EndpointOAuth {
        provider: types::EndpointOAuthProvider { google: Some(google), ..Default::default() },
        maximum_duration: 86_400,
        ..Default::default()
    }
}

fn saml(given: &Given) -> types::EndpointSAMLMutate {
    types::EndpointSAMLMutate {
        idp_metadata: given.text("idp.xml"),
        authorized_groups: vec!["web".into()],
        allow_idp_initiated: Some(true),
        ..Default::default()
    }
}
