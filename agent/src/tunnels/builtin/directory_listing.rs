//! The page that lists a folder.

use crate::tunnels::uri_component;
use cap_std::fs::Dir;
use postern_api::html;
use std::{fmt::Write, io};

/// The page runs no scripts and loads nothing.
pub(super) const CONTENT_SECURITY_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// Maximum number of listed entries.
const MAX_ENTRIES: usize = 5000;

/// The path of a folder's page.
pub(super) fn folder_path(parts: &[String]) -> String {
    let mut address = String::from("/");
    for part in parts {
        let _ = write!(address, "{}/", uri_component::encode(part));
    }
    address
}

/// Whether a name is visible to visitors: names that begin with a dot are not, `..` included.
pub(super) fn is_visible(name: &str) -> bool {
    !name.starts_with('.') || name == ".well-known"
}

/// Lists a folder, subfolders first.
pub(super) fn page(folder: &Dir, parts: &[String]) -> io::Result<String> {
    let mut entries = Vec::new();
    let mut more = false;
    for entry in folder.entries()? {
        let Ok(entry) = entry else { continue };
        let Ok(name) = entry.file_name().into_string() else { continue };
        // Metadata is read through the sandboxed folder: links that lead out are not listed.
        let Ok(metadata) = folder.metadata(&name) else { continue };
        if !is_visible(&name) || name.contains('\\') || !(metadata.is_dir() || metadata.is_file()) {
            continue;
        }
        if entries.len() == MAX_ENTRIES {
            more = true;
            break;
        }
        entries.push((metadata.is_file(), name, metadata.len()));
    }
    entries.sort();
    let title = html::escape(&format!("/{}", parts.join("/")));
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><title>{title}</title><style>:root{{color-scheme:light dark}}\
         body{{font:1rem/1.5 system-ui,sans-serif;margin:2rem}}td{{padding-right:2rem}}</style></head><body><h1>{title}</h1><table>"
    );
    if let Some((_, above)) = parts.split_last() {
        let _ = write!(page, "<tr><td><a href=\"{}\">..</a></td><td></td></tr>", folder_path(above));
    }
    for (is_file, name, length) in entries {
        let (slash, length) = if is_file { ("", length.to_string()) } else { ("/", String::new()) };
        let link = uri_component::encode(&name);
        let _ = write!(
            page,
            "<tr><td><a href=\"{}{link}{slash}\">{}{slash}</a></td><td>{length}</td></tr>",
            folder_path(parts),
            html::escape(&name)
        );
    }
    page.push_str("</table>");
    if more {
        let _ = write!(page, "<p>Only {MAX_ENTRIES} entries are listed.</p>");
    }
    page.push_str("</body></html>");
    Ok(page)
}
