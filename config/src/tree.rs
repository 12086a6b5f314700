//! YAML and JSON as a tree whose nodes know their location.
//!
//! Parsing stops at the first syntax error; invalid values are found later, all at once. Sizes are limited while the
//! tree is built.

use crate::problem::{Problems, SourceLocation};
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, StructureStyle};
use std::{collections::HashMap, ops::Range, sync::Arc};

/// Maximum number of nodes; nodes of expanded aliases count too.
const MAX_NODES: usize = 20_000;
const MAX_DEPTH: usize = 24;
/// Maximum size of a configuration file, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// A value with its location. Its `Debug` shows only the kind, because the value may be a secret.
#[derive(Clone)]
pub struct ConfigNode {
    /// Start of the node.
    pub location: SourceLocation,
    /// The bytes in the text; for block mappings and sequences, only the start is exact.
    pub span: Range<usize>,
    /// Whether it is in flow style (braces or brackets).
    pub flow: bool,
    /// The value.
    pub value: ConfigValue,
}

/// The value of a node.
#[derive(Clone)]
pub enum ConfigValue {
    /// An empty value, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any other scalar.
    Text(String),
    /// A list.
    Sequence(Vec<ConfigNode>),
    /// Keys and values in written order, without duplicate keys.
    Mapping(Vec<KeyValue>),
}

/// A key of a mapping with its value.
#[derive(Clone)]
pub struct KeyValue {
    /// The key's text.
    pub key: String,
    /// The location of the key.
    pub location: SourceLocation,
    /// The key's bytes in the text.
    pub span: Range<usize>,
    /// The value.
    pub value: ConfigNode,
}

impl ConfigNode {
    /// Parses a YAML text. `file` is used for locations only.
    ///
    /// # Errors
    /// The first syntax error, or the limit that the text exceeds.
    pub fn parse(text: &str, file: Option<Arc<str>>) -> Result<ConfigNode, Problems> {
        let mut problems = Problems::default();
        let whole = SourceLocation { file: file.clone(), line: 0, column: 0 };
        if text.len() > MAX_BYTES {
            problems.add(&whole, "", "The file is larger than 1 MiB.");
            return Err(problems);
        }
        let mut reader = TreeReader { parser: Parser::new_from_str(text), file, anchors: HashMap::new(), nodes: 0 };
        let node = reader.document();
        node.map_err(|problem| {
            problems.add(&problem.0, "", problem.1);
            problems
        })
    }

    /// The tree of a JSON value; its nodes have no locations.
    pub fn from_json(value: &serde_json::Value) -> ConfigNode {
        use serde_json::Value as Json;
        let value = match value {
            Json::Null => ConfigValue::Null,
            Json::Bool(flag) => ConfigValue::Bool(*flag),
            Json::Number(number) => {
                number.as_i64().map_or_else(|| ConfigValue::Text(number.to_string()), ConfigValue::Integer)
            }
            Json::String(text) => ConfigValue::Text(text.clone()),
            Json::Array(items) => ConfigValue::Sequence(items.iter().map(ConfigNode::from_json).collect()),
            Json::Object(members) => ConfigValue::Mapping(
                members
                    .iter()
                    .map(|(key, value)| KeyValue {
                        key: key.clone(),
                        location: SourceLocation::default(),
                        span: 0..0,
                        value: ConfigNode::from_json(value),
                    })
                    .collect(),
            ),
        };
        ConfigNode { location: SourceLocation::default(), span: 0..0, flow: true, value }
    }

    /// The value as JSON, without locations.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            ConfigValue::Null => serde_json::Value::Null,
            ConfigValue::Bool(flag) => (*flag).into(),
            ConfigValue::Integer(number) => (*number).into(),
            ConfigValue::Text(text) => text.clone().into(),
            ConfigValue::Sequence(items) => items.iter().map(ConfigNode::to_json).collect(),
            ConfigValue::Mapping(pairs) => pairs
                .iter()
                .map(|pair| (pair.key.clone(), pair.value.to_json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }

    /// An empty mapping.
    pub fn empty() -> ConfigNode {
        ConfigNode {
            location: SourceLocation::default(),
            span: 0..0,
            flow: false,
            value: ConfigValue::Mapping(Vec::new()),
        }
    }

    /// The pairs, if this is a mapping.
    pub fn pairs(&self) -> Option<&[KeyValue]> {
        match &self.value {
            ConfigValue::Mapping(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The pair with this key, if this is a mapping that has it.
    pub fn pair(&self, key: &str) -> Option<&KeyValue> {
        self.pairs()?.iter().find(|pair| pair.key == key)
    }

    /// Merges another tree into this one: mappings by key, everything else is replaced.
    pub fn merge(&mut self, later: ConfigNode) {
        match (&mut self.value, later.value) {
            (ConfigValue::Mapping(mine), ConfigValue::Mapping(theirs)) => {
                for pair in theirs {
                    match mine.iter_mut().find(|own| own.key == pair.key) {
                        Some(own) => {
                            own.location = pair.location;
                            own.value.merge(pair.value);
                        }
                        None => mine.push(pair),
                    }
                }
            }
            (mine, value) => {
                *mine = value;
                self.location = later.location;
            }
        }
    }

    /// The kind of the value for messages such as "must be a number, not a list".
    pub fn kind(&self) -> &'static str {
        match self.value {
            ConfigValue::Null => "empty",
            ConfigValue::Bool(_) => "true or false",
            ConfigValue::Integer(_) => "a number",
            ConfigValue::Text(_) => "text",
            ConfigValue::Sequence(_) => "a list",
            ConfigValue::Mapping(_) => "a group of keys",
        }
    }
}

impl std::fmt::Debug for ConfigNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}", self.kind(), self.location)
    }
}

type SyntaxError = (SourceLocation, String);

struct TreeReader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    file: Option<Arc<str>>,
    anchors: HashMap<usize, ConfigNode>,
    nodes: usize,
}

impl<'a> TreeReader<'a> {
    fn location(&self, span: &Span) -> SourceLocation {
        SourceLocation { file: self.file.clone(), line: span.start.line(), column: span.start.col() + 1 }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), SyntaxError> {
        loop {
            match self.parser.next_event() {
                Some(Ok((Event::Comment(..), _))) => {}
                Some(Ok(event)) => return Ok(event),
                Some(Err(error)) => {
                    let location = SourceLocation {
                        file: self.file.clone(),
                        line: error.marker().line(),
                        column: error.marker().col() + 1,
                    };
                    // Only the parser's expectation is shown, never the text around it: it may be a secret.
                    return Err((location, format!("This is not valid YAML: {}.", error.info().trim_end_matches('.'))));
                }
                None => return Ok((Event::StreamEnd, Span::empty(Default::default()))),
            }
        }
    }

    fn document(&mut self) -> Result<ConfigNode, SyntaxError> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentEnd => {}
                Event::DocumentStart(..) => {
                    if root.is_some() {
                        return Err((
                            self.location(&span),
                            "The file has a second document; write everything into one.".into(),
                        ));
                    }
                    let first = self.next()?;
                    root = Some(self.node(first, 0)?);
                }
                Event::StreamEnd => return Ok(root.unwrap_or_else(ConfigNode::empty)),
                _ => return Err((self.location(&span), "This is not valid YAML here.".into())),
            }
        }
    }

    fn node(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Result<ConfigNode, SyntaxError> {
        let location = self.location(&span);
        self.count(1, &location)?;
        if depth > MAX_DEPTH {
            return Err((location, "The file is nested too deeply.".into()));
        }
        let bytes = span.byte_range().unwrap_or(0..0);
        let (value, anchor, flow) = match event {
            Event::Scalar(text, style, anchor, _) => {
                let value = match style {
                    ScalarStyle::Plain => plain(&text),
                    _ => ConfigValue::Text(text.into_owned()),
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
                (ConfigValue::Sequence(items), anchor, style == StructureStyle::Flow)
            }
            Event::MappingStart(style, anchor, _) => {
                let flow = style == StructureStyle::Flow;
                let (pairs, end) = self.mapping(depth)?;
                let node = ConfigNode {
                    location,
                    span: bytes.start..end.max(bytes.start),
                    flow,
                    value: ConfigValue::Mapping(pairs),
                };
                if anchor != 0 {
                    self.anchors.insert(anchor, node.clone());
                }
                return Ok(node);
            }
            Event::Alias(target) => {
                let Some(node) = self.anchors.get(&target).cloned() else {
                    return Err((location, "This alias refers to itself.".into()));
                };
                self.count(size(&node), &location)?;
                return Ok(ConfigNode { span: bytes, flow: true, ..node });
            }
            _ => return Err((location, "This is not valid YAML here.".into())),
        };
        let node = ConfigNode { location, span: bytes, flow, value };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn mapping(&mut self, depth: usize) -> Result<(Vec<KeyValue>, usize), SyntaxError> {
        let mut pairs: Vec<KeyValue> = Vec::new();
        let mut merged: Vec<KeyValue> = Vec::new();
        let end = loop {
            let (event, span) = self.next()?;
            let location = self.location(&span);
            let key = match event {
                Event::MappingEnd => break span.byte_range().map_or(0, |range| range.end),
                Event::Scalar(text, ..) => text.into_owned(),
                _ => return Err((location, "A key must be a plain word.".into())),
            };
            let next = self.next()?;
            let value = self.node(next, depth + 1)?;
            if key == "<<" {
                match value.value {
                    ConfigValue::Mapping(inner) => merged.extend(inner),
                    ConfigValue::Sequence(items) => {
                        merged.extend(
                            items
                                .into_iter()
                                .filter_map(|item| match item.value {
                                    ConfigValue::Mapping(inner) => Some(inner),
                                    _ => None,
                                })
                                .flatten(),
                        );
                    }
                    _ => return Err((location, "`<<` must be followed by an alias of a group of keys.".into())),
                }
                continue;
            }
            if let Some(first) = pairs.iter().find(|pair| pair.key == key) {
                return Err((
                    location,
                    format!("`{key}` is a duplicate key; it is already set in line {}.", first.location.line),
                ));
            }
            pairs.push(KeyValue { key, location, span: span.byte_range().unwrap_or(0..0), value });
        };
        for pair in merged {
            if !pairs.iter().any(|own| own.key == pair.key) {
                pairs.push(pair);
            }
        }
        Ok((pairs, end))
    }

    fn count(&mut self, nodes: usize, location: &SourceLocation) -> Result<(), SyntaxError> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MAX_NODES {
            return Err((location.clone(), "The file has too many values from here.".into()));
        }
        Ok(())
    }
}

fn size(node: &ConfigNode) -> usize {
    match &node.value {
        ConfigValue::Sequence(items) => 1 + items.iter().map(size).sum::<usize>(),
        ConfigValue::Mapping(pairs) => 1 + pairs.iter().map(|pair| size(&pair.value)).sum::<usize>(),
        _ => 1,
    }
}

/// The value of a plain scalar. `yes`, `no`, `on` and `off` are text, as in YAML 1.2.
fn plain(text: &str) -> ConfigValue {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ConfigValue::Null,
        "true" | "True" | "TRUE" => ConfigValue::Bool(true),
        "false" | "False" | "FALSE" => ConfigValue::Bool(false),
        _ => {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            let whole = !digits.is_empty()
                && digits.bytes().all(|byte| byte.is_ascii_digit())
                && (digits == "0" || !digits.starts_with('0'));
            match text.parse() {
                Ok(number) if whole => ConfigValue::Integer(number),
                _ => ConfigValue::Text(text.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> ConfigNode {
        ConfigNode::parse(text, Some("a.yml".into())).expect("valid")
    }

    #[test]
    fn every_value_knows_its_location_and_its_bytes() {
        let text = "version: 2\ntunnels:\n  site: # the site\n    addr: 8080\n    proto: \"http\"\n";
        let root = parse(text);
        let tunnels = &root.pair("tunnels").expect("there").value;
        let site = tunnels.pair("site").expect("there");
        assert_eq!((site.location.line, site.location.column), (3, 3));
        let proto = &site.value.pair("proto").expect("there").value;
        assert_eq!(&text[proto.span.clone()], "\"http\"");
        assert_eq!(
            root.to_json(),
            serde_json::json!({"version": 2, "tunnels": {"site": {"addr": 8080, "proto": "http"}}})
        );
    }

    #[test]
    fn a_duplicate_key_is_reported_with_both_lines() {
        let problems = ConfigNode::parse("a: 1\nb: 2\na: 3\n", None).expect_err("twice");
        assert_eq!(problems.0[0].location.line, 3);
        assert!(problems.to_string().contains("line 1"), "{problems}");
    }

    #[test]
    fn merge_keys_and_aliases_work_and_alias_bombs_are_rejected() {
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
        assert!(ConfigNode::parse(&bomb, None).is_err());
        assert!(ConfigNode::parse(&"[".repeat(100_000), None).is_err());
    }

    #[test]
    fn a_syntax_error_names_its_line_and_shows_no_neighbouring_text() {
        let problems = ConfigNode::parse("authtoken: planted-secret\ntunnels: [\n", None).expect_err("open bracket");
        assert!(problems.0[0].location.line >= 2);
        assert!(!problems.to_string().contains("planted-secret"));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_rejected_without_a_panic(text in "[ -~\\n\\t\u{e4}]{0,200}") {
            let _ = ConfigNode::parse(&text, None);
        }
    }
}
