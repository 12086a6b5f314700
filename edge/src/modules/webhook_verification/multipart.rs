//! Multipart forms (RFC 7578), which providers send with attachments: the text fields, without the files.

use super::{
    rejection::Rejection,
    request::{Field, MAX_FIELDS},
};

/// Maximum length of a boundary (RFC 2046, section 5.1.1).
const MAX_BOUNDARY_BYTES: usize = 70;
/// Maximum size of the head of a part.
const MAX_HEAD_BYTES: usize = 1024;

/// The boundary in a content type, if that is a multipart form.
pub(super) fn boundary(content_type: &str) -> Option<&str> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let mut values = parameters.split(';').filter_map(|one| {
        let (name, value) = one.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"'))
    });
    let boundary = values.next().filter(|_| values.next().is_none())?;
    (1..=MAX_BOUNDARY_BYTES).contains(&boundary.len()).then_some(boundary)
}

/// The fields of a multipart form; files are skipped.
pub(super) fn fields(body: &[u8], boundary: &str) -> Result<Vec<Field>, Rejection> {
    let malformed = Rejection::InvalidBody("its form cannot be parsed");
    let delimiter = [b"\r\n--", boundary.as_bytes()].concat();
    // The first delimiter follows a line break or begins the body.
    let mut rest = match body.strip_prefix(&delimiter[2..]) {
        Some(rest) => rest,
        None => split(body, &delimiter).ok_or_else(|| malformed.clone())?.1,
    };
    let mut fields = Vec::new();
    let mut parts = 0;
    while let Some(part) = rest.strip_prefix(b"\r\n") {
        parts += 1;
        if parts > MAX_FIELDS {
            return Err(Rejection::InvalidBody("its form has too many fields"));
        }
        let (part, after) = split(part, &delimiter).ok_or_else(|| malformed.clone())?;
        let (head, value) = split(part, b"\r\n\r\n").ok_or_else(|| malformed.clone())?;
        if let Some(name) = field_name(head) {
            fields.push((name, value.to_vec()));
        }
        rest = after;
    }
    if rest.starts_with(b"--") { Ok(fields) } else { Err(malformed) }
}

/// The name of a field in the head of its part; `None` for a file.
fn field_name(head: &[u8]) -> Option<Vec<u8>> {
    let head = std::str::from_utf8(head).ok().filter(|head| head.len() <= MAX_HEAD_BYTES)?;
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
    fn the_content_type_contains_one_boundary() {
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
    fn fields_are_parsed_and_files_skipped() {
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
        assert!(fields(many(MAX_FIELDS).as_bytes(), "b").is_ok());
        assert!(fields(many(MAX_FIELDS + 1).as_bytes(), "b").is_err());
    }

    proptest! {
        #[test]
        fn any_input_is_parsed_without_a_panic(body in "(--b|\r\n|--|name=|\"|;|:|Content-Disposition|form-data|[a-z]){0,20}") {
            let _ = fields(body.as_bytes(), "b");
            let _ = boundary(&body);
        }
    }
}
