//! The program `postern`.
fn main() {}
