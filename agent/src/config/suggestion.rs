//! Suggests the known name that a mistyped one probably means.

/// The closest known name, if it is close enough.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written: String = written.chars().take(64).flat_map(char::to_lowercase).collect();
    let bound = 1 + written.len() / 4;
    postern_config::nearest::nearest(&written, known, bound)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typos_are_matched_and_unrelated_words_are_not() {
        let known = ["authtoken", "server_addr", "web_addr", "tunnels"];
        assert_eq!(nearest("auth_token", known), Some("authtoken"));
        assert_eq!(nearest("tunnles", known), Some("tunnels"));
        assert_eq!(nearest("Server-Addr", known), Some("server_addr"));
        assert_eq!(nearest("colour", known), None);
    }
}
