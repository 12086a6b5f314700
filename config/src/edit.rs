//! Edits a configuration file as text: comments, order and everything else are kept.
//!
//! Every change is verified: the new text must parse to the old values with only the one value changed. Where an edit
//! cannot do that (anchors, merge keys), the user has to edit the file.

use crate::{
    private_file,
    tree::{ConfigNode, ConfigValue, KeyValue},
};
use postern_api::{Code, Error};
use serde_json::{Map, Value as Json};
use std::path::Path;

/// Sets the value under a path of keys and creates missing groups.
///
/// # Errors
/// `ConfigInvalid` if the text is not YAML or cannot be edited.
pub fn set(text: &str, path: &[&str], value: &Json) -> Result<String, Error> {
    let root = parse(text)?;
    let mut expected = root.to_json();
    set_json(&mut expected, path, value);
    let changed = set_text(text, &root, path, value);
    verified(changed, &expected, path)
}

/// Removes the key at the end of a path, if it exists.
///
/// # Errors
/// The errors of [`set`].
pub fn remove(text: &str, path: &[&str]) -> Result<String, Error> {
    let root = parse(text)?;
    let mut expected = root.to_json();
    let Some((last, parents)) = path.split_last() else { return Ok(text.to_owned()) };
    let mut at = &mut expected;
    for key in parents {
        match at.get_mut(*key) {
            Some(next) => at = next,
            None => return Ok(text.to_owned()),
        }
    }
    if at.as_object_mut().and_then(|members| members.shift_remove(*last)).is_none() {
        return Ok(text.to_owned());
    }
    let changed = match walk(&root, path) {
        Walk::Flow { node, depth } => replace_flow(text, node, &path[depth..], None),
        Walk::Found { node, .. } => {
            let (begin, end) = lines_of(text, node);
            splice(text, begin, end, "")
        }
        Walk::Missing { .. } => text.to_owned(),
    };
    verified(changed, &expected, path)
}

/// Removes the item with this `name` from a top-level list, if it exists.
///
/// # Errors
/// The errors of [`set`].
pub fn remove_item(text: &str, list: &str, name: &str) -> Result<String, Error> {
    let root = parse(text)?;
    let Some(pair) = root.pair(list) else { return Ok(text.to_owned()) };
    let ConfigValue::Sequence(items) = &pair.value.value else { return Ok(text.to_owned()) };
    let is_it = |item: &Json| item.get("name").is_some_and(|own| own == name);
    let Some(index) = items.iter().position(|item| is_it(&item.to_json())) else { return Ok(text.to_owned()) };
    let mut expected = root.to_json();
    if let Some(items) = expected.get_mut(list).and_then(Json::as_array_mut) {
        items.remove(index);
    }
    let item = &items[index];
    let changed = if root.flow {
        splice(text, root.span.start, root.span.end, &expected.to_string())
    } else if pair.value.flow || items.len() == 1 {
        // The remaining items are written after the key in flow style.
        let rest = expected.get(list).cloned().unwrap_or_default();
        let (begin, end) = lines_of(text, BlockEntry { key_begin: pair.span.start, value: &pair.value });
        splice(text, begin, end, &format!("{}: {rest}\n", word(list)))
    } else {
        // From the line of its dash to the end of its last line with content.
        let dash = text[..item.span.start].rfind('-').unwrap_or(item.span.start);
        let (_, end) = lines_of(text, BlockEntry { key_begin: item.span.start, value: item });
        splice(text, line_begin(text, dash), end, "")
    };
    verified(changed, &expected, &[list, name])
}

/// Writes a tunnel under `tunnels`; of an existing one, only the keys that differ are changed.
///
/// # Errors
/// The errors of [`set`].
pub fn set_tunnel(text: &str, name: &str, definition: &Map<String, Json>) -> Result<String, Error> {
    let root = parse(text)?;
    let existing =
        root.pair("tunnels").and_then(|tunnels| tunnels.value.pair(name)).and_then(|pair| pair.value.pairs());
    let Some(existing) = existing.filter(|pairs| !pairs.is_empty() && !definition.is_empty()) else {
        return set(text, &["tunnels", name], &Json::Object(definition.clone()));
    };
    let gone: Vec<String> =
        existing.iter().map(|pair| pair.key.clone()).filter(|key| !definition.contains_key(key)).collect();
    let mut text = text.to_owned();
    for (key, value) in definition {
        text = set(&text, &["tunnels", name, key], value)?;
    }
    for key in gone {
        text = remove(&text, &["tunnels", name, &key])?;
    }
    Ok(text)
}

/// Replaces a file atomically, readable by its owner only.
///
/// # Errors
/// The errors of the file system.
pub fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    private_file::write(&target, bytes)
}

/// Reads a configuration file for editing; a missing one reads as a new one.
///
/// # Errors
/// `ConfigInvalid` with the path and the reason.
pub fn read_for_edit(path: &Path) -> Result<String, Error> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok("version: 2\n".to_owned()),
        Err(error) => Err(Error::new(Code::ConfigInvalid, format!("{} cannot be read: {error}.", path.display()))),
    }
}

// === finding the location of a change ===

enum Walk<'a> {
    /// The key exists, in block style.
    Found { node: BlockEntry<'a> },
    /// The first `depth` keys exist, the next one does not; `parent` is the pair to add it to (none: the top level).
    Missing { parent: Option<BlockEntry<'a>>, mapping: &'a ConfigNode, depth: usize },
    /// A flow mapping or sequence is on the path, as the value of the first `depth` keys.
    Flow { node: &'a ConfigNode, depth: usize },
}

#[derive(Clone, Copy)]
struct BlockEntry<'a> {
    key_begin: usize,
    value: &'a ConfigNode,
}

fn walk<'a>(root: &'a ConfigNode, path: &[&str]) -> Walk<'a> {
    let mut parent = None;
    let mut node = root;
    for (depth, key) in path.iter().enumerate() {
        let empty = node.pairs().is_some_and(<[_]>::is_empty);
        if node.flow && !empty {
            return Walk::Flow { node, depth };
        }
        match node.pair(key) {
            Some(pair) => {
                let block = BlockEntry { key_begin: pair.span.start, value: &pair.value };
                if depth + 1 == path.len() {
                    return Walk::Found { node: block };
                }
                parent = Some(block);
                node = &pair.value;
            }
            None => return Walk::Missing { parent, mapping: node, depth },
        }
    }
    Walk::Missing { parent, mapping: node, depth: path.len() }
}

fn set_text(text: &str, root: &ConfigNode, path: &[&str], value: &Json) -> String {
    match walk(root, path) {
        Walk::Flow { node, depth } => replace_flow(text, node, &path[depth..], Some(value)),
        Walk::Found { node } if node.value.to_json() == *value => text.to_owned(),
        Walk::Found { node } => {
            let old = &text[node.value.span.clone()];
            let inline = is_scalar(&node.value.value) && !old.is_empty() && !old.starts_with(['|', '>']);
            if inline && !value.is_object() && !value.is_array() {
                return splice(text, node.value.span.start, node.value.span.end, &scalar(value));
            }
            let (begin, end) = lines_of(text, node);
            let indent = node.key_begin - line_begin(text, node.key_begin);
            let key = path.last().copied().unwrap_or_default();
            splice(text, begin, end, &emit(key, value, indent))
        }
        Walk::Missing { parent, mapping, depth } => {
            let mut nested = value.clone();
            for key in path[depth + 1..].iter().rev() {
                nested = Json::Object([((*key).to_owned(), nested)].into_iter().collect());
            }
            insert(text, root, parent, mapping, path[depth], &nested)
        }
    }
}

fn insert(
    text: &str,
    root: &ConfigNode,
    parent: Option<BlockEntry<'_>>,
    mapping: &ConfigNode,
    key: &str,
    value: &Json,
) -> String {
    let pairs = mapping.pairs().unwrap_or_default();
    let block = |pair: &KeyValue| (pair.span.start, pair.value.clone());
    if let (Some(first), Some(last)) = (pairs.first(), pairs.last()) {
        let indent = first.span.start - line_begin(text, first.span.start);
        // A new scalar at the top level goes below the version; groups and everything nested go to the end.
        let version = pairs.iter().find(|pair| parent.is_none() && pair.key == "version" && !value.is_object());
        let (key_begin, node) = block(version.unwrap_or(last));
        let (_, end) = lines_of(text, BlockEntry { key_begin, value: &node });
        return splice(text, end, end, &emit(key, value, indent));
    }
    match parent {
        // An empty group: `tunnels:` or `tunnels: {}`.
        Some(parent) => {
            let indent = parent.key_begin - line_begin(text, parent.key_begin) + 2;
            let text =
                if mapping.flow { splice(text, mapping.span.start, mapping.span.end, "") } else { text.to_owned() };
            let end = line_end(&text, parent.key_begin);
            splice(&text, end, end, &emit(key, value, indent))
        }
        None if root.flow => splice(text, root.span.start, root.span.end, &emit(key, value, 0)),
        None => splice(text, text.len(), text.len(), &emit(key, value, 0)),
    }
}

fn replace_flow(text: &str, node: &ConfigNode, path: &[&str], value: Option<&Json>) -> String {
    let mut json = node.to_json();
    match value {
        Some(value) => set_json(&mut json, path, value),
        None => {
            let mut at = &mut json;
            let (last, parents) = path.split_last().map_or(("", path), |(last, parents)| (*last, parents));
            for key in parents {
                match at.get_mut(*key) {
                    Some(next) => at = next,
                    None => return text.to_owned(),
                }
            }
            if let Some(members) = at.as_object_mut() {
                members.shift_remove(last);
            }
        }
    }
    // JSON is YAML's flow style.
    splice(text, node.span.start, node.span.end, &json.to_string())
}

/// The byte range of the lines of a key and its value, up to the last line with content.
fn lines_of(text: &str, block: BlockEntry<'_>) -> (usize, usize) {
    let last = last_byte(block.value).max(block.key_begin);
    let trimmed = text[..last].trim_end().len().max(block.key_begin);
    (line_begin(text, block.key_begin), line_end(text, trimmed.saturating_sub(1).max(block.key_begin)))
}

fn last_byte(node: &ConfigNode) -> usize {
    match &node.value {
        ConfigValue::Mapping(pairs) if !node.flow && !pairs.is_empty() => {
            pairs.iter().map(|pair| last_byte(&pair.value).max(pair.span.end)).max().unwrap_or(node.span.start)
        }
        ConfigValue::Sequence(items) if !node.flow && !items.is_empty() => {
            items.iter().map(last_byte).max().unwrap_or(node.span.start)
        }
        _ => node.span.end,
    }
}

fn line_begin(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The end of the line including its newline, or the end of the text.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

fn splice(text: &str, begin: usize, end: usize, new: &str) -> String {
    let mut result = String::with_capacity(text.len() + new.len() + 1);
    result.push_str(&text[..begin]);
    if new.ends_with('\n') && !result.is_empty() && !result.ends_with('\n') {
        result.push('\n');
    }
    result.push_str(new);
    result.push_str(&text[end..]);
    result
}

// === writing values ===

fn emit(key: &str, value: &Json, indent: usize) -> String {
    let pad = " ".repeat(indent);
    let key = word(key);
    match value {
        Json::Object(members) if !members.is_empty() => {
            let inner: String = members.iter().map(|(key, value)| emit(key, value, indent + 2)).collect();
            format!("{pad}{key}:\n{inner}")
        }
        Json::Array(items) if !items.is_empty() => {
            let inner: String = items.iter().map(|item| format!("{pad}  - {}\n", scalar(item))).collect();
            format!("{pad}{key}:\n{inner}")
        }
        _ => format!("{pad}{key}: {}\n", scalar(value)),
    }
}

fn scalar(value: &Json) -> String {
    match value {
        Json::String(text) => word(text),
        other => other.to_string(),
    }
}

/// Plain where every YAML reader takes it for text, quoted as JSON otherwise.
fn word(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        && !matches!(
            text.to_ascii_lowercase().as_str(),
            "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
        );
    if plain { text.to_owned() } else { Json::from(text).to_string() }
}

// === verifying the change ===

fn parse(text: &str) -> Result<ConfigNode, Error> {
    let node = ConfigNode::parse(text, None).map_err(|problems| {
        let line = problems.0.first().map_or(0, |problem| problem.location.line);
        Error::new(
            Code::ConfigInvalid,
            format!(
                "The configuration file is invalid in line {line}, so nothing was changed. Run `postern config check`."
            ),
        )
    })?;
    match &node.value {
        ConfigValue::Mapping(_) => Ok(node),
        ConfigValue::Null => Ok(ConfigNode { value: ConfigValue::Mapping(Vec::new()), ..node }),
        _ => Err(Error::new(
            Code::ConfigInvalid,
            "The configuration file is not a group of keys, so nothing was changed.",
        )),
    }
}

fn verified(changed: String, expected: &Json, path: &[&str]) -> Result<String, Error> {
    let same = ConfigNode::parse(&changed, None).is_ok_and(|node| pruned(node.to_json()) == pruned(expected.clone()));
    if same {
        return Ok(changed);
    }
    Err(Error::new(
        Code::ConfigInvalid,
        format!(
            "`{}` could not be changed without touching other parts of the file (anchors or merge keys?). Please edit the file by hand.",
            path.join(".")
        ),
    ))
}

/// An empty group and an empty value are equal.
fn pruned(value: Json) -> Json {
    match value {
        Json::Object(members) => {
            let members: Map<String, Json> = members
                .into_iter()
                .map(|(key, value)| (key, pruned(value)))
                .filter(|(_, value)| !value.is_null())
                .collect();
            if members.is_empty() { Json::Null } else { Json::Object(members) }
        }
        other => other,
    }
}

fn set_json(at: &mut Json, path: &[&str], value: &Json) {
    match path.split_first() {
        None => *at = value.clone(),
        Some((key, rest)) => {
            if !at.is_object() {
                *at = Json::Object(Map::new());
            }
            if let Some(members) = at.as_object_mut() {
                set_json(members.entry((*key).to_owned()).or_insert(Json::Null), rest, value);
            }
        }
    }
}

fn is_scalar(value: &ConfigValue) -> bool {
    !matches!(value, ConfigValue::Mapping(_) | ConfigValue::Sequence(_))
}

#[cfg(test)]
mod tests;
