//! The `Date` header (RFC 9110, section 6.6.1).

use std::cell::RefCell;

thread_local! {
    /// The second that was written last, and its text.
    static LAST: RefCell<(i64, String)> = const { RefCell::new((i64::MIN, String::new())) };
}

/// Writes the time of now. It is formatted once a second.
pub(super) fn write(head: &mut Vec<u8>) {
    let now = postern_api::clock::now();
    LAST.with_borrow_mut(|(second, text)| {
        if *second != now.as_second() {
            let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
            *text = printer.timestamp_to_rfc9110_string(&now).expect("years of four digits");
            *second = now.as_second();
        }
        head.extend_from_slice(text.as_bytes());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_has_the_fixed_form() {
        let mut head = Vec::new();
        write(&mut head);
        let text = String::from_utf8(head).expect("ASCII");
        assert!(text.len() == 29 && text.ends_with(" GMT") && text.as_bytes()[3] == b',', "{text}");
    }
}
