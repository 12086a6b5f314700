//! The target of a tunnel: an address, a Unix socket, a folder, or a canned response.

use super::{
    canned_response::CannedResponse, definition_kind::DefinitionKind, fields::Fields, local_address::LocalAddress,
    problem::SourceLocation,
};
use postern_api::{Code, Error};
use std::{
    net::IpAddr,
    path::{Path, PathBuf},
    sync::Arc,
};
use url::Url;

/// The value of `addr` for a canned response.
const CATCH: &str = "catch";

/// The target of visitors' connections.
#[derive(Clone, Debug, PartialEq)]
pub enum LocalUpstream {
    /// A TCP address.
    Address(LocalAddress),
    /// A Unix socket.
    Socket(PathBuf),
    /// A folder with static files.
    Folder(PathBuf),
    /// A canned response to every request.
    Catch(Arc<CannedResponse>),
}

impl LocalUpstream {
    /// Reads `addr` and `catch`. `None` if there are problems.
    pub(super) fn read(
        fields: &mut Fields<'_>,
        location: &SourceLocation,
        kind: Option<&DefinitionKind>,
    ) -> Option<LocalUpstream> {
        let script = CannedResponse::read(fields)?;
        if fields.pair("addr").is_none() {
            let found = script.map(|script| LocalUpstream::Catch(Arc::new(script)));
            if found.is_none() {
                let message = "Is missing: say where the local service listens, such as `addr: 8080`.";
                fields.reject("addr", location, message);
            }
            return found.filter(|upstream| upstream.fits(fields, location, kind));
        }
        let field = fields.text("addr")?;
        if script.is_some() && field.value.trim() != CATCH {
            let message = "With `catch` the agent itself responds: remove `addr` or `catch`.";
            fields.reject("addr", field.location, message);
            return None;
        }
        // A tunnel of TLS or TCP is not HTTP for the agent.
        let http = !matches!(kind, Some(DefinitionKind::Tcp { .. } | DefinitionKind::Tls { .. }));
        match LocalUpstream::parse(&field.value, http, script) {
            Ok(upstream) => upstream.fits(fields, field.location, kind).then_some(upstream),
            Err(error) => {
                let key = fields.key("addr");
                fields.problems.add_coded(error.code, field.location, &key, error.message);
                None
            }
        }
    }

    fn parse(text: &str, http: bool, script: Option<CannedResponse>) -> Result<LocalUpstream, Error> {
        let text = text.trim();
        let scheme = text.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            _ if text == CATCH => Ok(LocalUpstream::Catch(Arc::new(script.unwrap_or_default()))),
            Some("unix") => socket(text).map(LocalUpstream::Socket),
            Some("file") => folder(text).map(LocalUpstream::Folder),
            _ => LocalAddress::parse(text, http).map(LocalUpstream::Address),
        }
    }

    /// Whether this target is valid for the tunnel's kind.
    fn fits(&self, fields: &mut Fields<'_>, location: &SourceLocation, kind: Option<&DefinitionKind>) -> bool {
        let own = matches!(self, LocalUpstream::Folder(_) | LocalUpstream::Catch(_));
        if own && matches!(kind, Some(DefinitionKind::Tcp { .. } | DefinitionKind::Tls { .. })) {
            fields.reject("addr", location, "Folders and `catch` serve HTTP only: write `proto: http`.");
            return false;
        }
        for key in ["app_protocol", "proxy_proto"] {
            let Some(pair) = fields.pair(key).filter(|_| own) else { continue };
            fields.reject(key, &pair.location, "Is not supported where the agent itself responds; remove it.");
            return false;
        }
        true
    }

    /// The target in the local API.
    pub fn shown(&self, http: bool) -> String {
        match self {
            LocalUpstream::Address(address) => address.shown(http),
            LocalUpstream::Socket(path) => format!("unix:{}", path.display()),
            LocalUpstream::Folder(path) => {
                Url::from_directory_path(path).map_or_else(|()| path.display().to_string(), |url| url.to_string())
            }
            LocalUpstream::Catch(_) => CATCH.to_owned(),
        }
    }

    /// The port, if the target is a loopback address of this machine.
    pub fn loopback_port(&self) -> Option<u16> {
        let LocalUpstream::Address(address) = self else { return None };
        let host = address.host.as_str();
        let ip: Option<IpAddr> = host.parse().ok();
        (host.eq_ignore_ascii_case("localhost") || ip.is_some_and(|ip| ip.is_loopback())).then_some(address.port)
    }

    /// The `Host` header of the target.
    pub fn host(&self) -> String {
        match self {
            LocalUpstream::Address(address) => address.host_header(),
            _ => "localhost".to_owned(),
        }
    }
}

fn refuse(text: &str, why: &str) -> Error {
    let shown: String = text.chars().take(120).collect();
    Error::new(Code::AddressFormat, format!("`{shown}` is not a local address: {why}."))
}

fn socket(text: &str) -> Result<PathBuf, Error> {
    let path = text.split_once(':').map_or("", |(_, path)| path);
    let path = path.strip_prefix("//").filter(|rest| rest.starts_with('/')).unwrap_or(path);
    if !cfg!(unix) {
        return Err(refuse(text, "this system has no Unix sockets"));
    }
    if !path.starts_with('/') || path.contains('\0') {
        return Err(refuse(text, "a socket needs an absolute path, such as `unix:/run/app.sock`"));
    }
    Ok(PathBuf::from(path))
}

fn folder(text: &str) -> Result<PathBuf, Error> {
    let hint = "a folder needs an absolute path, such as `file:///srv/site`";
    let url = Url::parse(text).map_err(|_| refuse(text, hint))?;
    if url.host_str().is_some_and(|host| !host.is_empty()) || url.query().is_some() || url.fragment().is_some() {
        return Err(refuse(text, hint));
    }
    let path = url.to_file_path().map_err(|()| refuse(text, hint))?;
    // URL parsing removes `..`, so that the displayed folder is the served one.
    if path == Path::new("/") { Err(refuse(text, "the root folder cannot be published")) } else { Ok(path) }
}

#[cfg(test)]
mod tests {
    use crate::config::Definition;
    use serde_json::{Value, json};

    fn read(keys: Value) -> Result<String, String> {
        let mut body = json!({"proto": "http"});
        body.as_object_mut().expect("an object").extend(keys.as_object().expect("an object").clone());
        let read = Definition::from_json("t", body.as_object().expect("an object"));
        read.map(|read| read.upstream.shown(true)).map_err(|problems| problems.to_string())
    }

    #[test]
    fn sockets_folders_and_canned_responses_are_targets() {
        for (addr, shown) in [
            ("8080", "http://localhost:8080"),
            ("unix:/run/app.sock", "unix:/run/app.sock"),
            ("unix:///run/app.sock", "unix:/run/app.sock"),
            ("file:///srv/my%20site", "file:///srv/my%20site/"),
            ("file:///srv/site/../other", "file:///srv/other/"),
            ("catch", "catch"),
        ] {
            assert_eq!(read(json!({"addr": addr})).as_deref(), Ok(shown), "{addr}");
        }
        assert_eq!(read(json!({"catch": {"status": 204}})).as_deref(), Ok("catch"));
        assert_eq!(read(json!({"catch": true})).as_deref(), Ok("catch"));
    }

    #[test]
    fn invalid_targets_are_rejected() {
        for keys in [
            json!({}),
            json!({"addr": "unix:app.sock"}),
            json!({"addr": "file://host/srv"}),
            json!({"addr": "file:///"}),
            json!({"addr": "file:///srv?x"}),
            json!({"addr": 80, "catch": true}),
            json!({"addr": "catch", "app_protocol": "http2"}),
            json!({"addr": "file:///srv", "proxy_proto": 1}),
            json!({"addr": "catch", "proto": "tcp"}),
            json!({"addr": "file:///srv", "proto": "tls"}),
        ] {
            assert!(read(keys.clone()).is_err(), "{keys}");
        }
        assert_eq!(read(json!({"addr": "unix:/run/db.sock", "proto": "tcp"})).as_deref(), Ok("unix:/run/db.sock"));
    }
}
