//! Where a record is: its id, and what it lies in.

use postern_api::{AnyId, Code, Error, Id, Result, resource::Resource};

/// The place of one record.
#[derive(Clone, Debug)]
pub(crate) struct Address<R> {
    pub(crate) id: Id<R>,
    /// What a nested record lies in.
    pub(crate) parent: Option<AnyId>,
}

impl<R: Resource> Address<R> {
    /// Reads the parameters of a path.
    pub(crate) fn parse(parent: Option<&str>, id: &str) -> Result<Self> {
        Ok(Address { parent: parent_of::<R>(parent)?, id: Id::parse(id)? })
    }
}

/// Reads the parameter of a path that says what a nested kind lies in.
pub(crate) fn parent_of<R: Resource>(text: Option<&str>) -> Result<Option<AnyId>> {
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
