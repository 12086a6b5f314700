//! Parts that the configurations of agent, server and desktop app share. Depends on no other crate of the workspace.

pub mod duration;
pub mod nearest;
pub mod private_file;
