//! Links with the scheme `postern:`. Any web page can contain one, so a link only shows something and changes nothing.

use crate::{
    error::Result,
    windows::{self, InspectorTarget},
};
use percent_encoding::percent_decode_str;
use tauri::AppHandle;
use url::Url;

pub(crate) const SCHEME: &str = "postern";
/// Longer than any link that the app creates.
const MAX_LINK_BYTES: usize = 1024;
const MAX_NAME_BYTES: usize = 200;
const MAX_ID_BYTES: usize = 80;
/// The most path segments of a console page.
const MAX_PAGE_SEGMENTS: usize = 6;

/// The target of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeepLink {
    /// The main window.
    Home,
    /// The requests of a tunnel.
    Tunnel(String),
    /// One captured request.
    Request(String),
    /// A page of the console, without a leading slash.
    Console(String),
}

impl DeepLink {
    /// Parses a link strictly; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<DeepLink> {
        if text.len() > MAX_LINK_BYTES || text.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
            return None;
        }
        let url = Url::parse(text).ok().filter(|url| url.scheme() == SCHEME)?;
        let bare = url.username().is_empty() && url.password().is_none() && url.port().is_none();
        if !bare || url.query().is_some() || url.fragment().is_some() {
            return None;
        }
        // The URL parser removes dot segments, so they are looked for in the text.
        let after_scheme = text.get(SCHEME.len() + 1..)?;
        if after_scheme
            .split('/')
            .any(|part| matches!(percent_decode_str(part).decode_utf8_lossy().as_ref(), "." | ".."))
        {
            return None;
        }
        let parts: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
        match (url.host_str().unwrap_or_default(), parts.as_slice()) {
            ("", []) => Some(DeepLink::Home),
            ("tunnel", [name]) => tunnel_name(name).map(DeepLink::Tunnel),
            ("request", [id]) => is_id(id).then(|| DeepLink::Request((*id).to_owned())),
            ("console", pages) if pages.len() <= MAX_PAGE_SEGMENTS && pages.iter().all(|part| is_id(part)) => {
                Some(DeepLink::Console(pages.join("/")))
            }
            _ => None,
        }
    }

    /// The first argument with the scheme of a link. `Err` holds the shortened text if it is invalid.
    pub(crate) fn find(arguments: &[String]) -> Option<std::result::Result<DeepLink, String>> {
        let is_link = |argument: &&String| {
            argument.get(..=SCHEME.len()).is_some_and(|start| start.eq_ignore_ascii_case("postern:"))
        };
        arguments.iter().find(is_link).map(|text| DeepLink::parse(text).ok_or_else(|| shortened(text)))
    }
}

/// Opens the target of the link among the arguments, or the main window.
///
/// # Errors
///
/// Fails if the window cannot be shown.
pub(crate) fn open(app: &AppHandle, arguments: &[String]) -> Result<()> {
    match DeepLink::find(arguments) {
        None | Some(Ok(DeepLink::Home)) => windows::show_main(app),
        Some(Ok(DeepLink::Tunnel(name))) => {
            windows::show_inspector(app, &InspectorTarget { tunnel: Some(name), request: None })
        }
        Some(Ok(DeepLink::Request(id))) => {
            windows::show_inspector(app, &InspectorTarget { tunnel: None, request: Some(id) })
        }
        Some(Ok(DeepLink::Console(page))) => windows::show_page(app, &page),
        Some(Err(text)) => {
            tracing::warn!(link = text, "ignored an invalid link");
            windows::show_main(app)
        }
    }
}

/// A percent-encoded tunnel name: any printable text.
fn tunnel_name(part: &str) -> Option<String> {
    let name = percent_decode_str(part).decode_utf8().ok()?;
    let readable = !name.trim().is_empty() && !name.chars().any(char::is_control);
    (readable && name.len() <= MAX_NAME_BYTES).then(|| name.into_owned())
}

fn is_id(part: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    !part.is_empty() && part.len() <= MAX_ID_BYTES && part.chars().all(plain)
}

fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    use proptest::prelude::*;

    #[test]
    fn valid_links_are_parsed() {
        let cases = [
            ("postern:", DeepLink::Home),
            ("postern://", DeepLink::Home),
            ("postern:///", DeepLink::Home),
            ("postern://tunnel/site", DeepLink::Tunnel("site".into())),
            ("POSTERN://tunnel/my%20site", DeepLink::Tunnel("my site".into())),
            ("postern://tunnel/a%2Fb", DeepLink::Tunnel("a/b".into())),
            ("postern://request/0001-ab_C", DeepLink::Request("0001-ab_C".into())),
            ("postern://console", DeepLink::Console(String::new())),
            ("postern://console/ip_policies/ipp_2abc/", DeepLink::Console("ip_policies/ipp_2abc".into())),
        ];
        for (text, link) in cases {
            assert_eq!(DeepLink::parse(text), Some(link), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_links() {
        let cases = [
            "",
            "site",
            "https://tunnel/site",
            "postern-x://tunnel/site",
            "postern://tunnel",
            "postern://tunnel/",
            "postern://tunnel/a/b",
            "postern://tunnel/..",
            "postern://tunnel/%2e%2e",
            "postern://tunnel/a%00b",
            "postern://tunnel/a%0Ab",
            "postern://tunnel/%20",
            "postern://tunnel/%ff",
            "postern://tunnel/site?run=1",
            "postern://tunnel/site#x",
            "postern://user@tunnel/site",
            "postern://user:pw@tunnel/site",
            "postern://tunnel:80/site",
            "postern://request/a%20b",
            "postern://request/../quit",
            "postern://console/../../etc",
            "postern://console/a/%2e%2e/b",
            "postern://console/<script>",
            "postern://console/a/b/c/d/e/f/g",
            "postern://quit",
            "postern://run/sh",
            "postern:tunnel/site",
            "postern://tunnel/si te",
            "postern://tunnel/a\nb",
        ];
        for text in cases {
            assert_eq!(DeepLink::parse(text), None, "{text}");
        }
        assert_eq!(DeepLink::parse(&format!("postern://tunnel/{}", "x".repeat(2000))), None);
    }

    #[test]
    fn a_link_is_found_among_arguments() {
        let find = |arguments: &[&str]| DeepLink::find(&arguments.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>());
        assert_eq!(find(&["postern-desktop", "--hidden"]), None);
        assert_eq!(find(&["postern-desktop", "postern://tunnel/a"]), Some(Ok(DeepLink::Tunnel("a".into()))));
        assert_eq!(find(&["x", "Postern://run/rm"]), Some(Err("Postern://run/rm".into())));
        assert_eq!(find(&["pöstern:"]), None);
    }

    proptest! {
        #[test]
        fn any_tunnel_name_can_be_linked_to(name in "\\PC{1,40}") {
            prop_assume!(!name.trim().is_empty() && name.len() <= MAX_NAME_BYTES);
            let text = format!("postern://tunnel/{}", utf8_percent_encode(&name, NON_ALPHANUMERIC));
            // Dot segments are refused even as a name.
            let expected = (name != "." && name != "..").then_some(DeepLink::Tunnel(name));
            prop_assert_eq!(DeepLink::parse(&text), expected);
        }

        #[test]
        fn no_text_panics_and_every_parsed_part_is_plain(text in "(postern:(//)?)?[a-z/%.0-9@:?#\\\\ \\PC]{0,60}") {
            match DeepLink::parse(&text) {
                Some(DeepLink::Request(id)) => prop_assert!(is_id(&id)),
                Some(DeepLink::Console(page)) => prop_assert!(page.is_empty() || page.split('/').all(is_id)),
                Some(DeepLink::Tunnel(name)) => prop_assert!(!name.chars().any(char::is_control)),
                Some(DeepLink::Home) | None => {}
            }
        }
    }
}
