//! The two cookies: the session, and what ties a login to the browser that began it. Both are for one host alone.

use http::{HeaderMap, HeaderValue, header};

/// A browser sends no more of one name; what comes beyond is not looked at.
const MOST: usize = 8;
/// A secret in one of them, as it stands there.
pub(crate) type Secret = [u8; SECRET_LENGTH];
const SECRET_LENGTH: usize = 43;

/// The names of a route's cookies.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// `<prefix>session`
    pub(crate) session: String,
    /// `<prefix>nonce.`, to be followed by the name of an attempt.
    pub(crate) nonce: String,
}

impl Names {
    pub(crate) fn of(prefix: &str) -> Self {
        Names { session: format!("{prefix}session"), nonce: format!("{prefix}nonce.") }
    }

    /// Whether a cookie is one of ours.
    fn owns(&self, name: &[u8]) -> bool {
        name == self.session.as_bytes() || name.starts_with(self.nonce.as_bytes())
    }
}

/// The values of all cookies with this name that could be one of our secrets.
pub(crate) fn values<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a Secret> {
    pairs(headers)
        .filter(move |(found, _)| *found == name.as_bytes())
        .filter_map(|(_, value)| value.try_into().ok())
        .take(MOST)
}

/// The names of all cookies that begin with a prefix.
pub(crate) fn names<'a>(headers: &'a HeaderMap, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    pairs(headers).filter_map(|(name, _)| std::str::from_utf8(name).ok()).filter(move |name| name.starts_with(prefix))
}

fn pairs(headers: &HeaderMap) -> impl Iterator<Item = (&[u8], &[u8])> {
    headers.get_all(header::COOKIE).iter().flat_map(|line| parts(line.as_bytes())).map(split)
}

/// What stands between semicolons.
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

/// Takes our cookies out of a request: they are nothing the local service may see.
pub(crate) fn strip(headers: &mut HeaderMap, names: &Names) {
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
            let kept = parts(line.as_bytes()).filter(|pair| !names.owns(split(pair).0));
            kept.map(<[u8]>::trim_ascii).collect::<Vec<_>>().join(&b"; "[..])
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

/// Sets a cookie for this host alone, which no script reads and no other site sends along with its forms.
pub(crate) fn set(name: &str, secret: &str, seconds: Option<i64>) -> String {
    let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    format!("{name}={secret}; Path=/{age}; Secure; HttpOnly; SameSite=Lax")
}

/// Takes a cookie back.
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
        let secret = "x".repeat(SECRET_LENGTH);
        let sent = headers(&[
            &format!("a=1; postern.session={secret}; Postern.session={secret}"),
            &format!("postern.session=short;postern.session={secret};  postern.sessions={secret}"),
        ]);
        assert_eq!(values(&sent, "postern.session").count(), 2);
        assert_eq!(values(&sent, "postern.session2").count(), 0);
        let many = vec![format!("s={secret}"); 50].join(";");
        assert_eq!(values(&headers(&[&many]), "s").count(), MOST);
    }

    #[test]
    fn ours_are_taken_out_and_the_others_stay_as_they_were() {
        let names = Names::of("my.");
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
    fn cookies_are_for_one_host_and_no_script() {
        assert_eq!(set("a", "b", Some(600)), "a=b; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax");
        assert_eq!(set("a", "b", None), "a=b; Path=/; Secure; HttpOnly; SameSite=Lax");
        assert!(clear("a").starts_with("a=; Path=/; Max-Age=0;"));
    }
}
