//! Path of a record: its id and the id of its parent.

use postern_api::{AnyId, Code, Error, Id, Result, resource::Resource};

/// Path of one record.
#[derive(Clone, Debug)]
pub(crate) struct RecordPath<R> {
    pub(crate) id: Id<R>,
    /// Parent of a nested record.
    pub(crate) parent: Option<AnyId>,
}

impl<R: Resource> RecordPath<R> {
    /// Parses the parameters of a path.
    ///
    /// # Errors
    /// If a parameter is not an id of its kind.
    pub(crate) fn parse(parent: Option<&str>, id: &str) -> Result<Self> {
        Ok(RecordPath { parent: parse_parent::<R>(parent)?, id: Id::parse(id)? })
    }
}

/// Parses the path parameter with the parent of a nested kind.
///
/// # Errors
/// If it is not an id of the parent's kind.
pub(crate) fn parse_parent<R: Resource>(text: Option<&str>) -> Result<Option<AnyId>> {
    let (Some(parent), Some(text)) = (R::PARENT, text) else { return Ok(None) };
    let id = AnyId::from_text(text);
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if id.prefix() != parent.prefix || !plain || text.len() != parent.prefix.len() + 28 {
        let shown: String = text.chars().take(64).collect();
        let sentence = format!("`{shown}` is not an id of this kind: it must begin with `{}_`.", parent.prefix);
        return Err(Error::new(Code::IdShape, sentence).with("parameter", parent.parameter));
    }
    Ok(Some(id))
}
