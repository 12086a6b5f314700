//! The two cookies (RFC 6265): the session cookie, and the nonce that ties a login attempt to the browser that began
//! it. Both are for one host only.

use http::{HeaderMap, HeaderValue, header};

/// Cookies of one name that are read; browsers send fewer.
const MAX_SAME_NAME: usize = 8;
/// The secret in a cookie: 32 random bytes in Base64.
pub(crate) type CookieSecret = [u8; SECRET_BYTES];
const SECRET_BYTES: usize = 43;

/// The names of a route's cookies.
#[derive(Clone, Debug)]
pub(crate) struct CookieNames {
    /// `<prefix>session`
    pub(crate) session: String,
    /// `<prefix>nonce.`, followed by the digest of an attempt's state.
    pub(crate) nonce: String,
}

impl CookieNames {
    pub(crate) fn with_prefix(prefix: &str) -> Self {
        CookieNames { session: format!("{prefix}session"), nonce: format!("{prefix}nonce.") }
    }

    /// Whether a cookie belongs to this server.
    fn owns(&self, name: &[u8]) -> bool {
        name == self.session.as_bytes() || name.starts_with(self.nonce.as_bytes())
    }
}

/// The values of all cookies of this name that have the length of a secret.
pub(crate) fn secrets<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a CookieSecret> {
    pairs(headers)
        .filter(move |(found, _)| *found == name.as_bytes())
        .filter_map(|(_, value)| value.try_into().ok())
        .take(MAX_SAME_NAME)
}

/// The names of all cookies whose names begin with a prefix.
pub(crate) fn names<'a>(headers: &'a HeaderMap, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    pairs(headers).filter_map(|(name, _)| std::str::from_utf8(name).ok()).filter(move |name| name.starts_with(prefix))
}

fn pairs(headers: &HeaderMap) -> impl Iterator<Item = (&[u8], &[u8])> {
    headers.get_all(header::COOKIE).iter().flat_map(|line| parts(line.as_bytes())).map(split)
}

/// The parts of a line, separated by semicolons.
fn parts(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let end = memchr::memchr(b';', line);
        rest = end.map(|end| &line[end + 1..]);
        Some(&line[..end.unwrap_or(line.len())])
    })
}

fn split(pair: &[u8]) -> (&[u8], &[u8]) {
    let pair = pair.trim_ascii();
    match memchr::memchr(b'=', pair) {
        Some(at) => (&pair[..at], &pair[at + 1..]),
        None => (pair, &[]),
    }
}

/// Removes this server's cookies from a request, so that local services never see them.
pub(crate) fn strip(headers: &mut HeaderMap, names: &CookieNames) {
    let (mut all, mut ours) = (0, 0);
    for (name, _) in pairs(headers) {
        all += 1;
        ours += usize::from(names.owns(name));
    }
    if ours == 0 {
        return;
    }
    if ours == all {
        headers.remove(header::COOKIE);
        return;
    }
    let lines: Vec<Vec<u8>> = headers
        .get_all(header::COOKIE)
        .iter()
        .map(|line| {
            let others = parts(line.as_bytes()).filter(|pair| !names.owns(split(pair).0));
            others.map(<[u8]>::trim_ascii).collect::<Vec<_>>().join(&b"; "[..])
        })
        .filter(|line| !line.is_empty())
        .collect();
    headers.remove(header::COOKIE);
    for line in lines {
        if let Ok(value) = HeaderValue::from_bytes(&line) {
            headers.append(header::COOKIE, value);
        }
    }
}

/// A `Set-Cookie` value for this host only: scripts cannot read it, and other sites' forms do not send it.
pub(crate) fn set(name: &str, secret: &str, seconds: Option<i64>) -> String {
    let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    format!("{name}={secret}; Path=/{age}; Secure; HttpOnly; SameSite=Lax")
}

/// A `Set-Cookie` value that deletes a cookie.
pub(crate) fn clear(name: &str) -> String {
    set(name, "", Some(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::COOKIE, HeaderValue::from_str(line).expect("a header"));
        }
        headers
    }

    #[test]
    fn secrets_are_found_by_their_exact_name() {
        let secret = "x".repeat(SECRET_BYTES);
        let sent = headers(&[
            &format!("a=1; postern.session={secret}; Postern.session={secret}"),
            &format!("postern.session=short;postern.session={secret};  postern.sessions={secret}"),
        ]);
        assert_eq!(secrets(&sent, "postern.session").count(), 2);
        assert_eq!(secrets(&sent, "postern.session2").count(), 0);
        let many = vec![format!("s={secret}"); 50].join(";");
        assert_eq!(secrets(&headers(&[&many]), "s").count(), MAX_SAME_NAME);
    }

    #[test]
    fn own_cookies_are_removed_and_others_stay_unchanged() {
        let names = CookieNames::with_prefix("my.");
        let table: [(&[&str], &[&str]); 5] = [
            (&["a=1; my.session=x; b=\"2; 3"], &["a=1; b=\"2; 3"]),
            (&["my.session=x", "a=1"], &["a=1"]),
            (&["my.session=x; my.nonce.00=y"], &[]),
            (&["my.session"], &[]),
            (&["a=1;b=2"], &["a=1;b=2"]),
        ];
        for (sent, left) in table {
            let mut headers = headers(sent);
            strip(&mut headers, &names);
            let lines: Vec<_> =
                headers.get_all(header::COOKIE).iter().map(|line| line.to_str().expect("text")).collect();
            assert_eq!(lines, left, "{sent:?}");
        }
    }

    #[test]
    fn cookies_are_for_one_host_and_hidden_from_scripts() {
        assert_eq!(set("a", "b", Some(600)), "a=b; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax");
        assert_eq!(set("a", "b", None), "a=b; Path=/; Secure; HttpOnly; SameSite=Lax");
        assert!(clear("a").starts_with("a=; Path=/; Max-Age=0;"));
    }
}
