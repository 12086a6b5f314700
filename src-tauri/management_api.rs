//! Requests to the management API: the window says what is wanted, the key is added here and never leaves.

use crate::agent_api::{Answer, read_answer};
use crate::desk::Desk;
use crate::failure::{Failure, Result};
use crate::setup;
use postern_api::resource::{
    ApiKey, AppSession, AppUser, BotUser, CertificateAuthority, Credential, Endpoint, IpPolicy, IpPolicyRule,
    IpRestriction, ReservedAddress, ReservedDomain, Resource, SshCertificateAuthority, SshHostCertificate,
    SshUserCertificate, TlsCertificate, Tunnel, TunnelSession, User, View,
};
use postern_api::{Code, Secret};
use reqwest::Method;
use std::time::Duration;
use tokio::sync::Mutex;
use url::Url;

/// The largest body of the management API: certificates and metadata of identity providers.
const LARGEST_REQUEST: usize = 1024 * 1024;
/// A change waits for the edge, which has a deadline of its own.
const PATIENCE: Duration = Duration::from_secs(30);

/// What may be asked: these collections and what lies below them.
const COLLECTIONS: [&str; 24] = [
    "/backends",
    "/edges",
    "/server",
    "/status",
    "/traffic",
    ApiKey::PATH,
    AppSession::PATH,
    AppUser::PATH,
    BotUser::PATH,
    CertificateAuthority::PATH,
    Credential::PATH,
    Endpoint::PATH,
    IpPolicy::PATH,
    IpPolicyRule::PATH,
    IpRestriction::PATH,
    ReservedAddress::PATH,
    ReservedDomain::PATH,
    SshCertificateAuthority::PATH,
    SshHostCertificate::PATH,
    SshUserCertificate::PATH,
    TlsCertificate::PATH,
    Tunnel::PATH,
    TunnelSession::PATH,
    User::PATH,
];

/// The key as it was read last, so that the keychain is not asked for every request.
#[derive(Debug, Default)]
pub(crate) struct HeldKey(Mutex<Option<Secret>>);

/// Sends one request to the management API of the server.
///
/// Fails for a path outside the collections, another method than GET, POST, PATCH, PUT and DELETE, a body or an answer
/// beyond its limit, and when no server answers. An answer with an error status is an answer.
pub(crate) async fn request(
    desk: &Desk,
    held: &HeldKey,
    method: &str,
    path: &str,
    body: Option<String>,
) -> Result<Answer> {
    let method = allowed_method(method)?;
    if body.as_ref().is_some_and(|body| body.len() > LARGEST_REQUEST) {
        let limit = LARGEST_REQUEST / (1024 * 1024);
        return Err(Failure::new(Code::BodyTooLarge, format!("The body is larger than {limit} MiB.")));
    }
    let server = desk.state.now().server;
    let Some(base) = server.api_address else {
        let why = server.error.map_or_else(|| "It is being started.".to_owned(), |error| error.message);
        return Err(Failure::new(Code::Unavailable, format!("The server does not run at the moment. {why}")));
    };
    let url = address_of(&base, path)?;
    let mut key = held.0.lock().await;
    let known = match key.take() {
        Some(known) => known,
        None => setup::management_key(desk).await?,
    };
    let answer = send(desk, &base, method.clone(), url.clone(), body.clone(), &known).await?;
    if answer.status != 401 {
        *key = Some(known);
        return Ok(answer);
    }
    // The key was deleted, or the server began anew.
    let fresh = setup::new_management_key(desk).await?;
    let answer = send(desk, &base, method, url, body, &fresh).await?;
    *key = Some(fresh);
    Ok(answer)
}

async fn send(desk: &Desk, base: &str, method: Method, url: Url, body: Option<String>, key: &Secret) -> Result<Answer> {
    let unreachable = || {
        Failure::new(Code::Unavailable, format!("The server at {base} does not answer. It is started again by itself."))
    };
    let mut request = desk.management.request(method, url).timeout(PATIENCE).bearer_auth(key.reveal());
    request = request.header("service-version", "2");
    if let Some(body) = body {
        request = request.header("content-type", "application/json").body(body);
    }
    let answer = request.send().await.map_err(|_| unreachable())?;
    read_answer(answer, unreachable).await
}

fn allowed_method(method: &str) -> Result<Method> {
    match method {
        "GET" => Ok(Method::GET),
        "POST" => Ok(Method::POST),
        "PATCH" => Ok(Method::PATCH),
        "PUT" => Ok(Method::PUT),
        "DELETE" => Ok(Method::DELETE),
        other => {
            Err(Failure::new(Code::MethodNotAllowed, format!("The method {other:?} is not one of the management API.")))
        }
    }
}

/// The address of a path below a collection: what the path says after all dots and escapes are resolved counts.
fn address_of(base: &str, path: &str) -> Result<Url> {
    let refused = || Failure::new(Code::HostRefused, "Only the management API's collections can be asked from here.");
    if !path.starts_with('/') || path.contains(['\\', '#']) || path.chars().any(char::is_control) {
        return Err(refused());
    }
    let server = Url::parse(base).map_err(|_| refused())?;
    let url = Url::parse(&format!("{}{path}", base.trim_end_matches('/'))).map_err(|_| refused())?;
    let plain = url.username().is_empty() && url.password().is_none();
    if plain && url.origin() == server.origin() && COLLECTIONS.iter().any(|collection| is_below(url.path(), collection))
    {
        Ok(url)
    } else {
        Err(refused())
    }
}

fn is_below(path: &str, collection: &str) -> bool {
    path.strip_prefix(collection).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const BASE: &str = "http://127.0.0.1:4041";

    #[test]
    fn collections_and_what_lies_below_them_reach_the_server() {
        for path in ["/ip_policies?limit=5", "/edges/https/edghts_1/routes", "/backends/weighted", "/app/users"] {
            assert_eq!(address_of(BASE, path).unwrap().as_str(), format!("{BASE}{path}"));
        }
    }

    #[test]
    fn nothing_else_can_be_asked() {
        for path in [
            "",
            "/",
            "/metrics",
            "/console/",
            "/ip_policiesx",
            "ip_policies",
            "@evil.example/ip_policies",
            "//evil.example/ip_policies",
            "/ip_policies/../metrics",
            "/ip_policies/%2e%2e/metrics",
            "/ip_policies\\..\\x",
            "/ip_policies\r\nHost: evil",
            "/ip_policies#y",
            "http://evil.example/ip_policies",
        ] {
            assert!(address_of(BASE, path).is_err(), "{path:?} was let through");
        }
    }

    #[test]
    fn only_the_methods_of_the_api_are_sent() {
        assert!(allowed_method("PATCH").is_ok());
        for method in ["CONNECT", "TRACE", "get", ""] {
            assert!(allowed_method(method).is_err(), "{method:?} was let through");
        }
    }
}
