//! Forms in parts, as they come with attachments: the fields that are text, and nothing of the files.

use super::{
    message::{Field, MOST_FIELDS},
    reason::Reason,
};

/// Longer than any that is allowed.
const LONGEST_BOUNDARY: usize = 70;
/// The head of a part names a field, and nothing more that matters.
const LONGEST_HEAD: usize = 1024;

/// The boundary in a content type, if it is that of a form in parts.
pub(super) fn boundary(content_type: &str) -> Option<&str> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let mut said = parameters.split(';').filter_map(|one| {
        let (name, value) = one.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"'))
    });
    let boundary = said.next().filter(|_| said.next().is_none())?;
    (1..=LONGEST_BOUNDARY).contains(&boundary.len()).then_some(boundary)
}

/// The fields of a form in parts; files are passed over.
pub(super) fn fields(body: &[u8], boundary: &str) -> Result<Vec<Field>, Reason> {
    let broken = Reason::Body("its form cannot be read");
    let delimiter = [b"\r\n--", boundary.as_bytes()].concat();
    // Before the first delimiter a line may end, or the body begin.
    let mut rest = match body.strip_prefix(&delimiter[2..]) {
        Some(rest) => rest,
        None => split(body, &delimiter).ok_or_else(|| broken.clone())?.1,
    };
    let mut fields = Vec::new();
    let mut parts = 0;
    while let Some(part) = rest.strip_prefix(b"\r\n") {
        parts += 1;
        if parts > MOST_FIELDS {
            return Err(Reason::Body("its form has too many fields"));
        }
        let (part, after) = split(part, &delimiter).ok_or_else(|| broken.clone())?;
        let (head, value) = split(part, b"\r\n\r\n").ok_or_else(|| broken.clone())?;
        if let Some(name) = named(head) {
            fields.push((name, value.to_vec()));
        }
        rest = after;
    }
    if rest.starts_with(b"--") { Ok(fields) } else { Err(broken) }
}

/// The name of a field in the head of its part; none for a file.
fn named(head: &[u8]) -> Option<Vec<u8>> {
    let head = std::str::from_utf8(head).ok().filter(|head| head.len() <= LONGEST_HEAD)?;
    let line = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-disposition").then_some(value)
    })?;
    let mut words = line.split(';').map(str::trim);
    let form = words.next()?.eq_ignore_ascii_case("form-data");
    let words: Vec<(&str, &str)> = words.filter_map(|word| word.split_once('=')).collect();
    let file = words.iter().any(|(name, _)| name.to_ascii_lowercase().starts_with("filename"));
    let name = words.iter().find(|(name, _)| name.eq_ignore_ascii_case("name"))?.1;
    (form && !file).then(|| name.trim_matches('"').as_bytes().to_vec())
}

fn split<'b>(bytes: &'b [u8], at: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let found = bytes.windows(at.len()).position(|window| window == at)?;
    Some((&bytes[..found], &bytes[found + at.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_boundary_stands_in_the_content_type_once() {
        for (text, expected) in [
            ("multipart/form-data; boundary=xYz", Some("xYz")),
            ("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"", Some("a b")),
            ("multipart/form-data", None),
            ("multipart/form-data; boundary=", None),
            ("multipart/form-data; boundary=a; boundary=b", None),
            ("multipart/mixed; boundary=a", None),
            ("application/x-www-form-urlencoded; boundary=a", None),
        ] {
            assert_eq!(boundary(text), expected, "{text}");
        }
    }

    #[test]
    fn fields_are_read_and_files_are_not() {
        let body = "preamble\r\n--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nabc\r\n--b\r\n\
                    Content-Type: text/plain\r\ncontent-disposition: form-data; name=\"file\"; filename=\"token\"\r\n\r\n\
                    -- bc\r\nx\r\n--b\r\nContent-Disposition: form-data; name=empty\r\n\r\n\r\n--b--\r\nepilogue";
        let pair = |name: &str, value: &str| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
        let expected = vec![pair("token", "abc"), pair("empty", "")];
        assert_eq!(fields(body.as_bytes(), "b"), Ok(expected.clone()));
        assert_eq!(fields(&body.as_bytes()["preamble\r\n".len()..], "b"), Ok(expected));
        for broken in ["", "--b", "--b\r\n", "--b\r\nname\r\n--b--", "--b\r\nA: b\r\n\r\nc", "--c\r\n\r\n\r\n--c--"] {
            assert!(fields(broken.as_bytes(), "b").is_err(), "{broken:?}");
        }
        let many = |count: usize| format!("{}--b--", "--b\r\n\r\n\r\n\r\n".repeat(count));
        assert!(fields(many(MOST_FIELDS).as_bytes(), "b").is_ok());
        assert!(fields(many(MOST_FIELDS + 1).as_bytes(), "b").is_err());
    }

    proptest! {
        #[test]
        fn whatever_is_sent_is_read_without_a_panic(body in "(--b|\r\n|--|name=|\"|;|:|Content-Disposition|form-data|[a-z]){0,20}") {
            let _ = fields(body.as_bytes(), "b");
            let _ = boundary(&body);
        }
    }
}
