//! YAML and JSON as one tree whose every node knows where it was written.
//!
//! The reader stops at the first syntax error (there is no sense in guessing on), while everything
//! that is well-formed but wrong is found later, all at once. Sizes are bounded before anything is built.

use super::problem::{Place, Problems};
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, StructureStyle};
use std::{collections::HashMap, ops::Range, sync::Arc};

/// More than any configuration has; what aliases expand to counts in full.
const MAX_NODES: usize = 20_000;
const MAX_DEPTH: usize = 24;
/// A file larger than this is no configuration.
pub const MAX_BYTES: usize = 1 << 20;

/// A value with its place. Its `Debug` shows the kind only: a token may stand in it.
#[derive(Clone)]
pub struct Node {
    /// Where it begins.
    pub place: Place,
    /// Its bytes in the text; for block mappings and sequences only the begin is exact.
    pub span: Range<usize>,
    /// Whether it was written in braces or brackets.
    pub flow: bool,
    /// What it is.
    pub value: Value,
}

/// What a node is.
#[derive(Clone)]
pub enum Value {
    /// Nothing: an empty value, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any other scalar.
    Text(String),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and values in the order they were written; no key twice.
    Mapping(Vec<Pair>),
}

/// One key of a mapping and its value.
#[derive(Clone)]
pub struct Pair {
    /// The key's text.
    pub key: String,
    /// Where the key stands.
    pub place: Place,
    /// The key's bytes in the text.
    pub span: Range<usize>,
    /// The value.
    pub value: Node,
}

impl Node {
    /// Reads a YAML text. `file` is only shown in places.
    pub fn parse(text: &str, file: Option<Arc<str>>) -> Result<Node, Problems> {
        let mut problems = Problems::default();
        let whole = Place { file: file.clone(), line: 0, column: 0 };
        if text.len() > MAX_BYTES {
            problems.add(&whole, "", "The file is larger than 1 MiB: that is no configuration.");
            return Err(problems);
        }
        let mut reader = Reader { parser: Parser::new_from_str(text), file, anchors: HashMap::new(), nodes: 0 };
        let node = reader.document();
        node.map_err(|problem| {
            problems.add(&problem.0, "", problem.1);
            problems
        })
    }

    /// The tree of a JSON value; its nodes have no places.
    pub fn from_json(value: &serde_json::Value) -> Node {
        use serde_json::Value as Json;
        let value = match value {
            Json::Null => Value::Null,
            Json::Bool(flag) => Value::Bool(*flag),
            Json::Number(number) => number.as_i64().map_or_else(|| Value::Text(number.to_string()), Value::Integer),
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(items) => Value::Sequence(items.iter().map(Node::from_json).collect()),
            Json::Object(members) => Value::Mapping(
                members
                    .iter()
                    .map(|(key, value)| Pair {
                        key: key.clone(),
                        place: Place::default(),
                        span: 0..0,
                        value: Node::from_json(value),
                    })
                    .collect(),
            ),
        };
        Node { place: Place::default(), span: 0..0, flow: true, value }
    }

    /// The same as JSON, places forgotten.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(flag) => (*flag).into(),
            Value::Integer(number) => (*number).into(),
            Value::Text(text) => text.clone().into(),
            Value::Sequence(items) => items.iter().map(Node::to_json).collect(),
            Value::Mapping(pairs) => pairs
                .iter()
                .map(|pair| (pair.key.clone(), pair.value.to_json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }

    /// An empty mapping.
    pub fn empty() -> Node {
        Node { place: Place::default(), span: 0..0, flow: false, value: Value::Mapping(Vec::new()) }
    }

    /// The pairs, if this is a mapping.
    pub fn pairs(&self) -> Option<&[Pair]> {
        match &self.value {
            Value::Mapping(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The pair with this key, if this is a mapping that has it.
    pub fn pair(&self, key: &str) -> Option<&Pair> {
        self.pairs()?.iter().find(|pair| pair.key == key)
    }

    /// Lays another tree over this one: mappings are merged by key, everything else is replaced.
    pub fn merge(&mut self, later: Node) {
        match (&mut self.value, later.value) {
            (Value::Mapping(mine), Value::Mapping(theirs)) => {
                for pair in theirs {
                    match mine.iter_mut().find(|own| own.key == pair.key) {
                        Some(own) => {
                            own.place = pair.place;
                            own.value.merge(pair.value);
                        }
                        None => mine.push(pair),
                    }
                }
            }
            (mine, value) => {
                *mine = value;
                self.place = later.place;
            }
        }
    }

    /// In words, for sentences such as "must be a number, not a list".
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "empty",
            Value::Bool(_) => "true or false",
            Value::Integer(_) => "a number",
            Value::Text(_) => "text",
            Value::Sequence(_) => "a list",
            Value::Mapping(_) => "a group of keys",
        }
    }
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}", self.kind(), self.place)
    }
}

type Wrong = (Place, String);

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    file: Option<Arc<str>>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
}

impl<'a> Reader<'a> {
    fn place(&self, span: &Span) -> Place {
        Place { file: self.file.clone(), line: span.start.line(), column: span.start.col() + 1 }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), Wrong> {
        loop {
            match self.parser.next_event() {
                Some(Ok((Event::Comment(..), _))) => {}
                Some(Ok(event)) => return Ok(event),
                Some(Err(error)) => {
                    let place = Place {
                        file: self.file.clone(),
                        line: error.marker().line(),
                        column: error.marker().col() + 1,
                    };
                    // Only what the parser expected is said, never the text around it: a token may stand there.
                    return Err((place, format!("This is not valid YAML: {}.", error.info().trim_end_matches('.'))));
                }
                None => return Ok((Event::StreamEnd, Span::empty(Default::default()))),
            }
        }
    }

    fn document(&mut self) -> Result<Node, Wrong> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentEnd => {}
                Event::DocumentStart(..) => {
                    if root.is_some() {
                        return Err((
                            self.place(&span),
                            "The file has a second document; write everything into one.".into(),
                        ));
                    }
                    let first = self.next()?;
                    root = Some(self.node(first, 0)?);
                }
                Event::StreamEnd => return Ok(root.unwrap_or_else(Node::empty)),
                _ => return Err((self.place(&span), "This is not valid YAML here.".into())),
            }
        }
    }

    fn node(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Result<Node, Wrong> {
        let place = self.place(&span);
        self.count(1, &place)?;
        if depth > MAX_DEPTH {
            return Err((place, "The file is nested too deeply.".into()));
        }
        let bytes = span.byte_range().unwrap_or(0..0);
        let (value, anchor, flow) = match event {
            Event::Scalar(text, style, anchor, _) => {
                let value = match style {
                    ScalarStyle::Plain => plain(&text),
                    _ => Value::Text(text.into_owned()),
                };
                (value, anchor, false)
            }
            Event::SequenceStart(style, anchor, _) => {
                let mut items = Vec::new();
                loop {
                    let next = self.next()?;
                    if matches!(next.0, Event::SequenceEnd) {
                        break;
                    }
                    items.push(self.node(next, depth + 1)?);
                }
                (Value::Sequence(items), anchor, style == StructureStyle::Flow)
            }
            Event::MappingStart(style, anchor, _) => {
                let flow = style == StructureStyle::Flow;
                let (pairs, end) = self.mapping(depth)?;
                let node = Node { place, span: bytes.start..end.max(bytes.start), flow, value: Value::Mapping(pairs) };
                if anchor != 0 {
                    self.anchors.insert(anchor, node.clone());
                }
                return Ok(node);
            }
            Event::Alias(target) => {
                let Some(node) = self.anchors.get(&target).cloned() else {
                    return Err((place, "This alias refers to itself.".into()));
                };
                self.count(size(&node), &place)?;
                return Ok(Node { span: bytes, flow: true, ..node });
            }
            _ => return Err((place, "This is not valid YAML here.".into())),
        };
        let node = Node { place, span: bytes, flow, value };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn mapping(&mut self, depth: usize) -> Result<(Vec<Pair>, usize), Wrong> {
        let mut pairs: Vec<Pair> = Vec::new();
        let mut merged: Vec<Pair> = Vec::new();
        let end = loop {
            let (event, span) = self.next()?;
            let place = self.place(&span);
            let key = match event {
                Event::MappingEnd => break span.byte_range().map_or(0, |range| range.end),
                Event::Scalar(text, ..) => text.into_owned(),
                _ => return Err((place, "A key must be a plain word.".into())),
            };
            let next = self.next()?;
            let value = self.node(next, depth + 1)?;
            if key == "<<" {
                match value.value {
                    Value::Mapping(inner) => merged.extend(inner),
                    Value::Sequence(items) => {
                        merged.extend(
                            items
                                .into_iter()
                                .filter_map(|item| match item.value {
                                    Value::Mapping(inner) => Some(inner),
                                    _ => None,
                                })
                                .flatten(),
                        );
                    }
                    _ => return Err((place, "`<<` must be followed by an alias of a group of keys.".into())),
                }
                continue;
            }
            if let Some(first) = pairs.iter().find(|pair| pair.key == key) {
                return Err((
                    place,
                    format!("`{key}` stands here a second time; it was written in line {} already.", first.place.line),
                ));
            }
            pairs.push(Pair { key, place, span: span.byte_range().unwrap_or(0..0), value });
        };
        for pair in merged {
            if !pairs.iter().any(|own| own.key == pair.key) {
                pairs.push(pair);
            }
        }
        Ok((pairs, end))
    }

    fn count(&mut self, nodes: usize, place: &Place) -> Result<(), Wrong> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MAX_NODES {
            return Err((place.clone(), "The file grows beyond all bounds from here.".into()));
        }
        Ok(())
    }
}

fn size(node: &Node) -> usize {
    match &node.value {
        Value::Sequence(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Mapping(pairs) => 1 + pairs.iter().map(|pair| size(&pair.value)).sum::<usize>(),
        _ => 1,
    }
}

/// What a scalar without quotes means. `yes`, `no`, `on` and `off` stay text, as in YAML 1.2.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            let whole = !digits.is_empty()
                && digits.bytes().all(|byte| byte.is_ascii_digit())
                && (digits == "0" || !digits.starts_with('0'));
            match text.parse() {
                Ok(number) if whole => Value::Integer(number),
                _ => Value::Text(text.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Node {
        Node::parse(text, Some("a.yml".into())).expect("valid")
    }

    #[test]
    fn every_value_knows_its_place_and_its_bytes() {
        let text = "version: 2\ntunnels:\n  site: # the site\n    addr: 8080\n    proto: \"http\"\n";
        let root = parse(text);
        let tunnels = &root.pair("tunnels").expect("there").value;
        let site = tunnels.pair("site").expect("there");
        assert_eq!((site.place.line, site.place.column), (3, 3));
        let proto = &site.value.pair("proto").expect("there").value;
        assert_eq!(&text[proto.span.clone()], "\"http\"");
        assert_eq!(
            root.to_json(),
            serde_json::json!({"version": 2, "tunnels": {"site": {"addr": 8080, "proto": "http"}}})
        );
    }

    #[test]
    fn a_key_written_twice_is_refused_with_both_lines() {
        let problems = Node::parse("a: 1\nb: 2\na: 3\n", None).expect_err("twice");
        assert_eq!(problems.0[0].place.line, 3);
        assert!(problems.to_string().contains("line 1"), "{problems}");
    }

    #[test]
    fn merge_keys_and_aliases_work_and_bombs_do_not() {
        let root = parse("base: &base {proto: http, inspect: false}\nsite:\n  <<: *base\n  inspect: true\n");
        assert_eq!(
            root.pair("site").expect("there").value.to_json(),
            serde_json::json!({"inspect": true, "proto": "http"})
        );
        let mut bomb = String::from("a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n");
        for level in 1..9 {
            let aliases = vec![format!("*a{}", level - 1); 10].join(",");
            bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
        }
        assert!(Node::parse(&bomb, None).is_err());
        assert!(Node::parse(&"[".repeat(100_000), None).is_err());
    }

    #[test]
    fn a_syntax_error_names_its_line_and_shows_no_neighbouring_text() {
        let problems = Node::parse("authtoken: planted-secret\ntunnels: [\n", None).expect_err("open bracket");
        assert!(problems.0[0].place.line >= 2);
        assert!(!problems.to_string().contains("planted-secret"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_a_panic(text in "[ -~\\n\\t\u{e4}]{0,200}") {
            let _ = Node::parse(&text, None);
        }
    }
}
