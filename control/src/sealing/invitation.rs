//! What a server needs to become another node of a cluster: the id of the cluster, and the key of its secrets. As a line of
//! text for a private file.

use super::KEY_LENGTH;
use crate::files;
use postern_api::{Code, Error, Result, Secret};
use std::path::Path;
use zeroize::Zeroizing;

/// What the text begins with.
const FORM: &str = "postern-join-1";

/// An invitation to a cluster.
pub(crate) struct Invitation {
    /// Id of the cluster.
    pub(crate) cluster: String,
    pub(super) key: Zeroizing<Vec<u8>>,
}

impl Invitation {
    /// The text, which is as secret as the key.
    pub(super) fn text(cluster: &str, key: &[u8]) -> Secret {
        let digits = key.iter().fold(Zeroizing::new(String::new()), |mut digits, byte| {
            digits.push_str(&format!("{byte:02x}"));
            digits
        });
        Secret::new(format!("{FORM}:{cluster}:{}", digits.as_str()))
    }

    /// Reads a file with the text.
    ///
    /// # Errors
    /// `ConfigInvalid` if the file cannot be read, or holds something else.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let refuse = |why: &str| {
            let message = format!("--join-file: `{}` {why}.", file.display());
            Err(Error::new(Code::ConfigInvalid, message))
        };
        let text = match files::read(file) {
            Ok(Some(bytes)) => Zeroizing::new(bytes),
            Ok(None) => {
                return refuse("does not exist; `postern-server cluster invite` makes one at a node of the cluster");
            }
            Err(error) => return refuse(&format!("cannot be read: {}", error.error)),
        };
        match std::str::from_utf8(&text).ok().and_then(|text| Self::parse(text.trim())) {
            Some(invitation) => Ok(invitation),
            None => refuse("is not what `postern-server cluster invite` prints; copy the whole line"),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (cluster, digits) = text.strip_prefix(FORM)?.strip_prefix(':')?.split_once(':')?;
        if digits.len() != 2 * KEY_LENGTH || !digits.is_ascii() {
            return None;
        }
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let key = digits.as_bytes().chunks_exact(2).map(byte).collect::<Option<Vec<u8>>>()?;
        Some(Invitation { cluster: cluster.to_owned(), key: Zeroizing::new(key) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_read_as_it_was_written_and_nothing_else_is() {
        let key: Vec<u8> = (0..32).collect();
        let text = Invitation::text("0a1b", &key);
        let read = Invitation::parse(text.reveal()).expect("an invitation");
        assert_eq!((read.cluster.as_str(), read.key.as_slice()), ("0a1b", key.as_slice()));
        assert!(!format!("{text:?}").contains("000102"), "it is not printed by accident");
        let cut = &text.reveal()[..text.reveal().len() - 1];
        for wrong in ["", "postern-join-1", "postern-join-2:a:b", cut, &format!("{cut}x"), &format!("{cut}é")] {
            assert!(Invitation::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_file_with_something_else_is_named_and_not_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("join");
        let error = Invitation::read(&file).err().expect("missing");
        assert!(error.message.contains("cluster invite"), "{error}");
        std::fs::write(&file, "planted secret").expect("written");
        let error = Invitation::read(&file).err().expect("something else");
        assert_eq!(error.code, Code::ConfigInvalid);
        assert!(!error.message.contains("planted"), "{error}");
    }
}
