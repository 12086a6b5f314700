//! Addresses that begin with `postern:`. Anybody can make somebody click one, so a link only ever shows something.

use crate::failure::Result;
use crate::windows::{self, Target};
use percent_encoding::percent_decode_str;
use tauri::AppHandle;
use url::Url;

pub(crate) const SCHEME: &str = "postern";
/// Longer than any address the app gives out.
const LONGEST: usize = 1024;
const LONGEST_NAME: usize = 200;
const LONGEST_ID: usize = 80;
const DEEPEST: usize = 6;

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// The main window as it is.
    Home,
    /// A tunnel's requests.
    Tunnel(String),
    /// One captured request.
    Request(String),
    /// A page of the console, without the slash before it.
    Console(String),
}

impl Link {
    /// Reads a link; `None` for whatever is not exactly one of ours.
    pub(crate) fn parse(text: &str) -> Option<Link> {
        if text.len() > LONGEST || text.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
            return None;
        }
        let url = Url::parse(text).ok().filter(|url| url.scheme() == SCHEME)?;
        let bare = url.username().is_empty() && url.password().is_none() && url.port().is_none();
        if !bare || url.query().is_some() || url.fragment().is_some() {
            return None;
        }
        // The parser takes dots away by which a path climbs; such a link is none of ours.
        let written = text.get(SCHEME.len() + 1..)?;
        if written.split('/').any(|part| matches!(percent_decode_str(part).decode_utf8_lossy().as_ref(), "." | "..")) {
            return None;
        }
        let parts: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
        match (url.host_str().unwrap_or_default(), parts.as_slice()) {
            ("", []) => Some(Link::Home),
            ("tunnel", [name]) => name_of(name).map(Link::Tunnel),
            ("request", [id]) => is_id(id).then(|| Link::Request((*id).to_owned())),
            ("console", pages) if pages.len() <= DEEPEST && pages.iter().all(|part| is_id(part)) => {
                Some(Link::Console(pages.join("/")))
            }
            _ => None,
        }
    }

    /// The first argument that looks like a link. `Err` holds one that is no link of ours.
    pub(crate) fn among(arguments: &[String]) -> Option<std::result::Result<Link, String>> {
        let is_link = |argument: &&String| {
            argument.get(..=SCHEME.len()).is_some_and(|start| start.eq_ignore_ascii_case("postern:"))
        };
        arguments.iter().find(is_link).map(|text| Link::parse(text).ok_or_else(|| shortened(text)))
    }
}

/// Shows what a program start asks for: what its link leads to, or the main window.
pub(crate) fn follow(app: &AppHandle, arguments: &[String]) -> Result<()> {
    match Link::among(arguments) {
        None | Some(Ok(Link::Home)) => windows::show_main(app),
        Some(Ok(Link::Tunnel(name))) => windows::show_inspector(app, &Target { tunnel: Some(name), request: None }),
        Some(Ok(Link::Request(id))) => windows::show_inspector(app, &Target { tunnel: None, request: Some(id) }),
        Some(Ok(Link::Console(page))) => windows::show_page(app, &page),
        Some(Err(text)) => {
            tracing::warn!(link = text, "this link leads nowhere; the window is shown as it is");
            windows::show_main(app)
        }
    }
}

/// A tunnel's name: any text that a person can read.
fn name_of(part: &str) -> Option<String> {
    let name = percent_decode_str(part).decode_utf8().ok()?;
    let readable = !name.trim().is_empty() && !name.chars().any(char::is_control);
    (readable && name.len() <= LONGEST_NAME).then(|| name.into_owned())
}

fn is_id(part: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    !part.is_empty() && part.len() <= LONGEST_ID && part.chars().all(plain)
}

fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(120).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    use proptest::prelude::*;

    #[test]
    fn links_of_ours_are_understood() {
        let cases = [
            ("postern:", Link::Home),
            ("postern://", Link::Home),
            ("postern:///", Link::Home),
            ("postern://tunnel/site", Link::Tunnel("site".into())),
            ("POSTERN://tunnel/my%20site", Link::Tunnel("my site".into())),
            ("postern://tunnel/a%2Fb", Link::Tunnel("a/b".into())),
            ("postern://request/0001-ab_C", Link::Request("0001-ab_C".into())),
            ("postern://console", Link::Console(String::new())),
            ("postern://console/ip_policies/ipp_2abc/", Link::Console("ip_policies/ipp_2abc".into())),
        ];
        for (text, link) in cases {
            assert_eq!(Link::parse(text), Some(link), "{text}");
        }
    }

    #[test]
    fn everything_else_leads_nowhere() {
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
            assert_eq!(Link::parse(text), None, "{text}");
        }
        assert_eq!(Link::parse(&format!("postern://tunnel/{}", "x".repeat(2000))), None);
    }

    #[test]
    fn a_link_is_found_among_arguments() {
        let among = |arguments: &[&str]| Link::among(&arguments.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>());
        assert_eq!(among(&["postern-desktop", "--hidden"]), None);
        assert_eq!(among(&["postern-desktop", "postern://tunnel/a"]), Some(Ok(Link::Tunnel("a".into()))));
        assert_eq!(among(&["x", "Postern://run/rm"]), Some(Err("Postern://run/rm".into())));
        assert_eq!(among(&["pöstern:"]), None);
    }

    proptest! {
        #[test]
        fn any_name_of_a_tunnel_can_be_linked_to(name in "\\PC{1,40}") {
            prop_assume!(!name.trim().is_empty() && name.len() <= LONGEST_NAME);
            let text = format!("postern://tunnel/{}", utf8_percent_encode(&name, NON_ALPHANUMERIC));
            // A name of dots only cannot be told from a path that climbs.
            let expected = (name != "." && name != "..").then_some(Link::Tunnel(name));
            prop_assert_eq!(Link::parse(&text), expected);
        }

        #[test]
        fn no_text_panics_and_what_is_understood_is_plain(text in "(postern:(//)?)?[a-z/%.0-9@:?#\\\\ \\PC]{0,60}") {
            match Link::parse(&text) {
                Some(Link::Request(id)) => prop_assert!(is_id(&id)),
                Some(Link::Console(page)) => prop_assert!(page.is_empty() || page.split('/').all(is_id)),
                Some(Link::Tunnel(name)) => prop_assert!(!name.chars().any(char::is_control)),
                Some(Link::Home) | None => {}
            }
        }
    }
}
