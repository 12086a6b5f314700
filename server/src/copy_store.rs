//! `store copy`: from the database of a data folder into a store that several servers can share, or back.

use crate::configuration::Configuration;
use postern_api::{Code, Error, Result};
use postern_control::{Direction, relocate};
use std::io::Write;

/// Copies, and prints what was copied and what to do next.
pub(crate) async fn run(direction: Direction, configuration: &Configuration) -> Result<()> {
    let Some(location) = &configuration.store else {
        return Err(Error::new(Code::ConfigInvalid, "Name the store with --to or --from."));
    };
    let (folder, join_file) = (&configuration.data_dir, configuration.join_file.as_deref());
    let copied = relocate(direction, folder, join_file, location).await?;
    let (folder, address) = (folder.display(), &location.address);
    let next = match direction {
        Direction::ToShared => format!(
            "Start the server with --store {address} from now on. The former database in {folder} is now `postern.db.copied`."
        ),
        Direction::FromShared => {
            format!("Start the server without --store from now on. What is in {address} stays as it is.")
        }
    };
    let mut stdout = std::io::stdout();
    writeln!(stdout, "Copied {} entries, {} KiB. {next}", copied.entries, copied.bytes.div_ceil(1024))
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(Code::Internal, format!("It could not be printed: {error}.")))
}
