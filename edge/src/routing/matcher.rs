//! Which route of an edge serves a path: an exact one first, then the longest prefix, counted in whole segments.

use std::collections::HashMap;

/// Routes by path. A lookup costs as much as the path is deep, whatever the number of routes.
#[derive(Debug)]
pub(crate) struct PathMatcher<T> {
    exact: HashMap<Box<str>, T>,
    prefixes: HashMap<Box<str>, T>,
}

impl<T> Default for PathMatcher<T> {
    fn default() -> Self {
        PathMatcher { exact: HashMap::new(), prefixes: HashMap::new() }
    }
}

impl<T> PathMatcher<T> {
    /// Adds a route that serves this path alone.
    pub(crate) fn exact(&mut self, path: &str, route: T) {
        self.exact.insert(normal(path), route);
    }

    /// Adds a route for this path and everything below it: `/app` matches `/app` and `/app/x`, not `/apple`; `/app/`
    /// matches only what is below it.
    pub(crate) fn prefix(&mut self, path: &str, route: T) {
        self.prefixes.insert(normal(path), route);
    }

    /// The route of a normalised path.
    pub(crate) fn find(&self, path: &str) -> Option<&T> {
        if let Some(route) = self.exact.get(path) {
            return Some(route);
        }
        if self.prefixes.is_empty() {
            return None;
        }
        let mut rest = path;
        loop {
            if let Some(route) = self.prefixes.get(rest) {
                return Some(route);
            }
            // `/a/b` lies below `/a/`, and that below `/a`.
            rest = match rest.strip_suffix('/') {
                Some("") | None if rest.len() <= 1 => return None,
                Some(shorter) => shorter,
                None => &rest[..=rest.rfind('/')?],
            };
            if rest.is_empty() {
                return None;
            }
        }
    }
}

/// Routes are written as people write paths, and compared as requests are.
fn normal(path: &str) -> Box<str> {
    crate::http::normalised(path).map_or_else(|| path.into(), |path| path.into_owned().into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matcher(routes: &[(&str, bool)]) -> PathMatcher<String> {
        let mut matcher = PathMatcher::default();
        for (path, exact) in routes {
            if *exact { matcher.exact(path, format!("={path}")) } else { matcher.prefix(path, (*path).to_owned()) }
        }
        matcher
    }

    #[test]
    fn an_exact_path_beats_the_longest_prefix_beats_a_shorter_one() {
        let matcher =
            matcher(&[("/", false), ("/app", false), ("/app/deep", false), ("/app/deep", true), ("/only", true)]);
        for (path, expected) in [
            ("/", "/"),
            ("/x", "/"),
            ("/apple", "/"),
            ("/app", "/app"),
            ("/app/", "/app"),
            ("/app/x/y", "/app"),
            ("/app/deep", "=/app/deep"),
            ("/app/deep/", "/app/deep"),
            ("/app/deep/x", "/app/deep"),
            ("/app/deeper", "/app"),
            ("/only", "=/only"),
            ("/only/", "/"),
        ] {
            assert_eq!(matcher.find(path).map(String::as_str), Some(expected), "{path}");
        }
    }

    #[test]
    fn without_a_route_for_everything_some_paths_have_none() {
        let matcher = matcher(&[("/app/", false), ("/b", true)]);
        for (path, expected) in [
            ("/", None),
            ("/app", None),
            ("/app/", Some("/app/")),
            ("/app/x", Some("/app/")),
            ("/b", Some("=/b")),
            ("/b/c", None),
        ] {
            assert_eq!(matcher.find(path).map(String::as_str), expected, "{path}");
        }
        assert_eq!(PathMatcher::<()>::default().find("/"), None);
    }

    proptest! {
        /// Agrees with a search through all routes.
        #[test]
        fn it_agrees_with_a_search_through_all(prefixes in proptest::collection::vec("(/[ab]{1,2}){0,3}/?", 0..12), path in "(/[ab]{1,2}){0,4}/?") {
            let path = if path.is_empty() { "/".to_owned() } else { path };
            let prefixes: Vec<String> = prefixes.into_iter().map(|prefix| if prefix.is_empty() { "/".into() } else { prefix }).collect();
            let routes: Vec<(&str, bool)> = prefixes.iter().map(|prefix| (prefix.as_str(), false)).collect();
            let below = |prefix: &&String| {
                path == **prefix || path.strip_prefix(prefix.as_str()).is_some_and(|rest| prefix.ends_with('/') || rest.starts_with('/'))
            };
            let longest = prefixes.iter().filter(below).max_by_key(|prefix| prefix.len());
            let matcher = matcher(&routes);
            prop_assert_eq!(matcher.find(&path), longest);
        }
    }
}
