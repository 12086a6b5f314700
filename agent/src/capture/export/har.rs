//! HAR 1.2, the format in which browsers and other tools exchange captured requests.

mod export;
mod import;

pub use export::{entry, footer, header};
pub use import::import;
