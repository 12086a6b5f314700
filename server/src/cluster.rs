//! `cluster invite` and `cluster nodes`: both ask the running server.

use crate::{
    admin_socket::{self, AdminRequest, AdminResponse},
    configuration::default_data_dir,
    data_folder::DataFolder,
    io_error::reason,
};
use postern_api::{
    Code, Error, Result,
    resource::{Node, NodeLink, NodeState},
};
use std::{io::Write, path::PathBuf};

/// Prints the text with which another server joins, or writes it to a private file.
pub(crate) async fn invite(data_dir: Option<PathBuf>, file: Option<PathBuf>) -> Result<()> {
    let AdminResponse::Invitation(text) = ask(data_dir, &AdminRequest::Invite).await? else { return Err(unexpected()) };
    let line = format!("{}\n", text.reveal());
    let Some(file) = file else { return print(&line) };
    postern_config::private_file::write(&file, line.as_bytes()).map_err(|error| {
        let message = format!("The invitation could not be written to `{}`: {}.", file.display(), reason(&error));
        Error::new(Code::ConfigInvalid, message)
    })?;
    print(&format!(
        "The invitation is in {}. Take it to the other server as it is, start that one with --join-file, and delete it.\n",
        file.display()
    ))
}

/// Prints the servers that use the store.
pub(crate) async fn list_nodes(data_dir: Option<PathBuf>) -> Result<()> {
    let AdminResponse::Nodes(nodes) = ask(data_dir, &AdminRequest::Nodes).await? else { return Err(unexpected()) };
    print(&table(&nodes))
}

async fn ask(data_dir: Option<PathBuf>, request: &AdminRequest) -> Result<AdminResponse> {
    let path = data_dir.map_or_else(default_data_dir, Ok)?;
    let folder = DataFolder::open(&path)?;
    admin_socket::send(&folder, request).await?.ok_or_else(|| {
        let message = format!(
            "No server runs with the data folder `{}`. Start it first, or name the folder of a running one with --data-dir.",
            folder.path().display()
        );
        Error::new(Code::Unavailable, message)
    })
}

/// A line for each node, by name, in columns.
fn table(nodes: &[Node]) -> String {
    let head = ["NAME", "ADDRESS", "STATE", "LINK", "REVISION", "VERSION", "ID"].map(str::to_owned);
    let mut rows: Vec<[String; 7]> = nodes.iter().map(row).collect();
    rows.sort();
    rows.insert(0, head);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..7).map(width).collect();
    let line = |row: &[String; 7]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn row(node: &Node) -> [String; 7] {
    let state = match node.state {
        NodeState::Starting => "starting",
        NodeState::Serving => "serving",
        NodeState::Draining => "draining",
    };
    let link = match node.link {
        NodeLink::Own => "-",
        NodeLink::Up => "up",
        NodeLink::Down => "down",
    };
    let revision = node.revision.map_or_else(|| "-".to_owned(), |revision| revision.to_string());
    let (name, address, version) = (node.name.clone(), node.address.clone(), node.version.clone());
    [name, address, state.to_owned(), link.to_owned(), revision, version, node.id.to_string()]
}

fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout();
    write!(stdout, "{text}")
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(Code::Internal, format!("It could not be printed: {error}.")))
}

fn unexpected() -> Error {
    Error::new(Code::Internal, "The running server sent an unexpected response; it may be of another version.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::{Id, Timestamp};

    #[test]
    fn nodes_are_listed_in_columns() {
        let node = |name: &str, link, revision| Node {
            id: Id::new(postern_api::clock::now()),
            uri: String::new(),
            name: name.to_owned(),
            address: "10.0.0.1:4500".to_owned(),
            version: "0.1.0".to_owned(),
            state: NodeState::Serving,
            started_at: Timestamp::now(),
            answering: link == NodeLink::Own,
            link,
            revision,
        };
        let table = table(&[node("beta", NodeLink::Down, None), node("a", NodeLink::Own, Some(7))]);
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[0].starts_with("NAME  ADDRESS        STATE    LINK  REVISION  VERSION  ID"), "{table}");
        assert!(lines[1].starts_with("a     10.0.0.1:4500  serving  -     7         0.1.0    nd_"), "{table}");
        assert!(lines[2].starts_with("beta  10.0.0.1:4500  serving  down  -         0.1.0    nd_"), "{table}");
    }
}
