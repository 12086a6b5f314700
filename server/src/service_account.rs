//! The system user of the service, and files that it has to read.

use crate::io_error::reason;
use postern_api::{Code, Error, Result};
use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

/// Name of the system user and of its group.
pub(crate) const ACCOUNT: &str = "postern";

/// Id of the account's group, by the group file of this machine or of an image (group(5)).
pub(crate) fn group_id(group_file: &Path) -> Option<u32> {
    let text = fs::read_to_string(group_file).ok()?;
    text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let id = fields.nth(1)?;
        (name == ACCOUNT).then(|| id.parse().ok())?
    })
}

/// Lets owner and group alone read a file: mode 0640. Does nothing if the group can read it already.
///
/// # Errors
/// [`Code::ServiceFailed`] if the file's group or mode cannot be changed.
pub(crate) fn share_with_group(path: &Path, group: u32) -> Result<()> {
    let failed = |error: &std::io::Error| {
        let shown = path.display();
        let why = reason(error);
        Error::new(Code::ServiceFailed, format!("{shown} cannot be made readable for the group {ACCOUNT}: {why}."))
    };
    let found = fs::metadata(path).map_err(|error| failed(&error))?;
    let readable = found.gid() == group && found.mode() & 0o040 != 0 || found.mode() & 0o004 != 0;
    if readable {
        return Ok(());
    }
    std::os::unix::fs::chown(path, None, Some(group)).map_err(|error| failed(&error))?;
    fs::set_permissions(path, Permissions::from_mode(0o640)).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_is_found_by_its_name() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "root:x:0:\npostern-x:x:7:\nbroken\npostern:x:998:admin\n").expect("written");
        assert_eq!(group_id(file.path()), Some(998));
        fs::write(file.path(), "root:x:0:\n").expect("written");
        assert_eq!(group_id(file.path()), None);
        assert_eq!(group_id(Path::new("/does/not/exist")), None);
    }

    #[test]
    fn a_private_file_is_opened_for_the_group_alone() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::set_permissions(file.path(), Permissions::from_mode(0o600)).expect("private");
        let own = fs::metadata(file.path()).expect("there").gid();
        share_with_group(file.path(), own).expect("shared");
        assert_eq!(fs::metadata(file.path()).expect("there").mode() & 0o777, 0o640);
        fs::set_permissions(file.path(), Permissions::from_mode(0o644)).expect("public");
        share_with_group(file.path(), own).expect("as it is");
        assert_eq!(fs::metadata(file.path()).expect("there").mode() & 0o777, 0o644);
    }
}
