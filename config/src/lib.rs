//! Parts that the configurations of agent, server and desktop app share: YAML with locations and the editor of the agent's
//! file, durations, suggestions for misspelled keys, atomic files, services of systemd, and desktop sessions.

pub mod desktop_session;
pub mod duration;
pub mod edit;
pub mod nearest;
pub mod private_file;
pub mod problem;
pub mod systemd;
pub mod tree;
