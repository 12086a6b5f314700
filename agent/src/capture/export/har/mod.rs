//! HAR 1.2: captured requests as browsers and other tools exchange them.

mod read;
mod write;

pub use read::import;
pub use write::{begin, end, entry};
