//! Suggestions for misspelled names: "Did you mean …?".

/// The known name with the smallest edit distance from a misspelled one, if it is at most `max_distance`. Insertions,
/// deletions, replacements and swaps of neighboring letters count 1 each. The first of several equal ones wins.
pub fn nearest<'a>(misspelled: &str, known: impl IntoIterator<Item = &'a str>, max_distance: usize) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(misspelled, name), name))
        .filter(|(distance, _)| *distance <= max_distance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_closest_name_within_the_distance_is_found() {
        let known = ["authtoken", "server_addr", "web_addr", "tunnels"];
        assert_eq!(nearest("auth_token", known, 3), Some("authtoken"));
        assert_eq!(nearest("tunnles", known, 1), Some("tunnels"));
        assert_eq!(nearest("tunnles", known, 0), None);
        assert_eq!(nearest("colour", known, 2), None);
    }
}
