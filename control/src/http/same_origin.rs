//! Guard against calls that other sites make with the session of the console (cross-site request forgery). The cookie is sent by
//! the browser, whatever page makes it send a request, so each call must prove that the console made it.

use super::session_cookie::authority;
use http::{HeaderName, HeaderValue, header, request::Parts};
use postern_api::{Code, Error, Result};

/// Header that the console sends with each of its calls. A page of another origin cannot send it, because that needs a permission
/// (a preflight request) that this server gives to no site.
static CONSOLE_SESSION: HeaderName = HeaderName::from_static("console-session");
static SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Why the console makes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// The person has done something recently.
    Active,
    /// The page refreshes what it shows.
    Idle,
}

impl Activity {
    pub(super) fn is_active(self) -> bool {
        self == Activity::Active
    }
}

/// Checks that a call with a session comes from the console itself.
///
/// # Errors
/// `ConsoleOrigin` if it may come from another origin, another port of the same host included.
pub(super) fn check_session_call(parts: &Parts) -> Result<Activity> {
    check_origin(parts)?;
    match parts.headers.get(&CONSOLE_SESSION).map(HeaderValue::as_bytes) {
        Some(b"active") => Ok(Activity::Active),
        Some(b"idle") => Ok(Activity::Idle),
        _ => Err(Error::new(
            Code::ConsoleOrigin,
            "A session of the console is for the console only: the header `Console-Session` is missing. Send an API key \
             instead: `Authorization: Bearer <API_KEY>`.",
        )),
    }
}

/// Checks what the browser says about the page that makes a call. Programs say nothing.
///
/// # Errors
/// `ConsoleOrigin` if that page has another origin.
pub(super) fn check_origin(parts: &Parts) -> Result<()> {
    let is_same = match parts.headers.get(&SEC_FETCH_SITE) {
        // The browser has compared the origins, also where a proxy has changed `Host`.
        Some(site) => site == "same-origin",
        None => parts.headers.get_all(header::ORIGIN).iter().all(|origin| is_own(origin, parts)),
    };
    if is_same {
        return Ok(());
    }
    Err(Error::new(
        Code::ConsoleOrigin,
        "The call comes from a page of another origin. Only the console of this server may use its sessions; a proxy in front \
         of it must pass the header `Host` on.",
    ))
}

/// Whether an origin (RFC 6454) names the host and port of the request.
fn is_own(origin: &HeaderValue, parts: &Parts) -> bool {
    let Some((scheme, origin)) = origin.to_str().ok().and_then(|origin| origin.split_once("://")) else { return false };
    let default_port = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => return false,
    };
    let bare = |authority: &str| authority.strip_suffix(default_port).unwrap_or(authority).to_ascii_lowercase();
    authority(parts).is_some_and(|own| bare(own) == bare(origin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn call(headers: &[(&str, &str)]) -> Result<Activity, Code> {
        let mut request = Request::post("/ip_policies").header("host", "127.0.0.1:4041");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        check_session_call(&parts).map_err(|error| error.code)
    }

    #[test]
    fn the_console_is_recognized() {
        for more in [
            &[("sec-fetch-site", "same-origin"), ("origin", "http://127.0.0.1:4041")][..],
            &[("sec-fetch-site", "same-origin")],
            &[("sec-fetch-site", "same-origin"), ("origin", "https://console.example.test")],
            &[("origin", "http://127.0.0.1:4041")],
            &[],
        ] {
            let headers = [more, &[("console-session", "active")]].concat();
            assert_eq!(call(&headers), Ok(Activity::Active), "{more:?}");
        }
        assert_eq!(call(&[("console-session", "idle")]), Ok(Activity::Idle));
    }

    #[test]
    fn other_pages_are_refused() {
        for more in [
            &[("sec-fetch-site", "cross-site")][..],
            &[("sec-fetch-site", "same-site"), ("origin", "http://127.0.0.1:3000")],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "none")],
            &[("sec-fetch-site", "")],
            &[("origin", "http://127.0.0.1:3000")],
            &[("origin", "http://127.0.0.1")],
            &[("origin", "http://localhost:4041")],
            &[("origin", "https://evil.test")],
            &[("origin", "null")],
            &[("origin", "")],
            &[("origin", "file://127.0.0.1:4041")],
            &[("origin", "http://127.0.0.1:4041"), ("origin", "https://evil.test")],
        ] {
            let headers = [more, &[("console-session", "active")]].concat();
            assert_eq!(call(&headers), Err(Code::ConsoleOrigin), "{more:?}");
        }
    }

    #[test]
    fn without_its_header_a_session_is_refused() {
        for more in [
            &[][..],
            &[("sec-fetch-site", "same-origin")],
            &[("origin", "http://127.0.0.1:4041")],
            &[("console-session", "yes")],
        ] {
            assert_eq!(call(more), Err(Code::ConsoleOrigin), "{more:?}");
        }
    }

    #[test]
    fn a_default_port_need_not_be_written() {
        let check = |host: &str, origin: &str| {
            let request = Request::get("/").header("host", host).header("origin", origin);
            check_origin(&request.body(()).expect("a request").into_parts().0).is_ok()
        };
        assert!(check("api.example.test", "https://api.example.test"));
        assert!(check("API.example.test:443", "https://api.example.test"));
        assert!(check("api.example.test", "http://api.example.test:80"));
        assert!(!check("api.example.test", "https://api.example.test:8443"));
        assert!(!check("api.example.test:80", "https://api.example.test"));
    }
}
