//! Where a tunnel leads: to an address, a socket, a folder, or to an answer that the agent gives itself.

use super::{address::LocalAddress, fields::Fields, kind::Kind, problem::Place, script::Script};
use postern_api::{Code, Error};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use url::Url;

/// How the agent's own answers are called in `addr`.
const CATCH: &str = "catch";

/// Where visitors are led.
#[derive(Clone, Debug, PartialEq)]
pub enum Upstream {
    /// A port of this machine or of another.
    Address(LocalAddress),
    /// A socket in the file system.
    Socket(PathBuf),
    /// A folder whose files are shown.
    Folder(PathBuf),
    /// Nowhere: every request is answered alike.
    Catch(Arc<Script>),
}

impl Upstream {
    /// Reads `addr` and `catch`. `None` if anything is wrong.
    pub(super) fn read(fields: &mut Fields<'_>, place: &Place, kind: Option<&Kind>) -> Option<Upstream> {
        let script = Script::read(fields)?;
        if fields.pair("addr").is_none() {
            let found = script.map(|script| Upstream::Catch(Arc::new(script)));
            if found.is_none() {
                let message = "Is missing: say where the local service listens, such as `addr: 8080`.";
                fields.wrong("addr", place, message);
            }
            return found.filter(|upstream| upstream.fits(fields, place, kind));
        }
        let written = fields.text("addr")?;
        if script.is_some() && written.value.trim() != CATCH {
            let message = "With `catch` the agent answers by itself: take `addr` out, or `catch`.";
            fields.wrong("addr", written.place, message);
            return None;
        }
        // What speaks TLS inside is not HTTP to the agent.
        let http = !matches!(kind, Some(Kind::Tcp { .. } | Kind::Tls { .. }));
        match Upstream::parse(&written.value, http, script) {
            Ok(upstream) => upstream.fits(fields, written.place, kind).then_some(upstream),
            Err(error) => {
                let key = fields.key("addr");
                fields.problems.add_coded(error.code, written.place, &key, error.message);
                None
            }
        }
    }

    fn parse(text: &str, http: bool, script: Option<Script>) -> Result<Upstream, Error> {
        let text = text.trim();
        let scheme = text.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        match scheme.as_deref() {
            _ if text == CATCH => Ok(Upstream::Catch(Arc::new(script.unwrap_or_default()))),
            Some("unix") => socket(text).map(Upstream::Socket),
            Some("file") => folder(text).map(Upstream::Folder),
            _ => LocalAddress::parse(text, http).map(Upstream::Address),
        }
    }

    /// Whether the tunnel's kind can lead there.
    fn fits(&self, fields: &mut Fields<'_>, place: &Place, kind: Option<&Kind>) -> bool {
        let own = matches!(self, Upstream::Folder(_) | Upstream::Catch(_));
        if own && matches!(kind, Some(Kind::Tcp { .. } | Kind::Tls { .. })) {
            fields.wrong("addr", place, "Folders and `catch` answer requests of HTTP: write `proto: http`.");
            return false;
        }
        for key in ["app_protocol", "proxy_proto"] {
            let Some(pair) = fields.pair(key).filter(|_| own) else { continue };
            fields.wrong(key, &pair.place, "Has no meaning where the agent answers by itself; take it out.");
            return false;
        }
        true
    }

    /// As the local API shows it.
    pub fn shown(&self, http: bool) -> String {
        match self {
            Upstream::Address(address) => address.shown(http),
            Upstream::Socket(path) => format!("unix:{}", path.display()),
            Upstream::Folder(path) => {
                Url::from_directory_path(path).map_or_else(|()| path.display().to_string(), |url| url.to_string())
            }
            Upstream::Catch(_) => CATCH.to_owned(),
        }
    }

    /// The name under which it knows itself.
    pub fn host(&self) -> String {
        match self {
            Upstream::Address(address) => address.host_header(),
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
        return Err(refuse(text, "this system has no such sockets"));
    }
    if !path.starts_with('/') || path.contains('\0') {
        return Err(refuse(text, "a socket is named by its whole path, such as `unix:/run/app.sock`"));
    }
    Ok(PathBuf::from(path))
}

fn folder(text: &str) -> Result<PathBuf, Error> {
    let hint = "a folder is named by its whole path, such as `file:///srv/site`";
    let url = Url::parse(text).map_err(|_| refuse(text, hint))?;
    if url.host_str().is_some_and(|host| !host.is_empty()) || url.query().is_some() || url.fragment().is_some() {
        return Err(refuse(text, hint));
    }
    let path = url.to_file_path().map_err(|()| refuse(text, hint))?;
    // The address of a folder reads `..` away, so that what is shown is what is served.
    if path == Path::new("/") { Err(refuse(text, "the whole file system is not a folder to show")) } else { Ok(path) }
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
    fn sockets_folders_and_own_answers_are_targets() {
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
    fn what_leads_nowhere_is_refused() {
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
