//! "Did you mean …": the known name nearest to one that was mistyped.

/// The nearest of the known names, if any is near enough to be what was meant.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written: String = written.chars().take(64).flat_map(char::to_lowercase).collect();
    let bound = 1 + written.len() / 4;
    known
        .into_iter()
        .map(|name| (distance(&written, name), name))
        .filter(|(distance, _)| *distance <= bound)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many letters must be added, left out, changed or swapped with their neighbour.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![vec![0; to.len() + 1]; from.len() + 1];
    for (index, row) in rows.iter_mut().enumerate() {
        row[0] = index;
    }
    rows[0] = (0..=to.len()).collect();
    for i in 1..=from.len() {
        for j in 1..=to.len() {
            let change = rows[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typing_errors_find_their_word_and_strangers_do_not() {
        let known = ["authtoken", "server_addr", "web_addr", "tunnels"];
        assert_eq!(nearest("auth_token", known), Some("authtoken"));
        assert_eq!(nearest("tunnles", known), Some("tunnels"));
        assert_eq!(nearest("Server-Addr", known), Some("server_addr"));
        assert_eq!(nearest("colour", known), None);
    }
}
