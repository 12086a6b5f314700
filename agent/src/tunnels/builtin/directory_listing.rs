//! The page that shows what is in a folder.

use cap_std::fs::Dir;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::{fmt::Write, io};

/// What the page may do: be seen.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// More is not listed.
const MOST: usize = 5000;
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The address of a folder on its host.
pub(super) fn address(parts: &[String]) -> String {
    let mut address = String::from("/");
    for part in parts {
        let _ = write!(address, "{}/", utf8_percent_encode(part, PLAIN));
    }
    address
}

/// Whether a name is for visitors: what begins with a dot is not, `..` included.
pub(super) fn is_shown(name: &str) -> bool {
    !name.starts_with('.') || name == ".well-known"
}

/// Lists a folder, folders first.
pub(super) fn page(folder: &Dir, parts: &[String]) -> io::Result<String> {
    let mut entries = Vec::new();
    let mut more = false;
    for entry in folder.entries()? {
        let Ok(entry) = entry else { continue };
        let Ok(name) = entry.file_name().into_string() else { continue };
        // Opened like anything else: links that lead out are not listed either.
        let Ok(about) = folder.metadata(&name) else { continue };
        if !is_shown(&name) || name.contains('\\') || !(about.is_dir() || about.is_file()) {
            continue;
        }
        if entries.len() == MOST {
            more = true;
            break;
        }
        entries.push((about.is_file(), name, about.len()));
    }
    entries.sort();
    let title = escaped(&format!("/{}", parts.join("/")));
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><title>{title}</title><style>:root{{color-scheme:light dark}}\
         body{{font:1rem/1.5 system-ui,sans-serif;margin:2rem}}td{{padding-right:2rem}}</style></head><body><h1>{title}</h1><table>"
    );
    if let Some((_, above)) = parts.split_last() {
        let _ = write!(page, "<tr><td><a href=\"{}\">..</a></td><td></td></tr>", address(above));
    }
    for (is_file, name, length) in entries {
        let (slash, length) = if is_file { ("", length.to_string()) } else { ("/", String::new()) };
        let link = utf8_percent_encode(&name, PLAIN);
        let _ = write!(
            page,
            "<tr><td><a href=\"{}{link}{slash}\">{}{slash}</a></td><td>{length}</td></tr>",
            address(parts),
            escaped(&name)
        );
    }
    page.push_str("</table>");
    if more {
        let _ = write!(page, "<p>Only {MOST} entries are listed.</p>");
    }
    page.push_str("</body></html>");
    Ok(page)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
