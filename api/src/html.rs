//! Text in HTML and XML.

/// The text with the five characters that have a meaning in HTML and XML as entities, for elements and for attributes in
/// quotes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_shown_and_not_interpreted() {
        assert_eq!(escape("<b title='a'>\"x\" & y</b>"), "&lt;b title=&#39;a&#39;&gt;&quot;x&quot; &amp; y&lt;/b&gt;");
    }
}
