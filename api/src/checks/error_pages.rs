//! Validation of error pages.

use crate::{
    Code, Error, Result,
    module::{ERROR_PAGE_LIMIT, ERROR_PAGE_SIZE, ERROR_PAGES_SIZE, ErrorPages},
};

/// Validates the module.
///
/// # Errors
/// [`Code::ErrorPageCount`], [`Code::ErrorPageStatus`] or [`Code::ErrorPageSize`], with the `field` detail.
pub fn error_pages(module: &ErrorPages) -> Result<()> {
    let wrong = |code, sentence: String| Err(Error::new(code, sentence).with("field", "pages"));
    let pages = &module.pages;
    if pages.is_empty() || pages.len() > ERROR_PAGE_LIMIT {
        let sentence = format!("There are {} pages; 1 to {ERROR_PAGE_LIMIT} are allowed.", pages.len());
        return wrong(Code::ErrorPageCount, sentence);
    }
    for (status, page) in pages {
        if !is_status(status) {
            let shown: String = status.chars().take(20).collect();
            let sentence = format!("`{shown}` is not a status of errors. Write `400` to `599`, `4xx` or `5xx`.");
            return wrong(Code::ErrorPageStatus, sentence);
        }
        if page.len() > ERROR_PAGE_SIZE {
            let sentence =
                format!("The page of `{status}` has {} bytes; at most {ERROR_PAGE_SIZE} are allowed.", page.len());
            return wrong(Code::ErrorPageSize, sentence);
        }
    }
    let all: usize = pages.values().map(String::len).sum();
    if all > ERROR_PAGES_SIZE {
        return wrong(
            Code::ErrorPageSize,
            format!("The pages have {all} bytes together; at most {ERROR_PAGES_SIZE} are allowed."),
        );
    }
    Ok(())
}

fn is_status(text: &str) -> bool {
    match text.as_bytes() {
        [b'4' | b'5', b'x', b'x'] => true,
        [b'4' | b'5', tens, ones] => tens.is_ascii_digit() && ones.is_ascii_digit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(list: &[(&str, usize)]) -> ErrorPages {
        let pages = list.iter().map(|(status, size)| ((*status).to_owned(), "x".repeat(*size))).collect();
        ErrorPages { enabled: true, pages, upstream: false }
    }

    #[test]
    fn statuses_and_sizes_are_checked() {
        for fine in [&[("404", 0)][..], &[("4xx", 32 << 10), ("5xx", 1), ("500", 1), ("599", 1)]] {
            assert_eq!(error_pages(&pages(fine)), Ok(()), "{fine:?}");
        }
        for (wrong, code) in [
            (&[][..], Code::ErrorPageCount),
            (&[("200", 1)], Code::ErrorPageStatus),
            (&[("3xx", 1)], Code::ErrorPageStatus),
            (&[("40", 1)], Code::ErrorPageStatus),
            (&[("40x", 1)], Code::ErrorPageStatus),
            (&[("5XX", 1)], Code::ErrorPageStatus),
            (&[("404", (32 << 10) + 1)], Code::ErrorPageSize),
            (
                &[("400", 32 << 10), ("401", 32 << 10), ("402", 32 << 10), ("403", 32 << 10), ("404", 1)],
                Code::ErrorPageSize,
            ),
        ] {
            assert_eq!(error_pages(&pages(wrong)).map_err(|error| error.code), Err(code), "{wrong:?}");
        }
        let many: Vec<(String, usize)> = (400..421).map(|status| (status.to_string(), 1)).collect();
        let many: Vec<(&str, usize)> = many.iter().map(|(status, size)| (status.as_str(), *size)).collect();
        assert_eq!(error_pages(&pages(&many)).map_err(|error| error.code), Err(Code::ErrorPageCount));
    }
}
