//! The canonical form of a path, which routes are compared with. The path is forwarded as it was sent.

use std::borrow::Cow;

/// Decodes a path once and removes dot segments and empty ones (RFC 3986, section 5.2.4). `None` if the path is
/// malformed, contains a NUL, or climbs above its root: programs disagree about such paths.
///
/// A trailing slash stays, because `/a` and `/a/` may be different resources.
pub(crate) fn normalised(path: &str) -> Option<Cow<'_, str>> {
    if is_normal(path) {
        return Some(Cow::Borrowed(path));
    }
    let decoded = decoded(path)?;
    let mut kept: Vec<&str> = Vec::new();
    let segments = decoded.strip_prefix('/')?;
    for segment in segments.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop()?;
            }
            segment => kept.push(segment),
        }
    }
    let open = matches!(segments.rsplit('/').next(), Some("" | "." | ".."));
    let mut path = String::with_capacity(decoded.len());
    for segment in &kept {
        path.push('/');
        path.push_str(segment);
    }
    if open || kept.is_empty() {
        path.push('/');
    }
    Some(Cow::Owned(path))
}

/// Whether a path has no dot segments, no empty ones and no backslashes, not even encoded ones: all programs read it in the
/// same way.
pub(crate) fn is_unambiguous(path: &str) -> bool {
    let has_backslash = path.contains('\\') || path.to_ascii_lowercase().contains("%5c");
    !has_backslash && normalised(path).is_some_and(|normal| decoded(path).is_some_and(|decoded| decoded == *normal))
}

/// Whether there is nothing to do, which is so for nearly every request.
fn is_normal(path: &str) -> bool {
    let bytes = path.as_bytes();
    let mut after_slash = false;
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'/' if after_slash => return false,
            b'/' => after_slash = true,
            b'.' if after_slash => {
                let rest = &bytes[index..];
                let ends = |length: usize| rest.get(length).is_none_or(|byte| *byte == b'/');
                if ends(1) || (rest.get(1) == Some(&b'.') && ends(2)) {
                    return false;
                }
                after_slash = false;
            }
            b'%' | 0 | b'\\' => return false,
            _ => after_slash = false,
        }
    }
    bytes.first() == Some(&b'/')
}

fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'%' => {
                let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
                let (high, low) = (digit(rest.next())?, digit(rest.next())?);
                u8::try_from(high * 16 + low).ok()?
            }
            byte => byte,
        };
        match byte {
            0 => return None,
            // Some programs take one for a slash.
            b'\\' => bytes.push(b'/'),
            byte => bytes.push(byte),
        }
    }
    // Paths that are not UTF-8 after decoding match no route.
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_spelling_of_a_path_comes_to_one() {
        for (path, expected) in [
            ("/", Some("/")),
            ("/a/b", Some("/a/b")),
            ("/a/b/", Some("/a/b/")),
            ("//a", Some("/a")),
            ("/a//b", Some("/a/b")),
            ("/a/./b", Some("/a/b")),
            ("/a/.", Some("/a/")),
            ("/a/../b", Some("/b")),
            ("/a/..", Some("/")),
            ("/a/b/..", Some("/a/")),
            ("/..", None),
            ("/a/../..", None),
            ("/%61dmin", Some("/admin")),
            ("/x/%2e%2e/admin", Some("/admin")),
            ("/x%2f..%2fadmin", Some("/admin")),
            ("/x\\..\\admin", Some("/admin")),
            ("/x%5c..%5cadmin", Some("/admin")),
            ("/%252e%252e/admin", Some("/%2e%2e/admin")),
            ("/b%C3%BCcher", Some("/bücher")),
            ("/.hidden/..x", Some("/.hidden/..x")),
            ("/%zz", None),
            ("/%6", None),
            ("/%00", None),
            ("/%ff", None),
            ("*", None),
            ("", None),
        ] {
            assert_eq!(normalised(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn paths_that_programs_read_differently_are_recognized() {
        for path in ["/", "/a/b/", "/a%2Fb", "/b%C3%BCcher", "/a.b/..c", "/%2525"] {
            assert!(is_unambiguous(path), "{path}");
        }
        for path in
            ["//a", "/a//b", "/./a", "/a/..", "/a/%2e%2e/b", "/a%2f..%2fb", "/a%5cb", "/a\\b", "/%zz", "/%00", "*", ""]
        {
            assert!(!is_unambiguous(path), "{path}");
        }
    }

    proptest! {
        #[test]
        fn what_is_normal_stays_what_it_is(path in "(/[a-z.%0-9\\\\]{0,4}){1,6}/?") {
            if let Some(once) = normalised(&path) {
                prop_assert!(once.starts_with('/'));
                let segments: Vec<&str> = once[1..].split('/').collect();
                let (last, inner) = segments.split_last().expect("one at least");
                prop_assert!(inner.iter().all(|segment| !segment.is_empty()), "{once}");
                prop_assert!(segments.iter().all(|segment| *segment != "." && *segment != ".."), "{once}");
                prop_assert!(!once.contains('\\'));
                let _ = last;
            }
        }

        #[test]
        fn the_short_way_agrees_with_the_long_one(path in "(/[a-z.]{0,3}){1,5}") {
            if is_normal(&path) {
                let spelled = path.replacen('/', "/./", 1);
                let long = normalised(&spelled);
                prop_assert_eq!(long.as_deref(), Some(path.as_str()));
            }
        }
    }
}
