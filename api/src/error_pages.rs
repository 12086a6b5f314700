//! Error pages, prepared once: the fixed parts of their HTML and the variables between them.

use crate::{Code, html, module::ErrorPages};
use std::collections::BTreeMap;

/// The prepared pages of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedPages {
    by_status: BTreeMap<String, Vec<Part>>,
    /// Whether errors of the backend get the pages too.
    pub upstream: bool,
}

/// What a page is about.
#[derive(Clone, Copy, Debug)]
pub struct PageFacts<'a> {
    /// The status of the response.
    pub status: u16,
    /// The code of the error; none if it is one of the backend.
    pub code: Option<Code>,
    /// What is wrong, and what to do.
    pub message: &'a str,
    /// The id of the request.
    pub id: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Html(String),
    Code,
    Message,
    Status,
    Id,
}

impl PreparedPages {
    /// Prepares the pages. Unknown variables stay as they are written: scripts of a page contain `${…}` too.
    pub fn new(module: &ErrorPages) -> Self {
        let by_status = module.pages.iter().map(|(status, page)| (status.clone(), parts(page))).collect();
        PreparedPages { by_status, upstream: module.upstream }
    }

    /// The page for a status as HTML; `None` if there is none.
    pub fn render(&self, facts: &PageFacts<'_>) -> Option<String> {
        let mut page = String::new();
        for part in self.find(facts.status)? {
            match part {
                Part::Html(text) => page.push_str(text),
                Part::Code => page.push_str(&facts.code.map(|code| code.to_string()).unwrap_or_default()),
                Part::Message => page.push_str(&html::escape(facts.message)),
                Part::Status => page.push_str(&facts.status.to_string()),
                Part::Id => page.push_str(&html::escape(facts.id)),
            }
        }
        Some(page)
    }

    fn find(&self, status: u16) -> Option<&Vec<Part>> {
        let class = match status {
            400..=499 => "4xx",
            500..=599 => "5xx",
            _ => return None,
        };
        self.by_status.get(status.to_string().as_str()).or_else(|| self.by_status.get(class))
    }
}

fn parts(page: &str) -> Vec<Part> {
    let (mut parts, mut rest, mut text) = (Vec::new(), page, String::new());
    while let Some(at) = rest.find("${") {
        text.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let variable = inner.split_once('}').and_then(|(name, after)| Some((variable(name.trim())?, after)));
        match variable {
            Some((variable, after)) => {
                parts.push(Part::Html(std::mem::take(&mut text)));
                parts.push(variable);
                rest = after;
            }
            None => {
                text.push_str("${");
                rest = inner;
            }
        }
    }
    text.push_str(rest);
    parts.push(Part::Html(text));
    parts
}

fn variable(name: &str) -> Option<Part> {
    match name {
        "error.code" => Some(Part::Code),
        "error.message" => Some(Part::Message),
        "res.status" => Some(Part::Status),
        "req.id" => Some(Part::Id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn prepared(list: &[(&str, &str)]) -> PreparedPages {
        let pages = list.iter().map(|(status, page)| ((*status).to_owned(), (*page).to_owned())).collect();
        PreparedPages::new(&ErrorPages { enabled: true, pages, upstream: false })
    }

    fn facts(status: u16) -> PageFacts<'static> {
        PageFacts { status, code: Some(Code::AgentOffline), message: "<script>\"&'", id: "op_<b>" }
    }

    #[test]
    fn variables_are_replaced_and_escaped() {
        let pages = prepared(&[("5xx", "<p>${res.status} ${ error.code }: ${error.message} (${req.id}) ${x} ${")]);
        let expected = "<p>503 ERR_POSTERN_3201: &lt;script&gt;&quot;&amp;&#39; (op_&lt;b&gt;) ${x} ${";
        assert_eq!(pages.render(&facts(503)).as_deref(), Some(expected));
    }

    #[test]
    fn a_status_takes_precedence_over_its_class() {
        let pages = prepared(&[("404", "exact"), ("4xx", "class")]);
        assert_eq!(pages.render(&facts(404)).as_deref(), Some("exact"));
        assert_eq!(pages.render(&facts(403)).as_deref(), Some("class"));
        assert_eq!(pages.render(&facts(500)), None);
        assert_eq!(pages.render(&facts(302)), None);
    }

    proptest! {
        #[test]
        fn any_page_without_variables_stays_as_it_is(page in "[${}a.<é ]{0,40}") {
            prop_assert_eq!(prepared(&[("5xx", &page)]).render(&facts(500)), Some(page));
        }
    }
}
