//! Texts of I/O errors for messages.

/// The reason of an I/O error, without the OS error number and in lower case, to follow a colon.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => error.kind().to_string(),
    }
}
